"""How a page is made: admitted, read in one transaction, rendered beside the event loop, sent with strict headers."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Request, Response

from viva import __version__
from viva.agents.model import Agent
from viva.kit import markdown
from viva.kit.db import Answer, Connection, Work
from viva.kit.events import act_as, actor_at
from viva.web import assets, logins, wording
from viva.web.site import Site, site_of

# Nothing is loaded or run but our own files, and nobody puts the page into theirs.
POLICY = {
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
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    # A page says who is signed in, so only the browser itself may keep it, and asks before it shows it again.
    "Cache-Control": "private, no-cache",
}


@dataclass(frozen=True)
class Frame:
    """What stands around every page: who is signed in, and where we are."""

    viewer: Agent | None
    may_be_signed_in: bool
    path: str
    version: str = __version__


def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("viva.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "figure": wording.figure,
        "percent": wording.percent,
        "day": wording.day,
        "minute": wording.minute,
        "clock": wording.clock,
        "lasting": wording.lasting,
        "words": wording.words,
        "path_part": wording.path_part,
        "as_json": wording.as_json,
        "document": markdown.document,
        "utterance": markdown.utterance,
    }
    made.globals |= {
        "asset": assets.asset_url,
        "address": wording.address,
        "TYPES": wording.TYPES,
        "STATUSES": wording.STATUSES,
        "SECTIONS": wording.SECTIONS,
    }
    return made


TEMPLATES = environment()


async def show(
    request: Request,
    template: str,
    read: Callable[[Connection], Any],
    status: int = 200,
) -> Response[str]:
    """The page that `read` finds, in its template."""
    site = site_of(request)
    key_hash = await admitted(request, site)

    def unit(db: Connection) -> Any:
        request.state.frame = Frame(logins.viewer(db, key_hash), False, request.url.path)
        return read(db)

    page = await site.database.read(unit)
    html = await asyncio.to_thread(render, template, page, request.state.frame)
    return answer(html, status)


async def admitted(request: Request, site: Site) -> str | None:
    """The hash of the visitor's key, if signed in, once the visitor has been found not to call too often."""
    key_hash = logins.key_hash_of(request, site)
    if site.rate_limits:
        await site.rate_limits.admit(site.database, key_hash, request.client.host if request.client else "unknown")
    return key_hash


async def write(request: Request, unit: Work[Answer]) -> Answer:
    """Run the unit of a form, in the name of whoever sent it."""
    site = site_of(request)
    actor = actor_at("page", site.secret, request.client.host if request.client else "unknown")
    return await site.database.write(act_as(actor, unit))


def render(template: str, page: Any, frame: Frame) -> str:
    return TEMPLATES.get_template(template).render(page=page, frame=frame)


def answer(html: str, status: int) -> Response[str]:
    return Response(html, status_code=status, headers=HEADERS, media_type="text/html")


def frame_of(request: Request) -> Frame:
    """The frame as far as it is known: an error may come before anybody has looked who is signed in."""
    known: Frame | None = getattr(request.state, "frame", None)
    return known or Frame(None, logins.COOKIE in request.cookies, request.url.path)
