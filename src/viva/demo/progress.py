"""How far a hub has come with the demo: which exams it has, and which of them have lapsed."""

from collections import Counter
from collections.abc import Iterable

from viva.agents import store as agents_store
from viva.agents.model import Agent, name_key
from viva.demo.model import DemoClass, DemoExam, DemoProctoredExam
from viva.exams import store as registrations
from viva.kit.db import Connection
from viva.sessions import store as sessions


def find_agents(db: Connection, names: Iterable[str]) -> dict[str, Agent]:
    """Those of the agents that the hub has, by name."""
    return {name: agent for name in names if (agent := agents_store.find_by_name(db, name_key(name)))}


def list_missing(db: Connection, exams: list[DemoExam]) -> list[DemoExam]:
    """The exams that nobody has taken yet, with all their people still there. They are taken in the order of the list."""
    agents = find_agents(db, {name for exam in exams for name in exam.people})
    taken = count_registrations(db, agents)
    missing = []
    for exam in exams:
        if taken[exam.taker, exam.evaluation] <= 0 and exam.people <= agents.keys():
            missing.append(exam)
        if not exam.is_continued:  # else the next exam of its taker has the same registration
            taken[exam.taker, exam.evaluation] -= 1
    return missing


def count_registrations(db: Connection, agents: dict[str, Agent]) -> Counter[tuple[str, str]]:
    """How often each agent has registered for each evaluation."""
    rows = db.execute("SELECT agent_id, evaluation_id, count(*) FROM evaluation_registrations GROUP BY 1, 2").fetchall()
    names = {agent.id: name for name, agent in agents.items()}
    return Counter({(names[agent_id], evaluation): count for agent_id, evaluation, count in rows if agent_id in names})


def list_lapsed(db: Connection, exams: list[DemoExam]) -> list[DemoExam]:
    """The open exams that do not run any more, with all their people still there."""
    agents = find_agents(db, {name for exam in exams if exam.is_open for name in exam.people})
    return [exam for exam in exams if exam.is_open and exam.people <= agents.keys() and has_lapsed(db, exam, agents)]


def has_lapsed(db: Connection, exam: DemoExam, agents: dict[str, Agent]) -> bool:
    """Whether the claim has lapsed or the cohort did not fill. Waiting for a proctor or marks never lapses."""
    ids = [agents[name].id for name in exam.people]
    if isinstance(exam, DemoClass):
        return not any(registrations.find_open(db, id_, exam.evaluation) for id_ in ids)
    return (
        isinstance(exam, DemoProctoredExam)
        and exam.ends == "running"
        and not any(sessions.list_proctored_by(db, id_) for id_ in ids)
    )
