// Waits until something changes for the person on this page, and then opens the page on which it goes on.
// Without this script a link looks again.
const waiting = document.getElementById("waiting");
const state = document.getElementById("wait-state");
const RETRY_DELAY_MS = 2000; // after a failed request; doubled each time
const MAX_RETRY_DELAY_MS = 30_000;
let delay = RETRY_DELAY_MS;

async function watch() {
  const known = new URL(waiting.dataset.news, location.href).searchParams.get("state");
  for (;;) {
    try {
      const answer = await fetch(waiting.dataset.news, { headers: { Accept: "application/json" } });
      if (answer.status === 401 || answer.status === 403 || answer.status === 404) return location.assign(waiting.dataset.next);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      if ((await answer.json()).state !== known) return location.assign(waiting.dataset.next);
      tell("This page updates by itself.");
      delay = RETRY_DELAY_MS;
    } catch {
      tell("Connection lost. Trying again…");
      await new Promise((done) => setTimeout(done, delay));
      delay = Math.min(2 * delay, MAX_RETRY_DELAY_MS);
    }
  }
}

function tell(text) {
  if (state.textContent !== text) state.textContent = text;
}

tell("This page updates by itself.");
watch();
