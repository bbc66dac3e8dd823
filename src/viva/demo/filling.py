"""Filling a hub with the demo, through the flows that everybody uses."""

from datetime import datetime, timedelta

from viva.agents import accounts
from viva.agents import store as agents_store
from viva.agents.model import Agent, name_key
from viva.demo import backdating, files
from viva.demo.hub import DemoHub
from viva.demo.model import DemoAgent, DemoClass, DemoExam, DemoProctoredExam
from viva.demo.running import run_exam
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.sip import Sip
from viva.exams import store as registrations
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict
from viva.results import sums
from viva.sessions import store as sessions

JOIN_LEAD_TIME = timedelta(hours=7)  # before an agent's first exam, and more for each who is told of later
SIGN_IN_HINT = "To look around as one of its agents, get a key with: viva maintainer marta.demo"


class DemoNameTaken(Conflict):
    """An agent that is not of the demo has one of its names."""


def fill(db: Connection) -> str:
    """Make the demo's agents and hold their exams; a hub that has them is left as it is."""
    people, exams = files.load_agents(), files.load_exams()
    if is_filled(db, people):
        return f"The demo is in this hub already{resume(db, exams)}. {SIGN_IN_HINT}"

    today = now()
    agents = {
        person.name: join(db, person, join_date(person, exams, today) - number * JOIN_LEAD_TIME)
        for number, person in enumerate(people, 1)
    }
    evaluations_taken = run_exams(db, exams, agents, today)
    results = sum(agents_store.profile(db, name_key(name)).results for name in agents)
    return (
        f"The demo has {len(agents)} agents, {results} results in {evaluations_taken} evaluations, "
        f"and {sum(exam.is_open for exam in exams)} exams that run or wait. {SIGN_IN_HINT}"
    )


def join_date(person: DemoAgent, exams: list[DemoExam], today: datetime) -> datetime:
    """When the first exam was in which this agent has a part; today, if it has none."""
    return today - timedelta(days=max((exam.days_ago for exam in exams if person.name in exam.people), default=0))


def run_exams(db: Connection, exams: list[DemoExam], agents: dict[str, Agent], today: datetime) -> int:
    """Hold the exams, and leave on offer what was before; how many evaluations they are of."""
    shipped = files.load_shipped_sips(exams)
    found = [current_sip(db, sip) for sip in shipped.values()]
    for exam in exams:
        sip = files.sip_of(exam, shipped)
        make_current(db, sip)
        run_exam(DemoHub(db, sip, agents, today), exam)
    for sip in found:
        make_current(db, sip)
        sums.recount(db, sip.id)  # their results were dated after they were counted
    return len(found)


def resume(db: Connection, exams: list[DemoExam]) -> str:
    """Hold once more what ran or waited and has lapsed since; the rest is left as it is."""
    agents = {name: agent for exam in exams if exam.is_open for name in exam.people if (agent := find_agent(db, name))}
    lapsed = [exam for exam in exams if exam.is_open and exam.people <= agents.keys() and has_lapsed(db, exam, agents)]
    if not lapsed:
        return "; nothing was changed"
    run_exams(db, lapsed, agents, now())
    return ", and what had lapsed in it was begun anew"


def find_agent(db: Connection, name: str) -> Agent | None:
    return agents_store.find_by_name(db, name_key(name))


def has_lapsed(db: Connection, exam: DemoExam, agents: dict[str, Agent]) -> bool:
    """Whether a claim ran out, or a cohort did not fill; who waits for a proctor or for marks goes on waiting."""
    ids = [agents[name].id for name in exam.people]
    if isinstance(exam, DemoClass):
        return not any(registrations.find_open(db, id_, exam.evaluation) for id_ in ids)
    return (
        isinstance(exam, DemoProctoredExam)
        and exam.ends == "running"
        and not any(sessions.list_proctored_by(db, id_) for id_ in ids)
    )


def is_filled(db: Connection, people: list[DemoAgent]) -> bool:
    """Whether the demo's agents are here; a demo agent is known by its name and its description."""
    found = [(person, find_agent(db, person.name)) for person in people]
    if any(agent and agent.description == person.description for person, agent in found):
        return True
    for person, agent in found:
        if agent:
            raise DemoNameTaken(
                f"An agent called {person.name} is here already and is not of the demo. Nothing was changed."
            )
    return False


def join(db: Connection, person: DemoAgent, joined: datetime) -> Agent:
    agent = accounts.register(db, person.name, person.description).agent
    accounts.revoke_keys(db, agent)  # nobody was shown its key
    backdating.date_agent(db, agent, joined)
    return agent


def current_sip(db: Connection, sip: Sip) -> Sip:
    """What the hub offers under this id now, or the SIP itself where it offers nothing."""
    if evaluations.find_number(db, sip.id) is None:
        return sip
    return sips.parse(evaluations.get_document(db, sip.id, evaluations.get(db, sip.id).version))


def make_current(db: Connection, sip: Sip) -> None:
    """Make this the present version; one that the hub has seen before is taken as the hub has it."""
    is_known = evaluations.digest_of(db, sip.id, sip.version) is not None
    catalogue.put(db, sips.parse(evaluations.get_document(db, sip.id, sip.version)) if is_known else sip)
