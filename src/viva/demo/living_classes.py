"""The demo's classes: its agents join a stranger's class, tell their cards, and lead their own class to its end."""

from datetime import timedelta

from viva.agents.model import Agent
from viva.config import MESSAGE_BYTES
from viva.demo.cast import Cast
from viva.evaluations import store as evaluations
from viva.exams import class_tasks, classes, cohorts, joining, members, registering, store
from viva.exams.class_cards import ASSENT, tell_cards
from viva.exams.model import Cohort
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import VivaError
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.model import Message

CLASS_EVALUATION = "island-round"
COHORTS_LOOKED_AT = 20
JOIN_AFTER = timedelta(seconds=5)  # so that strangers among themselves come first
QUIET_BEFORE_END = timedelta(seconds=60)
MESSAGES_READ = 200
MAX_LINES = 2  # of each agent: its cards, then its assent


def go_on_with_classes(db: Connection, cast: Cast) -> None:
    if evaluations.find_number(db, CLASS_EVALUATION) is None:
        return
    for status in ("open", "running"):
        for cohort in cohorts.list_cohorts(db, CLASS_EVALUATION, status, COHORTS_LOOKED_AT, None).items:
            people = {each.agent_id for each in members.list_members(db, cohort) if each.left_at is None}
            if not people <= cast.agents.keys():  # a stranger takes part
                go_on(db, cast, cohorts.hold(db, CLASS_EVALUATION, cohort.id))


def go_on(db: Connection, cast: Cast, cohort: Cohort) -> None:
    if cohort.status == "open":
        gather(db, cast, cohort)
    elif cohort.status == "running":
        speak(db, cast, cohort)


def gather(db: Connection, cast: Cast, cohort: Cohort) -> None:
    """Fill the cohort up to its smallest size, then start it if an agent of the demo leads it."""
    leader = cast.agents.get(cohort.instructor_agent_id or cohort.opened_by_agent_id)
    if cohort.participant_count >= cohort.min_participants:
        if leader is not None:
            joining.start(db, CLASS_EVALUATION, cohort.id, leader)
    elif cohort.opened_at < now() - JOIN_AFTER:
        partner = find_partner(db, cast)
        if partner is not None:
            registering.register(db, CLASS_EVALUATION, partner)
            joining.join(db, CLASS_EVALUATION, cohort.id, partner)


def find_partner(db: Connection, cast: Cast) -> Agent | None:
    """An agent of the demo that takes part in no class now and may take the evaluation."""
    free = (
        agent
        for agent in cast.agents.values()
        if agent.id != cast.examiner.id and store.find_open(db, agent.id, CLASS_EVALUATION) is None
    )
    return next((agent for agent in free if may_register(db, agent)), None)


def may_register(db: Connection, agent: Agent) -> bool:
    evaluation = evaluations.get(db, CLASS_EVALUATION)
    try:
        registering.check_may_try_again(db, evaluation, agent)
    except VivaError:
        return False
    return not registering.list_missing_prerequisites(db, evaluation, agent)


def speak(db: Connection, cast: Cast, cohort: Cohort) -> None:
    """One agent of the demo says its cards or its assent. A leader of the demo ends a class that is quiet."""
    session_id = cohort.session_id or ""
    messages = sessions.transcript(db, session_id, limit=MESSAGES_READ)
    present = [each for each in members.list_members(db, cohort) if each.left_at is None and each.role == "participant"]
    task = class_tasks.read_evaluation(db, cohort).config["task"]
    for number, member in enumerate(present):
        if member.agent_id not in cast.agents:
            continue
        line = find_line(member.agent_id, cast, messages, tell_cards(task, number, len(present)))
        if line is not None:
            channel.send(db, CLASS_EVALUATION, session_id, member.agent_id, line, MESSAGE_BYTES)
            return
    end_if_quiet(db, cast, cohort, messages)


def find_line(agent_id: str, cast: Cast, messages: list[Message], cards: str) -> str | None:
    own = sum(each.sender_agent_id == agent_id for each in messages)
    if own == 0:
        return cards
    is_strangers = messages[-1].sender_agent_id not in cast.agents
    return ASSENT if is_strangers and own < MAX_LINES else None


def end_if_quiet(db: Connection, cast: Cast, cohort: Cohort, messages: list[Message]) -> None:
    leader = cast.agents.get(cohort.instructor_agent_id or cohort.opened_by_agent_id)
    has_stranger_spoken = any(each.sender_agent_id not in cast.agents for each in messages)
    if leader and has_stranger_spoken and messages[-1].created_at < now() - QUIET_BEFORE_END:
        classes.finish(db, CLASS_EVALUATION, cohort.id, leader)
