// Saves the contribution form while one writes, changes rows in place, keeps totals, shows a live preview, copies links.
// Without this script every button sends the form, and the page that comes back shows the same.
const AUTOSAVE_MS = 1500; // after the last key; a person pauses longer between two thoughts
const form = document.getElementById("contribution");
const state = document.getElementById("save-state");
const copy = document.getElementById("copy");

let timer = 0;
let running = null; // the save under way
let isDirty = false;
let isStopped = false; // after a conflict or a lost draft, until the person decides

function say(text, isLost = false) {
  state.textContent = text;
  state.classList.toggle("lost", isLost);
}

function writeLater() {
  isDirty = true;
  if (isStopped) return;
  say("Not saved yet");
  clearTimeout(timer);
  timer = setTimeout(() => save("autosave", false), AUTOSAVE_MS);
}

// Sends the form as a button would, and shows what came back. Returns the new page, or null.
async function save(button, isRow) {
  clearTimeout(timer);
  if (running) await running;
  isDirty = false;
  say("Saving…");
  running = send(button, isRow).finally(() => (running = null));
  return running;
}

async function send(button, isRow) {
  const fields = new URLSearchParams(new FormData(form));
  fields.set("do", button);
  let answer;
  try {
    answer = await fetch(form.action, { method: "POST", body: fields });
  } catch {
    isDirty = true;
    say("Could not save. Trying again…", true);
    timer = setTimeout(() => save(button, isRow), 4 * AUTOSAVE_MS);
    return null;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const other = page.getElementById("contribution");
  if (!other || (isRow && !page.getElementById("fields"))) {
    isStopped = true;
    say("This draft cannot be saved any more. Copy your texts, then load the page again.", true);
    return null;
  }
  showNews(page, answer.status);
  if (answer.status === 409) {
    isStopped = true;
    form.elements.revision.value = other.elements.revision.value; // saving again keeps the texts of this page
    say("Not saved: somebody else changed this draft.", true);
    return null;
  }
  if (!answer.ok) {
    showProblems(page);
    say("Not saved: a field cannot be read.", true);
    return null;
  }
  form.elements.revision.value = other.elements.revision.value;
  swap("progress", page);
  if (isRow) replaceFields(page, button);
  else showProblems(page);
  const time = new Date().toISOString().slice(11, 16); // UTC, as all times of the page
  if (!isDirty) say(`Saved at ${time}`);
  showPreview();
  return page;
}

function showNews(page, status) {
  const news = document.getElementById("news");
  const fresh = page.getElementById("news");
  if (status === 409 || status === 422) {
    news.replaceChildren(...fresh.childNodes);
    news.scrollIntoView({ block: "nearest" });
  } else {
    removeDone(news, page);
  }
}

// Takes what is done off the list of what is to do. Other news is old after a save.
function removeDone(news, page) {
  for (const entry of news.querySelectorAll("[data-to-do]")) {
    const problems = page.getElementById(`problems-${entry.dataset.toDo}`);
    if (!problems?.querySelector(".wrong")) entry.remove();
  }
  if (!news.querySelector("[data-to-do]")) news.replaceChildren();
}

function swap(name, page) {
  const here = document.querySelector(`[data-swap="${name}"]`);
  const fresh = page.querySelector(`[data-swap="${name}"]`);
  if (here && fresh) here.replaceChildren(...fresh.childNodes);
}

// Shows problems beside fields that have a text or showed one before, so that an empty form is not full of red.
function showProblems(page) {
  for (const slot of form.querySelectorAll("[data-problems]")) {
    const fresh = page.getElementById(slot.id); // missing if the field has no problem
    const field = form.elements[slot.dataset.problems];
    const isTold = slot.children.length > 0 || (field && "value" in field && field.value !== "");
    if (!isTold) continue;
    slot.replaceChildren(...(fresh?.children ?? []));
    if (field?.setAttribute) {
      const isWrong = slot.querySelector(".wrong") !== null;
      if (isWrong) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }
}

// Puts the rows as saved in place, and the focus where the button has led.
function replaceFields(page, button) {
  document.getElementById("fields").replaceChildren(...page.getElementById("fields").childNodes);
  for (const total of totals()) showTotal(total);
  const [verb, path] = button.split(" ");
  const row = rowAfter(verb, path);
  // A new row is filled in next. A row that was moved may be moved on with the same key.
  const field = row?.querySelector("input:not([type=hidden]), textarea, select");
  const same = row?.querySelector(`button[value="${verb} ${row.id}"]:enabled`);
  const target = verb === "add" ? field : verb === "remove" ? row?.querySelector("h3") ?? field : same ?? field;
  focusOn(target ?? form.querySelector(`button[value="add ${path.replace(/\[\d+\]$/, "")}"]`));
  row?.scrollIntoView({ block: "nearest" });
}

// The row that was added or moved, or that stands where one was removed.
function rowAfter(verb, path) {
  const [, list, place] = /^(.*)\[(\d+)\]$/.exec(verb === "add" ? `${path}[0]` : path);
  const rows = [];
  for (let row; (row = document.getElementById(`${list}[${rows.length}]`)); ) rows.push(row);
  const at = { add: rows.length - 1, up: Number(place) - 1, down: Number(place) + 1, remove: Number(place) }[verb];
  return rows[Math.max(0, Math.min(at, rows.length - 1))];
}

function focusOn(element) {
  if (element && element.tabIndex < 0) element.tabIndex = -1; // a heading needs tabindex to take the focus
  element?.focus();
}

const totals = () => [...form.querySelectorAll("[data-total]")];

function showTotal(total) {
  const fields = [...form.querySelectorAll(`input[name$=".${total.dataset.total}"]`)];
  const sum = fields.reduce((so_far, field) => so_far + (Number(field.value.replace(",", ".")) || 0), 0);
  total.querySelector("strong").textContent = String(Math.round(sum * 100) / 100);
  if (total.dataset.goal) {
    const isRight = Math.abs(sum - Number(total.dataset.goal)) < 1e-9;
    total.classList.toggle("right", isRight);
    total.classList.toggle("off", !isRight);
  }
}

// The document beside the form, in a window that has room for it.
const preview = form && makePreview();

function makePreview() {
  const aside = document.createElement("aside");
  aside.className = "live-preview";
  aside.setAttribute("aria-label", "Preview");
  const title = document.createElement("h2");
  title.textContent = "Preview";
  const source = document.createElement("pre");
  source.className = "source";
  source.tabIndex = 0;
  source.setAttribute("aria-label", "The document as it would be published");
  aside.append(title, source);
  const both = document.createElement("div");
  both.className = "with-preview";
  form.replaceWith(both);
  both.append(form, aside);
  return source;
}

async function showPreview() {
  if (!preview.checkVisibility()) return;
  try {
    const answer = await fetch(form.dataset.preview);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    preview.replaceChildren(...page.getElementById("source").childNodes);
  } catch {
    preview.textContent = "Could not load the preview. It comes back with the next save.";
  }
}

if (form) {
  form.addEventListener("input", (event) => {
    for (const total of totals()) if (event.target.name?.endsWith(`.${total.dataset.total}`)) showTotal(total);
    writeLater();
  });
  form.addEventListener("submit", async (event) => {
    const { submitter } = event;
    const button = submitter?.value ?? "save";
    clearTimeout(timer);
    if (/^(add|remove|up|down) /.test(button)) {
      event.preventDefault();
      isStopped = false;
      save(button, true);
    } else if (running) {
      event.preventDefault(); // the save under way makes a new revision, which the form has to name
      await running;
      if (!isStopped) form.requestSubmit(submitter);
    } else {
      isDirty = false; // the browser sends the form itself
    }
  });
  // Links to other steps save first, so that nothing is lost without a click on a button.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!isDirty || isStopped || link.target || link.origin !== location.origin || link.getAttribute("href").startsWith("#")) return;
    event.preventDefault();
    const saved = await save("autosave", false);
    if (saved) location.assign(link.href);
  });
  addEventListener("beforeunload", (event) => {
    if (isDirty) event.preventDefault();
  });
  matchMedia("(min-width: 68rem)").addEventListener("change", showPreview);
  for (const total of totals()) showTotal(total);
  showPreview();
}

if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(document.getElementById("copied-text").textContent);
      status.textContent = "Copied.";
    } catch {
      status.textContent = "Could not copy. Select the link and copy it by hand.";
    }
  });
}
