"""Wait until something changes for a person who sits an evaluation: a proctor comes, a class begins, a verdict is there."""

import msgspec
from litestar import Request, Response, get

from viva.context import address_of, hub_of
from viva.exams import visibility
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized
from viva.sessions.feed import STREAM_HEADERS, read_until_new
from viva.web import logins, pages
from viva.web.queries import word
from viva.web.sit_page import read_state

NEWS_WAIT_SECONDS = 25  # shorter than the idle timeout of common proxies


@get("/evaluations/{sip:str}/sit/news")
async def show_news(request: Request, sip: str) -> Response[bytes]:
    """Answer when the state is another one than the page has, or after some seconds."""
    hub, known = hub_of(request), word(request, "state")
    login_hash = await pages.admit(request, hub)
    agent_id = ""

    def read(db: Connection) -> str:
        nonlocal agent_id
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            raise Unauthorized()
        agent_id = viewer.id
        return read_state(db, viewer.id, visibility.get_evaluation(db, sip, viewer).id)

    state = await hub.database.read(read)
    if state == known:
        if hub.rate_limits:
            hub.feed.check_room(address_of(request))
        state = await read_until_new(
            hub.feed, address_of(request), (agent_id,), NEWS_WAIT_SECONDS, read, lambda found: found != known
        )
    return Response(msgspec.json.encode({"state": state}), media_type="application/json", headers=STREAM_HEADERS)
