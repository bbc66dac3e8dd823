"""Holding class work of the demo: a cohort from its opening to its marks, or to where it waits for more."""

from viva.agents.model import Agent
from viva.demo import backdating
from viva.demo.hub import DemoHub, mark_work, send_messages
from viva.demo.model import DemoClass
from viva.exams import classes, joining, registering
from viva.exams.model import Cohort


def run_class(room: DemoHub, exam: DemoClass) -> None:
    cohort = gather(room, exam)
    times = backdating.class_times(exam, room.today)
    if exam.messages:
        cohort = teach(room, exam, cohort)
        mark_work(room, exam, {"cohort_id": cohort.id}, times)
        backdating.date_session(room.db, cohort.session_id or "", times)
    backdating.date_cohort(room.db, cohort, times)


def leader_of(room: DemoHub, exam: DemoClass) -> Agent:
    return room.agents[exam.instructor or exam.participants[0]]


def gather(room: DemoHub, exam: DemoClass) -> Cohort:
    """A cohort with everybody in it; whoever opens it and has not registered is its instructor."""
    for name in exam.participants:
        registering.register(room.db, room.sip.id, room.agents[name])
    cohort = joining.open_cohort(room.db, room.sip.id, leader_of(room, exam), None).cohort
    for name in exam.participants:
        cohort = joining.join(room.db, room.sip.id, cohort.id, room.agents[name]).cohort
    return cohort


def teach(room: DemoHub, exam: DemoClass, cohort: Cohort) -> Cohort:
    """Start it, talk, and finish."""
    leader = leader_of(room, exam)
    cohort = joining.start(room.db, room.sip.id, cohort.id, leader)
    send_messages(room, exam, cohort.session_id or "")
    return classes.finish(room.db, room.sip.id, cohort.id, leader)
