"""Self-correction: of the errors an agent met, how many it put right, and how fast."""

from typing import NamedTuple

from viva.engine.calls.failures import speaks_of_failure
from viva.engine.evidence import MAX_EVIDENCE_PIECES, Score
from viva.engine.measures.moves import Move, moves
from viva.engine.reading import Reading, once

SPOKEN = 0.4  # an error that is not put right but spoken of: the user knows, the goal is not reached
SLOWER = 0.15  # what each attempt after the first takes off a repair; it never falls below having spoken
UNMENDED = {True: "spoken of, but not put right", False: "neither put right nor spoken of"}
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

    @property
    def value(self) -> float:
        """1 put right at the next attempt, less with every further one; little for words alone; 0 for silence."""
        if self.mended is None:
            return SPOKEN if self.noticed else 0.0
        return max(SPOKEN, 1 - SLOWER * (self.attempts - 1))


def measure(reading: Reading) -> dict[str, Score]:
    """For each agent that took part, its score; None when it met no error."""
    by_agent: dict[str, list[Mishap]] = {place.interaction.agent_id: [] for place in reading.places}
    for mishap in mishaps(reading):
        by_agent.setdefault(mishap.agent_id, []).append(mishap)
    return {agent_id: score_mishaps(reading, met) if met else Score() for agent_id, met in by_agent.items()}


def score_mishaps(reading: Reading, met: list[Mishap]) -> Score:
    worst = [mishap for mishap in sorted(met, key=lambda mishap: mishap.value) if mishap.value < 1]
    pieces = []
    for one in worst[:MAX_EVIDENCE_PIECES]:
        why = f"put right after {one.attempts} attempts" if one.mended is not None else UNMENDED[one.noticed]
        pieces.append(one.move.evidence(reading, f"An error {why}"))
    return Score(round(sum(mishap.value for mishap in met) / len(met), 4), tuple(pieces))


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
    return bool(move.tool) or move.broke or any(report in move.text[:200].lower() for report in RAN)


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
