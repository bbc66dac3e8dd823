"""The demo's proctor: a script that examines whoever waits, where the script marks every criterion."""

from datetime import timedelta

import msgspec

from viva.config import MESSAGE_BYTES
from viva.demo.cast import Cast
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.evaluations.configs import Script
from viva.evaluations.model import Evaluation
from viva.exams import proctoring, store, waiting_list
from viva.exams.handlers.proctored import Verdict
from viva.exams.script_marks import criterion_data, decide_by_marks, mark_by_script
from viva.exams.scripting import find_next_line, is_waiting
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.model import Session

MAX_OPEN_EXAMS = 3  # at once; a hub allows no more claims of one proctor
WAITING_LOOKED_AT = 20
GRACE = timedelta(seconds=5)  # in which a person may claim the candidate instead
MESSAGES_READ = 200
GREETING = "(I am the scripted proctor of this demo hub.) "


def claim_strangers(db: Connection, cast: Cast) -> None:
    """Claim candidates who are not of the demo and whom nobody else has claimed."""
    room = MAX_OPEN_EXAMS - len(sessions.list_proctored_by(db, cast.examiner.id))
    for evaluation in evaluations.list_proctored(db) if room > 0 else ():
        if evaluation.status == "active" and is_marked_by_script(evaluation):
            room -= claim_some(db, cast, evaluation, room)


def claim_some(db: Connection, cast: Cast, evaluation: Evaluation, room: int) -> int:
    silent_since = proctoring.silent_since(evaluation)
    waiting = waiting_list.list_candidates(db, evaluation.id, silent_since, WAITING_LOOKED_AT, None).items
    strangers = [
        each for each in waiting if each.candidate_agent_id not in cast.agents and each.started_at < now() - GRACE
    ]
    for stranger in strangers[: max(0, room)]:
        proctoring.claim(db, evaluation.id, stranger.registration_id, cast.examiner, cast.policy)
    return len(strangers[: max(0, room)])


def go_on_with_exams(db: Connection, cast: Cast) -> None:
    for session in sessions.list_proctored_by(db, cast.examiner.id):
        go_on(db, session, cast)


def go_on(db: Connection, session: Session, cast: Cast) -> None:
    """Say the next line once the candidate has answered, or submit the verdict after the last one."""
    registration = store.hold(db, session.evaluation_id, session.registration_id or "")
    evaluation = catalogue.at_version(db, evaluations.get(db, session.evaluation_id), registration.evaluation_version)
    script = script_of(evaluation)
    messages = sessions.transcript(db, session.id, limit=MESSAGES_READ)
    if script is None or is_waiting(messages):
        return

    line = find_next_line(script, messages)
    if line is not None:
        text = line.text if messages else GREETING + line.text
        channel.send(db, evaluation.id, session.id, cast.examiner.id, text, MESSAGE_BYTES, line.id)
        return
    marks = mark_by_script(evaluation.config, script, messages)
    verdict = decide_by_marks(script, marks)
    if verdict is not None:
        feedback = "\n".join(verdict.reasons) or "Every criterion has full marks."
        data = {"criteria": [criterion_data(each) for each in marks]}
        score = verdict.score if evaluation.max_score is not None else None
        given = Verdict(verdict.passed, feedback, score, data)
        proctoring.submit(db, evaluation.id, registration.id, cast.examiner, given, cast.policy)


def script_of(evaluation: Evaluation) -> Script | None:
    return msgspec.convert(evaluation.config.get("script"), Script | None)


def is_marked_by_script(evaluation: Evaluation) -> bool:
    """Whether the script alone leads to a verdict. Otherwise somebody would have to invent marks."""
    script = script_of(evaluation)
    checked = {check.criterion for check in script.expect} if script else set()
    return bool(checked) and all(each["id"] in checked for each in evaluation.config.get("criteria") or ())
