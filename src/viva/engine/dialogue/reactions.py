"""Reactions: what the user's next message says about an answer, as named features from 0 to 1."""

from typing import NamedTuple

from viva.engine.dialogue.asking import topic
from viva.engine.dialogue.cues import shows
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.reading import Reading, messages_and_answers
from viva.engine.text.words import overlap, words

LOOKED_AT = 600  # characters of a message in which its tone shows
END = 200  # characters of an answer in which it asks the user for something
NEGATING = frozenset("not no isn't wasn't nicht kein keine".split())
REACTION_TABLE: FeatureTable = (
    Feature("rejects", "the user says that the answer is wrong or misses the question", 1),
    Feature("corrects", "the user corrects what the answer asked about", 1),
    Feature("scorns", "the user says that the answer makes no sense", 1),
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
    Feature("same_request", "the user makes the same request", 1),
    Feature("negates_answer", "the user negates words of the answer", 1),
    Feature("answer_asks", "the answer asks something"),
    Feature("answer_fails", "the answer reports that something is not possible", 1),
)
OBJECTIONS = ("rejects", "scorns", "blames", "restates")  # words that say that the answer was at fault
OF_USER = tuple(
    feature.name for feature in REACTION_TABLE if feature.name not in ("asks", "answer_asks", "answer_fails")
)
REPETITION = next(feature.meaning for feature in REACTION_TABLE if feature.name == "same_request")


class Exchange(NamedTuple):
    """A user's message, the answer, and the user's next message."""

    asked: str
    answer: str
    next: str


def exchanges(reading: Reading) -> list[Exchange | None]:
    """The exchange of each turn; None where there is no answer or nothing was said after it."""
    following = [*(message for message, _ in messages_and_answers(reading)[1:]), ""]
    pairs = zip(messages_and_answers(reading), following, strict=True)
    return [Exchange(asked, reply, after) if reply and after else None for (asked, reply), after in pairs]


def features(exchange: Exchange, tongue: str) -> dict[str, float]:
    """The features of REACTION_TABLE. To correct what an answer asks about does not reject it."""
    said, reply = shows(exchange.next, tongue), shows(exchange.answer, tongue, of_answer=True)
    asks = float("?" in exchange.answer[-LOOKED_AT:])
    blamed, back = 1 - said["own_mistake"], asks_back(exchange.answer, tongue)
    return {
        **{name: said[name] * blamed for name in ("scorns", "blames", "restates")},
        **{name: said[name] for name in ("gives_up", "elsewhere", "thanks", "serves", "closes")},
        "rejects": said["rejects"] * blamed * (1 - back),
        "corrects": said["rejects"] * blamed * back,
        "refuses_answer": said["refuses"] * (1 - asks) * (1 - said["closes"]),
        "declines": said["refuses"] * asks * (1 - reply["more"]) * (1 - said["closes"]),
        "asks": float("?" in exchange.next[:LOOKED_AT]),
        "same_request": overlap(topic(exchange.next, tongue), topic(exchange.asked, tongue)),
        "negates_answer": negates_answer(exchange, tongue),
        "answer_asks": asks,
        "answer_fails": reply["fails"],
    }


def asks_back(response: str, tongue: str) -> bool:
    """Whether an answer ends by asking the user for something."""
    return "?" in response[-END:] or shows(response[-END:], tongue, of_answer=True).get("requests") == 1.0


def negates_answer(exchange: Exchange, tongue: str) -> float:
    """ "X, not Y": what follows the "not" stands in the answer."""
    tokens = words(exchange.next[:LOOKED_AT])
    spots = [k for k, word in enumerate(tokens[:-1]) if word in NEGATING]
    answered = topic(exchange.answer, tongue) if spots else frozenset()
    return float(any(topic(word, tongue) & answered for k in spots for word in tokens[k + 1 : k + 4]))
