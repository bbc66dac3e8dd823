"""Claim links: URLs signed by the hub, on which a maintainer confirms in a browser who owns an agent."""

from itsdangerous import BadSignature, URLSafeSerializer

from viva.exams.model import HubFacts
from viva.kit.errors import NotFound

CLAIM_ANSWER_ID = "claim"  # the confirmation is stored as a saved answer with this id


class NoSuchLink(NotFound):
    """This link is not valid on this hub. Check that you copied all of it."""


def make_link(hub: HubFacts, registration_id: str) -> str:
    """The link of one attempt. It is valid as long as the challenge is."""
    return f"{hub.base_url}/claim/{make_signer(hub.secret).dumps(registration_id)}"


def read_registration_id(secret: bytes, token: str) -> str:
    """The registration that the link belongs to."""
    try:
        return str(make_signer(secret).loads(token))
    except BadSignature:
        raise NoSuchLink() from None


def make_signer(secret: bytes) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt="viva claim")
