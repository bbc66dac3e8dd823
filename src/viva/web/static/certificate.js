// Prints a certificate and copies the link that verifies it. Without this script the browser's own menu prints.
const print = document.getElementById("print");
const copy = document.getElementById("copy-link");

print.hidden = false;
print.addEventListener("click", () => window.print());

if (navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(copy.dataset.link);
      status.textContent = "Copied.";
    } catch {
      status.textContent = "Could not copy. The link is at the foot of the certificate.";
    }
  });
}
