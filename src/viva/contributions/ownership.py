"""Who may read and change a contribution: its contributor, its collaborators and, without changing it, maintainers.

For everybody else it does not exist. An account proves itself by its key. Whoever has no account holds a token, which is
shown once and sent like a key."""

import base64
import hashlib
import hmac
import re
import secrets
from typing import Literal, NamedTuple

from viva.agents import access
from viva.agents.model import Agent
from viva.contributions import collaborators, store
from viva.contributions.model import Contribution, Contributor
from viva.contributions.store import NoSuchContribution
from viva.kit.db import Connection
from viva.kit.errors import Fault, Forbidden
from viva.kit.forms import invalid_input

CONTRIBUTION_KEY_PREFIX = "viva_contrib_"
MAX_CONTRIBUTOR_NAME_CHARACTERS = 200
MAX_EMAIL_CHARACTERS = 254  # the longest address that SMTP delivers to
EMAIL_PATTERN = re.compile(r"[^@\s<>,;:\"()\[\]\\]{1,64}@[^@\s<>,;:\"()\[\]\\]+\.[^@\s<>,;:\"()\[\]\\.]{2,}")


class NotYourDraft(Forbidden):
    """Only its contributors may change a draft."""


class ContributorOnly(Forbidden):
    """Only the contributor who began this draft may do this."""


class Visitor(NamedTuple):
    """Who calls: an account, the holder of a token, or nobody known."""

    agent: Agent | None = None
    token: str | None = None


class Editor(NamedTuple):
    """Somebody who may read the contribution, and in which role."""

    contribution: Contribution
    role: Literal["contributor", "collaborator", "maintainer"]
    agent_id: str | None
    name: str

    def check_may_change(self) -> None:
        if self.role == "maintainer":
            raise NotYourDraft()

    def check_is_contributor(self) -> None:
        if self.role != "contributor":
            raise ContributorOnly()


def new_token() -> str:
    return CONTRIBUTION_KEY_PREFIX + secrets.token_urlsafe(32)


def contributor_token(secret: bytes, contribution_id: str) -> str:
    """The token of who began the contribution. The hub's secret gives it again, so that no table has to hold it."""
    derived = hmac.digest(secret, b"viva contribution " + contribution_id.encode(), hashlib.sha256)
    return CONTRIBUTION_KEY_PREFIX + base64.urlsafe_b64encode(derived).decode().rstrip("=")


def hash_token(token: str) -> str:
    # 256 bits that nobody can predict cannot be guessed from their hash, as with keys.
    return hashlib.sha256(token.encode()).hexdigest()


def find_visitor(db: Connection, key: str | None) -> Visitor:
    """The caller of a request with this key or token."""
    if key is None:
        return Visitor()
    if not key.startswith(CONTRIBUTION_KEY_PREFIX):
        return Visitor(agent=access.caller(db, key))
    if not store.is_known_token(db, hash_token(key)):
        raise access.WrongKey()
    return Visitor(token=key)


def find_editor(db: Connection, contribution_id: str, agent: Agent | None, token: str | None = None) -> Editor:
    """The caller as an editor of the contribution. Strangers get a 404."""
    contribution = store.get(db, contribution_id)
    agent_id = agent.id if agent else None
    token_hash = hash_token(token) if token else None
    if agent and contribution.contributor_id == agent.id:
        return Editor(contribution, "contributor", agent.id, agent.name)
    if token_hash and store.is_token_of(db, contribution_id, token_hash):
        return Editor(contribution, "contributor", None, contribution.contributor_name)
    collaborator = collaborators.find_collaborator(db, contribution_id, agent_id, token_hash)
    if collaborator:
        return Editor(contribution, "collaborator", collaborator.agent_id, collaborator.name)
    if agent and agent.is_maintainer:
        return Editor(contribution, "maintainer", agent.id, agent.name)
    raise NoSuchContribution()


def read_contributor(agent: Agent | None, name: str | None, email: str | None) -> Contributor:
    """The contributor of a new draft. Without an account, name and e-mail address are required."""
    faults = []
    name, email = (name or "").strip(), (email or "").strip().lower() or None
    if agent is None and not is_name(name):
        message = f"Give a name of 1 to {MAX_CONTRIBUTOR_NAME_CHARACTERS} printable characters, or send an API key."
        faults.append(Fault("contributor_name", "bad_name", message))
    if (email is None and agent is None) or (email is not None and not is_email(email)):
        faults.append(Fault("contributor_email", "bad_email", "Give an e-mail address, such as ada@example.org."))
    if faults:
        raise invalid_input(faults)
    return Contributor(agent, agent.name if agent else name, email)


def is_name(name: str) -> bool:
    return 1 <= len(name) <= MAX_CONTRIBUTOR_NAME_CHARACTERS and name.isprintable()


def is_email(email: str) -> bool:
    return len(email) <= MAX_EMAIL_CHARACTERS and email.isprintable() and EMAIL_PATTERN.fullmatch(email) is not None
