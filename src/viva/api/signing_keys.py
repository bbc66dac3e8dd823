"""The route with which maintainers rotate the signing key."""

from litestar import Router
from msgspec import Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.routing import post
from viva.kit import signing_keys
from viva.kit.db import Connection
from viva.kit.signing_keys import SigningKey


class OneSigningKey(Struct):
    key: SigningKey


@post("", MaintainersOnly)
def rotate_signing_key(db: Connection, caller: Agent) -> OneSigningKey:
    """Make a new signing key. Earlier signatures stay valid. Only maintainers may."""
    require_maintainer(caller)

    made = signing_keys.rotate(db)
    return OneSigningKey(signing_keys.get(db, made.id))


router = Router("/maintain/signing-keys", route_handlers=[rotate_signing_key])
