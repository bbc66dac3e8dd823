"""Trajectory: the course of a run (straight, in circles, back, standing still, recovered, adrift) and its useful share."""

from viva.engine.calls.actions import name_words
from viva.engine.evidence import MAX_EVIDENCE_PIECES, Course, Loop, Trajectory, cut
from viva.engine.measures.moves import Move, moves
from viva.engine.measures.self_correction import mishaps
from viva.engine.reading import Reading

ADRIFT = 0.5  # the drift score is a probability: from here on it is more likely than not
CIRCLING = 0.15  # share of moves that repeat earlier ones: less is a slip, more is going in circles
IDLE = 0.25  # share of moves that failed for good: less is friction, more is standing still
OPPOSITES = (
    "add remove, create delete, book cancel, reserve cancel, schedule cancel, place cancel, invite remove, enable disable,"
    " open close, lock unlock, start stop, subscribe unsubscribe, install uninstall, write delete, share unshare,"
    " block unblock, assign unassign, grant revoke, follow unfollow, activate deactivate, publish unpublish, post delete"
)
UNDO = frozenset(frozenset(pair.split()) for pair in OPPOSITES.split(","))
MAX_LOOPS_LISTED = 50
RECENT = 20  # deeds that a later one may undo
ENDS = {True: "Failed and was put right later", False: "Failed and was not put right"}


def measure(reading: Reading, drift: float | None = None) -> Trajectory:
    """The course of a run; `drift` is its drift score, where there is one."""
    done = moves(reading)
    if not done:
        return Trajectory("optimal")
    met = {one.number: one for one in mishaps(reading)}
    back = steps_back(done)
    circling = [n for n, move in enumerate(done) if move.before is not None and n not in back]
    failures = {n: ENDS[one.mended is not None] for n, one in met.items() if n not in circling}
    reasons = [*back.items(), *((n, "The same again with nothing new") for n in circling), *failures.items()]
    idle = sum(one.mended is None and n not in circling for n, one in met.items()) / len(done)
    return Trajectory(
        signal=course(drift or 0.0, circling, bool(back), idle, any(one.mended for one in met.values()), len(done)),
        efficiency=round(1 - len({n for n, _ in reasons}) / len(done), 4),
        loops=tuple(make_loop(reading, done, n) for n in circling[:MAX_LOOPS_LISTED]),
        retries=sum(one.attempts > 0 for one in met.values()),
        evidence=tuple(done[n].evidence(reading, why) for n, why in reasons[:MAX_EVIDENCE_PIECES]),
    )


def course(drift: float, circling: list[int], back: bool, idle: float, recovered: bool, total: int) -> Course:
    """One word for the course: the worst that holds."""
    if drift >= ADRIFT:
        return "drift"
    if len(circling) > 1 and len(circling) >= CIRCLING * total:
        return "circular"
    if back:
        return "regression"
    if idle >= IDLE:
        return "stall"
    return "recovery" if recovered else "optimal"


def steps_back(done: list[Move]) -> dict[int, str]:
    """Deeds undone or done twice, and errors gone back to after they had been put right, each with the reason."""
    found: dict[int, str] = {}
    deeds: list[Move] = []
    right: set[str] = set()
    for number, move in enumerate(done):
        is_deed = move.deed > 0.5 and not move.broke
        if move.tool and move.before is not None:
            if move.broke and move.tool in right:
                found[number] = f"{move.tool} fails again as it did before, though it had been put right"
            elif is_deed:
                found[number] = f"{move.tool} was already done"
        if is_deed and number not in found:
            if any(undoes(move, earlier) for earlier in deeds[-RECENT:]):
                found[number] = f"{move.tool} undoes what was done before"
            deeds.append(move)
        if move.tool and not move.broke:
            right.add(move.tool)
    return found


def undoes(move: Move, earlier: Move) -> bool:
    """Whether a deed is the opposite of an earlier one to the same thing, with no new message of the user between."""
    verbs = {*name_words(move.tool)[:1], *name_words(earlier.tool)[:1]}
    same = move.values & earlier.values and (move.values <= earlier.values or earlier.values <= move.values)
    return bool(same) and move.place.turn == earlier.place.turn and verbs in UNDO


def make_loop(reading: Reading, done: list[Move], number: int) -> Loop:
    move, first = done[number], done[done[number].before or 0].place
    here = (reading.turn_index(move.place.turn), move.place.part, move.step)
    return Loop(*here, reading.turn_index(first.turn), first.part, cut(move.text, 120))
