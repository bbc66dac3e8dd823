// On the page of a result, the keys of the session dialog open the previous and next attempts. An address that names a
// message (#msg-450, or ?message=450) scrolls to it and focuses it, and loads its page of the transcript if it is on another.
const STEPS = { ArrowLeft: "prev", k: "prev", ArrowRight: "next", j: "next" };

document.addEventListener("keydown", (event) => {
  const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  const isTaken = event.target.closest?.("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]");
  if (isHeld || isTaken || event.defaultPrevented || !STEPS[event.key]) return;
  document.querySelector(`.steps a[rel=${STEPS[event.key]}]`)?.click();
});

function showMessage() {
  const number = location.hash.match(/^#msg-(\d{1,9})$/)?.[1] ?? new URLSearchParams(location.search).get("message");
  if (!/^\d{1,9}$/.test(number ?? "")) return;
  const message = document.getElementById(`msg-${number}`);
  if (message) return focusMessage(message);
  const url = new URL(location.href);
  if (url.searchParams.get("message") === number) return; // the conversation has no such message
  url.searchParams.delete("after");
  url.searchParams.set("message", number);
  location.replace(url);
}

function focusMessage(message) {
  message.tabIndex = -1; // a message needs tabindex to take the focus
  message.classList.add("targeted");
  message.focus({ preventScroll: true });
  message.scrollIntoView();
}

addEventListener("hashchange", () => {
  for (const message of document.querySelectorAll(".targeted")) message.classList.remove("targeted");
  showMessage();
});
showMessage();
