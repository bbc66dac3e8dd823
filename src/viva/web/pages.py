"""Make a page: check the limits, read in one transaction, render in a thread, send strict headers."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from litestar import Request, Response

from viva import __version__
from viva.agents.model import Agent
from viva.context import HubContext, address_of, hub_of, read_slowly
from viva.kit import rendering
from viva.kit.db import Connection, Database, T, UnitOfWork
from viva.kit.deleted import DELETED_NAME
from viva.kit.events import act_as, actor_at
from viva.kit.units import run_in_threads
from viva.notices.store import count_unread
from viva.reports.page import RUN_FILTERS, RUN_GLOBALS
from viva.web import assets, contribute_highlighting, contribute_words, contribution_places, logins, wording

# A page loads only the hub's own files, and no other site can put it into a frame.
CONTENT_SECURITY_POLICY = {
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
PAGE_HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in CONTENT_SECURITY_POLICY.items()),
    "Referrer-Policy": "same-origin",
    # Only the browser may cache a page, and it revalidates the page before each use.
    "Cache-Control": "private, no-cache",
}
# Pages of a signed-in person are not cached. Otherwise Back would show them after signing out.
SIGNED_IN_HEADERS = PAGE_HEADERS | {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class Frame:
    """The values that every page needs: the signed-in agent and the path."""

    viewer: Agent | None
    may_be_signed_in: bool
    path: str
    unread: int = 0  # notices of the signed-in agent; counted up to 100
    version: str = __version__


def environment() -> Environment:
    templates = Environment(
        loader=ChoiceLoader([PackageLoader("viva.web"), PackageLoader("viva.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= RUN_FILTERS
    templates.globals |= RUN_GLOBALS
    templates.filters |= {
        "figure": wording.figure,
        "reason_sentences": wording.reason_sentences,
        "foreseen_sentences": wording.foreseen_sentences,
        "percent": wording.percent,
        "day": wording.day,
        "minute": wording.minute,
        "clock": wording.clock,
        "duration": wording.duration,
        "milliseconds": wording.milliseconds,
        "cost": wording.cost,
        "words": wording.words,
        "part_name": contribution_places.part_name,
        "message_beside": contribution_places.message_beside,
        "path_part": wording.path_part,
        "web_address": wording.web_address,
        "as_json": wording.as_json,
        "highlight": contribute_highlighting.highlight,
        "diff": contribute_highlighting.diff,
        "document": rendering.document,
        "own_document": rendering.own_document,
        "utterance": rendering.utterance,
    }
    templates.globals |= {
        "asset": assets.asset_url,
        "address": wording.address,
        "TYPES": wording.TYPE_NAMES,
        "TAKING_PART": wording.TAKING_PART,
        "STATUSES": wording.STATUS_NAMES,
        "STATUS_WORDS": contribute_words.STATUS_WORDS,
        "SECTIONS": wording.SECTIONS,
        "section_of": wording.section_of,
        "DELETED_NAME": DELETED_NAME,
    }
    return templates


TEMPLATES = environment()
# Templates run Python code, so a second thread would not render faster because of the GIL.
# It would only slow down the requests that render no page.
PAGE_THREAD = ThreadPoolExecutor(1, "viva-pages")
Rendered = TypeVar("Rendered")


async def show(
    request: Request,
    template: str,
    read: Callable[[Connection], Any],
    status: int = 200,
    prepare: Callable[[], Awaitable[None]] | None = None,
    is_slow: bool = False,
) -> Response[str]:
    """Read the page in one transaction and render it with the template. `prepare` is for long work before that.

    A slow read, such as one that writes a large document, has a thread."""
    hub = hub_of(request)
    login_hash = await admit(request, hub)
    if prepare:
        await prepare()

    def unit(db: Connection) -> Any:
        viewer = logins.viewer(db, login_hash, request)
        unread = count_unread(db, viewer.id) if viewer else 0
        request.state.frame = Frame(viewer, False, request.url.path, unread)
        return read(db)

    def read_and_render() -> str:
        return render(template, hub.database.read_now(unit), request.state.frame)

    if hub.database.reads_on_loop and not is_slow:
        html = await in_page_thread(read_and_render)
    else:
        page = await (read_slowly(hub.database, unit) if is_slow else hub.database.read(unit))
        html = await in_page_thread(lambda: render(template, page, request.state.frame))
    return answer(html, status, request.state.frame)


async def admit(request: Request, hub: HubContext) -> str | None:
    """Check the rate limits, and return the hash of the visitor's login, if there is one."""
    login_hash = logins.login_hash_of(request, hub)
    await hub.admit(login_hash, address_of(request))
    return login_hash


async def in_page_thread(make: Callable[[], Rendered]) -> Rendered:
    """Run `make` in the page thread, with the Markdown budget of one page."""

    def run() -> Rendered:
        with rendering.budget_for_page():
            return make()

    return await run_in_threads(PAGE_THREAD, run)


async def open_reader(database: Database) -> None:
    """Open the connection of the page thread, so that pages are shown even if the file is moved later."""
    if database.reads_on_loop:
        await in_page_thread(lambda: database.read_now(lambda db: None))


async def write(request: Request, unit: UnitOfWork[T]) -> T:
    """Run the unit of a form, and log its events with the sender as the actor."""
    hub = hub_of(request)
    actor = actor_at("page", hub.secret, address_of(request))
    return await hub.database.write(act_as(actor, unit))


def render(template: str, page: Any, frame: Frame) -> str:
    return TEMPLATES.get_template(template).render(page=page, frame=frame)


def answer(html: str, status: int, frame: Frame) -> Response[str]:
    headers = SIGNED_IN_HEADERS if frame.viewer or frame.may_be_signed_in else PAGE_HEADERS
    return Response(html, status_code=status, headers=headers, media_type="text/html")


def frame_of(request: Request) -> Frame:
    """The frame of the request. An error can occur before the signed-in agent is known."""
    known: Frame | None = getattr(request.state, "frame", None)
    return known or Frame(None, logins.cookie_name(hub_of(request)) in request.cookies, request.url.path)
