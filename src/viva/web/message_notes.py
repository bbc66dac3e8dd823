"""What the engine found in a hosted conversation, beside the messages it was found in."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from viva.analyses import store as analyses
from viva.analyses.model import Subject
from viva.engine.evidence import DetectionType
from viva.engine.precision import is_unsure
from viva.engine.wording import CLASS_CASES, PROCTORED_DETECTIONS
from viva.exams.hosted_turns import HostedTurn, split_turns
from viva.exams.session_analysis import list_messages
from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.sessions.model import Message

ANSWERING_ROLES = {"session": "candidate", "cohort": "participant"}


class MessageNote(NamedTuple):
    """One finding about one message: what it is, and the words that show it."""

    label: str
    why: str
    quote: str
    is_unsure: bool


Notes = dict[int, list[MessageNote]]  # by the sequence of the message


class FoundEvidence(Struct, frozen=True):
    why: str = ""
    quote: str = ""
    turn_index: int | None = None
    interaction_index: int | None = None


class FoundTurn(Struct, frozen=True):
    is_bad: bool
    detection_type: DetectionType
    evidence: list[FoundEvidence] = []


class FoundInRun(Struct, frozen=True):
    """The part of an analysis that notes are made of."""

    turn_results: list[FoundTurn] = []
    coordination: dict[str, object] = {}


class PlacedNote(NamedTuple):
    turn: int
    answer: int
    note: MessageNote


def read_notes(db: Connection, result: NamedResult) -> Notes:
    """The notes on the conversation of a result; none until it is analysed."""
    if result.session_id is None:
        return {}
    subject = Subject("cohort", result.cohort_id) if result.cohort_id else Subject("session", result.session_id)
    notes = find_notes(db, subject)
    if not notes:
        return {}
    return place_notes(notes, split_turns(list_messages(db, result.session_id, 1), ANSWERING_ROLES[subject.kind]))


def find_notes(db: Connection, subject: Subject) -> list[PlacedNote]:
    """The notes of the newest analysis. One that an older version stored in another form has none."""
    content = analyses.find_newest_json(db, subject)
    if content is None:
        return []
    try:
        found = msgspec.json.decode(content, type=FoundInRun)
        return list(class_notes(found) if subject.kind == "cohort" else proctored_notes(found))
    except msgspec.ValidationError:
        return []


def proctored_notes(found: FoundInRun) -> Iterator[PlacedNote]:
    """A bad answer is noted at the last message of its turn, which is what the proctor reacted to."""
    for index, turn in enumerate(found.turn_results):
        if turn.is_bad:
            quote = next((piece.quote for piece in turn.evidence if piece.quote), "")
            kind = turn.detection_type
            yield PlacedNote(index, -1, MessageNote(PROCTORED_DETECTIONS[kind], "", quote, is_unsure(kind)))


def class_notes(found: FoundInRun) -> Iterator[PlacedNote]:
    """What agents of a class did to each other. There is no user, so nothing is said about one."""
    for kind, label in CLASS_CASES.items():
        for piece in msgspec.convert(found.coordination.get(kind, []), list[FoundEvidence]):
            if piece.turn_index is not None and piece.interaction_index is not None:
                note = MessageNote(label, piece.why, piece.quote, is_unsure(kind))
                yield PlacedNote(piece.turn_index, piece.interaction_index, note)


def place_notes(placed: Iterable[PlacedNote], turns: list[HostedTurn[Message]]) -> Notes:
    notes: Notes = {}
    for turn, answer, note in placed:
        answers = turns[turn].answers if turn < len(turns) else []
        if -1 <= answer < len(answers) and answers:
            notes.setdefault(answers[answer].sequence, []).append(note)
    return notes
