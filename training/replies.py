"""Makes weights/reply.json and reply_static.json: does an answer fit what was said to it?

Run as `python -m training.replies /path/to/truth`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from training.fitting import DATA, Examples, ablate, choose, fit, keep, write
from training.sources import licences, read_pairs, sources_of
from training.talks import talks
from viva.engine.dialogue.replies import MEMORY, REPLY_TABLE, Reply, features
from viva.engine.logistic import Feature, LogisticModel
from viva.engine.model import Trace
from viva.engine.reading import Reading

ORIGIN = "{}; small talk written for Viva (training/data/chats.txt); training/replies.py"
MOST = 300  # of each source; the sentence model reads 250 texts a second
SPEAKER = re.compile(r"^(user|assistant): ", re.M)


class JudgedReply(NamedTuple):
    """A reply, whether it does not fit, and its source."""

    reply: Reply
    misfit: int
    source: str


def every_reply(folder: Path) -> Iterator[JudgedReply]:
    for source in sources_of(folder, "fit"):
        for pair in read_pairs(folder, source, MOST):
            parts = SPEAKER.split(pair.text_a)[1:]
            said = [text.strip() for who, text in zip(parts[::2], parts[1::2], strict=True) if who == "user"]
            earlier = [text.strip() for who, text in zip(parts[::2], parts[1::2], strict=True) if who == "assistant"]
            if said and said[-1] and pair.text_b.strip():
                yield JudgedReply(Reply(said[-1], pair.text_b, earlier[::-1]), 1 - int(pair.label), source)
    for reply in (reply for talk in talks(DATA / "chats.txt") for reply in talk):
        yield JudgedReply(Reply(reply.asked, reply.answer, reply.earlier_answers[:MEMORY]), reply.unhappy, "chats")


def examples(given: list[JudgedReply], fine: bool) -> Examples:
    reading = Reading(Trace("replies", ()))
    rows = [features(reading, one.reply, fine) for one in given]
    return Examples(rows, [one.misfit for one in given], [one.source for one in given])


def rescale(model: LogisticModel, every: Examples) -> LogisticModel:
    """The same ranking with probabilities that are right: a strong penalty keeps a model from being as sure as it may be."""
    scored = Examples([{"score": model.log_odds(row)} for row in every.rows], every.labels, every.sources)
    scale = fit(scored, (Feature("score", "", 1),), 0.0)
    by = scale.weights["score"]
    weights = {name: round(weight * by, 4) for name, weight in model.weights.items()}
    return msgspec.structs.replace(model, bias=round(model.bias * by + scale.bias, 4), weights=weights)


if __name__ == "__main__":
    data = Path(sys.argv[1]) / "train"
    given = list(every_reply(data))
    origin = ORIGIN.format(licences(data, sources_of(data, "fit")))
    for name, fine in (("reply", True), ("reply_static", False)):
        every = examples(given, fine)
        write(name, rescale(keep(name, origin, every, REPLY_TABLE), every))
        print("what each feature adds:", ablate(every, REPLY_TABLE, choose(every, REPLY_TABLE)[0]))
