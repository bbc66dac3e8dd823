// Waits on a review for a gate that runs, and shows what it found. Other forms of the page keep what was typed into them.
// Without this script a link loads the page again.
const POLL_DELAY_MS = 3000; // a gate without a judge takes a few seconds
const MAX_POLLS = 400; // twenty minutes, which is longer than any gate

const approvalIn = (root) => root.querySelector("[data-approve]")?.closest("details");
const gate = () => document.querySelector("[data-gate]");

async function poll() {
  try {
    const answer = await fetch(location.pathname, { redirect: "error" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-gate]");
    if (!fresh || fresh.dataset.gate === "running") return;
    gate().replaceChildren(...fresh.childNodes); // not the section itself, which tells screen readers of the change
    gate().dataset.gate = fresh.dataset.gate;
    const approval = approvalIn(page);
    if (approval) approvalIn(document)?.replaceWith(approval); // while a gate runs, it has no form
  } catch {
    // the network may be back at the next try
  }
}

for (let polls = 0; polls < MAX_POLLS && gate()?.dataset.gate === "running"; polls += 1) {
  await new Promise((resolve) => setTimeout(resolve, POLL_DELAY_MS));
  await poll();
}
