// Single keys: `/` opens the search, `?` lists the keys. They ignore typing in fields and can be turned off.
const FIELDS = "input, textarea, select, [contenteditable]";
const dialog = document.getElementById("keys");
const root = document.documentElement;

const isOff = () => root.dataset.keys === "off";
const isTyping = (target) => target instanceof Element && target.closest(FIELDS) !== null;
const isSingle = (event) => event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);

const KEYS = {
  "?": () => dialog.showModal(),
  "/": () => {
    const field = document.querySelector("[data-search]");
    if (field?.checkVisibility()) field.select();
    else location.href = "/search"; // a small window hides the field
  },
};

// This listener runs first, so that it also turns off the keys of other scripts.
window.addEventListener("keydown", (event) => isOff() && isSingle(event) && event.stopPropagation(), true);

document.addEventListener("keydown", (event) => {
  const action = KEYS[event.key];
  if (!action || event.defaultPrevented || !isSingle(event) || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  action();
});

function turnKeys(off) {
  root.dataset.keys = off ? "off" : "on";
  try {
    localStorage.setItem("keys", root.dataset.keys);
  } catch {} // without storage the choice applies to this page only
}

const button = document.getElementById("show-keys");
const toggle = dialog.querySelector("[data-switch]");
const updateLabel = () => {
  toggle.textContent = isOff() ? "Turn single keys on" : "Turn single keys off";
};

try {
  if (localStorage.getItem("keys") === "off") root.dataset.keys = "off";
} catch {}
updateLabel();
button.hidden = false;
button.addEventListener("click", () => dialog.showModal());
toggle.addEventListener("click", () => {
  turnKeys(!isOff());
  updateLabel();
});
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
