"""States that a text reports: that something was done, failed, was cancelled, or is under way."""

import re
from collections.abc import Set
from typing import NamedTuple

STATE_WORDS = {
    "done": "succeeded successful successfully approved accepted completed confirmed booked sent paid delivered scheduled"
    " reserved purchased processed submitted registered success passed charged refunded shipped finished created saved"
    " updated erfolgreich bestätigt gebucht bezahlt gesendet verschickt geliefert genehmigt",
    "failed": "failed declined rejected refused denied unsuccessful unsuccessfully failure error bounced blocked"
    " undeliverable unavailable invalid fehlgeschlagen abgelehnt verweigert",
    "cancelled": "cancelled canceled storniert abgesagt",
    "pending": "pending processing queued waiting unconfirmed ausstehend",
}
FAMILIES = {word: family for family, words in STATE_WORDS.items() for word in words.split()}
PHRASES = {"went through": "done", "gone through": "done", "all set": "done"}
STATE = re.compile(rf"\b(?:{'|'.join(sorted([*FAMILIES, *PHRASES], key=len, reverse=True))})\b", re.I)
TELLING = FAMILIES.keys() | {"through", "set"}
NEGATED = re.compile(
    r"(?:\b(?:not|never|cannot|unable to|nicht|could ?n['’o]t|without being)|n['’]t)(?:\s+\w+){0,3}\s*$", re.I
)
SOUGHT = 40  # characters before a state that may deny it


class State(NamedTuple):
    """A state as it is written, and which of `STATE_WORDS` it is."""

    key: str
    text: str
    start: int


def find_states(text: str, words: Set[str]) -> list[State]:
    """The states that a text of these words reports. What was not done has failed; what has not failed is no state."""
    found = []
    for match in STATE.finditer(text) if not TELLING.isdisjoint(words) else ():
        family = FAMILIES.get(match[0].lower()) or PHRASES[match[0].lower()]
        denied = NEGATED.search(text[max(0, match.start() - SOUGHT) : match.start()])
        if not denied:
            found.append(State(family, match[0], match.start()))
        elif family == "done":
            found.append(State("failed", denied[0].strip() + " " + match[0], match.start()))
    return found
