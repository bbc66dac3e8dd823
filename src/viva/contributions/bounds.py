"""The sizes of what a draft may hold. A draft may be unfinished or wrong, but never too large to store."""

from collections.abc import Iterator
from typing import Any

from viva.contributions.model import Proposal
from viva.kit.errors import Fault
from viva.kit.forms import invalid_input
from viva.kit.nesting import containers_in, json_size

LINE_CHARACTERS = 500  # validation allows 200; a draft may still be too long
MAX_CHARACTERS = {
    "evaluation_id": LINE_CHARACTERS,
    "title": LINE_CHARACTERS,
    "name": LINE_CHARACTERS,
    "description": 4_000,  # one or two sentences are asked for
    "module": LINE_CHARACTERS,
    "department": LINE_CHARACTERS,
    "type": LINE_CHARACTERS,
    "executable_handler": LINE_CHARACTERS,
    "executable_script_path": LINE_CHARACTERS,
    "executable_code": 64 * 1024,  # a handler is one function
    "research_basis": 20_000,
    "version": LINE_CHARACTERS,
    "author": LINE_CHARACTERS,
    "body": 200_000,  # a document has at most 1 MiB, and a character up to 4 bytes
}
MAX_CONFIG_BYTES = 256 * 1024  # a SIP with 200 questions has about 60 KiB; one document may have 1 MiB
MAX_BYTES = {"config": MAX_CONFIG_BYTES, "research_mapping": 64 * 1024, "exemplars": 256 * 1024}
MAX_VALUES = 20_000  # in one column; a SIP with 1000 questions has about 12,000, and each takes a line of the document
MAX_DEPTH = 20  # a config needs 6
MAX_ITEMS = {"prerequisites": 50, "research_mapping": 200, "exemplars": 200}
MAX_COMMENT_CHARACTERS = 5_000
MAX_REASON_CHARACTERS = 5_000  # of feedback, review notes and the reason of a rejection


def check_bounds(proposal: Proposal) -> None:
    """Refuse a draft with a part that is too large, and name every such part."""
    faults = [*long_texts(proposal), *long_lists(proposal), *large_values(proposal)]
    if faults:
        raise invalid_input(faults)


def long_texts(proposal: Proposal) -> Iterator[Fault]:
    for field, most in MAX_CHARACTERS.items():
        length = len(getattr(proposal, field) or "")
        if length > most:
            yield too_large(field, f"This has {length} characters; at most {most} are allowed.")
        elif "\0" in (getattr(proposal, field) or ""):
            yield Fault(field, "null_character", "Text may not contain the null character.")


def long_lists(proposal: Proposal) -> Iterator[Fault]:
    for field, most in MAX_ITEMS.items():
        if len(getattr(proposal, field)) > most:
            yield too_large(field, f"This list has {len(getattr(proposal, field))} items; at most {most} are allowed.")
    for at, name in enumerate(proposal.prerequisites[: MAX_ITEMS["prerequisites"]]):
        if len(name) > LINE_CHARACTERS:
            yield too_large(f"prerequisites[{at}]", f"An id has at most {LINE_CHARACTERS} characters.")


def large_values(proposal: Proposal) -> Iterator[Fault]:
    for field, most in MAX_BYTES.items():
        value = getattr(proposal, field)
        size = json_size(value)
        if size is not None and size > most:
            yield too_large(field, f"This has {size} bytes as JSON; at most {most} are allowed.")
        elif size is None or not has_few_values(value):
            message = f"This has more than {MAX_VALUES} values, or more than {MAX_DEPTH} levels."
            yield too_large(field, message)


def has_few_values(value: Any) -> bool:
    """Whether lists and objects nest at most MAX_DEPTH levels and hold at most MAX_VALUES values."""
    level, count = containers_in([value]), 0
    for _ in range(MAX_DEPTH):
        values = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
        level, count = containers_in(values), count + len(values)
        if not level or count > MAX_VALUES:
            break
    return not level and count <= MAX_VALUES


def too_large(field: str, message: str) -> Fault:
    return Fault(field, "too_large", message)


def check_text(field: str, text: str, most: int) -> str:
    """The text without white space at its ends. It must have 1 to `most` characters."""
    text = text.strip()
    if not 1 <= len(text) <= most or "\0" in text:
        raise invalid_input([Fault(field, "out_of_range", f"Write 1 to {most} characters.")])
    return text
