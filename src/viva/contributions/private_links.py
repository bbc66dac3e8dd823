"""The link by which a contributor without an account opens the contribution. It is made when an e-mail is sent."""

import re

from viva.contributions import store
from viva.contributions.ownership import contributor_token, hash_token
from viva.kit.db import Connection
from viva.notices.model import Email

CONTRIBUTION_LINK = re.compile(r"/evaluations/contribute/(eval_contrib_[0-9a-f]+)")


def private_link(secret: bytes, db: Connection, email: Email) -> str | None:
    """The link of the e-mail, with the token if it leads contributors without an account to their own contribution.

    The token is derived here and stored nowhere, so that a copy of the database opens no draft. Older tokens, and those
    of another secret, cannot be derived: then the link has none, and asks for the one that the contributor kept."""
    contribution = CONTRIBUTION_LINK.fullmatch(email.link or "")
    if contribution is None or email.account_id is not None:
        return email.link
    token = contributor_token(secret, contribution[1])
    is_theirs = store.is_token_of_mailbox(db, contribution[1], hash_token(token), email.address)
    return f"{email.link}?token={token}" if is_theirs else email.link
