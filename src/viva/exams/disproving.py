"""Disproving a result: what of its row, statements, keys, names, events and messages contradicts the rest."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from viva.exams.evidence import ResultEvidence, place_of, read_evidence
from viva.kit import events
from viva.kit.clock import format_time
from viva.kit.db import Connection
from viva.kit.event_chain import find_unlike
from viva.kit.events import Action
from viva.kit.hashing import NO_HASH, hash_joined
from viva.results.discrepancy import Discrepancy
from viva.results.facts import find_differences, list_erased
from viva.results.statements import SignedStatement, StatementReason
from viva.sessions import chain
from viva.sessions.model import Message

# What the log says each time that a result is signed for one of these reasons.
EVENT_OF_REASON: dict[StatementReason, Action] = {
    "decided": "result.kept",
    "signed_later": "result.kept",
    "voided": "result.voided",
    "second_reading": "result.reread",
    "appeal": "result.reread",
}
RECORDED_FACTS = ("passed", "score", "official")  # that the event of a verdict has


def find_contradictions(db: Connection, result_id: str) -> list[Discrepancy]:
    """Everything that speaks against the result as it stands, also in its transcript and its events."""
    (evidence,) = read_evidence(db, [result_id])
    unlike = find_unlike(db, [event.id for event in evidence.events])
    return [
        *check_evidence(evidence),
        *check_transcript(db, evidence.result.session_id),
        *(Discrepancy("event", str(event_id), "The event is not as it was recorded.") for event_id in unlike),
    ]


def check_transcript(db: Connection, session_id: str | None) -> Iterator[Discrepancy]:
    previous = NO_HASH
    for message in chain.read_all(db, session_id) if session_id else ():
        if not chain.is_as_sent(str(session_id), message, previous) or poses_as_hidden(db, message):
            yield Discrepancy("message", message.id, "The message is not as it was sent.")
        previous = message.hash or NO_HASH


def poses_as_hidden(db: Connection, message: Message) -> bool:
    """Whether a line says that the message was hidden, and the log has nothing of it."""
    return chain.is_erased(message) and not events.list_about(db, "message", [message.id])


def check_evidence(evidence: ResultEvidence) -> Iterator[Discrepancy]:
    result = evidence.result
    if not evidence.statements:
        yield Discrepancy("result", result.id, "Nothing was signed about this result.")
        return
    previous = None
    for number, signed in enumerate(evidence.statements, 1):
        yield from check_statement(evidence, signed, number, previous)
        previous = hash_joined(signed.statement)
    for difference in find_differences(evidence.statements[-1].facts, result, evidence.salts):
        sentence = f"The {difference.field} is not as it was signed."
        yield Discrepancy("result", result.id, sentence, difference.stated, difference.found)
    for field in find_unhidden(evidence):
        yield Discrepancy("result", result.id, f"The {field} is gone, and the log does not say that anybody hid it.")
    yield from check_events(evidence)


def find_unhidden(evidence: ResultEvidence) -> list[str]:
    """Texts in whose place nothing or a line stands, though no maintainer hid them and their agent was not deleted."""
    result, in_force = evidence.result, evidence.statements[-1].facts
    if evidence.log_start and in_force["stated_at"] <= format_time(evidence.log_start):
        return []  # the event may have been deleted
    return [
        field
        for field in list_erased(in_force, result, evidence.salts)
        if (place := place_of(field, result)) not in evidence.hidden
        and not (place and place.subject_id in evidence.deleted and getattr(result, field) is None)
    ]


def check_statement(
    evidence: ResultEvidence, signed: SignedStatement, number: int, previous: str | None
) -> Iterator[Discrepancy]:
    id_, facts = f"{signed.result_id}#{signed.number}", signed.facts
    if not signed.is_genuine:
        yield Discrepancy("statement", id_, "The signature does not hold.")
    if signed.key_id not in evidence.keys:
        yield Discrepancy("statement", id_, "The key that signed it is not the hub's.", found=signed.key_id)
    if (signed.number, facts["statement_number"], facts["id"]) != (number, number, evidence.result.id):
        yield Discrepancy(
            "statement", id_, "A statement is missing or belongs to another result.", number, signed.number
        )
    if facts["previous_statement_hash"] != previous:
        yield Discrepancy(
            "statement", id_, "The statement before is another one.", facts["previous_statement_hash"], previous
        )
    yield from check_moment(evidence, facts, id_, is_in_force=signed is evidence.statements[-1])


def check_moment(evidence: ResultEvidence, facts: dict[str, Any], id_: str, is_in_force: bool) -> Iterator[Discrepancy]:
    """The names, and the head of the session. The demo dates messages after its first statements, which are not in force."""
    for role, agent_id in (("agent", facts["agent_id"]), ("proctor", facts["proctor_agent_id"])):
        hash_ = facts[f"{role}_name_hash"]
        if hash_ and agent_id not in evidence.erased and hash_ not in evidence.names.get(agent_id, ()):
            yield Discrepancy("result", evidence.result.id, f"The {role}'s name is not as it was signed.")
    if is_in_force and facts["message_count"] is not None:
        head = evidence.heads.get(facts["message_count"], NO_HASH)
        if facts["chain_head"] != head:
            yield Discrepancy("statement", id_, "The transcript is not as it was signed.", facts["chain_head"], head)


def check_events(evidence: ResultEvidence) -> Iterator[Discrepancy]:
    """Each decision about a result stands in the log and in a statement, so that neither can be taken back alone."""
    result, first = evidence.result, evidence.statements[0].facts
    for event in evidence.events:
        for name in RECORDED_FACTS if event.action == "result.kept" else ():
            if name in event.data and event.data[name] != first[name]:
                sentence = f"The {name} is not as it was recorded."
                yield Discrepancy("result", result.id, sentence, event.data[name], first[name])
    recorded = Counter(event.action for event in evidence.events if event.data.get("decision") != "stands")
    stated = Counter(map(EVENT_OF_REASON.get, (signed.facts["statement_reason"] for signed in evidence.statements)))
    for action in dict.fromkeys(EVENT_OF_REASON.values()):
        if stated[action] < recorded[action]:
            sentence = f"A statement is missing: the log has more events {action}."
            yield Discrepancy("result", result.id, sentence, recorded[action], stated[action])
    for action in find_unrecorded(evidence) - recorded.keys():
        yield Discrepancy("result", result.id, f"The log has no event {action} about it.")


def find_unrecorded(evidence: ResultEvidence) -> set[Action]:
    """The events that its statements ask for. Results of earlier releases, and deleted parts of the log, may have none."""
    start = "" if evidence.log_start is None else format_time(evidence.log_start)
    return {
        EVENT_OF_REASON[reason]
        for signed in evidence.statements
        if (reason := signed.facts["statement_reason"]) in EVENT_OF_REASON and signed.facts["stated_at"] > start
    } - ({"result.kept"} if evidence.statements[0].facts["statement_reason"] == "signed_later" else set())
