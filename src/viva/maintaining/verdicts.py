"""What markers wrote about a result: its feedback and data, and the verdicts of its second readings. It is hidden as one text."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace as changed

from viva.kit.db import Connection
from viva.kit.deleted import HIDDEN_LINE_START
from viva.maintaining import hidden_texts
from viva.maintaining.hidden_texts import HiddenText
from viva.maintaining.verdict_places import RESULT, SaidVerdict, find_strip, read_verdicts, write_json, write_verdict
from viva.maintaining.verdict_words import list_words
from viva.results import second_readings, statements, sums
from viva.results import store as results
from viva.results.model import NamedResult
from viva.results.store import NoSuchResult

MAX_WRITTEN_WORDS_CHARACTERS = 20_000  # of the data, as maintainers read it
BATCH_VERDICTS = 100


class HiddenVerdict(Struct, frozen=True):
    """What stood in one place, what was `left` of its data, and the salts of what was signed."""

    feedback: str | None
    data: Any
    left: Any
    salts: dict[str, str] = {}


HiddenVerdicts = dict[str, HiddenVerdict]


def find_result(db: Connection, result_id: str) -> NamedResult | None:
    with suppress(NoSuchResult):
        return results.get(db, result_id)
    return None


def hold_result(db: Connection, result_id: str) -> NamedResult:
    """The result with its readings, locked until commit in the order of who gives a verdict."""
    for reading in second_readings.list_of(db, result_id):
        second_readings.hold(db, reading.id)
    return results.hold(db, result_id)


def is_line(feedback: str | None) -> bool:
    return feedback is not None and feedback.startswith(HIDDEN_LINE_START)


# What is hidden


def read_hidden(hidden: HiddenText | None, salts: str | None) -> HiddenVerdicts:
    """What was hidden of each verdict. An earlier release hid the feedback of the result alone."""
    if hidden is None or hidden.erased_at:
        return {}
    if salts and salts.startswith("{"):
        return msgspec.json.decode(salts, type=HiddenVerdicts)
    return {RESULT: HiddenVerdict(hidden.original, None, None, {"proctor_feedback": salts} if salts else {})}


def find_earlier(db: Connection, result_id: str) -> tuple[bool, HiddenVerdicts]:
    """Whether a line stands for this result, and what is hidden."""
    hidden = hidden_texts.find_hidden(db, "feedback", result_id)
    return hidden is not None, read_hidden(hidden, hidden_texts.read_salts(db, "feedback", result_id))


def find_known(earlier: HiddenVerdicts, place: str, said: SaidVerdict) -> HiddenVerdict | None:
    """What was hidden of this verdict. A reading that opened since has a copy of what was left of the result's verdict."""
    known, of_result = earlier.get(place), earlier.get(RESULT)
    if known is None and of_result and place.startswith("first ") and is_line(said.feedback):
        known = of_result if said.data == of_result.left else None
    return known


def has_new_words(said: SaidVerdict, left: Any, is_hidden: bool) -> bool:
    """Whether the verdict says something beside the line."""
    return said.data != left or bool(said.feedback and not (is_hidden and is_line(said.feedback)))


def find_words(db: Connection, result: NamedResult, is_hidden: bool, earlier: HiddenVerdicts) -> HiddenVerdicts:
    """What is to be hidden of each verdict. What was hidden `earlier` is among it: somebody has written since."""
    strip = find_strip(db, result)
    signed_salts = statements.read_salts(db, result.id)
    found: HiddenVerdicts = {}
    for place, said in read_verdicts(db, result).items():
        left, known = strip(said.data), find_known(earlier, place, said)
        if has_new_words(said, left, is_hidden):
            found[place] = merge(known, said, left, signed_salts if place == RESULT else {}, is_hidden)
        elif known:
            found[place] = known
    return found


def merge(
    known: HiddenVerdict | None, said: SaidVerdict, left: Any, salts: dict[str, str], is_hidden: bool
) -> HiddenVerdict:
    """What the verdict says now, with what it said behind the line."""
    keeps_feedback = known is not None and is_hidden and is_line(said.feedback)
    keeps_data = known is not None and said.data == left == known.left
    return HiddenVerdict(
        known.feedback if known and keeps_feedback else said.feedback,
        known.data if known and keeps_data else said.data,
        left,
        {
            name: taken[name]
            for name, keeps in (("proctor_feedback", keeps_feedback), ("result_data", keeps_data))
            if name in (taken := known.salts if known and keeps else salts)
        },
    )


def write_words(hidden: HiddenVerdicts) -> str:
    """The words as maintainers read them: what each marker wrote as feedback, then the texts of the data."""
    feedback = dict.fromkeys(verdict.feedback for verdict in hidden.values() if verdict.feedback)
    words = dict.fromkeys(word for verdict in hidden.values() for word in list_words(verdict.data, verdict.left))
    data = "\n".join(words)
    return "\n\n".join([*feedback, *filter(None, [data[:MAX_WRITTEN_WORDS_CHARACTERS]])])


def has_words(db: Connection, result_id: str) -> bool:
    """Whether a marker wrote anything about the result that is not hidden."""
    result = find_result(db, result_id)
    if result is None:
        return False
    is_hidden = hidden_texts.find_hidden(db, "feedback", result_id) is not None
    strip = find_strip(db, result)
    return any(has_new_words(said, strip(said.data), is_hidden) for said in read_verdicts(db, result).values())


class FoundWords(NamedTuple):
    """What is hidden of a result, once it is, and who decided it."""

    text: str
    author_id: str | None


def find(db: Connection, result_id: str) -> FoundWords | None:
    """What markers wrote about the result; None if there is no word of theirs, hidden or not."""
    result = find_result(db, result_id)
    is_hidden, earlier = find_earlier(db, result_id)
    words = find_words(db, result, is_hidden, earlier) if result else {}
    return FoundWords(write_words(words), result.proctor_agent_id) if result and (words or is_hidden) else None


def list_shown(db: Connection, agent_id: str, limit: int) -> list[str]:
    """Results that the agent decided, and about which something is to be hidden."""
    found: list[str] = []
    after = ""
    while len(found) < limit:
        rows = db.execute(
            """
            SELECT id, coalesce(proctor_feedback, '') <> '' FROM evaluation_results r
            WHERE proctor_agent_id = ? AND id > ? AND (proctor_feedback <> '' OR result_data IS NOT NULL)
                AND NOT EXISTS (SELECT 1 FROM hidden_texts h WHERE h.subject_type = 'feedback' AND h.subject_id = r.id)
            ORDER BY id LIMIT ?
            """,
            [agent_id, after, BATCH_VERDICTS],
        ).fetchall()
        found += [result_id for result_id, has_feedback in rows if has_feedback or has_words(db, result_id)]
        if len(rows) < BATCH_VERDICTS:
            break
        after = rows[-1][0]
    return found[:limit]


# Hiding, showing again, erasing


def take(db: Connection, result_id: str) -> str:
    """Take the words out of every verdict about the result, with their salts. A line begins in each place."""
    result = hold_result(db, result_id)
    is_hidden, earlier = find_earlier(db, result_id)
    words = find_words(db, result, is_hidden, earlier)
    words.setdefault(RESULT, HiddenVerdict(result.proctor_feedback, result.result_data, result.result_data))
    gone = {"proctor_feedback"} | ({"result_data"} if result.result_data != words[RESULT].left else set())
    salts = {name: salt for name, salt in statements.read_salts(db, result_id).items() if name not in gone}

    for place, verdict in words.items():
        write_verdict(db, result_id, place, SaidVerdict(HIDDEN_LINE_START, verdict.left))
    statements.write_salts(db, result_id, salts)
    state_change(db, result, "text_hidden")
    return write_json(words)


def state_change(db: Connection, before: NamedResult, reason: statements.StatementReason) -> None:
    """Count and sign what the result says now. A result of an earlier release may have no statement yet."""
    result = results.get(db, before.id)
    if (result.proctor_feedback, result.result_data) != (before.proctor_feedback, before.result_data):
        sums.change_criteria(db, before, result)
        if statements.list_statements(db, result.id, 1):
            statements.state(db, result, reason, "feedback" if reason == "text_hidden" else "")


def replace(db: Connection, result_id: str, line: str) -> None:
    """Write the line wherever one stands or begins. What markers have written since stays."""
    result = find_result(db, result_id)
    _, earlier = find_earlier(db, result_id)
    for place, said in read_verdicts(db, result).items() if result else ():
        if is_line(said.feedback) and (not earlier or find_known(earlier, place, said)):
            write_verdict(db, result_id, place, said._replace(feedback=line))


def put_back(db: Connection, result_id: str, original: str, taken: str | None) -> None:
    """Put back what was taken where the line still stands. What was signed meanwhile had no text, so it is signed again."""
    result = hold_result(db, result_id)
    hidden = (
        msgspec.json.decode(taken, type=HiddenVerdicts)
        if taken and taken.startswith("{")
        else {RESULT: HiddenVerdict(original, None, None, {"proctor_feedback": taken} if taken else {})}
    )
    for place, said in read_verdicts(db, result).items():
        if known := find_known(hidden, place, said):
            shows_feedback, shows_data = is_line(said.feedback), said.data == known.left
            shown = SaidVerdict(
                known.feedback if shows_feedback else said.feedback, known.data if shows_data else said.data
            )
            write_verdict(db, result_id, place, shown)
            if place == RESULT:
                put_back_salts(db, result_id, known, shows_feedback, shows_data and known.data != known.left)
    state_change(db, result, "text_shown")


def put_back_salts(
    db: Connection, result_id: str, known: HiddenVerdict, shows_feedback: bool, shows_data: bool
) -> None:
    """A text whose salt was erased gets a new one."""
    shown = {name for name, is_shown in (("proctor_feedback", shows_feedback), ("result_data", shows_data)) if is_shown}
    salts = {name: salt for name, salt in statements.read_salts(db, result_id).items() if name not in shown}
    statements.write_salts(db, result_id, salts | {name: known.salts[name] for name in shown & known.salts.keys()})


def change_hidden(db: Connection, session_id: str, change: Callable[[Any], Any]) -> None:
    """Change what is hidden of the verdicts about a session, such as erase the words of a message from it.

    What was changed is signed anew when it is shown."""
    rows = db.execute(
        """
        SELECT h.subject_id FROM hidden_texts h JOIN evaluation_results r ON r.id = h.subject_id
        WHERE h.subject_type = 'feedback' AND h.erased_at IS NULL AND r.session_id = ? ORDER BY h.subject_id
        """,
        [session_id],
    ).fetchall()
    for (result_id,) in rows:
        hidden = hidden_texts.hold(db, "feedback", result_id)
        before = read_hidden(hidden, hidden_texts.read_salts(db, "feedback", result_id))
        after = {place: change_verdict(verdict, change) for place, verdict in before.items()}
        if after != before:
            hidden_texts.rewrite(db, "feedback", result_id, write_words(after), write_json(after))


def change_verdict(verdict: HiddenVerdict, change: Callable[[Any], Any]) -> HiddenVerdict:
    """The salt of what was changed goes, because with it the words could be guessed."""
    feedback, data = change(verdict.feedback), change(verdict.data)
    same = {"proctor_feedback": feedback == verdict.feedback, "result_data": data == verdict.data}
    salts = {name: salt for name, salt in verdict.salts.items() if same[name]}
    return changed(verdict, feedback=feedback, data=data, left=change(verdict.left), salts=salts)
