"""Reactions: what the user's next message says about an answer, as named features from 0 to 1."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from viva.engine.dialogue.cues import ANSWERS, REACTIONS, cue_reader
from viva.engine.reading import Reading, answer
from viva.engine.text.words import content, stem, words

LIGHT = frozenset(  # words of courtesy and of wanting: to say them twice is not to ask twice
    stem(word)
    for word in "thank thanks yes no not now ok okay sure great good fine right nice want need like would look find get"
    " please help make let us give tell know show sorry alright nope yeah that's i'm i'd i'll it's don't doesn't can't"
    " anything something nothing else any one lot much well hi hello actually really then interested bye goodbye".split()
)
WordSet = frozenset[str]
LOOKED_AT = 2_000  # characters of a message or an answer; what follows is material
MEMORY = 6  # turns back in which a repetition is looked for; older ones are forgotten by the user as well


class Exchange(NamedTuple):
    """A user's message, the answer, the user's next message; and what came before them, newest first."""

    asked: str
    answer: str
    next: str
    earlier_asked: list[str]
    earlier_answers: list[str]


def exchanges(reading: Reading) -> list[Exchange | None]:
    """The exchange of each turn; None where there is no answer or nothing was said after it."""
    asked = [turn.user_message or "" for turn in reading.trace.turns]
    answers = [answer(turn) for turn in reading.trace.turns]
    return [
        Exchange(
            asked[t],
            answers[t],
            asked[t + 1],
            asked[max(0, t - MEMORY) : t][::-1],
            answers[max(0, t - MEMORY) : t][::-1],
        )
        if t + 1 < len(asked) and asked[t + 1].strip() and answers[t].strip()
        else None
        for t in range(len(asked))
    ]


def share(part: WordSet, whole: WordSet) -> float:
    """How much of `part` is found in `whole`; 0 for an empty part."""
    return len(part & whole) / len(part) if part else 0.0


def overlap(one: WordSet, two: WordSet) -> float:
    """Common words by all words."""
    return len(one & two) / len(one | two) if one and two else 0.0


def features(exchange: Exchange) -> dict[str, float]:
    """Everything the reaction shows; `next_*` from the user's message, `answer_*` from the answer, then how they fit."""
    asked, answered, following = (topic(text) for text in exchange[:3])
    reaction, reply = cue_reader(exchange.next, "reactions"), cue_reader(exchange.answer, "answers")
    found = {f"next_{name}": reaction(name) for name in REACTIONS}
    found["next_refuses"] *= 1 - reaction("indifferent")  # "no preference" refuses nothing
    found |= {f"answer_{name}": reply(name) for name in ANSWERS}
    return found | together(reaction, reply) | repetition_features(exchange, asked, answered, following)


def together(reaction: Callable[[str], float], reply: Callable[[str], float]) -> dict[str, float]:
    """What a reaction means after this answer: a "no" to a proposal is not a "no" to "anything else?"."""
    proposal = reply("offers") * (1 - reply("anything_else"))
    unhappy = max(reaction("complaint"), reaction("blames"), reaction("corrects"))
    refuses = reaction("refuses") * (1 - reaction("indifferent"))
    return {
        "declines_proposal": refuses * proposal,
        "declines_more": refuses * reply("anything_else"),
        "refuses_answer": refuses * (1 - reply("asks")) * (1 - reaction("closes")),
        "refuses_confirmation": refuses * reply("confirms"),
        "corrects_refusing": refuses * unhappy,
        "thanks_only": reaction("thanks") * (1 - max(unhappy, reaction("refuses"))),
        "accepts_only": reaction("accepts") * (1 - max(unhappy, reaction("refuses"), reaction("alternatives"))),
        "accepts_failure": reaction("accepts") * reply("fails"),
        "retries_failure": reply("fails") * max(reaction("alternatives"), reaction("again")),
        "other_than_proposed": (1 - reply("fails")) * (1 - reply("anything_else")) * reaction("alternatives"),
    }


def repetition_features(exchange: Exchange, asked: WordSet, answered: WordSet, following: WordSet) -> dict[str, float]:
    """What is said twice: the request by the user, the answer by the agent."""
    unsaid, slot = following - answered, cue_reader(exchange.answer, "answers")("asks_slot")
    before = [topic(text) for text in exchange.earlier_asked]
    answers = [topic(text) for text in exchange.earlier_answers]
    new = len(unsaid - asked - frozenset[str]().union(*before)) / (1 + len(following))
    return {
        "repeats_request": share(unsaid, asked),
        "repeats_earlier": max((share(unsaid, old) for old in before), default=0.0),
        "fills_slot": slot * new,
        "says_new": new,
        "same_request": overlap(following, asked),
        "request_answered": share(asked, answered),
        "takes_up_answer": share(following, answered),
        "answer_repeats": max((overlap(answered, old) for old in answers), default=0.0),
        "failed_before": recent_failures(exchange),
        "unhappy_before": unhappy(exchange.asked),
        "next_short": 1 / (1 + len(following)),
        "not_pair": corrects_pair(exchange.next, answered),
    }


@lru_cache(maxsize=512)
def topic(text: str) -> frozenset[str]:
    """The words a message is about."""
    return frozenset(content(text[:LOOKED_AT])) - LIGHT


def recent_failures(exchange: Exchange) -> float:
    """How often the answers before failed, the last one counting most."""
    fails = [cue_reader(text, "answers")("fails") for text in exchange.earlier_answers[:3]]
    return sum((fail / float(2**k) for k, fail in enumerate(fails, 1)), 0.0)


def unhappy(message: str) -> float:
    """Whether a message shows that the user was not content already."""
    tone = cue_reader(message, "reactions")
    refuses = tone("refuses") * (1 - tone("closes"))
    return max(tone("complaint"), tone("blames"), tone("corrects"), tone("gives_up"), refuses)


def corrects_pair(message: str, answered: WordSet) -> float:
    """ "X, not Y" or "not Y": what follows the "not" stands in the answer."""
    tokens = words(message[:500])
    spots = [k for k, word in enumerate(tokens[:-1]) if word in ("not", "no", "isn't", "wasn't", "instead")]
    return float(any(stem(word) in answered for k in spots for word in tokens[k + 1 : k + 5]))
