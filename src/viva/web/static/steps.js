// On the page of a result, the keys of the session dialog open the previous and next attempts.
const STEPS = { ArrowLeft: "prev", k: "prev", ArrowRight: "next", j: "next" };

document.addEventListener("keydown", (event) => {
  const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  const isTaken = event.target.closest?.("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]");
  if (isHeld || isTaken || event.defaultPrevented || !STEPS[event.key]) return;
  document.querySelector(`.steps a[rel=${STEPS[event.key]}]`)?.click();
});
