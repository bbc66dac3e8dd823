"""What was made of a message: rows to mark, marks, data of results and of readings. Hidden words leave them too."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from viva.exams.handlers.classroom import indent_message
from viva.kit.db import Connection
from viva.kit.deleted import HIDDEN_LINE_START
from viva.maintaining import verdicts
from viva.results import statements
from viva.results import store as results

QUOTE_KEYS = frozenset({"quote", "quotes", "evidence", "instructions"})
KEPT_KEYS = frozenset({"id", "text", "row_id", "prompt_id", "marker"})  # ids, and words of the evaluation
SHARED_WORDS = 5  # as many in a row are no accident
HIDDEN_REMARK = "This text repeated a message that a maintainer hid."


def swap_in_sheet(db: Connection, session_id: str, before: str, after: str) -> None:
    """Put the message as it is now into the rows to mark of a class. The sheet stays locked until commit."""
    found = db.execute(
        """
        UPDATE evaluation_sheets SET status = status
        WHERE cohort_id IN (SELECT id FROM evaluation_cohorts WHERE session_id = ?) RETURNING id, texts
        """,
        [session_id],
    ).fetchall()
    # A message stands on its lines alone, or behind the name of its speaker.
    old = re.compile(rf"(?:^|(?<=: )){re.escape(indent_message(before))}$", re.MULTILINE)
    new = indent_message(after)
    for sheet_id, texts in found:
        if texts is not None:
            swapped = [old.sub(lambda _: new, text) for text in msgspec.json.decode(texts, type=list[str])]
            db.execute("UPDATE evaluation_sheets SET texts = ? WHERE id = ?", [write_json(swapped), sheet_id])


def erase_words(db: Connection, session_id: str, hidden: str) -> None:
    """Take the hidden words out of marks, results and readings of the session, also out of what is hidden of these.

    They do not come back: nobody keeps them."""
    if hidden.startswith(HIDDEN_LINE_START):
        return
    words = hidden.casefold().split()
    erase_in_marks(db, session_id, words)
    erase_in_readings(db, session_id, words)
    erase_in_results(db, session_id, words)
    verdicts.change_hidden(db, session_id, partial(without_words, words=words))


def erase_in_marks(db: Connection, session_id: str, words: Sequence[str]) -> None:
    marks = db.execute(
        """
        SELECT sheet_id, marker, row_id, reason, quote, notes FROM evaluation_marks WHERE sheet_id IN (
            SELECT s.id FROM evaluation_sheets s JOIN evaluation_cohorts c ON c.id = s.cohort_id WHERE c.session_id = ?)
        """,
        [session_id],
    ).fetchall()
    for *key, reason, quote, notes in marks:
        before = {"reason": reason, "quote": quote, "notes": msgspec.json.decode(notes)}
        after = without_words(before, words)
        if after != before:
            db.execute(
                """
                UPDATE evaluation_marks SET reason = ?, quote = ?, notes = ?
                WHERE sheet_id = ? AND marker = ? AND row_id = ?
                """,
                [after["reason"], after["quote"], write_json(after["notes"]), *key],
            )


def erase_in_readings(db: Connection, session_id: str, words: Sequence[str]) -> None:
    """In the verdicts before and after a second reading."""
    of_session = (
        "SELECT s.id FROM second_readings s JOIN evaluation_results r ON r.id = s.result_id WHERE r.session_id = ?"
    )
    readings = db.execute(f"SELECT id, first FROM second_readings WHERE id IN ({of_session})", [session_id]).fetchall()
    for reading_id, first in readings:
        if changed := change_json(first, words):
            db.execute("UPDATE second_readings SET first = ? WHERE id = ?", [changed, reading_id])
    verdicts = db.execute(
        f"""
        SELECT second_reading_id, place, result_data FROM blind_verdicts
        WHERE second_reading_id IN ({of_session}) AND result_data IS NOT NULL
        """,
        [session_id],
    ).fetchall()
    for reading_id, place, data in verdicts:
        if changed := change_json(data, words):
            db.execute(
                "UPDATE blind_verdicts SET result_data = ? WHERE second_reading_id = ? AND place = ?",
                [changed, reading_id, place],
            )


def erase_in_results(db: Connection, session_id: str, words: Sequence[str]) -> None:
    """The hash of the data that was signed stays without its salt, and what the data says now is signed anew."""
    found = db.execute(
        "SELECT id, result_data FROM evaluation_results WHERE session_id = ? AND result_data IS NOT NULL ORDER BY id",
        [session_id],
    ).fetchall()
    for result_id, data in found:
        if changed := change_json(data, words):
            db.execute("UPDATE evaluation_results SET result_data = ? WHERE id = ?", [changed, result_id])
            if statements.list_statements(db, result_id, 1):
                statements.erase_salt(db, result_id, "result_data")
                statements.state(db, results.hold(db, result_id), "text_hidden")


def change_json(text: str, words: Sequence[str]) -> str | None:
    """The JSON without the words; None if it has none of them."""
    before = msgspec.json.decode(text)
    after = without_words(before, words)
    return None if after == before else write_json(after)


def write_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def without_words(value: Any, words: Sequence[str], key: str = "") -> Any:
    """The value with no text that repeats the words."""
    if isinstance(value, dict):
        return {name: each if name in KEPT_KEYS else without_words(each, words, name) for name, each in value.items()}
    if isinstance(value, list):
        return [without_words(each, words, key) for each in value]
    if not isinstance(value, str) or not repeats(value, words, key in QUOTE_KEYS):
        return value
    return "" if key in QUOTE_KEYS else HIDDEN_REMARK


def repeats(text: str, words: Sequence[str], is_quote: bool) -> bool:
    """Whether the text shares several words in a row with the message, has all of a short one, or is a quote of it."""
    own = text.casefold().replace("…", " ").split()
    if is_quote and own and has_run(words, own):
        return True
    length = min(SHARED_WORDS, len(words))
    runs = {tuple(words[start : start + length]) for start in range(len(words) - length + 1)} if length else set()
    return any(tuple(own[start : start + length]) in runs for start in range(len(own) - length + 1))


def has_run(words: Sequence[str], run: Sequence[str]) -> bool:
    """Whether the words have this run. The ends of a quote may be parts of words."""
    return " ".join(run) in " ".join(words)
