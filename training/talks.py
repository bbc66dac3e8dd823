"""Reading the dialogues and exchanges of data/, in which each answer served, failed, or could not give what was wished."""

from pathlib import Path
from typing import NamedTuple

from viva.engine.dialogue.reactions import Exchange

SIGNS = {"<": 0, "!": 1, "~": 1}  # who cannot have what was wished is unhappy, though the answer is not to blame


class WrittenReply(NamedTuple):
    """A message and its answer, what the user said next ("" at the end), what came before, newest first, and whether they were unhappy."""

    asked: str
    answer: str
    next: str
    earlier_asked: list[str]
    earlier_answers: list[str]
    unhappy: int

    @property
    def exchange(self) -> Exchange:
        return Exchange(self.asked, self.answer, self.next)


def talks(path: Path) -> list[list[WrittenReply]]:
    """The dialogues of a file: "> " a user, "< " an answer that served, "! " one that failed, "~ " neither."""
    blocks = [
        [line for line in block.splitlines() if line and line[0] in "><!~"] for block in path.read_text().split("\n\n")
    ]
    return [read_talk(block) for block in blocks if block]


def read_talk(lines: list[str]) -> list[WrittenReply]:
    said, found = [], list[WrittenReply]()
    for k, line in enumerate(lines):
        if line[0] == ">":
            said.append(line[2:])
            continue
        following = lines[k + 1][2:] if k + 1 < len(lines) else ""
        before = [reply.answer for reply in found[::-1]]
        found.append(WrittenReply(said[-1], line[2:], following, said[-2::-1], before, SIGNS[line[0]]))
    return found


def read_table(path: Path, part: str, tongue: str) -> list[list[str]]:
    """The columns after part and language of one part of a table, in one language."""
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    return [row[2:] for row in rows if row[:2] == [part, tongue]]
