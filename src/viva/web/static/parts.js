// Loads parts of a page in place. It handles links and GET forms inside an element with data-part that open the same page
// with another query. The parts of the fetched page replace those of this page. Links with data-whole load the whole page.
// Without this script all of them load the page.
const path = location.pathname;
let shown = location.search;
let running = null;

const parts = (root = document) => [...root.querySelectorAll("[data-part]")];
const findPart = (name) => parts().find((part) => part.dataset.part === name);
const heading = (part) => part.querySelector("h2");

let lastPart = parts()[0].dataset.part; // the part that shows the loading state after Back

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-part] a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const href = link.getAttribute("href");
  const url = new URL(href, location.href);
  if (link.matches("[data-session], [data-whole], [download], [target]") || href.startsWith("#") || !isThisPage(url)) return;
  event.preventDefault();
  load(url, link.closest("[data-part]").dataset.part, true);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  const part = form.closest("[data-part]");
  const url = new URL(form.getAttribute("action") ?? "", location.href);
  if (!part || event.defaultPrevented || form.method !== "get" || !isThisPage(url)) return;
  event.preventDefault();
  const fields = [...new FormData(form, event.submitter)].filter(([, value]) => value !== "");
  url.search = new URLSearchParams(fields);
  load(url, part.dataset.part, true);
});

addEventListener("popstate", () => {
  if (location.pathname === path && location.search !== shown) load(new URL(location.href), lastPart, false);
});

function isThisPage(url) {
  return url.origin === location.origin && url.pathname === path;
}

async function load(url, name, isNew) {
  running?.abort();
  const run = (running = new AbortController());
  lastPart = name;
  showLoading(findPart(name));
  try {
    const answer = await fetch(url, { signal: run.signal });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (run === running) replaceParts(page, url, name, isNew);
  } catch {
    if (run === running) showFailure(findPart(name), () => load(url, name, isNew)); // otherwise a later load replaced this one
  }
}

function replaceParts(page, url, name, isNew) {
  const fresh = new Map(parts(page).map((part) => [part.dataset.part, part]));
  if (!fresh.has(name)) return location.assign(url);
  const focused = document.activeElement?.closest("[data-part]") ? document.activeElement.id : null;
  clearStates();
  for (const part of parts()) {
    const other = fresh.get(part.dataset.part);
    if (other && !part.isEqualNode(other)) part.replaceWith(other); // links in other parts contain the query too
  }
  if (isNew) history.pushState(null, "", url);
  shown = url.search;
  announce(`Loaded ${findPart(name).dataset.name}.`);
  if (focused !== null) keepFocus(findPart(name), focused);
}

// Focuses the same link or field in the new part, or else its heading, and scrolls to the heading.
function keepFocus(part, id) {
  const same = id && document.getElementById(id);
  const target = same || heading(part);
  if (target.tabIndex < 0) target.tabIndex = -1; // a heading needs tabindex to take the focus
  target.focus({ preventScroll: Boolean(same) });
}

function showLoading(part) {
  clearStates();
  part.setAttribute("aria-busy", "true");
  part.append(makeElement("p", "part-waiting", `Loading ${part.dataset.name}…`));
  announce(`Loading ${part.dataset.name}…`);
}

function showFailure(part, retryLoad) {
  clearStates();
  const notice = makeElement("p", "part-failed notice bad", `Could not load ${part.dataset.name}. `);
  notice.setAttribute("role", "alert");
  const retry = makeElement("button", "", "Retry");
  retry.type = "button";
  retry.addEventListener("click", retryLoad);
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

function makeElement(tag, classes, text) {
  const element = document.createElement(tag);
  element.className = classes;
  element.textContent = text;
  return element;
}

function announce(text) {
  status.textContent = text;
}

const status = makeElement("p", "hidden", "");
status.setAttribute("role", "status");
document.body.append(status);
