"""Cleaning up after a wave of spam: suspending or restoring many agents, hiding their texts or showing them again.

Each unit of work is short, so that nobody waits for it. The request does the first one, and the worker does the others."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from viva.agents import store
from viva.jobs import queue
from viva.jobs.model import Work
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Invalid
from viva.maintaining import cleanups, hidden_texts, hiding, suspending
from viva.maintaining.cleanups import CleanUpOrder
from viva.maintaining.reasons import check_reason
from viva.maintaining.subjects import HIDEABLE_TEXTS
from viva.maintaining.suspending import NotSuspended, SuspendedAlready

CLEAN_WORK = "clean_up"
# A step is an agent or a text. On SQLite it takes about 0.4 ms, that of a verdict with ten notes 1 ms; other requests wait.
MAX_STEPS_OF_REQUEST = 100
MAX_STEPS_OF_JOB = 30


class NobodyChosen(Invalid):
    """Choose at least one agent."""


class MaintainerChosen(Conflict):
    """A maintainer is among the chosen agents. Dismiss it first, or leave it out. Nothing was changed."""


class CleanUp(NamedTuple):
    """What was done in this unit: agents suspended or restored, texts hidden or shown. `waiting` agents are still to do."""

    agents: int
    texts: int
    waiting: int = 0


def suspend_all(db: Connection, agent_ids: Sequence[str], reason: str, hides_texts: bool) -> CleanUp:
    """Suspend the agents with one reason. Those that are suspended already stay so. Repeated, it goes on."""
    reason = check_reason(reason)
    chosen = read_chosen(db, agent_ids)
    if any(agent.is_maintainer for agent in chosen):
        raise MaintainerChosen()

    cleanups.add(db, chosen, "suspend", hides_texts, reason)
    return clean_next(db, MAX_STEPS_OF_REQUEST)


def restore_all(db: Connection, agent_ids: Sequence[str], shows_texts: bool) -> CleanUp:
    """Restore the agents, and show again what was hidden together with many. What was hidden alone stays hidden."""
    cleanups.add(db, read_chosen(db, agent_ids), "restore", shows_texts)
    return clean_next(db, MAX_STEPS_OF_REQUEST)


def read_chosen(db: Connection, agent_ids: Sequence[str]) -> list[cleanups.ChosenAgent]:
    if not agent_ids:
        raise NobodyChosen()
    return cleanups.list_chosen(db, sorted(set(agent_ids)))


def work() -> Work:
    """The background work "clean_up"."""
    return Work(lambda db, data: None, lambda task: None, keep)


def keep(db: Connection, task: Any, thought: Any, is_last: bool) -> str | None:
    clean_next(db, MAX_STEPS_OF_JOB)
    return None


def clean_next(db: Connection, steps: int) -> CleanUp:
    """Do so many steps of what was ordered. If there is more, a job goes on."""
    actor = db.actor
    agents = texts = 0
    left = steps
    while left > 0 and (order := cleanups.take_next(db)):
        db.actor = order.ordered_by  # who ordered it stands in the event and in the line
        if order.stage == "agent":
            agents += change_agent(db, order)
            left -= 1
        else:
            changed = change_texts(db, order, left)
            texts += changed
            left -= max(1, changed)
    db.actor = actor

    waiting = cleanups.count(db)
    if waiting:
        queue.put(db, CLEAN_WORK, {})
    return CleanUp(agents, texts, waiting)


def change_agent(db: Connection, order: CleanUpOrder) -> bool:
    """Suspend or restore the agent. Its texts come after all agents. Returns whether it was changed."""
    if order.with_texts:
        cleanups.begin_texts(db, order.agent_id)
    else:
        cleanups.delete(db, order.agent_id)
    agent = store.get(db, order.agent_id)
    try:
        if order.action == "restore":
            suspending.restore(db, agent)
        elif agent.is_maintainer:  # since it was chosen
            return False
        else:
            suspending.suspend(db, agent, order.reason)
    except (SuspendedAlready, NotSuspended):
        return False
    return True


def change_texts(db: Connection, order: CleanUpOrder, limit: int) -> int:
    """Hide so many texts of the agent, or show them. Returns how many; with fewer than the limit it is done."""
    if order.action == "suspend":
        changed = hide_texts(db, order.agent_id, order.reason, limit)
    else:
        hidden = hidden_texts.list_hidden_with_others(db, order.agent_id, limit)
        hiding.show_all_again(db, hidden)
        changed = len(hidden)
    if changed < limit:
        cleanups.delete(db, order.agent_id)
    return changed


def hide_texts(db: Connection, agent_id: str, reason: str, limit: int) -> int:
    left = limit
    for subject_type, place in HIDEABLE_TEXTS.items():
        subject_ids = place.list_shown(db, agent_id, left)
        hiding.hide_all(db, subject_type, subject_ids, reason)
        left -= len(subject_ids)
    return limit - left
