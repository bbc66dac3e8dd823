// A choice in a form with data-at-once takes effect at once. The button of a form of choices alone is then not needed.
for (const form of document.querySelectorAll("form[data-at-once]")) hideButton(form);

document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form[data-at-once]");
  if (form) form.requestSubmit();
});

function hideButton(form) {
  const isTyped = form.querySelector("input:not([type=hidden])");
  const button = form.querySelector("button");
  if (!isTyped && button) button.hidden = true;
}
