"""Hiding a text: it is moved out of everybody's sight, and a line says who hid it, when and why. Showing it again."""

from viva.agents.naming import hidden_name_of
from viva.kit import events
from viva.kit.db import Connection
from viva.maintaining import hidden_texts
from viva.maintaining.hidden_texts import HiddenSubject, HiddenText
from viva.maintaining.reasons import check_reason
from viva.maintaining.subjects import HIDEABLE_TEXTS


def hide(db: Connection, subject_type: HiddenSubject, subject_id: str, reason: str) -> HiddenText:
    """Replace the text by its line. The place of the text is rewritten, so that no list, file or search can show it."""
    reason = check_reason(reason)
    place = HIDEABLE_TEXTS[subject_type]
    shown = place.read(db, subject_id)

    if subject_type == "name" and shown.text != hidden_name_of(subject_id):
        hidden_texts.delete(db, subject_type, subject_id)  # of an earlier name, which the agent has given up
    salts = place.take_salts(db, subject_id)
    hidden = hidden_texts.add(db, subject_type, subject_id, shown.text, salts, shown.author_id, reason)
    place.replace(db, subject_id, hidden.line)
    events.record(db, "text.hidden", subject_type, subject_id)
    return hidden


def show_again(db: Connection, subject_type: HiddenSubject, subject_id: str) -> None:
    hidden = hidden_texts.get(db, subject_type, subject_id)

    salts = hidden_texts.read_salts(db, subject_type, subject_id)
    HIDEABLE_TEXTS[subject_type].put_back(db, subject_id, hidden.original, salts)
    hidden_texts.delete(db, subject_type, subject_id)
    events.record(db, "text.shown", subject_type, subject_id)


def rewrite_lines(db: Connection, maintainer_id: str) -> None:
    """Write the lines of a maintainer again, after its account lost its name."""
    for hidden in hidden_texts.list_hidden_by(db, maintainer_id):
        if hidden.subject_type != "name":  # its line is never stored
            HIDEABLE_TEXTS[hidden.subject_type].replace(db, hidden.subject_id, hidden.line)
