"""Class work of the demo: a cohort from its opening to its marks, or until it waits for participants."""

from viva.agents.model import Agent
from viva.demo import backdating, first_values
from viva.demo.hub import DemoHub, mark_work, send_messages
from viva.demo.model import DemoClass
from viva.exams import classes, joining, registering
from viva.exams.model import Cohort


def run_class(hub: DemoHub, exam: DemoClass) -> None:
    cohort = open_cohort(hub, exam)
    times = backdating.class_times(exam, hub.today)
    if exam.messages:
        cohort = teach(hub, exam, cohort)
        mark_work(hub, exam, {"cohort_id": cohort.id}, times)
        backdating.date_session(hub.db, cohort.session_id or "", times)
    backdating.date_cohort(hub.db, cohort, times)


def leader_of(hub: DemoHub, exam: DemoClass) -> Agent:
    return hub.agents[exam.instructor or exam.participants[0]]


def open_cohort(hub: DemoHub, exam: DemoClass) -> Cohort:
    """Open a cohort and let all participants join. An opener that has not registered is the instructor."""
    for name in exam.participants:
        registering.register(hub.db, hub.sip.id, hub.agents[name])
    cohort = joining.open_cohort(hub.db, hub.sip.id, leader_of(hub, exam), None).cohort
    first_values.set_task(hub.db, hub.sip.config, cohort.id)
    for name in exam.participants:
        cohort = joining.join(hub.db, hub.sip.id, cohort.id, hub.agents[name]).cohort
    return cohort


def teach(hub: DemoHub, exam: DemoClass, cohort: Cohort) -> Cohort:
    """Start the class, send its messages, and finish it."""
    leader = leader_of(hub, exam)
    cohort = joining.start(hub.db, hub.sip.id, cohort.id, leader)
    send_messages(hub, exam, cohort.session_id or "")
    return classes.finish(hub.db, hub.sip.id, cohort.id, leader)
