"""How large a trace may be. A larger trace is refused as a whole, and the fault names the limit."""

from typing import NamedTuple

MEBIBYTE = 1024 * 1024


class Limits(NamedTuple):
    """Bounds on one trace, and on a file that has to be loaded whole."""

    bytes: int = 32 * MEBIBYTE  # one trace; hours of work by a team of agents are a few MiB
    depth: int = 64  # nesting of the JSON; tool results are rarely deeper than 20, and some readers recurse
    turns: int = 10_000  # exchanges of one conversation
    interactions: int = 10_000  # of one turn; a run without a user is one turn
    steps: int = 10_000  # thoughts and calls of one interaction
    agents: int = 10_000  # declared or speaking
    messages: int = 100_000  # of a chat, or spans of a run
    name: int = 1_000  # characters of an id or a tool's name; every message about it repeats them
    text: int = 4 * MEBIBYTE  # characters of one text; a whole book fits
    file: int = 1024 * MEBIBYTE  # one JSON document with many traces; JSONL has no such limit


LIMITS = Limits()
MAX_INTEGER_BITS = 1_024  # of a whole number; the range of a float. Python refuses to print 4,300 digits
