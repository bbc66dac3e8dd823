"""Solo exams of the demo, with their marks."""

from viva.demo import backdating, first_values, submissions
from viva.demo.hub import DEMO_HUB_FACTS, DEMO_KEY_HASH, DemoHub, mark_work
from viva.demo.model import DemoAttempt
from viva.exams import registering, starting, submitting


def run_solo_exam(hub: DemoHub, exam: DemoAttempt) -> None:
    db, sip, candidate = hub.db, hub.sip, hub.agents[exam.candidate]
    times = backdating.solo_times(exam, hub.today)
    registering.register(db, sip.id, candidate)
    started = starting.start(db, DEMO_HUB_FACTS, sip.id, candidate, DEMO_KEY_HASH)
    registration_id = started.registration.id
    if sip.type == "agent_certification":
        first_values.set_probes(db, sip.config, registration_id)
    body = submissions.build_body(db, exam, sip, started, times)
    attempt = submitting.exam_of(db, DEMO_HUB_FACTS, sip.id, candidate, DEMO_KEY_HASH)
    submitted = submitting.submit(db, attempt, body)
    if exam.page and submitted.job:
        submissions.check_page(db, exam.page, registration_id)
        backdating.date_job(db, submitted.job.id, times)
    elif submitted.job:
        mark_work(hub, exam, {"registration_id": registration_id}, times)

    backdating.date_registration(db, registration_id, times)
    backdating.date_attempt(db, registration_id, times)
