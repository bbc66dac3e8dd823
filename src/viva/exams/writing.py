"""Saving what a person writes on the page of an attempt. What was changed elsewhere meanwhile is not replaced."""

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from viva.exams import attempts, challenges, submitting
from viva.exams.handlers.answering import AnswerFault, check_size
from viva.exams.handlers.table import ANSWERING_HANDLERS
from viva.exams.handlers.traits import traits_of
from viva.exams.handlers.transcripts import MAX_PROBE_ANSWER_BYTES
from viva.exams.model import Challenge, Exam
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid

NOTHING_SEEN = "-"
STAMP_CHARACTERS = 16
MAX_FIELD_ID_CHARACTERS = 110


class WrittenAnswer(NamedTuple):
    """An answer on a page; `seen` is the stamp of the answer that the page has shown before."""

    answer: Any
    seen: str


class SavedPage(NamedTuple):
    """All answers that the hub has now, and the ids of those that were changed elsewhere, or cannot be saved."""

    answers: dict[str, Any]
    conflicts: frozenset[str]
    faults: dict[str, AnswerFault]

    @property
    def is_whole(self) -> bool:
        return not self.conflicts and not self.faults


def text_of(answer: Any) -> str:
    """The answer as a field of a page has it. Programs may have saved a number, or other JSON."""
    return "" if answer in (None, []) else answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()


def stamp_of(answer: Any) -> str:
    """A short text that is another one for another answer. No answer, blank text and an empty choice are the same."""
    text = text_of(answer)
    return (
        hashlib.sha256(text.encode(errors="replace")).hexdigest()[:STAMP_CHARACTERS] if text.strip() else NOTHING_SEEN
    )


def save(db: Connection, exam: Exam, written: Mapping[str, WrittenAnswer]) -> SavedPage:
    """Save what was changed on the page. Each answer is saved unless it is faulty or was changed elsewhere."""
    submitting.hold_attempt(db, exam)
    challenge = challenges.get_of(db, exam.registration.id)
    challenges.check_open(challenge)
    stored = attempts.read_answers(db, exam.registration.id)
    changed = {id_: each for id_, each in written.items() if stamp_of(each.answer) != each.seen}
    conflicts = frozenset(id_ for id_, each in changed.items() if is_changed_elsewhere(stored.get(id_), each))
    given = {
        id_: each.answer
        for id_, each in changed.items()
        if id_ not in conflicts and stamp_of(stored.get(id_)) != stamp_of(each.answer)
    }
    faults = find_faults(exam, challenge, stored, given)

    sound = {id_: answer for id_, answer in given.items() if id_ not in faults}
    check_size(stored | sound)
    if traits_of(exam.evaluation.handler).saves_pages:
        attempts.save_answers(db, exam.registration.id, sound)
    return SavedPage(stored | sound, conflicts, faults)


def is_changed_elsewhere(stored: Any, written: WrittenAnswer) -> bool:
    return stamp_of(stored) not in (written.seen, stamp_of(written.answer))


def find_faults(
    exam: Exam, challenge: Challenge, stored: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, AnswerFault]:
    """What is wrong with answers, by their ids. Only questions have a form; other texts have a length."""
    handler = ANSWERING_HANDLERS.get(exam.evaluation.handler)
    if handler is None:
        return {id_: fault for id_, answer in given.items() if (fault := find_size_fault(id_, answer))}
    try:
        handler.merge_answers(exam.evaluation, challenge, stored, given)
    except Invalid as error:
        return {read_id(fault): AnswerFault(fault.code, fault.message) for fault in error.faults}
    return {}


def read_id(fault: Fault) -> str:
    return fault.field.removeprefix("answers.")


def find_size_fault(field_id: str, answer: Any) -> AnswerFault | None:
    is_text = isinstance(answer, str) and len(field_id) <= MAX_FIELD_ID_CHARACTERS
    if is_text and len(answer.encode(errors="replace")) <= MAX_PROBE_ANSWER_BYTES:
        return None
    return AnswerFault("too_long", f"An answer has at most {MAX_PROBE_ANSWER_BYTES:,} bytes.")
