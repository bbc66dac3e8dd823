"""Filling a hub with the demo, through the same flows that requests use.

Each step is a short unit, so that a hub that runs meanwhile never waits long. A fill that was interrupted goes on later."""

from datetime import datetime, timedelta
from functools import lru_cache, partial

from viva.agents import accounts
from viva.agents import store as agents_store
from viva.agents.model import Agent, name_key
from viva.demo import backdating, files, recorded_runs
from viva.demo.hub import DemoHub
from viva.demo.model import DemoAgent, DemoExam
from viva.demo.progress import find_agents, list_lapsed, list_missing
from viva.demo.running import run_exam
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.sip import Sip
from viva.kit.clock import now
from viva.kit.db import Connection, Write
from viva.kit.errors import Conflict, Forbidden
from viva.results import sums
from viva.traces.examples import EXAMPLE_OWNER

JOIN_LEAD_TIME = timedelta(hours=7)  # times the agent's number in the list, before its first exam
MAX_VERSIONS_CACHED = 16  # more than the demo switches between; parsing one takes longer than many exams
SIGN_IN_HINT = (
    "To look around as one of its agents, get a key from the same --database with: viva maintainer marta.demo"
)


class DemoNameTaken(Conflict):
    """An agent that is not part of the demo has one of its names."""


def fill(write: Write) -> str:
    """Add the demo's agents and run their exams, with `write` for each unit. A hub that has them all stays unchanged."""
    people, exams, today = files.load_agents(), files.load_exams(), now()
    is_new = write(partial(join_all, people=people, exams=exams, today=today))
    missing = write(partial(list_missing, exams=exams))
    if len(missing) == len(exams):  # the runs come before the first exam
        add_runs(write, today)
    if missing:
        run_exams(write, missing, today)
    if not is_new:
        return f"The demo is in this hub already{resume(write, exams, missing)}. {SIGN_IN_HINT}"
    results = write(partial(count_results, people=people))
    return (
        f"The demo has {len(people)} agents, {results} results in {len({exam.evaluation for exam in exams})} evaluations, "
        f"{sum(exam.is_open for exam in exams)} exams that run or wait, and {len(recorded_runs.load_runs())} recorded "
        f"runs. {SIGN_IN_HINT}"
    )


def join_all(db: Connection, people: list[DemoAgent], exams: list[DemoExam], today: datetime) -> bool:
    """Add all agents, unless the hub has them. Returns whether it did."""
    if is_filled(db, people):
        return False
    for number, person in enumerate(people, 1):
        join(db, person, join_date(person, exams, today) - number * JOIN_LEAD_TIME)
    return True


def count_results(db: Connection, people: list[DemoAgent]) -> int:
    return sum(agents_store.profile(db, name_key(person.name)).results for person in people)


def join_date(person: DemoAgent, exams: list[DemoExam], today: datetime) -> datetime:
    """The date of the agent's first exam; today if it has none."""
    return today - timedelta(days=max((exam.days_ago for exam in exams if person.name in exam.people), default=0))


def add_runs(write: Write, today: datetime) -> None:
    owner = write(partial(find_agents, names={EXAMPLE_OWNER})).get(EXAMPLE_OWNER)
    if owner:
        stored = write(partial(recorded_runs.list_names, owner=owner))
        for run in recorded_runs.load_runs():
            if run.trace["id"] not in stored:
                write(recorded_runs.prepare_run(owner, run, today))


def run_exams(write: Write, exams: list[DemoExam], today: datetime) -> None:
    """Run the exams, each in a unit. Then count the results anew, because they were backdated after they were counted."""
    shipped = files.load_shipped_sips(exams)
    people = [person for person in files.load_agents() if person.versions]
    for exam in exams:
        sip = files.sip_of(exam, shipped)
        write(
            partial(run_with_details, exam=exam, people=people, sip=sip, shipped=shipped[exam.evaluation], today=today)
        )
    for evaluation_id in shipped:
        write(partial(sums.recount, evaluation_id=evaluation_id))


def run_with_details(
    db: Connection, exam: DemoExam, people: list[DemoAgent], sip: Sip, shipped: Sip, today: datetime
) -> None:
    """Run the exam with what each of its people said of itself then. Results copy that."""
    taking = [person for person in people if person.name in exam.people]
    change_details(db, taking, exam.days_ago)
    run_in_version(db, exam, sip, shipped, today)
    change_details(db, taking, 0)


def change_details(db: Connection, people: list[DemoAgent], days_ago: float) -> None:
    agents = find_agents(db, [person.name for person in people])
    for person in people:
        agents_store.change_details(db, agents[person.name].id, person.details_at(days_ago))


def run_in_version(db: Connection, exam: DemoExam, sip: Sip, shipped: Sip, today: datetime) -> None:
    """Run the exam in its version, then restore the version that was current before, or the shipped one."""
    before = evaluations.find_version(db, sip.id)
    make_current(db, sip)
    run_exam(DemoHub(db, sip, find_agents(db, exam.people), today), exam)
    if before is None:
        make_current(db, shipped)
    elif before != sip.version:
        restore_version(db, sip.id, before)


def resume(write: Write, exams: list[DemoExam], missing: list[DemoExam]) -> str:
    """Run again the open exams that have lapsed since. The others stay unchanged."""
    if missing:
        return ", and what was missing of it was added"
    started = [exam for exam in write(partial(list_lapsed, exams=exams)) if start_again(write, exam)]
    return ", and its lapsed exams were started again" if started else "; nothing was changed"


def start_again(write: Write, exam: DemoExam) -> bool:
    """Whether the exam could be started. Visitors may have claimed its candidate meanwhile, or used up its tries."""
    try:
        run_exams(write, [exam], now())
    except (Conflict, Forbidden):
        return False
    return True


def is_filled(db: Connection, people: list[DemoAgent]) -> bool:
    """Whether the hub has the demo's agents. A demo agent is recognized by its name and description."""
    agents = find_agents(db, {person.name for person in people})
    found = [(person, agents.get(person.name)) for person in people]
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


def make_current(db: Connection, sip: Sip) -> None:
    """Make this version the current one. If the hub already has this version, its own copy is used."""
    if evaluations.find_version(db, sip.id) == sip.version:
        return
    if evaluations.digest_of(db, sip.id, sip.version) is None:
        catalogue.put(db, sip)
    else:
        restore_version(db, sip.id, sip.version)


def restore_version(db: Connection, evaluation_id: str, version: str) -> None:
    """Make a version current that the hub has."""
    document = evaluations.get_document(db, evaluation_id, version)
    catalogue.put_sip(db, parse_document(document), None, document)


@lru_cache(MAX_VERSIONS_CACHED)
def parse_document(document: str) -> Sip:
    return sips.parse(document)
