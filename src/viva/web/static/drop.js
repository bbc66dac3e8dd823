// Lets a visitor drop files on the upload form. Without this script the field works as usual.
const form = document.getElementById("upload");
const box = form.querySelector(".drop-box");
const field = form.elements.file;
form.classList.add("can-drop");

for (const name of ["dragenter", "dragover"]) {
  form.addEventListener(name, (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    box.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => box.classList.remove("over"));
form.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  field.files = event.dataTransfer.files;
  field.focus();
});
