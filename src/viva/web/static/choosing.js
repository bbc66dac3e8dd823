// Ticks all boxes of a list at once, and says how many are ticked.
const form = document.getElementById("choosing");
const all = document.getElementById("choose-all");
const boxes = form ? [...form.querySelectorAll("input[name=agent], input[name=report]")] : [];

if (form && all && boxes.length) {
  all.hidden = false;
  all.closest("label")?.removeAttribute("hidden");
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
  });
  form.addEventListener("change", (event) => {
    if (!boxes.includes(event.target)) return;
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
  });
}
