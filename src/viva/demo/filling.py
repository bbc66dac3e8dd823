"""Filling a hub with the demo, through the flows that everybody uses."""

from datetime import datetime, timedelta
from typing import Any

from viva.agents import accounts
from viva.agents import store as agents_store
from viva.agents.model import Agent, name_key
from viva.config import MESSAGE_BYTES
from viva.demo import dating, model
from viva.demo.model import Exam, Person
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.sip import Sip
from viva.exams import proctoring, registering, starting
from viva.exams.handlers.proctored import Verdict
from viva.exams.model import Hall
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict
from viva.results import sums
from viva.sessions import channel
from viva.sessions import store as sessions

JOINED = timedelta(days=50)  # before the oldest exam
APART = timedelta(hours=7)
HALL = Hall(b"", "")  # a proctored exam signs nothing
SIGN_IN = "To look around as one of its agents, get a key with: viva maintainer marta.demo"


class DemoNameTaken(Conflict):
    """An agent that is not of the demo has one of its names."""


def fill(db: Connection) -> str:
    """Make the demo's agents and hold their exams; a hub that has them is left as it is."""
    people, exams = model.people(), model.exams()
    today = now()
    shipped = model.shipped(exams)
    if is_filled(db, people):
        return f"The demo is in this hub already{resumed(db, exams, shipped, today)}. {SIGN_IN}"
    found = [on_offer(db, sip) for sip in shipped.values()]

    agents = {person.name: join(db, person, today - JOINED + n * APART) for n, person in enumerate(people)}
    for exam in exams:
        hold(db, exam, model.earlier(exam) if exam.version else shipped[exam.evaluation], agents, today)
    for sip in found:
        offer(db, sip)
        sums.recount(db, sip.id)  # their results were dated after they were counted
    results = sum(exam.ends in ("passed", "failed") for exam in exams)
    return (
        f"The demo has {len(agents)} agents, {results} results in {len(shipped)} evaluations, a session that runs "
        f"and a candidate who waits for a proctor. {SIGN_IN}"
    )


def resumed(db: Connection, exams: list[Exam], shipped: dict[str, Sip], today: datetime) -> str:
    """Hold the exam that runs once more, if its claim has lapsed since; the rest is left as it is."""
    exam = next(exam for exam in exams if exam.ends == "running")
    found = {name: agents_store.find_by_name(db, name_key(name)) for name in (exam.candidate, exam.proctor or "")}
    agents = {name: agent for name, agent in found.items() if agent}
    if len(agents) < len(found) or any(sessions.proctored_by(db, agent.id) for agent in agents.values()):
        return "; nothing was changed"
    hold(db, exam, shipped[exam.evaluation], agents, today)
    return ", and its running session was begun anew"


def is_filled(db: Connection, people: list[Person]) -> bool:
    """Whether the demo's agents are here; a demo agent is known by its name and its description."""
    found = [(person, agents_store.find_by_name(db, name_key(person.name))) for person in people]
    if any(agent and agent.description == person.description for person, agent in found):
        return True
    for person, agent in found:
        if agent:
            raise DemoNameTaken(
                f"An agent called {person.name} is here already and is not of the demo. Nothing was changed."
            )
    return False


def join(db: Connection, person: Person, joined: datetime) -> Agent:
    agent = accounts.register(db, person.name, person.description).agent
    agents_store.drop_keys(db, agent.id)  # nobody was shown its key
    dating.date_agent(db, agent, joined)
    return agent


def on_offer(db: Connection, sip: Sip) -> Sip:
    """What the hub offers under this id now, or the SIP itself where it offers nothing."""
    if evaluations.find_number(db, sip.id) is None:
        return sip
    return sips.parse(evaluations.document(db, sip.id, evaluations.get(db, sip.id).version))


def offer(db: Connection, sip: Sip) -> None:
    """Make this the present version; one that the hub has seen before is taken as the hub has it."""
    is_known = evaluations.digest_of(db, sip.id, sip.version) is not None
    catalogue.put(db, sips.parse(evaluations.document(db, sip.id, sip.version)) if is_known else sip)


def hold(db: Connection, exam: Exam, sip: Sip, agents: dict[str, Agent], today: datetime) -> None:
    candidate = agents[exam.candidate]
    offer(db, sip)
    is_new = registering.register(db, sip.id, candidate).is_new
    registration = starting.start(db, HALL, sip.id, candidate, key_hash="").registration
    session_id = examine(db, exam, sip, registration.id, agents) if exam.proctor else None
    if exam.ends == "cancelled":
        registering.cancel(db, sip.id, candidate)

    times = dating.times_of(exam, today)
    dating.date_registration(db, registration.id, times, is_new)
    if session_id:
        dating.date_session(db, session_id, times)


def examine(db: Connection, exam: Exam, sip: Sip, registration_id: str, agents: dict[str, Agent]) -> str:
    """Claim, talk, and decide or release; the session's id."""
    proctor = agents[exam.proctor or ""]
    session = proctoring.claim(db, sip.id, registration_id, proctor).session
    for name, content in exam.lines:
        channel.send(db, sip.id, session.id, agents[name].id, content, MESSAGE_BYTES)
    if exam.ends in ("passed", "failed"):
        proctoring.submit(db, sip.id, registration_id, proctor, verdict_of(exam, sip))
    elif exam.ends == "released":
        proctoring.release(db, sip.id, registration_id, proctor)
    return session.id


def verdict_of(exam: Exam, sip: Sip) -> Verdict:
    score = sum(mark.marks for mark in exam.criteria)
    return Verdict(exam.ends == "passed", exam.feedback, score, {"criteria": criteria_of(exam, sip)})


def criteria_of(exam: Exam, sip: Sip) -> list[dict[str, Any]]:
    """Each criterion with whether it was met, that is, whether it has half of its marks."""
    texts = {criterion["id"]: criterion["text"] for criterion in sip.config["criteria"]}
    most = sip.config["max_score"] / len(texts)
    return [
        {"id": mark.id, "text": texts[mark.id], "met": 2 * mark.marks >= most, "note": mark.note}
        for mark in exam.criteria
    ]
