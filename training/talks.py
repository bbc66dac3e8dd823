"""Reading the labelled dialogues of data/: "> " a user, "< " an answer that served, "! " one that failed."""

from pathlib import Path
from typing import NamedTuple

from viva.engine.model import Interaction, Trace, Turn


class Talk(NamedTuple):
    """A dialogue as a trace, and for each turn whether its answer failed (None without an answer)."""

    trace: Trace
    failed: list[int | None]


def talks(path: Path) -> list[Talk]:
    """The dialogues of a file, in its order."""
    blocks = [
        [line for line in block.splitlines() if line and line[0] in "><!"] for block in path.read_text().split("\n\n")
    ]
    return [talk(str(k), block) for k, block in enumerate(block for block in blocks if block)]


def talk(name: str, lines: list[str]) -> Talk:
    turns: list[Turn] = []
    failed: list[int | None] = []
    for line in lines:
        if line[0] == ">":
            turns.append(Turn(len(turns), line[2:]))
            failed.append(None)
        else:
            turns[-1] = Turn(len(turns) - 1, turns[-1].user_message, None, (Interaction("agent", line[2:]),))
            failed[-1] = int(line[0] == "!")
    return Talk(Trace(name, tuple(turns)), failed)
