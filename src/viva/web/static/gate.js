// Runs the gate on a review and waits for it in place, so that other forms of the page keep what was typed into them.
// Without this script a button sends its form, and a link loads the page again.
const POLL_DELAY_MS = 3000; // a gate without a judge takes a few seconds
const MAX_POLLS = 400; // twenty minutes, which is longer than any gate

const gate = () => document.querySelector("[data-gate]");
const isRunning = (section) => section?.dataset.gate === "running";
const approvalIn = (root) => root.querySelector("[data-approve]")?.closest("details");

async function load(url, method) {
  const answer = await fetch(url, { method });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const isRefused = !answer.ok && !isRunning(page.querySelector("[data-gate]")); // a gate that runs is what was asked for
  if (isRefused || !page.querySelector("[data-gate]")) throw new Error(`status ${answer.status}`);
  return page;
}

function show(page) {
  const fresh = page.querySelector("[data-gate]");
  const hadFocus = gate().contains(document.activeElement);
  gate().replaceChildren(...fresh.childNodes);
  gate().dataset.gate = fresh.dataset.gate;
  if (hadFocus) document.getElementById("gate").focus(); // the button or link that had it is gone
  showApproval(approvalIn(page));
  const outcome = gate().querySelector("[data-outcome]").textContent;
  document.getElementById("gate-news").textContent = `Anti-gaming gate: ${outcome}`; // screen readers say it
}

// An approval has a form while no gate runs. What is typed into it is kept.
function showApproval(fresh) {
  const here = approvalIn(document);
  if (!here || !fresh) return;
  const texts = new Map([...here.querySelectorAll("textarea, select")].map((field) => [field.name, field.value]));
  const hadFocus = here.contains(document.activeElement);
  fresh.open = here.open;
  here.replaceWith(fresh);
  for (const field of fresh.querySelectorAll("textarea, select")) field.value = texts.get(field.name) ?? field.value;
  if (hadFocus) fresh.querySelector("summary").focus();
}

async function wait() {
  for (let polls = 0; polls < MAX_POLLS && isRunning(gate()); polls += 1) {
    await new Promise((resolve) => setTimeout(resolve, POLL_DELAY_MS));
    try {
      const page = await load(gate().dataset.path, "GET"); // the address may be that of a refused form
      if (!isRunning(page.querySelector("[data-gate]"))) show(page);
    } catch {
      // the network may be back at the next try
    }
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.closest("[data-gate]")) return;
  event.preventDefault();
  form.querySelector("button").disabled = true;
  document.getElementById("gate").focus({ preventScroll: true }); // a disabled button loses it
  try {
    show(await load(form.action, "POST"));
  } catch {
    form.submit(); // the page that comes back says why not
    return;
  }
  wait();
});

wait();
