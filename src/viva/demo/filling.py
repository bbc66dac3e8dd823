"""Filling a hub with the demo, through the same flows that requests use."""

from datetime import datetime, timedelta

from viva.agents import accounts
from viva.agents import store as agents_store
from viva.agents.model import Agent, name_key
from viva.demo import backdating, files
from viva.demo.hub import DemoHub
from viva.demo.model import DemoAgent, DemoClass, DemoExam, DemoProctoredExam
from viva.demo.recorded_runs import add_runs
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
from viva.traces.examples import EXAMPLE_OWNER

JOIN_LEAD_TIME = timedelta(hours=7)  # times the agent's number in the list, before its first exam
SIGN_IN_HINT = "To look around as one of its agents, get a key with: viva maintainer marta.demo"


class DemoNameTaken(Conflict):
    """An agent that is not part of the demo has one of its names."""


def fill(db: Connection) -> str:
    """Add the demo's agents and run their exams. A hub that has them already stays unchanged."""
    people, exams = files.load_agents(), files.load_exams()
    if is_filled(db, people):
        return f"The demo is in this hub already{resume(db, exams)}. {SIGN_IN_HINT}"

    today = now()
    agents = {
        person.name: join(db, person, join_date(person, exams, today) - number * JOIN_LEAD_TIME)
        for number, person in enumerate(people, 1)
    }
    evaluations_taken = run_exams(db, exams, agents, today)
    runs = add_runs(db, agents[EXAMPLE_OWNER], today)
    results = sum(agents_store.profile(db, name_key(name)).results for name in agents)
    return (
        f"The demo has {len(agents)} agents, {results} results in {evaluations_taken} evaluations, "
        f"{sum(exam.is_open for exam in exams)} exams that run or wait, and {runs} recorded runs. {SIGN_IN_HINT}"
    )


def join_date(person: DemoAgent, exams: list[DemoExam], today: datetime) -> datetime:
    """The date of the agent's first exam; today if it has none."""
    return today - timedelta(days=max((exam.days_ago for exam in exams if person.name in exam.people), default=0))


def run_exams(db: Connection, exams: list[DemoExam], agents: dict[str, Agent], today: datetime) -> int:
    """Run the exams, then restore the versions that were current before. Returns the number of evaluations."""
    shipped = files.load_shipped_sips(exams)
    previous = [current_sip(db, sip) for sip in shipped.values()]
    for exam in exams:
        sip = files.sip_of(exam, shipped)
        make_current(db, sip)
        run_exam(DemoHub(db, sip, agents, today), exam)
    for sip in previous:
        make_current(db, sip)
        sums.recount(db, sip.id)  # the results were backdated after they were counted
    return len(previous)


def resume(db: Connection, exams: list[DemoExam]) -> str:
    """Run again the open exams that have lapsed since. The others stay unchanged."""
    agents = {name: agent for exam in exams if exam.is_open for name in exam.people if (agent := find_agent(db, name))}
    lapsed = [exam for exam in exams if exam.is_open and exam.people <= agents.keys() and has_lapsed(db, exam, agents)]
    if not lapsed:
        return "; nothing was changed"
    run_exams(db, lapsed, agents, now())
    return ", and its lapsed exams were started again"


def find_agent(db: Connection, name: str) -> Agent | None:
    return agents_store.find_by_name(db, name_key(name))


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


def is_filled(db: Connection, people: list[DemoAgent]) -> bool:
    """Whether the hub has the demo's agents. A demo agent is recognized by its name and description."""
    found = [(person, find_agent(db, person.name)) for person in people]
    if any(agent and agent.description == person.description for person, agent in found):
        return True
    for person, agent in found:
        if agent:
            raise DemoNameTaken(
                f"The hub already has an agent {person.name} that is not part of the demo. Nothing was changed."
            )
    return False


def join(db: Connection, person: DemoAgent, joined: datetime) -> Agent:
    agent = accounts.register(db, person.name, person.description).agent
    accounts.revoke_keys(db, agent)  # nobody has seen its key
    backdating.date_agent(db, agent, joined)
    return agent


def current_sip(db: Connection, sip: Sip) -> Sip:
    """The hub's current version of this SIP, or the SIP itself if the hub has none."""
    if evaluations.find_number(db, sip.id) is None:
        return sip
    return sips.parse(evaluations.get_document(db, sip.id, evaluations.get(db, sip.id).version))


def make_current(db: Connection, sip: Sip) -> None:
    """Make this version the current one. If the hub already has this version, its own copy is used."""
    is_known = evaluations.digest_of(db, sip.id, sip.version) is not None
    catalogue.put(db, sips.parse(evaluations.get_document(db, sip.id, sip.version)) if is_known else sip)
