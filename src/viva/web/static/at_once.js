// A choice in a form with data-at-once takes effect at once, and keeps the focus. The button of a form of choices alone is then
// not needed. Fields without a value stay out of the address.
const CHOSEN = "chosen at once";

for (const form of document.querySelectorAll("form[data-at-once]")) {
  hideButton(form);
  form.addEventListener("formdata", leaveOutEmpty);
}

document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form[data-at-once]");
  if (!form) return;
  if (!form.closest("[data-part]")) keepFocus(event.target.id); // a part of the page keeps the focus itself
  form.requestSubmit();
});

function hideButton(form) {
  const isTyped = form.querySelector("input:not([type=hidden])");
  const button = form.querySelector("button");
  if (!isTyped && button) button.hidden = true;
}

function leaveOutEmpty(event) {
  for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
}

// The page loads again, and the next arrow key has to reach the same field.
function keepFocus(id) {
  try {
    sessionStorage.setItem(CHOSEN, JSON.stringify([location.pathname, id]));
  } catch {} // without storage the choice still takes effect
}

function restoreFocus() {
  let chosen = null;
  try {
    chosen = JSON.parse(sessionStorage.getItem(CHOSEN));
    sessionStorage.removeItem(CHOSEN);
  } catch {}
  if (chosen?.[0] === location.pathname) document.getElementById(chosen[1])?.focus({ preventScroll: true });
}

restoreFocus();
