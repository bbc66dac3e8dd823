"""What a hub says of itself at a fixed address: its public keys, and the formats of what it signs and chains."""

from typing import Any

from litestar import Router
from msgspec import Struct

from viva import __version__
from viva.api.routing import get
from viva.context import HubContext
from viva.exams.certifying import OWN_CONTEXT
from viva.kit.db import Connection
from viva.kit.event_chain import EVENT_FORMAT, LOG_HEAD_FORMAT
from viva.kit.signing_keys import SigningKey, list_keys
from viva.results.facts import RESULT_FORMAT
from viva.sessions.chain import MESSAGE_FORMAT

HUB_NAME = "Viva"
FORMATS = {"message": MESSAGE_FORMAT, "result": RESULT_FORMAT, "event": EVENT_FORMAT, "log_head": LOG_HEAD_FORMAT}


class HubDocument(Struct):
    """`keys` has every signing key, newest first. The one without `retired_at` signs now."""

    name: str
    address: str
    version: str
    keys: list[SigningKey]
    formats: dict[str, str]


@get("/viva.json")
def show_hub(db: Connection, hub: HubContext) -> HubDocument:
    """Show the hub's public keys. A signature of this hub was made with one of them."""
    return HubDocument(HUB_NAME, hub.base_url, __version__, list_keys(db), FORMATS)


@get("/viva-certificate.json")
def show_certificate_context() -> dict[str, Any]:
    """Show the JSON-LD context of the one field of our own in a certificate."""
    return OWN_CONTEXT


router = Router("/.well-known", route_handlers=[show_hub, show_certificate_context])
