// Lets a visitor choose a light or dark theme, and stores the choice. Without this script the system's preference applies.
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);

try {
  const stored = localStorage.getItem("theme");
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;
} catch {} // without storage the system's preference applies

function choose(theme) {
  root.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {}
}

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const updateLabel = () => (button.firstChild.data = isDark() ? "Light" : "Dark");
  button.hidden = false;
  button.addEventListener("click", () => {
    choose(isDark() ? "light" : "dark");
    updateLabel();
  });
  dark.addEventListener("change", updateLabel);
  updateLabel();
});
