"""Holding class work of the demo: a cohort from its opening to its marks, or to where it waits for more."""

from viva.agents.model import Agent
from viva.demo import dating
from viva.demo.model import DemoClass
from viva.demo.room import Room, mark, speak
from viva.exams import classes, gathering, registering
from viva.exams.model import Cohort


def hold_class(room: Room, exam: DemoClass) -> None:
    cohort = gather(room, exam)
    times = dating.times_of_class(exam, room.today)
    if exam.messages:
        cohort = teach(room, exam, cohort)
        mark(room, exam, {"cohort_id": cohort.id}, times)
        dating.date_session(room.db, cohort.session_id or "", times)
    dating.date_cohort(room.db, cohort, times)


def leader_of(room: Room, exam: DemoClass) -> Agent:
    return room.agents[exam.instructor or exam.participants[0]]


def gather(room: Room, exam: DemoClass) -> Cohort:
    """A cohort with everybody in it; whoever opens it and has not registered is its instructor."""
    for name in exam.participants:
        registering.register(room.db, room.sip.id, room.agents[name])
    cohort = gathering.open_cohort(room.db, room.sip.id, leader_of(room, exam), None).cohort
    for name in exam.participants:
        cohort = gathering.join(room.db, room.sip.id, cohort.id, room.agents[name]).cohort
    return cohort


def teach(room: Room, exam: DemoClass, cohort: Cohort) -> Cohort:
    """Start it, talk, and finish."""
    leader = leader_of(room, exam)
    cohort = gathering.start(room.db, room.sip.id, cohort.id, leader)
    speak(room, exam, cohort.session_id or "")
    return classes.finish(room.db, room.sip.id, cohort.id, leader)
