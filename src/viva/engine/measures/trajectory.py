"""Trajectory: the course of a run (straight, in circles, back, standing still, recovered, adrift) and its useful share."""

from collections import deque
from typing import NamedTuple

from viva.engine.calls.actions import name_words
from viva.engine.evidence import Course, Evidence, Loop, Trajectory, cut
from viva.engine.reading import Reading
from viva.engine.trajectory.mending import Mishap, mishaps
from viva.engine.trajectory.moves import Move, moves

ADRIFT = 0.5  # the drift score is a probability: from here on it is more likely than not
ROUND = 0.15  # share of moves that repeat earlier ones: less is a slip, more is going in circles
IDLE = 0.25  # share of moves that brought nothing: less is friction, more is standing still
OPPOSITES = (
    "add remove, create delete, book cancel, reserve cancel, schedule cancel, place cancel, invite remove, enable disable,"
    " open close, lock unlock, start stop, subscribe unsubscribe, install uninstall, write delete, share unshare,"
    " block unblock, assign unassign, grant revoke, follow unfollow, activate deactivate, publish unpublish, post delete"
)
UNDO = frozenset(frozenset(pair.split()) for pair in OPPOSITES.split(","))
LOOPS = 50  # loops listed
RECENT = 20  # deeds that a later one may undo
SHOWN = 5  # pieces of evidence


class Backward(NamedTuple):
    """A move that takes the run back, and why."""

    number: int
    why: str


def measure(reading: Reading, drift: float | None = None) -> Trajectory:
    """The course of a run; `drift` is its drift score, where there is one."""
    done, met = moves(reading), mishaps(reading)
    if not done:
        return Trajectory("optimal")
    back = backwards(done)
    backward = {one.number for one in back}
    circling = [n for n, move in enumerate(done) if move.before is not None and n not in backward]
    idle = {one.number for one in met if one.mended is None} | {n for n in stale(done) if done[n].before is None}
    wasted = {one.number for one in met} | backward | idle | set(circling)
    shares = (len(circling) / len(done), len(idle - set(circling)) / len(done))
    return Trajectory(
        signal=course(drift, shares, bool(back), any(one.mended is not None for one in met), len(circling)),
        efficiency=round(1 - len(wasted) / len(done), 4),
        loops=tuple(make_loop(reading, done, n) for n in circling[:LOOPS]),
        retries=sum(one.attempts > 0 for one in met),
        evidence=evidence(reading, done, [*back, *why_wasted(done, circling, idle, met)]),
    )


def course(drift: float | None, shares: tuple[float, float], back: bool, recovered: bool, circles: int) -> Course:
    """One word for the course: the worst that holds."""
    round_, idle = shares
    if (drift or 0.0) >= ADRIFT:
        return "drift"
    if circles > 1 and round_ >= ROUND:
        return "circular"
    if back:
        return "regression"
    if idle >= IDLE:
        return "stall"
    return "recovery" if recovered else "optimal"


def backwards(done: list[Move]) -> list[Backward]:
    """Deeds undone or done twice, and errors gone back to after they had been put right."""
    found: list[Backward] = []
    deeds: deque[Move] = deque(maxlen=RECENT)
    right: set[str] = set()
    for number, move in enumerate(done):
        if move.tool and move.before is not None and (reason := why_step_back(move, right)):
            found.append(Backward(number, reason))
        elif move.deed > 0.5 and not move.broke:
            if any(undoes(move, earlier) for earlier in deeds):
                found.append(Backward(number, f"{move.tool} undoes what was done before"))
            deeds.append(move)
        if move.tool and not move.broke:
            right.add(move.tool)
    return found


def undoes(move: Move, earlier: Move) -> bool:
    """Whether a deed is the opposite of an earlier one to the same thing, with no new message of the user between."""
    verbs = {*name_words(move.tool)[:1], *name_words(earlier.tool)[:1]}
    same = move.values & earlier.values and (move.values <= earlier.values or earlier.values <= move.values)
    return bool(same) and move.place.turn == earlier.place.turn and verbs in UNDO


def why_step_back(move: Move, right: set[str]) -> str:
    """Why doing the same again is a step back, if it is one."""
    if move.broke and move.tool in right:
        return f"{move.tool} fails again as it did before, though it had been put right"
    return f"{move.tool} was already done" if move.deed > 0.5 and not move.broke else ""


def stale(done: list[Move]) -> list[int]:
    """Texts that bring no new word; the last text of a turn may sum up."""
    last = {move.place.turn: n for n, move in enumerate(done)}
    return [n for n, move in enumerate(done) if move.stale and last[move.place.turn] != n]


def why_wasted(done: list[Move], circling: list[int], idle: set[int], met: list[Mishap]) -> list[Backward]:
    """The reasons of the other moves that were of no use."""
    failures = {one.number: one for one in met}
    found = [Backward(n, "The same again with nothing new") for n in circling]
    found += [Backward(n, "Brings nothing new") for n in sorted(idle - failures.keys())]
    ends = {True: "Failed and was put right later", False: "Failed and was not put right"}
    return found + [Backward(n, ends[one.mended is not None]) for n, one in failures.items() if n not in circling]


def make_loop(reading: Reading, done: list[Move], number: int) -> Loop:
    move = done[number]
    first = done[move.before or 0].place
    here = (reading.turn_index(move.place.turn), move.place.part, move.step)
    return Loop(*here, reading.turn_index(first.turn), first.part, cut(move.text, 120))


def evidence(reading: Reading, done: list[Move], reasons: list[Backward]) -> tuple[Evidence, ...]:
    places = [(done[one.number], one.why) for one in reasons[:SHOWN]]
    return tuple(
        Evidence(why, cut(move.text), reading.turn_index(move.place.turn), move.place.part, move.step)
        for move, why in places
    )
