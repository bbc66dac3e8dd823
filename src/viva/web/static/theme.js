// Lets a visitor choose light or dark against the system's preference, and remembers it. Without it the preference holds.
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);

try {
  const kept = localStorage.getItem("theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
} catch {} // a browser that keeps nothing still shows the page

function choose(theme) {
  root.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {}
}

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const name = () => (button.textContent = isDark() ? "Light theme" : "Dark theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    choose(isDark() ? "light" : "dark");
    name();
  });
  dark.addEventListener("change", name);
  name();
});
