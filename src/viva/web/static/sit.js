// Saves the answers of an attempt while one writes, says when another tab has changed one, and shows the time that is left.
// Without this script the buttons send the form, and the page that comes back shows the same.
const form = document.getElementById("sit");
const stateLine = document.getElementById("save-state");
const clock = document.getElementById("clock");
const told = document.getElementById("time-told");

const SAVE_DELAY_MS = 900; // after the last key
const RETRY_DELAY_MS = 3000;
const TOLD_SECONDS = [30 * 60, 10 * 60, 5 * 60, 60, 10]; // when a screen reader is told the time that is left
const unsavedName = `unsaved ${form.dataset.attempt}`;
const focusName = `focus ${form.dataset.attempt}`;

const fields = [...form.querySelectorAll("[data-field]")].map((element) => element.dataset.field);
const tabOnly = [...form.querySelectorAll("[data-tab-only]")].map((element) => element.dataset.field); // the hub gets them when they are handed in
const last = new Map(fields.map((name) => [name, tabOnly.includes(name) ? "" : read(name)])); // what the hub has
const inConflict = new Set(); // fields that wait for a choice; sending them again would only ask again
let timer = 0;
let running = null;
let isLeaving = false;

function controls(name) {
  return [...form.querySelectorAll(`[name="${name}"]`)];
}

function read(name) {
  const found = controls(name);
  return found[0]?.type === "radio" || found[0]?.type === "checkbox"
    ? JSON.stringify(found.filter((control) => control.checked).map((control) => control.value))
    : found[0].value;
}

function write(name, value) {
  for (const control of controls(name)) {
    if (control.type === "radio" || control.type === "checkbox") control.checked = [].concat(value).includes(control.value);
    else control.value = value;
  }
}

const unsaved = () => fields.filter((name) => read(name) !== last.get(name) && controls(name)[0].type !== "password");
const changed = () => unsaved().filter((name) => !tabOnly.includes(name) && !inConflict.has(name));

function say(text, isLost = false) {
  if (stateLine.textContent !== text) stateLine.textContent = text;
  stateLine.classList.toggle("lost", isLost);
}

// Saving

function saveLater(delay = SAVE_DELAY_MS) {
  keepUnsaved();
  clearTimeout(timer);
  timer = setTimeout(save, delay);
}

async function save() {
  clearTimeout(timer);
  if (running) await running;
  const names = changed();
  if (!names.length || isLeaving) return;
  say("Saving…");
  running = send(names).finally(() => (running = null));
  await running;
}

async function send(names) {
  const sent = new Map(names.map((name) => [name, read(name)]));
  const body = new URLSearchParams();
  for (const name of names) {
    body.append(`seen-${name}`, form.elements[`seen-${name}`].value);
    for (const [key, value] of new FormData(form)) if (key === name) body.append(key, value);
  }
  let answer;
  try {
    answer = await fetch(form.dataset.save, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "manual" });
  } catch {
    say("Could not save: the hub does not respond. Your text is kept here. Trying again…", true);
    return saveLater(RETRY_DELAY_MS);
  }
  if (answer.status === 429 || answer.status >= 500) {
    say("Could not save just now. Your text is kept here. Trying again…", true);
    return saveLater(RETRY_DELAY_MS);
  }
  if (!answer.ok) return showEnd();
  showSaved(await answer.json(), sent);
}

function showSaved(saved, sent) {
  let isFaulty = false;
  for (const [name, text] of sent) {
    const { seen, fault, other } = saved.fields[name];
    showFault(name, fault);
    if (other !== null) showConflict(name, other, seen);
    if (fault) isFaulty = true;
    if (fault || other !== null) continue;
    form.elements[`seen-${name}`].value = seen;
    last.set(name, text);
  }
  const answered = document.getElementById("answered");
  if (answered) answered.textContent = saved.answered;
  keepUnsaved();
  if (isFaulty || inConflict.size) say("Not everything is saved: see the field in red.", true);
  else if (!changed().length) say(`Saved at ${new Date().toISOString().slice(11, 16)}`);
  else saveLater();
}

function showFault(name, text) {
  const slot = document.getElementById(`wrong-${name}`);
  if (text || slot.childElementCount === 0) slot.textContent = text;
  for (const control of controls(name)) {
    if (text) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }
}

// Another tab or a program has saved another answer. The person chooses.
function showConflict(name, other, seen) {
  inConflict.add(name);
  const slot = document.getElementById(`wrong-${name}`);
  const text = document.createElement("p");
  const quoted = document.createElement("q");
  quoted.textContent = Array.isArray(other) ? other.join(", ") || "nothing" : other || "nothing";
  text.append("This answer was changed in another tab or by a program meanwhile, to: ", quoted, " Your text is not saved.");
  const keep = button("Keep mine", () => {
    inConflict.delete(name);
    form.elements[`seen-${name}`].value = seen;
    slot.replaceChildren();
    saveLater(0);
    controls(name)[0].focus();
  });
  const take = button("Take the other", () => {
    inConflict.delete(name);
    write(name, other);
    form.elements[`seen-${name}`].value = seen;
    last.set(name, read(name));
    slot.replaceChildren();
    showFault(name, "");
    keepUnsaved();
    say("The other answer is saved.");
    controls(name)[0].focus();
  });
  slot.replaceChildren(text, keep, " ", take);
  for (const control of controls(name)) control.setAttribute("aria-invalid", "true");
}

function button(label, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", action);
  return made;
}

function showEnd() {
  isLeaving = true;
  say("This attempt can no longer be changed. ", true);
  const link = document.createElement("a");
  link.href = form.dataset.here;
  link.textContent = "See how it stands";
  stateLine.append(link);
}

// Texts that the hub does not have yet outlive a reload of this tab.

function keepUnsaved() {
  const texts = unsaved().map((name) => [name, read(name)]);
  try {
    if (texts.length) sessionStorage.setItem(unsavedName, JSON.stringify(texts));
    else sessionStorage.removeItem(unsavedName);
  } catch {} // without storage the form still works
}

function restoreUnsaved() {
  let texts = [];
  try {
    texts = JSON.parse(sessionStorage.getItem(unsavedName) ?? "[]");
  } catch {}
  for (const [name, text] of texts) {
    if (!fields.includes(name)) continue;
    const isChosen = ["radio", "checkbox"].includes(controls(name)[0].type);
    write(name, isChosen ? JSON.parse(text) : text);
  }
  if (changed().length) saveLater(0);
}

// The field in which one writes has the focus again after a reload.

function keepFocus(event) {
  try {
    sessionStorage.setItem(focusName, event.target.id || event.target.name);
  } catch {}
}

function restoreFocus() {
  if (performance.getEntriesByType("navigation")[0]?.type !== "reload") return;
  let name = "";
  try {
    name = sessionStorage.getItem(focusName) ?? "";
  } catch {}
  const field = fields.includes(name) && (controls(name).find((control) => control.checked) ?? controls(name)[0]);
  if (!field) return;
  field.focus();
  if (field.type === "text" || field.type === "textarea") field.setSelectionRange(field.value.length, field.value.length);
}

// The time that is left

const endsAt = performance.now() + 1000 * Number(clock.dataset.seconds);

function showTime() {
  const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000));
  const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const padded = (number) => String(number).padStart(2, "0");
  clock.textContent = hours ? `${hours}:${padded(minutes)}:${padded(seconds)}` : `${minutes}:${padded(seconds)}`;
  clock.classList.toggle("short", left <= 60);
  const step = TOLD_SECONDS.find((moment) => moment === left);
  if (step) told.textContent = step < 60 ? `${step} seconds left.` : `${step / 60} ${step === 60 ? "minute" : "minutes"} left.`;
  if (left > 0) return;
  clearInterval(ticking);
  told.textContent = "The time is over.";
  isLeaving = true;
  location.assign(form.dataset.here);
}

// After a refused form a reload shows what is saved, and sends nothing again.
if (location.pathname !== form.dataset.here) history.replaceState(null, "", form.dataset.here);
restoreUnsaved();
restoreFocus();
form.addEventListener("focusin", keepFocus);
form.addEventListener("input", () => saveLater());
form.addEventListener("change", () => saveLater(0));
form.addEventListener("submit", async (event) => {
  const isSave = event.submitter?.hasAttribute("formaction");
  if (isSave || running) event.preventDefault();
  if (isSave) return save();
  if (running) {
    await running; // the form would be sent with stamps from before this save
    return form.requestSubmit(event.submitter);
  }
  isLeaving = true;
  clearTimeout(timer);
});
addEventListener("pageshow", (event) => event.persisted && location.reload());
addEventListener("visibilitychange", () => document.hidden && save());
document.documentElement.classList.add("has-sit");
const ticking = setInterval(showTime, 1000);
showTime();
