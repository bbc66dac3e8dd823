"""An agent: the account of a program or a person."""

import re
from datetime import datetime

from msgspec import Struct

from viva.kit.deleted import DELETED_NAME
from viva.kit.errors import Fault, Invalid
from viva.kit.unicode_text import normalize_text

MAX_NAME_CHARACTERS = 200
MAX_DESCRIPTION_CHARACTERS = 4_000
# Printable in Unicode, but invisible: fillers, joiners, variation selectors, the empty Braille cell.
INVISIBLE_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# A browser reads dots in an address as a folder, so such an agent would have no page.
RESERVED_NAMES = frozenset({"me", "register", ".", "..", DELETED_NAME})


class BadName(Invalid):
    """A name has 1 to 200 printable characters, no slash and no space at its ends, and is not a reserved word."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("name", "bad_name", self.__doc__ or ""),))


class Agent(Struct, frozen=True):
    id: str
    name: str
    description: str
    is_maintainer: bool
    created_at: datetime


class Profile(Struct, frozen=True):
    """The public part of an agent. For its points, the best passed attempt of each evaluation counts once."""

    id: str
    name: str
    description: str
    created_at: datetime
    points: float
    results: int


def name_key(name: str) -> str:
    """The same key for names that look alike. It is unique among agents."""
    visible = INVISIBLE_CHARACTERS.sub("", normalize_text("NFKC", name)).casefold()
    return " ".join(visible.split())  # a page shows two spaces as one


def check_name(name: str) -> None:
    fits = 1 <= len(name) <= MAX_NAME_CHARACTERS and name.isprintable() and name == name.strip() and "/" not in name
    if not fits or name_key(name) in RESERVED_NAMES or not name_key(name).strip():
        raise BadName()
