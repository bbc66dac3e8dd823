"""Makes weights/rdm.json: is the user unhappy with the answer, by the next message?

Run as `python -m training.rdm /path/to/truth [ablate]`. Who declines or cannot have what was wished counts as unhappy; the
detector does not call an answer bad for that alone.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from sklearn.metrics import roc_auc_score

from training.fitting import DATA, Examples, ablate, fit, leave_sources_out, mean, write
from training.sources import Pair, licences, read_pairs
from training.talks import SIGNS, read_table, talks
from viva.engine.dialogue.cues import shows
from viva.engine.dialogue.reactions import REACTION_TABLE, Exchange, features

STRENGTH = 0.003  # of 0.0003 to 0.03 the least log loss at the base rate on sources left out
MOST = 3_000  # of each source, so that none takes long
WRITTEN = ("exchanges", "wishes", "work")
ORIGIN = "{}; dialogues written for Viva (training/data: exchanges.txt, wishes.txt, work.txt, reactions_other.tsv); training/rdm.py"


class LabelledExchange(NamedTuple):
    """An exchange with its language, whether the user is unhappy, and its source."""

    exchange: Exchange
    tongue: str
    unhappy: int
    source: str


def every_exchange(folder: Path) -> Iterator[LabelledExchange]:
    for name in WRITTEN:
        for reply in (reply for talk in talks(DATA / f"{name}.txt") for reply in talk if reply.next):
            yield LabelledExchange(reply.exchange, "en", reply.unhappy, name)
    for tongue in ("de", "es"):
        yield from other_language("fit", tongue)
    for pair in read_pairs(folder, "goemotions_reaction", MOST):
        yield LabelledExchange(Exchange("", "", pair.text_b), "en", int(pair.label == "negative"), pair.source)
    for pair in read_pairs(folder, "multidogo_reaction", MOST):
        yield LabelledExchange(Exchange("", "", pair.text_b), "en", 0, pair.source)
    for pair in read_pairs(folder, "sgd_reaction", MOST):
        yield LabelledExchange(
            Exchange("", pair.text_a.removeprefix("assistant: "), pair.text_b), "en", is_unhappy(pair), pair.source
        )
    for pair in [pair for pair in read_pairs(folder, "sgd_reask") if pair.more["kind"] == "next turn"][:MOST]:
        yield LabelledExchange(Exchange(pair.text_a, "", pair.text_b), "en", 0, pair.source)


def other_language(part: str, tongue: str) -> Iterator[LabelledExchange]:
    signs = {"0": "<", "1": "!", "~": "~"}
    for bad, asked, answer, following in read_table(DATA / "reactions_other.tsv", part, tongue):
        yield LabelledExchange(Exchange(asked, answer, following), tongue, SIGNS[signs[bad]], tongue)


def is_unhappy(pair: Pair) -> int:
    """SGD's negatives: the user declines or wants something else; but not who thanks, says goodbye or needs nothing more."""
    content = {"THANK_YOU", "GOODBYE"} & set(pair.more["act"]) or shows(pair.text_a, "en", of_answer=True)["more"]
    return int(pair.label == "negative" and not content)


def examples(given: Iterator[LabelledExchange]) -> Examples:
    found = Examples([], [], [])
    for one in given:
        row = features(one.exchange, one.tongue)
        if one.source == "sgd_reaction":
            row["answer_fails"] = 0.0  # its labels name what the user does, and say nothing about the answer
        found.rows.append(row)
        found.labels.append(one.unhappy)
        found.sources.append(one.source)
    return found


def main(truth: Path, ablated: bool) -> None:
    folder = truth / "train"
    every = examples(every_exchange(folder))
    left_out = leave_sources_out(every, REACTION_TABLE, STRENGTH)
    learned = sorted({source for source in every.sources if "_" in source})
    model = fit(every, REACTION_TABLE, STRENGTH)
    write("rdm", msgspec.structs.replace(model, origin=ORIGIN.format(licences(folder, learned)), left_out=left_out))
    print(f"rdm: {len(every.labels)} examples, mean over sources left out {mean(left_out):.3f}", left_out)
    if ablated:
        print("what each feature adds:", ablate(every, REACTION_TABLE, STRENGTH))
    for tongue in ("de", "es"):
        held = examples(other_language("held", tongue))
        found = roc_auc_score(held.labels, [model.log_odds(row) for row in held.rows])
        print(f"{tongue}, sentences left out by wording and topic: AUROC {found:.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), "ablate" in sys.argv)
