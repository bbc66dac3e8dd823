// Shows a session in a dialog over the page that links to it. The panels are fetched from the session's page.
// Links with data-session open the dialog. Without this script, or with a modifier key, they open the session's page.
(() => {
  const RESULT = "/evaluations/result/";
  const PARAMETERS = ["version", "prompt", "after", "message"]; // query parameters of a session's page
  const KEYS = { ArrowLeft: "prev", k: "prev", ArrowRight: "next", j: "next" };
  const SCROLLED_SHARES = { ArrowDown: 0.1, ArrowUp: -0.1, PageDown: 0.9, PageUp: -0.9, Home: -1e6, End: 1e6 }; // of a window
  const FRAME = `
    <header class="bar">
      <h2 id="dialog-title" tabindex="-1">Session transcript</h2>
      <div class="dialog-links"><span class="step-links"></span> <a class="page-link">Open as a page</a></div>
      <button type="button" class="close"><span aria-hidden="true">✕ </span>Close</button>
    </header>
    <p class="dialog-status" role="status"></p>
    <div class="body"></div>
    <p class="session-keys">Keys: ← → or k j for the previous and next attempt, Esc to close</p>`;

  let opener = null; // the link that gets the focus back
  let shown = null; // the address that is shown or loading
  let request = null; // the running fetch

  const dialog = document.createElement("dialog");
  dialog.className = "session-dialog";
  dialog.setAttribute("aria-labelledby", "dialog-title");
  dialog.innerHTML = FRAME;
  const part = (name) => dialog.querySelector(name);

  // Returns the address of a session, or null: from a link, or from the # of the page around the dialog.
  function sessionAt(url) {
    const ours = url.origin === location.origin && url.pathname.startsWith(RESULT);
    return ours && /^[\w-]+$/.test(url.pathname.slice(RESULT.length)) ? url : null;
  }

  function sessionIn(hash) {
    const parameters = new URLSearchParams(hash.slice(1));
    const url = new URL(RESULT + (parameters.get("session") || ""), location.origin);
    for (const name of PARAMETERS) if (parameters.get(name)) url.searchParams.set(name, parameters.get(name));
    return sessionAt(url);
  }

  function hashOf(url) {
    const parameters = new URLSearchParams({ session: url.pathname.slice(RESULT.length) });
    for (const name of PARAMETERS) if (url.searchParams.get(name)) parameters.set(name, url.searchParams.get(name));
    return `#${parameters}`;
  }

  async function fetchSession(url, signal) {
    const address = new URL(url);
    address.searchParams.set("part", "session");
    const answer = await fetch(address, { signal });
    if (!answer.ok) throw new Error(answer.statusText);
    const parsed = document.createElement("template");
    parsed.innerHTML = await answer.text();
    const session = parsed.content.querySelector(".session");
    if (!session) throw new Error("The page contains no session.");
    return session;
  }

  async function show(url, focused) {
    request?.abort();
    request = new AbortController();
    shown = url.href;
    if (!dialog.open) openDialog();
    part(".dialog-status").textContent = "Loading the session…";
    part(".body").setAttribute("aria-busy", "true");
    part(".page-link").href = url.href;
    try {
      const session = await fetchSession(url, request.signal);
      clearStatus();
      putSession(session, url, focused);
    } catch (error) {
      if (error.name === "AbortError") return; // another session was requested, or the dialog was closed
      clearStatus();
      showFailure(url, focused);
    }
  }

  function openDialog() {
    if (!dialog.isConnected) document.body.append(dialog);
    part("#dialog-title").textContent = "Session transcript";
    dialog.showModal();
    part("#dialog-title").focus();
  }

  function clearStatus() {
    part(".dialog-status").textContent = "";
    part(".body").removeAttribute("aria-busy");
  }

  function putSession(session, url, focused) {
    part("#dialog-title").textContent = session.dataset.title;
    part(".step-links").replaceChildren(session.querySelector(".steps"));
    part(".body").replaceChildren(session);
    part(".body").scrollTop = 0;
    const message = url.searchParams.get("message");
    const wanted = message ? session.querySelector(`#msg-${CSS.escape(message)}`) : null;
    wanted?.classList.add("targeted");
    const later = url.searchParams.get("after") ? session.querySelector("#session-conversation") : null;
    (wanted || later)?.scrollIntoView();
    if (wanted) {
      wanted.tabIndex = -1; // a message needs tabindex to take the focus
      wanted.focus({ preventScroll: true });
      return;
    }
    const sameLink = focused ? part(`.step-links a[rel=${focused}]`) : null;
    if (sameLink) sameLink.focus();
    else if (!dialog.contains(document.activeElement)) part("#dialog-title").focus({ preventScroll: true });
  }

  function showFailure(url, focused) {
    const notice = document.createElement("p");
    notice.textContent = "Could not load this session.";
    const retry = document.createElement("button");
    retry.type = "button";
    retry.textContent = "Retry";
    retry.addEventListener("click", () => {
      part("#dialog-title").focus();
      show(url, focused);
    });
    const failed = document.createElement("div");
    failed.className = "empty";
    failed.setAttribute("role", "alert");
    failed.append(notice, retry);
    part(".step-links").replaceChildren();
    part(".body").replaceChildren(failed);
    retry.focus();
  }

  // The address names the shown session, so that it can be shared and reloaded. Back closes the dialog.
  function open(url, link) {
    if (dialog.open) {
      history.replaceState(history.state, "", hashOf(url));
    } else {
      opener = link;
      history.pushState({ session: true }, "", hashOf(url));
    }
    show(url, link.closest(".step-links") ? link.rel : null);
  }

  function openFromHash() {
    const url = sessionIn(location.hash);
    if (!url) dialog.close();
    else if (!dialog.open || url.href !== shown) show(url);
  }

  dialog.addEventListener("close", () => {
    request?.abort();
    const url = shown && new URL(shown);
    shown = null;
    clearStatus();
    part(".body").replaceChildren();
    part(".step-links").replaceChildren();
    if (sessionIn(location.hash)) {
      if (history.state?.session) history.back();
      else history.replaceState(null, "", location.pathname + location.search);
    }
    const link = opener || document.querySelector(`a[data-session][href^="${CSS.escape(url?.pathname || "-")}"]`);
    (link || document.getElementById("main"))?.focus();
    opener = null;
  });

  part(".close").addEventListener("click", () => dialog.close());

  // The # of the address names the session, so a jump inside the dialog must not change it.
  dialog.addEventListener("click", (event) => {
    const jump = event.target.closest('a[href^="#"]');
    if (!jump) return;
    event.preventDefault();
    part(`#${CSS.escape(jump.hash.slice(1))}`)?.scrollIntoView();
  });

  dialog.addEventListener("keydown", (event) => {
    const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (isHeld) return;
    if (KEYS[event.key]) part(`.step-links a[rel=${KEYS[event.key]}]`)?.click();
    scrollFromBar(event);
  });

  // The browser scrolls the panels only where the focus is in them, and it begins in the bar above.
  function scrollFromBar(event) {
    const body = part(".body");
    if (!SCROLLED_SHARES[event.key] || body.contains(event.target)) return;
    body.scrollBy(0, SCROLLED_SHARES[event.key] * body.clientHeight);
    event.preventDefault();
  }

  document.addEventListener("click", (event) => {
    const isPlain = !(event.button || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    const link = isPlain && !event.defaultPrevented && event.target.closest("a[data-session]");
    const url = link && sessionAt(new URL(link.getAttribute("href"), location.href));
    if (!url) return;
    event.preventDefault();
    open(url, link);
  });

  addEventListener("popstate", openFromHash);
  addEventListener("hashchange", openFromHash);
  if (sessionIn(location.hash)) openFromHash();
})();
