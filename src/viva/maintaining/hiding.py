"""Hiding a text: it is moved out of everybody's sight, and a line says who hid it, when and why. Then it is shown again, or erased."""

from collections.abc import Sequence

from viva.kit import events
from viva.kit.db import Connection
from viva.maintaining import hidden_texts
from viva.maintaining.hidden_texts import HiddenSubject, HiddenText
from viva.maintaining.reasons import check_reason
from viva.maintaining.subjects import HIDEABLE_TEXTS


def hide(db: Connection, subject_type: HiddenSubject, subject_id: str, reason: str) -> HiddenText:
    """Replace the text by its line. The place of the text is rewritten, so that no list, file or search can show it."""
    hidden = move(db, subject_type, subject_id, check_reason(reason))
    HIDEABLE_TEXTS[subject_type].forget_derived(db, [subject_id])
    return hidden


def hide_all(db: Connection, subject_type: HiddenSubject, subject_ids: Sequence[str], reason: str) -> None:
    """Hide the texts with those of other agents, so that they can be shown again together."""
    for subject_id in subject_ids:
        move(db, subject_type, subject_id, reason, with_others=True)
    HIDEABLE_TEXTS[subject_type].forget_derived(db, subject_ids)


def move(
    db: Connection, subject_type: HiddenSubject, subject_id: str, reason: str, with_others: bool = False
) -> HiddenText:
    """Move the text to the hidden ones."""
    place = HIDEABLE_TEXTS[subject_type]
    shown = place.read(db, subject_id)

    is_rewritten = place.is_rewritten(db, subject_id)
    salts = place.take_salts(db, subject_id)
    if is_rewritten:
        hidden_texts.delete(db, subject_type, subject_id)  # an earlier text, which the agent has given up
    hidden = hidden_texts.add(db, subject_type, subject_id, shown.text, salts, shown.author_id, reason, with_others)
    place.replace(db, subject_id, hidden.line)
    events.record(db, "text.hidden", subject_type, subject_id)
    return hidden


def show_again(db: Connection, subject_type: HiddenSubject, subject_id: str) -> None:
    show_all_again(db, [hidden_texts.get(db, subject_type, subject_id)])


def show_all_again(db: Connection, texts: Sequence[HiddenText]) -> None:
    shown: dict[HiddenSubject, list[str]] = {}
    for hidden in texts:
        original = hidden_texts.take(db, hidden.subject_type, hidden.subject_id)
        HIDEABLE_TEXTS[hidden.subject_type].put_back(db, hidden.subject_id, original.text, original.salts)
        events.record(db, "text.shown", hidden.subject_type, hidden.subject_id)
        shown.setdefault(hidden.subject_type, []).append(hidden.subject_id)
    for subject_type, subject_ids in shown.items():
        HIDEABLE_TEXTS[subject_type].forget_derived(db, subject_ids)


def erase(db: Connection, subject_type: HiddenSubject, subject_id: str) -> None:
    """Delete a hidden text for good, with the copies of it that hiding left. Its line stays."""
    hidden = hidden_texts.hold(db, subject_type, subject_id)

    HIDEABLE_TEXTS[subject_type].erase_copies(db, subject_id, hidden.original)
    hidden_texts.erase(db, subject_type, subject_id)
    events.record(db, "text.erased", subject_type, subject_id)


def rewrite_lines(db: Connection, maintainer_id: str) -> None:
    """Write the lines of a maintainer again, after its account lost its name."""
    for hidden in hidden_texts.list_hidden_by(db, maintainer_id):
        if hidden.subject_type != "name":  # its line is never stored
            HIDEABLE_TEXTS[hidden.subject_type].replace(db, hidden.subject_id, hidden.line)
            HIDEABLE_TEXTS[hidden.subject_type].forget_derived(db, [hidden.subject_id])
