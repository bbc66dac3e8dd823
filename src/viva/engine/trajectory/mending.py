"""Mending: for each thing that went wrong in a run, whether it was put right, and after how many attempts."""

from typing import NamedTuple

from viva.engine.calls.failures import speaks_of_failure
from viva.engine.reading import Reading, once
from viva.engine.trajectory.moves import Move, moves

RAN = ("exit code", "exitcode", "exit status", "execution succeeded", "output:")  # how a terminal reports
SOON = 4  # moves within which an agent that has noticed speaks of it


class Mishap(NamedTuple):
    """A failure, the agent who has to put it right, the move that did, and the attempts it took; or whether it was noticed."""

    number: int
    move: Move
    agent_id: str
    mended: int | None
    attempts: int
    noticed: bool


@once
def mishaps(reading: Reading) -> list[Mishap]:
    """Every failure of a run, read backwards so that each finds its repair in one pass."""
    done = moves(reading)
    found: list[Mishap] = []
    right: dict[str, tuple[int, int]] = {}  # what was tried: the next success, and the attempts from here to it
    for number in range(len(done) - 1, -1, -1):
        move = done[number]
        if not tries(move):
            continue
        key = move.tool or f"seen by {move.agent_id}"
        if not move.broke:
            right[key] = (number, 1)
            continue
        mended, attempts = right.get(key, (None, 0))
        found.append(Mishap(number, move, culprit(done, number), mended, attempts, is_noticed(done, number)))
        if mended is not None:
            right[key] = (mended, attempts + 1)
    return found[::-1]


def tries(move: Move) -> bool:
    """Whether a move can go wrong at all: a call, or the output of something that ran."""
    if move.tool or move.broke:
        return True
    head = move.text[:200].lower()
    return any(report in head for report in RAN)


def culprit(done: list[Move], number: int) -> str:
    """Who has to put a failure right: the caller; for output of an agent that only runs things, whoever spoke before."""
    move = done[number]
    if move.tool or move.place.interaction.agent_response:
        return move.agent_id
    earlier = (done[k].agent_id for k in range(number - 1, max(-1, number - 10), -1))
    return next((agent_id for agent_id in earlier if agent_id != move.agent_id), move.agent_id)


def is_noticed(done: list[Move], number: int) -> bool:
    """Whether the next words, or the last ones, speak of a failure."""
    heard = [*done[number + 1 : number + 1 + SOON], done[-1]]
    return any(not move.tool and not move.broke and speaks_of_failure(move.text) for move in heard)
