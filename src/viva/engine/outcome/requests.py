"""What a task asks for: its words, and the changes it orders."""

import re
from itertools import pairwise

from viva.engine.outcome.tries import CHANGING
from viva.engine.reading import Reading
from viva.engine.text.words import words

MAX_TASK_CHARACTERS = 3_000  # characters of a task that are looked at
TOKEN = re.compile(r"[a-z']+|[.;:!?,\n(]|\d+[.)]")
LEADS = frozenset(words("please and then to also you should must or first now finally afterwards just kindly"))
DELEGATED = frozenset(words("follow perform complete execute handle"))  # orders whose changes stand elsewhere
ORDERS = CHANGING | DELEGATED | {"do"}
YES_OR_NO = re.compile(r"\s*(?:is|are|was|were|do|does|did|has|have)\b", re.I)
THINGS = frozenset(words("email message"))  # after "to" a thing, elsewhere a deed


def task_of(reading: Reading) -> str:
    """What the run was for: the task it states, else the user's first words."""
    return reading.trace.initial_task or reading.trace.turns[0].user_message or ""


def asked_of(reading: Reading) -> str:
    """Everything that was asked for: in a conversation all of the user's words, else the task."""
    turns = reading.trace.turns
    said = [turn.user_message or "" for turn in turns] if len(turns) > 1 else []
    return "\n".join(dict.fromkeys([task_of(reading), *said]))[:MAX_TASK_CHARACTERS]


def asks_yes_or_no(task: str) -> bool:
    """Whether a task begins as a question that yes or no answers: half of the guesses are right."""
    return YES_OR_NO.match(task) is not None


def ordered_changes(task: str) -> list[str]:
    """The changes a task orders, as verbs; empty for a task that only asks."""
    tokens = ["", *TOKEN.findall(task[:MAX_TASK_CHARACTERS].lower())]
    return [token for before, token in pairwise(tokens) if token in ORDERS and is_order(before, token)]


def is_order(before: str, token: str) -> bool:
    """Whether a word is a verb of change at the head of a clause."""
    if token not in CHANGING and token not in DELEGATED:
        return (before, token) == ("please", "do")  # elsewhere "do" asks or helps another verb
    heads = before in LEADS or not before[:1].isalpha()
    return heads and not (before == "to" and token in THINGS)
