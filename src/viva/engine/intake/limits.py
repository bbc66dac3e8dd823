"""How large a trace may be: beyond these it is refused whole, with a fault that names the limit."""

from typing import NamedTuple

MEBIBYTE = 1024 * 1024


class Limits(NamedTuple):
    """Bounds on one trace, and on a file that has to be loaded whole."""

    bytes: int = 32 * MEBIBYTE  # one trace: hours of a busy team of agents are some MiB
    depth: int = 64  # nesting of the JSON: tool results are seldom deeper than 20, and readers may recurse
    turns: int = 10_000  # exchanges of one conversation
    interactions: int = 10_000  # agents' parts in one turn: a run without a user is one turn
    steps: int = 10_000  # thoughts and calls of one interaction
    agents: int = 10_000  # declared or speaking
    messages: int = 100_000  # of a chat, or spans of a run
    name: int = 1_000  # characters of an id or of a tool's name: they stand in every message about it
    text: int = 4 * MEBIBYTE  # characters of one text: whole books fit
    file: int = 1024 * MEBIBYTE  # one JSON document with many traces; JSONL has no such bound


LIMITS = Limits()
MAX_INTEGER_BITS = 1_024  # of a whole number: as far as a float reaches; Python does not even write one of 4,300 digits
