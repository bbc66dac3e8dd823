// Loads parts of a page in place. A link or a GET form inside an element with data-part that leads to the same page with
// another query is fetched, and the parts of the fetched page take over; data-whole marks one that changes more than parts.
// Without this script all of them simply lead there.
const path = location.pathname;
let shown = location.search;
let running = null;

const parts = (root = document) => [...root.querySelectorAll("[data-part]")];
const named = (name) => parts().find((part) => part.dataset.part === name);
const heading = (part) => part.querySelector("h2");

let lastPart = parts()[0].dataset.part; // where it is said that Back loads something

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-part] a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const href = link.getAttribute("href");
  const url = new URL(href, location.href);
  if (link.matches("[data-session], [data-whole], [download], [target]") || href.startsWith("#") || !isHere(url)) return;
  event.preventDefault();
  load(url, link.closest("[data-part]").dataset.part, true);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  const part = form.closest("[data-part]");
  const url = new URL(form.getAttribute("action") ?? "", location.href);
  if (!part || event.defaultPrevented || form.method !== "get" || !isHere(url)) return;
  event.preventDefault();
  const said = [...new FormData(form, event.submitter)].filter(([, value]) => value !== "");
  url.search = new URLSearchParams(said);
  load(url, part.dataset.part, true);
});

addEventListener("popstate", () => {
  if (location.pathname === path && location.search !== shown) load(new URL(location.href), lastPart, false);
});

function isHere(url) {
  return url.origin === location.origin && url.pathname === path;
}

async function load(url, name, isNew) {
  running?.abort();
  const run = (running = new AbortController());
  lastPart = name;
  tellWaiting(named(name));
  try {
    const answer = await fetch(url, { signal: run.signal });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (run === running) takeOver(page, url, name, isNew);
  } catch {
    if (run === running) tellFailure(named(name), () => load(url, name, isNew)); // else a later one took its place
  }
}

function takeOver(page, url, name, isNew) {
  const fresh = new Map(parts(page).map((part) => [part.dataset.part, part]));
  if (!fresh.has(name)) return location.assign(url);
  const focused = document.activeElement?.closest("[data-part]") ? document.activeElement.id : null;
  clearStates();
  for (const part of parts()) {
    const other = fresh.get(part.dataset.part);
    if (other && !part.isEqualNode(other)) part.replaceWith(other); // links of the others hold the address too
  }
  if (isNew) history.pushState(null, "", url);
  shown = url.search;
  say(`Loaded ${named(name).dataset.name}.`);
  if (focused !== null) keepFocus(named(name), focused);
}

// On the same link or field in the new part, or else on its heading, which is scrolled to.
function keepFocus(part, id) {
  const same = id && document.getElementById(id);
  const target = same || heading(part);
  if (target.tabIndex < 0) target.tabIndex = -1; // a heading takes the focus only when it is told to
  target.focus({ preventScroll: Boolean(same) });
}

function tellWaiting(part) {
  clearStates();
  part.setAttribute("aria-busy", "true");
  part.append(made("p", "part-waiting", `Loading ${part.dataset.name}…`));
  say(`Loading ${part.dataset.name}…`);
}

function tellFailure(part, again) {
  clearStates();
  const notice = made("p", "part-failed notice bad", `Could not load ${part.dataset.name}. `);
  notice.setAttribute("role", "alert");
  const retry = made("button", "", "Retry");
  retry.type = "button";
  retry.addEventListener("click", again);
  notice.append(retry);
  part.prepend(notice);
  notice.scrollIntoView({ block: "nearest" });
}

function clearStates() {
  for (const part of parts()) {
    part.removeAttribute("aria-busy");
    for (const state of part.querySelectorAll(":scope > .part-waiting, :scope > .part-failed")) {
      if (state.contains(document.activeElement)) keepFocus(part, "");
      state.remove();
    }
  }
}

function made(tag, classes, text) {
  const element = document.createElement(tag);
  element.className = classes;
  element.textContent = text;
  return element;
}

function say(text) {
  status.textContent = text;
}

const status = made("p", "hidden", "");
status.setAttribute("role", "status");
document.body.append(status);
