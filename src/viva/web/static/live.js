// Keeps the page of a session up to date. New messages arrive by a stream, and the form sends without a page load.
// Without this script a link loads new messages, and the form works as usual.
const messages = document.getElementById("messages");
const list = messages.querySelector("ol");
const connection = document.getElementById("connection");
const unseenButton = document.getElementById("unseen");
const form = document.getElementById("composer");
const verdict = document.getElementById("verdict-form");

const MAX_MESSAGES_SHOWN = 500; // limits a page that stays open for days
const END_MARGIN_PIXELS = 48; // a position this close to the end counts as the end
const RETRY_DELAY_MS = 2000; // before reconnecting after the browser gave up; doubled each time
const MAX_RETRY_DELAY_MS = 30_000;

let last = Number(messages.dataset.last);
let unseen = 0;
let source = null;
let ended = false;
let retryDelay = RETRY_DELAY_MS;
document.documentElement.classList.add("has-live");

// Messages

function connect() {
  source?.close();
  source = new EventSource(`${messages.dataset.stream}?after=${last}`);
  source.addEventListener("open", () => {
    retryDelay = RETRY_DELAY_MS;
    showConnection("Live");
  });
  source.addEventListener("message", addMessage);
  source.addEventListener("end", endSession);
  source.addEventListener("error", handleLoss);
}

function addMessage(event) {
  const sequence = Number(event.lastEventId);
  if (sequence <= last) return;
  const wasAtEnd = isAtEnd();
  const template = document.createElement("template");
  template.innerHTML = JSON.parse(event.data); // markup of the server, in which texts of agents are escaped
  messages.querySelector(".nothing")?.remove();
  list.append(template.content);
  last = sequence;
  document.getElementById("count").textContent = countLabel(last, "message");
  dispatchEvent(new Event("viva:message"));
  if (wasAtEnd) {
    removeOldest();
    scrollToEnd();
  } else {
    showUnseen(unseen + 1);
  }
}

function isAtEnd() {
  return messages.scrollHeight - messages.scrollTop - messages.clientHeight < END_MARGIN_PIXELS;
}

function scrollToEnd() {
  messages.scrollTop = messages.scrollHeight;
  showUnseen(0);
}

function showUnseen(count) {
  unseen = count;
  unseenButton.hidden = count === 0;
  unseenButton.textContent = countLabel(count, "new message");
}

function countLabel(count, name) {
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}

function removeOldest() {
  while (list.children.length > MAX_MESSAGES_SHOWN) list.firstElementChild.remove();
  const earlier = document.getElementById("earlier");
  const first = list.firstElementChild?.value;
  if (!earlier && first > 1) addEarlierLink();
  const link = document.getElementById("earlier");
  if (link && first > 1) {
    link.href = `${messages.dataset.page}?before=${first}#end`;
    link.textContent = `Earlier messages, up to ${first - 1}`;
  }
}

function addEarlierLink() {
  const nav = document.createElement("nav");
  nav.className = "pages";
  nav.setAttribute("aria-label", "Earlier messages");
  const link = document.createElement("a");
  link.id = "earlier";
  nav.append(link);
  messages.before(nav);
}

// The connection

function showConnection(text) {
  if (connection.textContent !== text) connection.textContent = text;
  connection.classList.toggle("lost", text.startsWith("Connection lost"));
}

function handleLoss() {
  if (ended) return;
  showConnection("Connection lost. Reconnecting…");
  if (source.readyState !== EventSource.CLOSED) return;
  setTimeout(reconnect, retryDelay);
  retryDelay = Math.min(2 * retryDelay, MAX_RETRY_DELAY_MS);
}

// The browser does not report why the stream failed, so the page is requested to find out.
async function reconnect() {
  try {
    const answer = await fetch(messages.dataset.page, { method: "HEAD" });
    if (answer.status === 401 || answer.status === 403) return showRefusal();
  } catch {} // the hub is still not reachable
  connect();
}

function showRefusal() {
  ended = true;
  connection.className = "small over";
  connection.replaceChildren("You can no longer follow this session. ", link(messages.dataset.page, "Why"));
}

function link(href, text) {
  const element = document.createElement("a");
  element.href = href;
  element.textContent = text;
  return element;
}

async function endSession() {
  ended = true;
  source.close();
  connection.className = "small over";
  for (const button of document.querySelectorAll("#composer button, .verdict-part button")) button.disabled = true;
  if (form && !form.elements.content.value) form.hidden = true; // a draft stays visible, so that it can be copied
  connection.replaceChildren("The session has ended. ", link(messages.dataset.page, "See how"));
  try {
    const page = new DOMParser().parseFromString(await (await fetch(messages.dataset.page)).text(), "text/html");
    const ending = page.getElementById("ending");
    if (!ending) return;
    document.getElementById("ending").replaceWith(ending);
    connection.textContent = "The session has ended.";
    const next = ending.querySelector("a");
    if (next) connection.append(" ", link(next.href, next.textContent));
  } catch {} // the link above opens the page
}

// Sending

function newToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(event) {
  event.preventDefault();
  const button = form.querySelector("button.primary");
  const content = form.elements.content;
  if (button.disabled) return;
  button.disabled = true;
  showSendError("");
  const text = content.value;
  try {
    const body = new URLSearchParams(new FormData(form));
    // A message that was sent is answered with a redirect, a refused one with a page that says why.
    const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
    if (answer.type === "opaqueredirect") handleSent(content, text);
    else showSendError(await refusalReason(answer), answer.status === 429 || answer.status >= 500);
  } catch {
    showSendError("Could not send your message: the hub does not respond. ", true);
  }
  if (!ended) button.disabled = false;
}

function handleSent(content, text) {
  form.elements.once.value = newToken();
  if (content.value === text) content.value = "";
  saveDrafts();
  scrollToEnd();
  if (source.readyState !== EventSource.OPEN && !ended) showConnection("Connection lost. Reconnecting… Your message was sent.");
  content.focus();
}

async function refusalReason(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const why = page.querySelector("#sending")?.textContent || page.querySelector(".notice.bad p, #refusal, .lead")?.textContent;
  return `Could not send your message: ${why?.trim() || `the hub answered with status ${answer.status}.`} `;
}

function showSendError(text, mayRetry = false) {
  const notice = document.getElementById("sending");
  notice.textContent = text;
  if (text) form.elements.content.setAttribute("aria-invalid", "true");
  else form.elements.content.removeAttribute("aria-invalid");
  if (!mayRetry) return;
  const retry = document.createElement("button");
  retry.type = "button";
  retry.className = "quiet";
  retry.textContent = "Retry";
  retry.addEventListener("click", () => form.requestSubmit());
  notice.append(retry);
}

// Drafts are stored until they are sent, so that opening an earlier page does not lose them.

const draftForms = [form, verdict].filter(Boolean);
const draftName = `draft ${messages.dataset.page} ${document.querySelector(".who")?.textContent}`;

function saveDrafts() {
  const fields = draftForms.flatMap((draft) => [...new FormData(draft)]).filter(([name, value]) => name !== "once" && value);
  try {
    sessionStorage.setItem(draftName, JSON.stringify(fields));
  } catch {} // without storage the form still works
}

function restoreDrafts() {
  const unsent = draftForms.filter((draft) => draft.dataset.tried === undefined); // a refused form already has its values
  let fields = [];
  try {
    fields = JSON.parse(sessionStorage.getItem(draftName) ?? "[]");
  } catch {}
  for (const [name, value] of fields) {
    const field = unsent.map((draft) => draft.elements[name]).find(Boolean);
    if (field?.type === "checkbox") field.checked = true;
    else if (field && (!field.value || field instanceof RadioNodeList)) field.value = value;
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
restoreDrafts();
for (const draft of draftForms) draft.addEventListener("input", saveDrafts);
unseenButton.addEventListener("click", () => {
  scrollToEnd();
  messages.focus();
});
messages.addEventListener("scroll", () => isAtEnd() && showUnseen(0));
addEventListener("online", () => ended || connect());
if (!location.hash.startsWith("#msg-")) scrollToEnd();
connect();
