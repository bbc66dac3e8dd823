"""Reactions: what the user's next message says about an answer, as named features from 0 to 1."""

from typing import NamedTuple

from viva.engine.dialogue.asking import overlap, topic
from viva.engine.dialogue.cues import shows
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.reading import Reading, answer

LOOKED_AT = 600  # characters of a message in which its tone shows
END = 200  # characters of an answer in which it asks the user for something
REACTION_TABLE: FeatureTable = (
    Feature("rejects", "the user says that the answer is wrong or no answer", 1),
    Feature("scorns", "the user finds the answer senseless", 1),
    Feature("blames", "the user says what the agent did wrong", 1),
    Feature("restates", "the user has to say again what was asked", 1),
    Feature("gives_up", "the user gives up", 1),
    Feature("refuses_answer", "the user says no to the answer", 1),
    Feature("elsewhere", "the user wants something else", 1),
    Feature("thanks", "the user thanks", -1),
    Feature("serves", "the user is content", -1),
    Feature("closes", "the user has no further wish", -1),
    Feature("asks", "the user asks something"),
    Feature("same_request", "the user makes the same request", 1),
    Feature("answer_fails", "the answer reports that something is not possible", 1),
)
OBJECTIONS = ("rejects", "scorns", "blames", "restates")  # words that say that the answer was at fault
OF_USER = tuple(feature.name for feature in REACTION_TABLE if feature.name not in ("asks", "answer_fails"))
REPETITION = next(feature.meaning for feature in REACTION_TABLE if feature.name == "same_request")


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
    """The features of REACTION_TABLE. To correct what an answer asks about does not reject it."""
    said, asks = shows(exchange.next, tongue), float("?" in exchange.answer[-LOOKED_AT:])
    blameless = said["own_mistake"]
    return {
        **{name: said[name] * (1 - blameless) for name in OBJECTIONS},
        **{name: said[name] for name in ("gives_up", "elsewhere", "thanks", "serves", "closes")},
        "rejects": said["rejects"] * (1 - blameless) * (1 - asks_back(exchange.answer, tongue)),
        "refuses_answer": said["refuses"] * (1 - asks) * (1 - said["closes"]),
        "asks": float("?" in exchange.next[:LOOKED_AT]),
        "same_request": overlap(topic(exchange.next, tongue), topic(exchange.asked, tongue)),
        "answer_fails": shows(exchange.answer, tongue, of_answer=True)["fails"],
    }


def asks_back(response: str, tongue: str) -> bool:
    """Whether an answer ends by asking the user for something."""
    return "?" in response[-END:] or shows(response[-END:], tongue, of_answer=True).get("requests") == 1.0
