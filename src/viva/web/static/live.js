// Keeps the page of a session up to date: what is said arrives as it is said, and what one says is sent without leaving
// the page. Without it a link shows what is new, and the form sends.
const said = document.getElementById("said");
const list = said.querySelector("ol");
const connection = document.getElementById("connection");
const unseenButton = document.getElementById("unseen");
const form = document.getElementById("composer");
const verdict = document.getElementById("verdict-form");

const MOST_SHOWN = 500; // messages; a page that stays open for days would grow without end
const NEAR = 48; // pixels from the end that count as being there
const PATIENCE = 2000; // milliseconds before trying again, after the browser has given up; doubled each time
const MOST_PATIENCE = 30_000;

let last = Number(said.dataset.last);
let unseen = 0;
let source = null;
let ended = false;
let patience = PATIENCE;
document.documentElement.classList.add("has-live");

// What is said

function connect() {
  source?.close();
  source = new EventSource(`${said.dataset.stream}?after=${last}`);
  source.addEventListener("open", () => {
    patience = PATIENCE;
    tell("Live");
  });
  source.addEventListener("message", arrive);
  source.addEventListener("end", end);
  source.addEventListener("error", lost);
}

function arrive(event) {
  const sequence = Number(event.lastEventId);
  if (sequence <= last) return;
  const wasAtEnd = isAtEnd();
  const template = document.createElement("template");
  template.innerHTML = JSON.parse(event.data); // the server's own markup: what agents wrote is text in it
  said.querySelector(".nothing")?.remove();
  list.append(template.content);
  last = sequence;
  document.getElementById("count").textContent = counted(last, "message");
  if (wasAtEnd) {
    shorten();
    toEnd();
  } else {
    showUnseen(unseen + 1);
  }
}

function isAtEnd() {
  return said.scrollHeight - said.scrollTop - said.clientHeight < NEAR;
}

function toEnd() {
  said.scrollTop = said.scrollHeight;
  showUnseen(0);
}

function showUnseen(count) {
  unseen = count;
  unseenButton.hidden = count === 0;
  unseenButton.textContent = counted(count, "new message");
}

function counted(count, name) {
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}

function shorten() {
  while (list.children.length > MOST_SHOWN) list.firstElementChild.remove();
  const earlier = document.getElementById("earlier");
  const first = list.firstElementChild?.value;
  if (!earlier && first > 1) addEarlier();
  const link = document.getElementById("earlier");
  if (link && first > 1) {
    link.href = `${said.dataset.page}?before=${first}#end`;
    link.textContent = `Earlier messages, up to ${first - 1}`;
  }
}

function addEarlier() {
  const nav = document.createElement("nav");
  nav.className = "pages";
  nav.setAttribute("aria-label", "Earlier messages");
  const link = document.createElement("a");
  link.id = "earlier";
  nav.append(link);
  said.before(nav);
}

// The connection

function tell(text) {
  if (connection.textContent !== text) connection.textContent = text;
  connection.classList.toggle("lost", text.startsWith("Connection lost"));
}

function lost() {
  if (ended) return;
  tell("Connection lost, trying again…");
  if (source.readyState !== EventSource.CLOSED) return;
  setTimeout(comeBack, patience);
  patience = Math.min(2 * patience, MOST_PATIENCE);
}

// The browser does not say why it gave up; the page itself does.
async function comeBack() {
  try {
    const answer = await fetch(said.dataset.page, { method: "HEAD" });
    if (answer.status === 401 || answer.status === 403) return shutOut();
  } catch {} // still out of reach
  connect();
}

function shutOut() {
  ended = true;
  connection.className = "small over";
  connection.replaceChildren("You can no longer follow this session. ", link(said.dataset.page, "Why"));
}

function link(href, text) {
  const made = document.createElement("a");
  made.href = href;
  made.textContent = text;
  return made;
}

async function end() {
  ended = true;
  source.close();
  connection.className = "small over";
  for (const button of document.querySelectorAll("#composer button, .verdict-part button")) button.disabled = true;
  if (form && !form.elements.content.value) form.hidden = true; // what was begun can still be copied
  connection.replaceChildren("The session has ended. ", link(said.dataset.page, "See how"));
  try {
    const page = new DOMParser().parseFromString(await (await fetch(said.dataset.page)).text(), "text/html");
    const ending = page.getElementById("ending");
    if (!ending) return;
    document.getElementById("ending").replaceWith(ending);
    connection.textContent = "The session has ended.";
    const onward = ending.querySelector("a");
    if (onward) connection.append(" ", link(onward.href, onward.textContent));
  } catch {} // the link above leads there
}

// What one says

function newOnce() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(event) {
  event.preventDefault();
  const button = form.querySelector("button.primary");
  const content = form.elements.content;
  if (button.disabled) return;
  button.disabled = true;
  tellSending("");
  const words = content.value;
  try {
    const body = new URLSearchParams(new FormData(form));
    // What was taken leads on to the page; what was not is answered by the page that says why.
    const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
    if (answer.type === "opaqueredirect") sent(content, words);
    else tellSending(await whyNot(answer), answer.status === 429 || answer.status >= 500);
  } catch {
    tellSending("Could not send your message: the hub does not answer. ", true);
  }
  if (!ended) button.disabled = false;
}

function sent(content, words) {
  form.elements.once.value = newOnce();
  if (content.value === words) content.value = "";
  keep();
  toEnd();
  if (source.readyState !== EventSource.OPEN && !ended) tell("Connection lost, trying again… Your message was sent.");
  content.focus();
}

async function whyNot(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const why = page.querySelector("#sending")?.textContent || page.querySelector(".notice.bad p, #refusal, .lead")?.textContent;
  return `Could not send your message: ${why?.trim() || `the hub answered with ${answer.status}.`} `;
}

function tellSending(text, mayRetry = false) {
  const told = document.getElementById("sending");
  told.textContent = text;
  if (text) form.elements.content.setAttribute("aria-invalid", "true");
  else form.elements.content.removeAttribute("aria-invalid");
  if (!mayRetry) return;
  const retry = document.createElement("button");
  retry.type = "button";
  retry.className = "quiet";
  retry.textContent = "Retry";
  retry.addEventListener("click", () => form.requestSubmit());
  told.append(retry);
}

// What was begun is kept until it is sent, so that looking at an earlier page loses nothing.

const drafts = [form, verdict].filter(Boolean);
const draftName = `draft ${said.dataset.page} ${document.querySelector(".who")?.textContent}`;

function keep() {
  const fields = drafts.flatMap((one) => [...new FormData(one)]).filter(([name, value]) => name !== "once" && value);
  try {
    sessionStorage.setItem(draftName, JSON.stringify(fields));
  } catch {} // a browser that keeps nothing still sends
}

function bringBack() {
  const unsent = drafts.filter((one) => one.dataset.tried === undefined); // the page has what was sent in vain
  let fields = [];
  try {
    fields = JSON.parse(sessionStorage.getItem(draftName) ?? "[]");
  } catch {}
  for (const [name, value] of fields) {
    const field = unsent.map((one) => one.elements[name]).find(Boolean);
    if (field && (!field.value || field instanceof RadioNodeList)) field.value = value;
  }
}

if (form) {
  form.addEventListener("submit", send);
  form.elements.content.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });
}
bringBack();
for (const one of drafts) one.addEventListener("input", keep);
unseenButton.addEventListener("click", () => {
  toEnd();
  said.focus();
});
said.addEventListener("scroll", () => isAtEnd() && showUnseen(0));
addEventListener("online", () => ended || connect());
if (!location.hash.startsWith("#msg-")) toEnd();
connect();
