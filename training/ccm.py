"""Makes weights/ccm.json and, without the sentence model, ccm_static.json: does a message ask the same as an earlier one?

Run as `python -m training.ccm /path/to/truth`. Fitted on pairs written for Viva, in which the same subject is often asked about
in another way. The public sources label the same intent, or have easy negatives: they would let a follow-up pass for a re-ask,
and are only measured, as sources left out.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from sklearn.metrics import roc_auc_score

from training.fitting import DATA, Examples, ablate, fit, leave_sources_out, mean, write
from training.sources import read_pairs, sources_of
from training.talks import read_table
from viva.engine.dialogue.asking import ASKING_TABLE, features
from viva.engine.logistic import LogisticModel
from viva.engine.model import Trace
from viva.engine.reading import Reading

ORIGIN = "pairs of requests written for Viva (training/data: reasks.tsv, reasks_other.tsv), training/ccm.py"
MOST = 300  # pairs of each source that is only measured; the sentence model reads 250 texts a second
STRENGTH = 0.003
FOLDS = 6


class RequestPair(NamedTuple):
    """Two requests with their language, source and whether they ask the same."""

    first: str
    second: str
    tongue: str
    source: str
    same: int


def written(part: str = "fit") -> Iterator[RequestPair]:
    """The pairs written for Viva. Those kept apart for measuring are in other languages only."""
    if part == "fit":
        for line in (DATA / "reasks.tsv").read_text().splitlines()[1:]:
            same, first, second = line.split("\t")
            yield RequestPair(first, second, "en", "reasks", int(same))
    for tongue in ("de", "es"):
        for same, first, second in read_table(DATA / "reasks_other.tsv", part, tongue):
            yield RequestPair(first, second, tongue, tongue, int(same))


def public(folder: Path) -> Iterator[RequestPair]:
    for source in sources_of(folder, "reask"):
        for pair in read_pairs(folder, source, MOST):
            yield RequestPair(pair.text_a, pair.text_b, "en", source, int(pair.label))


def examples(reading: Reading, pairs: Iterator[RequestPair]) -> Examples:
    found = Examples([], [], [])
    for first, second, tongue, source, same in pairs:
        one, two = reading.sentence([first, second])
        found.rows.append(features(reading, first, second, tongue) | {"sentence": float(one @ two)})
        found.labels.append(same)
        found.sources.append(source)
    return found


def measure(model: LogisticModel, held: Examples) -> dict[str, float]:
    """The AUROC of a model on each of some sources."""
    parts = {source: held.only(source) for source in sorted(set(held.sources))}
    return {
        name: round(float(roc_auc_score(part.labels, [model.log_odds(row) for row in part.rows])), 4)
        for name, part in parts.items()
    }


def make(name: str, without: str, own: Examples, topics: list[str], others: Examples, apart: Examples) -> None:
    """Overlap adds nothing to the sentence model, and stands in for it where it is not asked."""
    table = tuple(feature for feature in ASKING_TABLE if feature.name != without)
    model = fit(own, table, STRENGTH)
    left_out = measure(model, others) | leave_sources_out(own, table, STRENGTH)
    write(name, msgspec.structs.replace(model, origin=ORIGIN, left_out=left_out))
    print(f"{name}: {len(own.labels)} pairs, mean over sources left out {mean(left_out):.3f}", left_out)
    print("kept apart by wording and topic:", measure(model, apart))
    print("each feature adds on topics left out:", ablate(own._replace(sources=topics), table, STRENGTH))


def topics(pairs: list[RequestPair]) -> list[str]:
    """The pairs in FOLDS parts; those about one question stay together."""
    order = {first: str(k % FOLDS) for k, first in enumerate(dict.fromkeys(pair.first for pair in pairs))}
    return [order[pair.first] for pair in pairs]


def main(truth: Path) -> None:
    shared = Reading(Trace("pairs", ()))
    own, apart = list(written()), examples(shared, written("held"))
    others = examples(shared, public(truth / "train"))
    for name, without in (("ccm", "overlap"), ("ccm_static", "sentence")):
        pairs = [pair for pair in own if name == "ccm_static" or pair.tongue == "en"]
        make(name, without, examples(shared, iter(pairs)), topics(pairs), others, apart)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
