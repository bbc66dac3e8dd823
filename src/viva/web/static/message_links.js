// An address that names a message (#msg-450, or ?message=450) scrolls to it and focuses it, and loads its page of the
// conversation if it is on another. Without this script, ?message=450 shows the right page.
function showMessage() {
  const number = location.hash.match(/^#msg-(\d{1,9})$/)?.[1] ?? new URLSearchParams(location.search).get("message");
  if (!/^\d{1,9}$/.test(number ?? "")) return;
  const message = document.getElementById(`msg-${number}`);
  if (message) return focusMessage(message);
  const url = new URL(location.href);
  if (url.searchParams.get("message") === number) return; // the conversation has no such message
  for (const name of ["after", "before"]) url.searchParams.delete(name);
  url.searchParams.set("message", number);
  location.replace(url);
}

function focusMessage(message) {
  message.tabIndex = -1; // a message needs tabindex to take the focus
  message.classList.add("targeted");
  message.focus({ preventScroll: true });
  message.scrollIntoView();
}

addEventListener("hashchange", () => {
  for (const message of document.querySelectorAll(".targeted")) message.classList.remove("targeted");
  showMessage();
});
showMessage();
