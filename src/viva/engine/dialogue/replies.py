"""Replies: how well an answer fits the message before it, as named features; for talk without tools or sources."""

from collections.abc import Sequence
from typing import NamedTuple

from viva.engine.dialogue.asking import word_set
from viva.engine.logistic import Feature, FeatureTable, load_model
from viva.engine.reading import Reading, messages_and_answers
from viva.engine.text.words import overlap

MAX_CHARACTERS = 300  # of a message and its reply; longer ones are reports, whose fit their likeness does not show
MAX_TURNS = 40  # that are compared by the sentence model, which takes 4 ms for a text
MEMORY = 6  # replies back in which a repetition is looked for
REPLY_TABLE: FeatureTable = (
    Feature("unlike", "the answer is about something else", 1),
    Feature("repeats_itself", "the answer repeats an earlier one", 1),
)


class Reply(NamedTuple):
    """A message, the reply to it, and the replies before, newest first."""

    said: str
    reply: str
    earlier: Sequence[str]


def replies(reading: Reading) -> list[Reply | None]:
    """The reply of each turn; None where the user said nothing or nobody answered."""
    given = [reply for _, reply in messages_and_answers(reading)]
    return [
        Reply(said, reply, given[max(0, t - MEMORY) : t][::-1]) if said and reply else None
        for t, (said, reply) in enumerate(messages_and_answers(reading))
    ]


def misfits(reading: Reading) -> list[float]:
    """For each turn the log odds that its reply does not fit; 0 where that cannot be told."""
    given = replies(reading)
    if not is_talk(reading) or any(one and max(len(one.said), len(one.reply)) > MAX_CHARACTERS for one in given):
        return [0.0] * len(given)
    fine = reading.sentence_model and len(given) <= MAX_TURNS
    model = load_model("reply" if fine else "reply_static")
    return [model.log_odds(features(reading, one, fine)) if one else 0.0 for one in given]


def is_talk(reading: Reading) -> bool:
    """Whether the run consists of words alone: no tools, no steps, no knowledge to answer from."""
    return not (
        any(agent.tools_available for agent in reading.trace.agents)
        or any(place.interaction.agent_steps for place in reading.places)
        or any(turn.knowledge for turn in reading.trace.turns)
    )


def features(reading: Reading, reply: Reply, fine: bool) -> dict[str, float]:
    """The features of REPLY_TABLE, by the sentence model if `fine`, else by the static one."""
    texts = [reply.said, reply.reply]
    one, two = reading.sentence(texts) if fine else reading.vectors(texts)
    words = word_set(reply.reply)
    return {
        "unlike": 1 - float(one @ two),
        "repeats_itself": max((overlap(words, word_set(text)) for text in reply.earlier), default=0.0),
    }
