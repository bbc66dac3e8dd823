"""Makes the models of the hallucination detector.

Run as `python -m training.hallucination TRUTH` with the folder that holds `train/`. A claim is held against its source
(hallucination), and an answer against tool results by what it tells otherwise (hallucination_results).
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from sklearn.metrics import balanced_accuracy_score

from training import fitting
from training.fitting import Examples
from training.sources import Pair, licences, read_pairs, sources_of
from training.tellings import GROUNDED, RUNS, STEPS, telling_examples
from training.withholding import faulty, withheld
from viva.engine.claims.mismatches import RESULT_TABLE
from viva.engine.claims.source import ClaimSource
from viva.engine.claims.support import SUPPORT_TABLE, claim_features, claims_of, distance
from viva.engine.logistic import FeatureTable
from viva.engine.model import Trace
from viva.engine.reading import Reading

PAIRS_A_SOURCE = 500
FAULTS = ("values", "values_table", "names", "clash", "denied", "flipped")  # one claim is enough for them


def support_examples(pairs: list[Pair]) -> Examples:
    """Each pair with the features of its weakest claim and the worst of its faults."""
    rows, labels, sources = [], [], []
    for pair in pairs:
        claims = list(describe(pair))
        if claims:
            weakest = max(claims, key=lambda row: row["unlike"] + row["unlike_table"])
            rows.append(weakest | {fault: max(row[fault] for row in claims) for fault in FAULTS})
            labels.append(1 - int(pair.label))
            sources.append(pair.source)
    return Examples(rows, labels, sources)


def describe(pair: Pair) -> Iterator[dict[str, float]]:
    source = ClaimSource(pair.text_a, pair.context)
    reading = Reading(Trace("training", ()))
    for claim in claims_of(pair.text_b, source):
        yield claim_features(claim, source, distance(reading, claim, source))


def keep(name: str, origin: str, examples: Examples, table: FeatureTable) -> None:
    """Write the model whose probabilities are the best on sources left out: each is cut at 0.5 and shown to people."""
    strength = min(fitting.STRENGTHS, key=lambda strength: surprise(examples, table, strength))
    left_out = fitting.leave_sources_out(examples, table, strength)
    model = msgspec.structs.replace(fitting.fit(examples, table, strength), origin=origin, left_out=left_out)
    fitting.write(name, model)
    print(
        f"{name}: {len(examples.labels)} examples, penalty {strength}, mean AUROC {fitting.mean(left_out):.4f}",
        left_out,
    )
    right = {source: accuracy(source, examples, table, strength) for source in left_out}
    print(f"{name}: mean balanced accuracy {fitting.mean(right):.4f}", right)
    print(f"{name}: each feature adds", fitting.ablate(examples, table, strength))


def surprise(examples: Examples, table: FeatureTable, strength: float) -> float:
    """The mean loss on sources left out, for both labels the same."""
    losses = []
    for source in sorted(set(examples.sources)):
        model, own = fitting.fit(examples.only(source, left_out=True), table, strength), examples.only(source)
        odds = np.array([model.log_odds(row) for row in own.rows]) * (1 - 2 * np.array(own.labels))
        losses.append(float((np.logaddexp(0, odds) * fitting.balance(own)).sum()))
    return sum(losses) / len(losses)


def accuracy(source: str, examples: Examples, table: FeatureTable, strength: float) -> float:
    """How often the cut at even odds is right on a source left out, for both labels the same."""
    model, own = fitting.fit(examples.only(source, left_out=True), table, strength), examples.only(source)
    told = [model.log_odds(row) >= 0 for row in own.rows]
    return round(float(balanced_accuracy_score(own.labels, told)), 3)


def main(truth: Path) -> None:
    folder = truth / "train"
    sources = sources_of(folder, "support")
    origin = f"training/hallucination.py on {licences(folder, sources)}"
    pairs = [pair for source in sources for pair in read_pairs(folder, source, PAIRS_A_SOURCE)]
    pairs += withheld(folder, PAIRS_A_SOURCE // 2) + faulty(folder, PAIRS_A_SOURCE // 2)
    keep("hallucination", origin, support_examples(pairs), SUPPORT_TABLE)
    told = telling_examples(folder, PAIRS_A_SOURCE)
    examples = Examples(
        [one.comparison.features for one in told], [one.wrong for one in told], [one.source for one in told]
    )
    used = sorted([*GROUNDED, STEPS, *RUNS])
    origin = f"training/hallucination.py on {licences(folder, used)}, and training/data/outcomes.tsv"
    keep("hallucination_results", origin, examples, RESULT_TABLE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
