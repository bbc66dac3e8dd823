"""Renders each Markdown text once: a cheap one immediately, a costly one later in another process.

A page never waits. Until its HTML is ready, a text is shown plain."""

import atexit
import hashlib
import logging
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import NamedTuple

import msgspec
from markupsafe import Markup

from viva.kit.lru_cache import LruCache
from viva.kit.markdown import MAX_MARKDOWN_CHARACTERS, StepBudget, TooCostly, render_plain
from viva.kit.markdown_worker import RenderOrder

MAX_CACHED_CHARACTERS = 32 * 1024 * 1024  # of HTML
STEPS_PER_PAGE = 40_000  # about 40 ms; 200 messages with lists, links and code take 35,000
STEPS_PER_TEXT = 20_000  # the longest evaluation of the hub takes 2,500, a list of 500 items 16,000
MAX_WAITING_TEXTS = 200  # of 50,000 characters at most; further texts are queued when they are next shown
MAX_COSTLY_TEXTS = 10_000  # stored as digests, about 2 MB
WORKER_TIMEOUT_SECONDS = 30  # thirty times what the worker's steps take
WORKER_COMMAND = (sys.executable, "-P", "-m", "viva.kit.markdown_worker")

log = logging.getLogger("viva.markdown")
page_budget: ContextVar[StepBudget] = ContextVar("page_budget")


@contextmanager
def budget_for_page() -> Iterator[None]:
    """All texts rendered inside share the steps of one page."""
    token = page_budget.set(StepBudget(STEPS_PER_PAGE))
    try:
        yield
    finally:
        page_budget.reset(token)


class WaitingText(NamedTuple):
    digest: bytes
    order: RenderOrder


class Renderer:
    """Renders texts and caches their HTML. The first costly text starts the worker process."""

    def __init__(self) -> None:
        self._cache: LruCache[Markup] = LruCache(MAX_CACHED_CHARACTERS)
        self._costly: LruCache[bool] = LruCache(MAX_COSTLY_TEXTS)  # texts that exceeded their steps
        self._waiting: queue.Queue[WaitingText] = queue.Queue(MAX_WAITING_TEXTS)
        self._digests: set[bytes] = set()  # of the waiting texts
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._worker: subprocess.Popen[bytes] | None = None

    def html_of(self, order: RenderOrder) -> Markup:
        """The text's HTML if it is cached or cheap; otherwise the plain text."""
        if len(order.text) > MAX_MARKDOWN_CHARACTERS:
            return render_plain(order.text)
        digest = digest_of(order)
        html = self._cache.find(digest)
        if html is None:
            html = self._render(digest, order)
        return render_plain(order.text) if html is None else html

    def settle(self) -> None:
        """Wait until the queue is empty, for tests and benchmarks."""
        self._waiting.join()

    def close(self) -> None:
        """End the worker. The next costly text starts another."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            with worker:  # waits for its end and closes the pipes
                return

    def _render(self, digest: bytes, order: RenderOrder) -> Markup | None:
        html = None if self._costly.find(digest) else render_if_cheap(order)
        if html is None:
            self._costly.put(digest, True, 1)
            self._render_later(WaitingText(digest, order))
        else:
            self._cache.put(digest, html, len(html))
        return html

    def _render_later(self, waiting: WaitingText) -> None:
        with self._lock:
            if waiting.digest in self._digests or self._waiting.full():
                return
            self._digests.add(waiting.digest)
            self._waiting.put_nowait(waiting)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="viva-markdown", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            waiting = self._waiting.get()
            html = self._ask_worker(waiting.order)
            self._cache.put(waiting.digest, html, len(html))
            self._digests.discard(waiting.digest)
            self._waiting.task_done()

    def _ask_worker(self, order: RenderOrder) -> Markup:
        """The worker's HTML, or the plain text if the worker crashes, cannot start or takes too long."""
        try:
            self._worker = self._worker or start_worker()
            return exchange(self._worker, order)
        except (OSError, ValueError, msgspec.MsgspecError):
            log.warning("The Markdown worker did not answer, so a text stays plain.", exc_info=True)
            self.close()
            return render_plain(order.text)


def render_if_cheap(order: RenderOrder) -> Markup | None:
    """The HTML of a cheap text, or None for a costly one. It spends the page's budget."""
    page = page_budget.get(None) or StepBudget(STEPS_PER_TEXT)
    steps = max(0, min(page.left, STEPS_PER_TEXT))
    budget = StepBudget(steps)
    try:
        return order.render(budget)
    except TooCostly:
        return None
    finally:
        page.left -= steps - max(0, budget.left)


def start_worker() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(WORKER_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 — our own module


def exchange(worker: "subprocess.Popen[bytes]", order: RenderOrder) -> Markup:
    timer = threading.Timer(WORKER_TIMEOUT_SECONDS, worker.kill)
    timer.start()
    try:
        worker.stdin.write(msgspec.json.encode(order) + b"\n")  # type: ignore[union-attr]  # both are pipes
        worker.stdin.flush()  # type: ignore[union-attr]
        answer = worker.stdout.readline()  # type: ignore[union-attr]
    finally:
        timer.cancel()
    return Markup(msgspec.json.decode(answer, type=str))  # noqa: S704 — nh3 has cleaned it there


def digest_of(order: RenderOrder) -> bytes:
    return hashlib.sha256(f"{order.level}\n{order.text}".encode(errors="replace")).digest()


RENDERER = Renderer()
atexit.register(RENDERER.close)


def document(text: str, level: int) -> Markup:
    """The HTML of a stranger's document within a page."""
    return RENDERER.html_of(RenderOrder(text, level))


def utterance(text: str) -> Markup:
    """The HTML of a message."""
    return RENDERER.html_of(RenderOrder(text))


@cache
def own_document(text: str, level: int) -> Markup:
    """The HTML of a text of this program, such as a docstring, which needs no budget."""
    return RenderOrder(text, level).render(StepBudget(sys.maxsize))
