"""Reactions: what the user's next message says about an answer, as named features from 0 to 1."""

from typing import NamedTuple

from viva.engine.dialogue.asking import overlap, topic
from viva.engine.dialogue.cues import shows
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.reading import Reading, answer
from viva.engine.text.words import words

LOOKED_AT = 600  # characters of a message in which its tone shows, and of the end of an answer
NEGATING = frozenset("not no isn't wasn't nicht kein keine".split())
REACTION_TABLE: FeatureTable = (
    Feature("rejects", "the user says that the answer is wrong or no answer", 1),
    Feature("blames", "the user says what the agent did wrong", 1),
    Feature("restates", "the user has to say again what was asked", 1),
    Feature("gives_up", "the user gives up", 1),
    Feature("refuses_answer", "the user says no to the answer", 1),
    Feature("elsewhere", "the user wants something else", 1),
    Feature("thanks", "the user thanks", -1),
    Feature("serves", "the user is content", -1),
    Feature("closes", "the user has no further wish", -1),
    Feature("declines", "the user declines what was proposed", 1),
    Feature("asks", "the user asks something"),
    Feature("repeats_request", "the user repeats the request", 1),
    Feature("same_request", "the user makes the same request", 1),
    Feature("negates_answer", "the user negates words of the answer", 1),
    Feature("answer_fails", "the answer reports that something is not possible", 1),
    Feature("answer_delivers", "the answer reports something done", -1),
    Feature("answer_asks", "the answer asks something", 0),
)
OBJECTIONS = ("rejects", "blames", "restates")  # words that say that the answer was at fault
OF_USER = tuple(
    feature.name for feature in REACTION_TABLE if feature.name != "asks" and not feature.name.startswith("answer_")
)
REPETITIONS = frozenset(
    feature.meaning for feature in REACTION_TABLE if feature.name in ("repeats_request", "same_request")
)


class Exchange(NamedTuple):
    """A user's message, the answer, and the user's next message."""

    asked: str
    answer: str
    next: str


def exchanges(reading: Reading) -> list[Exchange | None]:
    """The exchange of each turn; None where there is no answer or nothing was said after it."""
    asked = [(turn.user_message or "").strip() for turn in reading.trace.turns]
    answers = [answer(turn).strip() for turn in reading.trace.turns]
    following = [*asked[1:], ""]
    return [
        Exchange(*three) if three[1] and three[2] else None for three in zip(asked, answers, following, strict=True)
    ]


def features(exchange: Exchange, tongue: str) -> dict[str, float]:
    """The features of REACTION_TABLE."""
    said, reply = shows(exchange.next, tongue), shows(exchange.answer, tongue, of_answer=True)
    asks = float("?" in exchange.answer[-LOOKED_AT:])
    asked, answered, following = (topic(text, tongue) for text in exchange)
    unsaid = following - answered
    return {
        **{name: said[name] * (1 - said["own_mistake"]) for name in ("rejects", "blames", "restates")},
        **{name: said[name] for name in ("gives_up", "elsewhere", "thanks", "serves", "closes")},
        "refuses_answer": said["refuses"] * (1 - asks) * (1 - said["closes"]),
        "declines": said["refuses"] * asks * (1 - reply["more"]) * (1 - said["closes"]),
        "asks": float("?" in exchange.next[:LOOKED_AT]),
        "repeats_request": len(unsaid & asked) / len(unsaid) if unsaid else 0.0,
        "same_request": overlap(following, asked),
        "negates_answer": negates_answer(exchange.next, answered, tongue),
        "answer_fails": reply["fails"],
        "answer_delivers": reply["delivers"],
        "answer_asks": asks,
    }


def negates_answer(message: str, answered: frozenset[str], tongue: str) -> float:
    """ "X, not Y": what follows the "not" stands in the answer."""
    tokens = words(message[:LOOKED_AT])
    spots = [k for k, word in enumerate(tokens[:-1]) if word in NEGATING]
    return float(any(topic(word, tongue) & answered for k in spots for word in tokens[k + 1 : k + 4]))
