"""Forms are taken from our own pages only."""

from urllib.parse import urlsplit

from litestar import Request

from viva.context import hub_of
from viva.kit.errors import Forbidden


class ForeignForm(Forbidden):
    """This form was sent from another site, so it was not taken."""


def check_own_form(request: Request) -> None:
    """Refuse a form that another site made the browser send.

    The browser itself says where a form comes from, which no page can forge: Sec-Fetch-Site, or, where the hub is
    reached without TLS, Origin. A token in each form would say the same with a secret to keep. The cookie's
    SameSite=Lax alone is not enough: another site could still sign somebody in under a key of its own.
    A client that sends neither header is no browser and has no cookie to be misused.
    """
    fetched_from = request.headers.get("sec-fetch-site")
    if fetched_from:
        allowed = fetched_from in ("same-origin", "none")
    else:
        origin = request.headers.get("origin")
        own = {request.headers.get("host", ""), urlsplit(hub_of(request).base_url).netloc}
        allowed = origin is None or urlsplit(origin).netloc in own
    if not allowed:
        raise ForeignForm()
