"""Moderation: profanity, scripts and path tricks in what a contributor wrote, found without running anything.

What visitors read must be clean. A probe may quote abuse or an attack, because an evaluation may test for exactly that:
there it is only a warning for the reviewer."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from viva.contributions.model import Proposal
from viva.kit.errors import Fault, Invalid
from viva.kit.faults import MAX_FAULTS

if TYPE_CHECKING:
    from glin_profanity import Filter

# Texts that visitors see as soon as the evaluation is live. `config.summary` is its description.
PUBLIC_FIELDS = ("name", "title", "description", "module", "department", "author", "research_basis")
QUOTING_FIELDS = ("config", "exemplars", "research_mapping")
PATH_FIELDS = ("evaluation_id", "executable_handler", "executable_script_path")
# The filter also knows disguised words, which takes 5 to 15 µs for each character. Longer texts are only searched for
# words of its list.
MAX_FILTERED_CHARACTERS = 4_000

# Each takes linear time, also on a text of spaces.
MALICIOUS_PATTERNS = {
    "a script": re.compile(r"<[\s/]*+(script|iframe|object|embed|svg|meta|base|link)\b", re.IGNORECASE),
    "an event handler": re.compile(r"<[^<>]{0,500}\son[a-z]{3,30}\s*=", re.IGNORECASE),
    "a link that runs code": re.compile(r"\b(java|vb)script\s*:|\bdata\s*:\s*text/html", re.IGNORECASE),
}
WORD = re.compile(r"[^\W_]+")
MAX_WORDS_NAMED = 5
MAX_WORD_CHARACTERS = 30
PATH_TRICK = re.compile(r"\.\.|^[/\\~]|^[a-zA-Z]:|[\\\0]|%2e|%2f|//", re.IGNORECASE)


class Moderation(NamedTuple):
    errors: list[Fault]
    warnings: list[Fault]


class Unsuitable(Invalid):
    """This text contains profanity or a script. Please write it in another way."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        super().__init__(faults=tuple(faults))


def moderate(proposal: Proposal) -> Moderation:
    """What a reviewer should know, and what visitors must not see."""
    errors = [fault for field in PUBLIC_FIELDS for fault in text_faults(field, getattr(proposal, field) or "")]
    summary = proposal.config.get("summary")
    if isinstance(summary, str):
        errors += text_faults("config.summary", summary)
    errors += path_faults(proposal)
    warnings = [
        fault._replace(message=f"{fault.message} That is fine if a probe quotes it.")
        for field in QUOTING_FIELDS
        for path, text in texts_in(field, getattr(proposal, field))
        if path != "config.summary"
        for fault in quotation_faults(path, text)
    ]
    return Moderation(errors[:MAX_FAULTS], warnings[:MAX_FAULTS])


def check_comment(field: str, text: str) -> None:
    """Refuse a comment that visitors should not read."""
    if faults := list(text_faults(field, text)):
        raise Unsuitable(faults)


def text_faults(field: str, text: str) -> Iterator[Fault]:
    """Faults of a text that visitors read."""
    words = disguised_words(text) if len(text) <= MAX_FILTERED_CHARACTERS else plain_words(text)
    yield from faults_of(field, text, words)


def quotation_faults(field: str, text: str) -> Iterator[Fault]:
    """Faults of a text that may be quoted in a probe."""
    yield from faults_of(field, text, plain_words(text))


def faults_of(field: str, text: str, profane_words: list[str]) -> Iterator[Fault]:
    if profane_words:
        yield Fault(field, "PROFANITY", f"{field} contains profanity: {', '.join(profane_words)}.")
    if "<" not in text and ":" not in text:  # each pattern has one of them
        return
    for name, pattern in MALICIOUS_PATTERNS.items():
        if pattern.search(text):
            yield Fault(field, "MALICIOUS_CONTENT", f"{field} contains {name}.")


def path_faults(proposal: Proposal) -> Iterator[Fault]:
    """No name may lead out of its folder. File names come from numbers anyway."""
    for field in PATH_FIELDS:
        if PATH_TRICK.search(getattr(proposal, field) or ""):
            yield Fault(field, "UNSAFE_PATH", f"{field} must not lead to another folder.")


def disguised_words(text: str) -> list[str]:
    """Profane words, also those that are written with other characters."""
    found = profanity_filter().check_profanity(text)["profane_words"] if text else []
    return shorten(str(word) for word in found)


def plain_words(text: str) -> list[str]:
    return shorten(set(WORD.findall(text.lower())) & profanity_filter().words)


def shorten(words: Iterable[str]) -> list[str]:
    return sorted({word[:MAX_WORD_CHARACTERS] for word in words})[:MAX_WORDS_NAMED]


@cache
def profanity_filter() -> "Filter":
    from glin_profanity import Filter  # imported late: it loads its dictionaries

    # Without its option for digits as letters: that takes 455 for a word.
    return Filter({"languages": ["english"]})


def texts_in(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text in a value, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts_in(f"{path}.{key[:100]}", inner)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from texts_in(f"{path}[{at}]", inner)
