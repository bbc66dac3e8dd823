"""Viva's own form of a trace: turns of agents' interactions of steps."""

import hashlib
import re
from typing import Any

import msgspec

from viva.engine.intake import checking, rules, tidying, values
from viva.engine.intake.faults import Faults, refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.model import Interaction, Step, Trace, TraceAgent, Turn
from viva.kit.errors import Fault


class LooseTurn(msgspec.Struct):
    """A turn as it may be written: without its index, or with the steps of a single agent in itself."""

    turn_index: int | None = None
    user_message: str | None = None
    knowledge: str | None = None
    agent_interactions: tuple[Interaction, ...] = ()
    agent_steps: tuple[Step, ...] | None = None
    agent_response: str | None = None


class LooseTrace(msgspec.Struct):
    """A trace as it may be written: without its id."""

    turns: tuple[LooseTurn, ...]
    id: str | None = None
    agents: tuple[TraceAgent, ...] = ()
    initial_task: str | None = None
    success: bool | None = None
    total_cost: float | None = None
    total_latency_ms: float | None = None
    session_metadata: dict[str, Any] | None = None


OWN_PATH = re.compile(r"(?P<head>turns\[(?P<turn>\d+)\])\.agent_interactions\[0\]")
DECODER = msgspec.json.Decoder(LooseTrace)


def complete(trace: Trace) -> Trace:
    """A trace that was made in Python, with every agent that speaks among its agents, or BadTrace."""
    known = {agent.id for agent in trace.agents}
    spoken = (act.agent_id for turn in trace.turns for act in turn.agent_interactions)
    return trace if all(agent_id in known for agent_id in spoken) else rules.check_trace(trace, None, LIMITS)


def recognise(document: object) -> bool:
    """Whether this is meant to be a trace of our own form."""
    return isinstance(document, dict) and "turns" in document


def read(document: object, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace a document stands for, or BadTrace with every fault. `name` is its id if it has none."""
    return read_plain(values.check(document, limits), name, limits)


def read_plain(document: object, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """Read a document whose values are known to be plain JSON."""
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
    """The fault with the path that the document has, where a turn speaks for its one agent itself."""
    found = OWN_PATH.match(fault.field)
    turns = document.get("turns") if isinstance(document, dict) else None
    if not found or not turns or not tidying.speaks_itself(turns[int(found["turn"])]):
        return fault
    return fault._replace(field=found["head"] + fault.field[found.end() :])


def read_bytes(raw: bytes, name: str | None = None, limits: Limits = LIMITS) -> Trace | None:
    """The trace that well-formed JSON stands for; None where only a closer look can tell what it is."""
    if len(raw) > limits.text:
        return None  # a text may be too long
    try:
        loose = DECODER.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if any(map(unusual, loose.turns)):
        return None
    trace = Trace(
        loose.id or name or digest(msgspec.json.decode(raw)),
        tuple(map(turn, range(len(loose.turns)), loose.turns)),
        loose.agents,
        loose.initial_task,
        loose.success,
        loose.total_cost,
        loose.total_latency_ms,
        loose.session_metadata,
    )
    return rules.check_trace(trace, None, limits)


def unusual(loose: LooseTurn) -> bool:
    """Whether a turn says something in another place than `user_message` and `agent_interactions`, or nothing at all."""
    return not loose.agent_interactions and (
        loose.user_message is None or loose.agent_steps is not None or loose.agent_response is not None
    )


def turn(position: int, loose: LooseTurn) -> Turn:
    index = position if loose.turn_index is None else loose.turn_index
    return Turn(index, loose.user_message, loose.knowledge, loose.agent_interactions)


def digest(document: object) -> str:
    """An id made from the content: the same document has the same."""
    return f"trace-{hashlib.sha256(msgspec.json.encode(document, order='sorted')).hexdigest()[:12]}"
