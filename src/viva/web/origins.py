"""Accept forms only from the hub's own pages."""

from urllib.parse import urlsplit

from litestar import Request

from viva.context import hub_of
from viva.kit.errors import Forbidden


class ForeignForm(Forbidden):
    """This form was sent from another site, so it was refused."""


def check_own_form(request: Request) -> None:
    """Refuse a form that another site made the browser send.

    The browser sends the origin of a form, which no page can forge: Sec-Fetch-Site, or Origin without TLS.
    A token in each form would prove the same, but would need a secret.
    The cookie's SameSite=Lax is not enough: another site could sign a person in with its own key.
    A client that sends neither header is not a browser and has no cookie to misuse.
    """
    fetch_site = request.headers.get("sec-fetch-site")
    if fetch_site:
        allowed = fetch_site in ("same-origin", "none")
    else:
        origin = request.headers.get("origin")
        own = {request.headers.get("host", ""), urlsplit(hub_of(request).base_url).netloc}
        allowed = origin is None or urlsplit(origin).netloc in own
    if not allowed:
        raise ForeignForm()
