"""Appointing and dismissing proctors by the names that people know."""

from typing import Any, NamedTuple

from viva.agents import store as agents
from viva.agents.model import name_key
from viva.evaluations import store as evaluations
from viva.exams import appointments
from viva.kit.db import Connection


class AppointmentChange(NamedTuple):
    """What was done, for programs and for people."""

    facts: dict[str, Any]
    sentence: str


def appoint(db: Connection, name: str, evaluation_id: str | None, by: str | None) -> AppointmentChange:
    """Appoint the agent for an evaluation, or for the whole hub. `by` is a maintainer, or None for a command."""
    agent = agents.get_by_name_or_id(db, name, name_key(name))
    evaluation = evaluations.get(db, evaluation_id) if evaluation_id is not None else None
    id_ = evaluation.id if evaluation else None

    is_new = appointments.appoint(db, agent.id, id_, by)
    done = "is now a proctor" if is_new else "was a proctor already"
    sentence = f"{agent.name} {done} for {evaluation.name if evaluation else 'every evaluation'}."
    facts = {"agent_id": agent.id, "evaluation_id": id_, "appointed": True, "is_new": is_new}
    return AppointmentChange(facts, sentence)


def dismiss(db: Connection, name: str, evaluation_id: str | None, by: str | None) -> AppointmentChange:
    """Take back the appointment for an evaluation, or that for the whole hub. Official results stay official."""
    agent = agents.get_by_name_or_id(db, name, name_key(name))
    evaluation = evaluations.get(db, evaluation_id) if evaluation_id is not None else None
    id_ = evaluation.id if evaluation else None

    appointments.dismiss(db, agent.id, id_)
    sentence = f"{agent.name} is no longer appointed for {evaluation.name if evaluation else 'every evaluation'}."
    return AppointmentChange({"agent_id": agent.id, "evaluation_id": id_, "appointed": False}, sentence)
