"""Holding an exam of the demo that an agent sits alone, with the marks that it may need."""

from viva.demo import dating, handing_in
from viva.demo.model import DemoAttempt
from viva.demo.room import HALL, KEY_HASH, Room, mark
from viva.exams import registering, starting, submitting


def sit(room: Room, exam: DemoAttempt) -> None:
    db, sip, candidate = room.db, room.sip, room.agents[exam.candidate]
    times = dating.times_of_sitting(exam, room.today)
    registering.register(db, sip.id, candidate)
    started = starting.start(db, HALL, sip.id, candidate, KEY_HASH)
    registration_id = started.registration.id
    body = handing_in.body_of(db, exam, sip, started, times)
    attempt = submitting.exam_of(db, HALL, sip.id, candidate, KEY_HASH)
    submitted = submitting.submit(db, attempt, body)
    if exam.page and submitted.job:
        handing_in.look_at(db, exam.page, registration_id)
        dating.date_job(db, submitted.job.id, times)
    elif submitted.job:
        mark(room, exam, {"registration_id": registration_id}, times)

    dating.date_registration(db, registration_id, times)
    dating.date_attempt(db, registration_id, times)
