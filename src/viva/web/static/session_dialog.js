// Shows a session over the page that links to it: the panels of its own page, fetched when they are asked for.
// Links that have data-session open here; without this script, or with a key held, they open the session's page.
(() => {
  const RESULT = "/evaluations/result/";
  const PLACES = ["version", "prompt", "after", "message"]; // what of a session an address may name
  const KEYS = { ArrowLeft: "prev", k: "prev", ArrowRight: "next", j: "next" };
  const FRAME = `
    <header class="bar">
      <h2 id="dialog-title" tabindex="-1">Session transcript</h2>
      <div class="doing"><span class="between"></span> <a class="its-page">Open its page</a></div>
      <button type="button" class="close"><span aria-hidden="true">✕ </span>Close</button>
    </header>
    <p class="telling" role="status"></p>
    <div class="body"></div>
    <p class="session-keys">Keys: ← → or k j for the attempts beside this one, Esc to close</p>`;

  let opener = null; // the link that is given the focus back
  let shown = null; // the address that is shown or on its way
  let asking = null; // the fetch under way

  const dialog = document.createElement("dialog");
  dialog.className = "session-dialog";
  dialog.setAttribute("aria-labelledby", "dialog-title");
  dialog.innerHTML = FRAME;
  const part = (name) => dialog.querySelector(name);

  // The session that an address speaks of, or null: a link's own, or what stands behind the # of the page around it.
  function sessionAt(url) {
    const ours = url.origin === location.origin && url.pathname.startsWith(RESULT);
    return ours && /^[\w-]+$/.test(url.pathname.slice(RESULT.length)) ? url : null;
  }

  function sessionIn(hash) {
    const said = new URLSearchParams(hash.slice(1));
    const url = new URL(RESULT + (said.get("session") || ""), location.origin);
    for (const name of PLACES) if (said.get(name)) url.searchParams.set(name, said.get(name));
    return sessionAt(url);
  }

  function hashOf(url) {
    const said = new URLSearchParams({ session: url.pathname.slice(RESULT.length) });
    for (const name of PLACES) if (url.searchParams.get(name)) said.set(name, url.searchParams.get(name));
    return `#${said}`;
  }

  async function fetched(url, signal) {
    const address = new URL(url);
    address.searchParams.set("part", "session");
    const answer = await fetch(address, { signal });
    if (!answer.ok) throw new Error(answer.statusText);
    const parsed = document.createElement("template");
    parsed.innerHTML = await answer.text();
    const session = parsed.content.querySelector(".session");
    if (!session) throw new Error("This is no session.");
    return session;
  }

  async function show(url, focused) {
    asking?.abort();
    asking = new AbortController();
    shown = url.href;
    if (!dialog.open) begin();
    part(".telling").textContent = "Loading the session…";
    part(".body").setAttribute("aria-busy", "true");
    part(".its-page").href = url.href;
    try {
      const session = await fetched(url, asking.signal);
      settle();
      put(session, url, focused);
    } catch (error) {
      if (error.name === "AbortError") return; // another was asked for, or the dialog is closed
      settle();
      fail(url, focused);
    }
  }

  function begin() {
    if (!dialog.isConnected) document.body.append(dialog);
    part("#dialog-title").textContent = "Session transcript";
    dialog.showModal();
    part("#dialog-title").focus();
  }

  function settle() {
    part(".telling").textContent = "";
    part(".body").removeAttribute("aria-busy");
  }

  function put(session, url, focused) {
    part("#dialog-title").textContent = session.dataset.title;
    part(".between").replaceChildren(session.querySelector(".steps"));
    part(".body").replaceChildren(session);
    part(".body").scrollTop = 0;
    const message = url.searchParams.get("message");
    const wanted = message ? session.querySelector(`#msg-${CSS.escape(message)}`) : null;
    wanted?.classList.add("targeted");
    const later = url.searchParams.get("after") ? session.querySelector("#session-conversation") : null;
    (wanted || later)?.scrollIntoView();
    const again = focused ? part(`.between a[rel=${focused}]`) : null;
    if (again) again.focus();
    else if (!dialog.contains(document.activeElement)) part("#dialog-title").focus({ preventScroll: true });
  }

  function fail(url, focused) {
    const words = document.createElement("p");
    words.textContent = "Could not load this session.";
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
    failed.append(words, retry);
    part(".between").replaceChildren();
    part(".body").replaceChildren(failed);
    retry.focus();
  }

  // The address names what is shown, so that it can be sent and loaded again; Back closes.
  function open(url, link) {
    if (dialog.open) {
      history.replaceState(history.state, "", hashOf(url));
    } else {
      opener = link;
      history.pushState({ session: true }, "", hashOf(url));
    }
    show(url, link.closest(".between") ? link.rel : null);
  }

  function follow() {
    const url = sessionIn(location.hash);
    if (!url) dialog.close();
    else if (!dialog.open || url.href !== shown) show(url);
  }

  dialog.addEventListener("close", () => {
    asking?.abort();
    const url = shown && new URL(shown);
    shown = null;
    settle();
    part(".body").replaceChildren();
    part(".between").replaceChildren();
    if (sessionIn(location.hash)) {
      if (history.state?.session) history.back();
      else history.replaceState(null, "", location.pathname + location.search);
    }
    const link = opener || document.querySelector(`a[data-session][href^="${CSS.escape(url?.pathname || "-")}"]`);
    (link || document.getElementById("main"))?.focus();
    opener = null;
  });

  part(".close").addEventListener("click", () => dialog.close());

  // The address behind the # is the session's, so a jump within it goes without one.
  dialog.addEventListener("click", (event) => {
    const jump = event.target.closest('a[href^="#"]');
    if (!jump) return;
    event.preventDefault();
    part(`#${CSS.escape(jump.hash.slice(1))}`)?.scrollIntoView();
  });

  dialog.addEventListener("keydown", (event) => {
    const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (isHeld || !KEYS[event.key]) return;
    part(`.between a[rel=${KEYS[event.key]}]`)?.click();
  });

  document.addEventListener("click", (event) => {
    const isPlain = !(event.button || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    const link = isPlain && !event.defaultPrevented && event.target.closest("a[data-session]");
    const url = link && sessionAt(new URL(link.getAttribute("href"), location.href));
    if (!url) return;
    event.preventDefault();
    open(url, link);
  });

  addEventListener("popstate", follow);
  addEventListener("hashchange", follow);
  if (sessionIn(location.hash)) follow();
})();
