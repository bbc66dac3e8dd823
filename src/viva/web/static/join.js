// Copies a new key, and lets one press of the button be enough. Without it the key is copied by hand.
const form = document.getElementById("join");
const copy = document.getElementById("copy");

form?.addEventListener("submit", () => {
  form.querySelector("button").disabled = true;
});
addEventListener("pageshow", () => {
  if (form) form.querySelector("button").disabled = false; // the browser may show the page as it was left
});

if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const told = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(document.getElementById("key").textContent);
      told.textContent = "Copied. Paste it where you keep passwords.";
    } catch {
      told.textContent = "Could not copy. Select the key and copy it by hand.";
    }
  });
}
