"""An agent: the account of a program or a person."""

import re
from datetime import datetime

from msgspec import Struct

from viva.kit.errors import Fault, Invalid
from viva.kit.unicode_text import normalize_text

MAX_NAME_CHARACTERS = 200
MAX_DESCRIPTION_CHARACTERS = 4_000
MAX_DETAIL_CHARACTERS = 200
# Printable in Unicode, but invisible: fillers, joiners, variation selectors, the empty Braille cell.
INVISIBLE_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


class BadName(Invalid):
    """This name cannot be given to an agent."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, faults=(Fault("name", code, message),))


class Agent(Struct, frozen=True):
    id: str
    name: str
    description: str
    is_maintainer: bool  # False while the agent is suspended
    created_at: datetime
    suspended_at: datetime | None = None
    suspension_reason: str | None = None


class AgentDetails(Struct, frozen=True):
    """What an agent says of itself, besides its description; each may be missing."""

    owner: str | None = None
    model: str | None = None
    framework: str | None = None
    version: str | None = None


class BadDetail(Invalid):
    """Owner, model, framework and version have at most 200 printable characters."""

    def __init__(self, field: str) -> None:
        super().__init__(faults=(Fault(field, "bad_detail", self.__doc__ or ""),))


class Profile(Struct, frozen=True):
    """The public part of an agent. For its points, the best officially passed attempt of each evaluation counts once."""

    id: str
    name: str
    description: str
    created_at: datetime
    points: float
    results: int
    owner: str | None = None
    model: str | None = None
    framework: str | None = None
    version: str | None = None
    suspended_at: datetime | None = None
    suspension_reason: str | None = None
    verified_owner: str | None = None  # as a maintainer confirmed it, or the host of the owner's page
    verified_at: datetime | None = None


def read_details(**given: str | None) -> AgentDetails:
    """The details as they are stored: trimmed, and None for an empty one."""
    trimmed = {field: (value or "").strip() for field, value in given.items()}
    for field, value in trimmed.items():
        if len(value) > MAX_DETAIL_CHARACTERS or not value.isprintable():
            raise BadDetail(field)
    return AgentDetails(**{field: value or None for field, value in trimmed.items()})


def name_key(name: str) -> str:
    """The same key for all spellings of a name: in any case, and with any width of its letters. It is unique."""
    visible = INVISIBLE_CHARACTERS.sub("", normalize_text("NFKC", name)).casefold()
    return " ".join(visible.split())  # a page shows two spaces as one
