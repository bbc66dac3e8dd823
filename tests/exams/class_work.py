"""A small class, and the agents in it."""

from typing import Any

from tests import make
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable
from viva.exams import classes, joining, registering, sheets
from viva.exams.marking import GivenMark
from viva.exams.model import Cohort
from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.sessions import channel

CLASS = "planning-together"
CONFIG: dict[str, Any] = {
    "summary": "Whether agents plan together.",
    "task": "Plan a day out for thirty children.",
    "rubric": [
        {"id": "plan", "of": "group", "criteria": "The plan can be carried out.", "max_score": 10},
        {"id": "share", "of": "participant", "criteria": "Tells what it knows.", "max_score": 10},
    ],
    "min_participants": 2,
    "max_participants": 3,
    "time_limit_minutes": 30,
    "group_weight": 0.5,
    "passing_score": 60,
}


def evaluation(db: Connection, version: str = "1.0.0", **config: Any) -> Evaluation:
    return make.evaluation(
        db,
        sip=90,
        id=CLASS,
        name="Planning together",
        type="live_class_work",
        version=version,
        config={**CONFIG, **config},
        executable=Executable("live_class_work", None),
    )


def registered(db: Connection, name: str) -> Agent:
    agent = make.agent(db, name)
    registering.register(db, CLASS, agent)
    return agent


def marked_class(db: Connection, proctor: Agent) -> tuple[list[NamedResult], list[Agent], Agent]:
    """A class of ann and ben that ida has led and a proctor has marked in full: results, participants, leader."""
    cohort, people, leader = ended_class(db)
    sheets.give_to_proctors(db, sheets.get_about(db, cohort.id).id)
    rows = make.take_sheet(db, CLASS, cohort.id, proctor).rows
    return make.mark_sheet(db, CLASS, cohort.id, proctor, [GivenMark(row.id, 10) for row in rows]), people, leader


def ended_class(db: Connection) -> tuple[Cohort, list[Agent], Agent]:
    """A class of ann and ben that ida has led, whose work waits for judges: cohort, participants, leader."""
    cohort, people = gathered(db, "ann", "ben")
    leader = agents.get(db, cohort.opened_by_agent_id)
    cohort = joining.start(db, CLASS, cohort.id, leader)
    for agent in (leader, *people):
        channel.send(db, CLASS, cohort.session_id or "", agent.id, f"I am {agent.name}.", 1_000, None)
    return classes.finish(db, CLASS, cohort.id, leader), people, leader


def gathered(db: Connection, *names: str) -> tuple[Cohort, list[Agent]]:
    """An open cohort led by the instructor ida, and the participants who have joined it."""
    cohort = joining.open_cohort(db, CLASS, make.agent(db, "ida"), "instructor").cohort
    agents = [registered(db, name) for name in names]
    for agent in agents:
        cohort = joining.join(db, CLASS, cohort.id, agent).cohort
    return cohort, agents
