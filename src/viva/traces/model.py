"""A stored trace: what lists show of it, what it was read from, and the rules for its dataset and tags."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from viva.kit.errors import Fault, Invalid

MAX_DATASET_CHARACTERS = 100
MAX_TAGS = 20  # of one trace
MAX_TAG_CHARACTERS = 50
DATASET_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
TAG_PATTERN = re.compile(r"[^\s,\x00-\x1f][^,\x00-\x1f]*")


class BadDataset(Invalid):
    """A dataset's name has 1 to 100 letters, digits, dots, hyphens or underscores, and begins with a letter or digit."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("dataset", "bad_dataset", self.__doc__ or ""),))


class BadTags(Invalid):
    """A trace has at most 20 tags of 1 to 50 characters, without commas."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("tags", "bad_tags", self.__doc__ or ""),))


class StoredTrace(Struct, frozen=True):
    """A trace without its text. `name` is the id that it had where it was recorded, or the first words of its task."""

    id: str
    owner_id: str
    name: str
    dataset: str | None
    form: str
    received_at: datetime
    agents: int
    turns: int
    interactions: int
    calls: int
    dropped: list[dict[str, Any]]  # parts that could not be read: path and why
    masked: list[dict[str, Any]]  # placeholders that stand for secrets
    tags: list[str]
    stored_bytes: int
    share_digest: str | None
    analysis_id: str | None  # the latest analysis of all parts that is done; of some parts, until there is one
    overall_score: float | None  # of that analysis
    hidden_at: datetime | None = None  # when a maintainer hid it from everybody but its owner


class NewTrace(NamedTuple):
    """A trace that was read and is not stored yet. `content` is its text, compressed."""

    name: str
    form: str
    agents: int
    turns: int
    interactions: int
    calls: int
    dropped: Sequence[Any]
    masked: Sequence[Any]
    tags: tuple[str, ...]
    content: bytes
    digest: str  # of the document as it came


def check_dataset(name: str | None) -> str | None:
    if name is not None and (len(name) > MAX_DATASET_CHARACTERS or not DATASET_PATTERN.fullmatch(name)):
        raise BadDataset()
    return name


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags, each once, in order."""
    unique = tuple(sorted(set(tags)))
    if len(unique) > MAX_TAGS or not all(map(is_tag, unique)):
        raise BadTags()
    return unique


def is_tag(tag: str) -> bool:
    return len(tag) <= MAX_TAG_CHARACTERS and TAG_PATTERN.fullmatch(tag) is not None


def split_tags(text: str) -> list[str]:
    """The tags of a field or a parameter, in which commas separate them."""
    return [tag for tag in (part.strip() for part in text.split(",")) if tag]
