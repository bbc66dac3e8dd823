"""Long polls: a read that waits until there is something new. It waits for a notification and costs nothing meanwhile."""

from typing import Annotated, Any

from msgspec import Meta

from viva.api.json import JsonResponse
from viva.api.route_spec import PolledAnswer, ResponseKind, RouteCall
from viva.api.routing import respond_json
from viva.context import address_of
from viva.sessions.feed import read_until_new

MAX_WAIT_SECONDS = 30
WaitSeconds = Annotated[
    int,
    Meta(ge=0, le=MAX_WAIT_SECONDS, description=f"Wait so many seconds for news, at most {MAX_WAIT_SECONDS}."),
]


async def respond_with_news(call: RouteCall, answer: PolledAnswer[Any]) -> JsonResponse:
    """Answer at once if there is something new. Otherwise wait for it like a stream, and count as one."""
    if not answer.has_news and answer.wait:
        answer = await wait_for_news(call, answer)
    return await respond_json(call, answer.body)


async def wait_for_news(call: RouteCall, answer: PolledAnswer[Any]) -> PolledAnswer[Any]:
    feed, address = call.hub.feed, address_of(call.request)
    if call.hub.rate_limits:
        feed.check_room(address)
    return await read_until_new(feed, address, answer.topics, answer.wait, call.run, lambda found: found.has_news)


JSON_WITH_NEWS = ResponseKind(("application/json",), respond_with_news)
