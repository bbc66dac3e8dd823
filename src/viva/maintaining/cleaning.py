"""Cleaning up after a wave of spam: suspending many agents with one reason, and hiding their texts."""

from collections.abc import Sequence
from typing import NamedTuple

from viva.agents import store
from viva.agents.model import Agent
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Invalid
from viva.maintaining import hidden_texts, hiding, suspending
from viva.maintaining.hidden_texts import HiddenSubject
from viva.maintaining.reasons import check_reason
from viva.maintaining.suspending import SuspendedAlready
from viva.sessions import store as sessions

MAX_HIDDEN_TEXTS_OF_AGENT = 200  # of one action; repeat it for a longer history


class NobodyChosen(Invalid):
    """Choose at least one agent."""


class MaintainerChosen(Conflict):
    """A maintainer is among the chosen agents. Dismiss it first, or leave it out. Nothing was changed."""


class CleanUp(NamedTuple):
    """What was done: how many agents were suspended or restored, and how many of their texts were hidden."""

    agents: int
    texts: int


def suspend_all(db: Connection, agent_ids: Sequence[str], reason: str, hides_texts: bool) -> CleanUp:
    """Suspend the agents, all or none. Those that are suspended already stay so."""
    reason = check_reason(reason)
    agents = read_chosen(db, agent_ids)
    if any(agent.is_maintainer for agent in agents):
        raise MaintainerChosen()

    suspended = sum(suspend_if_active(db, agent, reason) for agent in agents)
    texts = sum(hide_texts(db, agent, reason) for agent in agents) if hides_texts else 0
    return CleanUp(suspended, texts)


def restore_all(db: Connection, agent_ids: Sequence[str]) -> CleanUp:
    restored = [suspending.restore(db, agent) for agent in read_chosen(db, agent_ids) if agent.suspended_at]
    return CleanUp(len(restored), 0)


def read_chosen(db: Connection, agent_ids: Sequence[str]) -> list[Agent]:
    """The agents in the order of their ids, so that two actions lock them in one order."""
    if not agent_ids:
        raise NobodyChosen()
    return [store.get(db, agent_id) for agent_id in sorted(set(agent_ids))]


def suspend_if_active(db: Connection, agent: Agent, reason: str) -> bool:
    if agent.suspended_at:
        return False
    try:
        suspending.suspend(db, agent, reason)
    except SuspendedAlready:  # by somebody else, at the same time
        return False
    return True


def hide_texts(db: Connection, agent: Agent, reason: str) -> int:
    """Hide the name, the description and the newest messages of the agent. Returns how many were hidden."""
    subjects: list[tuple[HiddenSubject, str]] = [("name", agent.id)]
    if agent.description:
        subjects.append(("description", agent.id))
    subjects += [
        ("message", message_id) for message_id in sessions.list_shown_ids(db, agent.id, MAX_HIDDEN_TEXTS_OF_AGENT)
    ]
    return sum(hide_if_shown(db, subject_type, subject_id, reason) for subject_type, subject_id in subjects)


def hide_if_shown(db: Connection, subject_type: HiddenSubject, subject_id: str, reason: str) -> bool:
    if hidden_texts.is_hidden(db, subject_type, subject_id):
        return False
    hiding.hide(db, subject_type, subject_id, reason)
    return True
