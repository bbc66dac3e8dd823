// Counts the time of a session down: until a class ends, or until silence ends an exam. A new message starts a silence anew.
// Without this script the page says how much time was left when it was loaded.
const clock = document.getElementById("clock");
const told = document.getElementById("time-told");
const TOLD_SECONDS = [10 * 60, 5 * 60, 60]; // when a screen reader is told the time that is left
let endsAt = performance.now() + 1000 * Number(clock.dataset.seconds);

function showTime() {
  if (!clock.isConnected) return clearInterval(ticking); // the session has ended
  const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000));
  const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const padded = (number) => String(number).padStart(2, "0");
  clock.textContent = hours ? `${hours}:${padded(minutes)}:${padded(seconds)}` : `${minutes}:${padded(seconds)}`;
  clock.classList.toggle("short", left <= 60);
  if (TOLD_SECONDS.includes(left)) told.textContent = `${left / 60} ${left === 60 ? "minute" : "minutes"} left.`;
}

addEventListener("viva:message", () => {
  if (!clock.dataset.limit) return;
  endsAt = performance.now() + 1000 * Number(clock.dataset.limit);
  showTime();
});
const ticking = setInterval(showTime, 1000);
showTime();
