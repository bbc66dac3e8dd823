// Copies a new key, and prevents a second submit. Without this script the key is copied by hand.
const form = document.getElementById("join");
const copy = document.getElementById("copy");

form?.addEventListener("submit", () => {
  form.querySelector("button").disabled = true;
});
addEventListener("pageshow", () => {
  if (form) form.querySelector("button").disabled = false; // the browser may restore the page with the button disabled
});

if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(document.getElementById("key").textContent);
      status.textContent = "Copied. Store it like a password.";
    } catch {
      status.textContent = "Could not copy. Select the key and copy it by hand.";
    }
  });
}
