"""Viva's own trace format: turns, their interactions, and the steps of each."""

import hashlib
import re
from typing import Any

import msgspec

from viva.engine.intake import checking, rules, tidying, values
from viva.engine.intake.faults import Faults, refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.model import DroppedPart, Interaction, Step, Trace, TraceAgent, Turn
from viva.kit.errors import Fault


class LooseTurn(msgspec.Struct):
    """A turn as people may write it: without an index, or with the steps of its only agent."""

    turn_index: int | None = None
    user_message: str | None = None
    knowledge: str | None = None
    agent_interactions: tuple[Interaction, ...] = ()
    agent_steps: tuple[Step, ...] | None = None
    agent_response: str | None = None


class LooseTrace(msgspec.Struct):
    """A trace as people may write it: without an id."""

    turns: tuple[LooseTurn, ...]
    id: str | None = None
    agents: tuple[TraceAgent, ...] = ()
    initial_task: str | None = None
    success: bool | None = None
    total_cost: float | None = None
    total_latency_ms: float | None = None
    session_metadata: dict[str, Any] | None = None
    form: str | None = None
    form_version: str | None = None
    dropped: tuple[DroppedPart, ...] = ()


DIGEST_ID = re.compile(r"trace-[0-9a-f]{12}")
OWN_PATH = re.compile(r"(?P<head>turns\[(?P<turn>\d+)\])\.agent_interactions\[0\]")
DECODER = msgspec.json.Decoder(LooseTrace)


def complete(trace: Trace) -> Trace:
    """A trace built in Python, with every speaking agent in `agents`, or BadTrace."""
    known = {agent.id for agent in trace.agents}
    spoken = (act.agent_id for turn in trace.turns for act in turn.agent_interactions)
    return trace if all(agent_id in known for agent_id in spoken) else rules.check_trace(trace, None, LIMITS)


def recognise(document: object) -> bool:
    """Whether this is meant to be a trace in our own format."""
    return isinstance(document, dict) and "turns" in document


def read(document: object, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace in a document, or BadTrace with every fault. `name` becomes its id if it has none."""
    return read_plain(values.check(document, limits), name, limits)


def read_plain(document: object, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """Read a document whose values have been checked."""
    rules.check_sizes(document, limits)
    tidy = tidying.tidy(document, name or digest(document))
    try:
        trace = msgspec.convert(tidy, Trace)
    except msgspec.ValidationError as error:
        faults = Faults()
        checking.check(tidy, checking.TRACE, "", faults)
        rules.check_document(tidy, faults)
        faults.listed = [relocate_fault(fault, document) for fault in faults.listed]
        faults.raise_any()
        refuse("", "wrong_type", str(error))
    return rules.check_trace(trace, tidy, limits)


def relocate_fault(fault: Fault, document: object) -> Fault:
    """The fault with the path as written, where a turn holds the steps of its only agent."""
    found = OWN_PATH.match(fault.field)
    turns = document.get("turns") if isinstance(document, dict) else None
    if not found or not turns or not tidying.has_own_steps(turns[int(found["turn"])]):
        return fault
    return fault._replace(field=found["head"] + fault.field[found.end() :])


def read_bytes(raw: bytes, name: str | None = None, limits: Limits = LIMITS) -> Trace | None:
    """The trace in checked JSON; None if it needs the slower path."""
    if len(raw) > limits.text:
        return None  # a text may be too long
    try:
        loose = DECODER.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if any(map(is_unusual, loose.turns)):
        return None
    trace = Trace(
        loose.id or name or digest(msgspec.json.decode(raw)),
        tuple(map(make_turn, range(len(loose.turns)), loose.turns)),
        loose.agents,
        loose.initial_task,
        loose.success,
        loose.total_cost,
        loose.total_latency_ms,
        loose.session_metadata,
        loose.form,
        loose.form_version,
        loose.dropped,
    )
    return rules.check_trace(trace, None, limits)


def is_unusual(loose: LooseTurn) -> bool:
    """Whether a turn uses other fields than `user_message` and `agent_interactions`, or is empty."""
    return not loose.agent_interactions and (
        loose.user_message is None or loose.agent_steps is not None or loose.agent_response is not None
    )


def make_turn(position: int, loose: LooseTurn) -> Turn:
    index = position if loose.turn_index is None else loose.turn_index
    return Turn(index, loose.user_message, loose.knowledge, loose.agent_interactions)


def digest(document: object) -> str:
    """An id made from the content. Equal documents have equal ids."""
    return f"trace-{hashlib.sha256(msgspec.json.encode(document, order='sorted')).hexdigest()[:12]}"


def is_digest(trace_id: str) -> bool:
    """Whether an id was made from the content."""
    return DIGEST_ID.fullmatch(trace_id) is not None
