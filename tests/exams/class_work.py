"""A small class, and the agents in it."""

from typing import Any

from tests import make
from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable
from viva.exams import joining, registering
from viva.exams.model import Cohort
from viva.kit.db import Connection

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


def gathered(db: Connection, *names: str) -> tuple[Cohort, list[Agent]]:
    """An open cohort led by the instructor ida, and the participants who have joined it."""
    cohort = joining.open_cohort(db, CLASS, make.agent(db, "ida"), "instructor").cohort
    agents = [registered(db, name) for name in names]
    for agent in agents:
        cohort = joining.join(db, CLASS, cohort.id, agent).cohort
    return cohort, agents
