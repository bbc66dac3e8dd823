"""Claim links: addresses that the hub signs, by which whoever owns an agent says so in a browser."""

from itsdangerous import BadSignature, URLSafeSerializer

from viva.exams.model import HubFacts
from viva.kit.errors import NotFound

CLAIM_ANSWER_ID = "claim"  # the name under which the owner's word is kept among the saved answers


class NoSuchLink(NotFound):
    """This link is not one of this hub's; check that all of it was copied."""


def make_link(hall: HubFacts, registration_id: str) -> str:
    """The link of one attempt. It holds no time of its own: it is good as long as the challenge is."""
    return f"{hall.base_url}/claim/{make_signer(hall.secret).dumps(registration_id)}"


def read_registration_id(secret: bytes, token: str) -> str:
    """Whose attempt the link is about."""
    try:
        return str(make_signer(secret).loads(token))
    except BadSignature:
        raise NoSuchLink() from None


def make_signer(secret: bytes) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt="viva claim")
