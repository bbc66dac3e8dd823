// Follows a running analysis, and opens its result when it is done. Without this script a link looks again.
const box = document.querySelector("[data-events]");
const text = document.getElementById("progress-text");
const bar = document.getElementById("progress");
const MAX_LOSSES = 5; // in a row, before the page stops asking
let losses = 0;

const source = new EventSource(box.dataset.events);
source.addEventListener("progress", (event) => {
  losses = 0;
  const { turns, turns_done: done } = JSON.parse(event.data);
  bar.max = turns || 1;
  bar.value = done;
  text.textContent = `${done.toLocaleString("en")} of ${turns.toLocaleString("en")} turns are done.`;
});
for (const end of ["done", "failed", "end"]) source.addEventListener(end, showResult);
source.addEventListener("error", () => {
  losses += 1;
  if (source.readyState !== EventSource.CLOSED && losses < MAX_LOSSES) return;
  source.close();
  text.textContent = "The connection was lost. Look again in a moment.";
});

function showResult() {
  source.close();
  location.reload();
}
