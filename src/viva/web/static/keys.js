// Single keys: `/` goes to the search, `?` lists the keys. They never take what is typed, and can be turned off for good.
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
    else location.href = "/search"; // a small window has no room for the field
  },
};

// Before anybody else hears of it, so that the keys of every page are off together.
window.addEventListener("keydown", (event) => isOff() && isSingle(event) && event.stopPropagation(), true);

document.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  if (!act || event.defaultPrevented || !isSingle(event) || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  act();
});

function turn(off) {
  root.dataset.keys = off ? "off" : "on";
  try {
    localStorage.setItem("keys", root.dataset.keys);
  } catch {} // a browser that keeps nothing still has them off on this page
}

const button = document.getElementById("show-keys");
const toggle = dialog.querySelector("[data-switch]");
const name = () => {
  toggle.textContent = isOff() ? "Turn single keys on" : "Turn single keys off";
};

try {
  if (localStorage.getItem("keys") === "off") root.dataset.keys = "off";
} catch {}
name();
button.hidden = false;
button.addEventListener("click", () => dialog.showModal());
toggle.addEventListener("click", () => {
  turn(!isOff());
  name();
});
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
