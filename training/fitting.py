"""Fits logistic models on many sources, and measures each on the sources it did not see.

Every source counts the same, and so do both labels within it. A weight keeps the sign that its feature's meaning asks for.
The strength of the penalty is the one with the highest mean AUROC over sources left out.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from viva.engine.logistic import FeatureTable, LogisticModel

Numbers = NDArray[np.float64]
WEIGHTS = Path(__file__).parent.parent / "src/viva/engine/weights"
DATA = Path(__file__).parent / "data"
STRENGTHS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of the penalty, on scaled features, for a mean loss
SMALLEST_WEIGHT = 5e-4  # a smaller one changes nothing that is printed


class Examples(NamedTuple):
    """Examples of one question: a row of features each, whether the answer is yes, and the source each is from."""

    rows: list[dict[str, float]]
    labels: list[int]
    sources: list[str]

    def only(self, source: str, left_out: bool = False) -> "Examples":
        """The examples of one source, or those of all others."""
        kept = [k for k, other in enumerate(self.sources) if (other == source) != left_out]
        rows, labels, sources = self
        return Examples([rows[k] for k in kept], [labels[k] for k in kept], [sources[k] for k in kept])


def fit(examples: Examples, table: FeatureTable, strength: float) -> LogisticModel:
    """The model with the least weighted loss and penalty."""
    x = matrix(examples, table)
    y = np.array(examples.labels)
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z, side, weight = (x - mean) / spread, 2 * y - 1, balance(examples)

    def loss(at: Numbers) -> tuple[float, Numbers]:
        margin = -side * (z @ at[1:] + at[0])
        slope = -weight * side / (1 + np.exp(-margin))
        value = (weight * np.logaddexp(0, margin)).sum() + strength * (at[1:] ** 2).sum() / 2
        return float(value), np.concatenate([[slope.sum()], z.T @ slope + strength * at[1:]])

    bounds = [(None, None), *({1: (0, None), -1: (None, 0), 0: (None, None)}[feature.sign] for feature in table)]
    found = minimize(loss, np.zeros(len(table) + 1), jac=True, bounds=bounds, method="L-BFGS-B").x
    weights = found[1:] / spread
    named = {feature.name: round(float(w), 4) for feature, w in zip(table, weights, strict=True)}
    kept = {name: w for name, w in named.items() if abs(w) >= SMALLEST_WEIGHT}
    return LogisticModel("", round(float(found[0] - weights @ mean), 4), kept)


def matrix(examples: Examples, table: FeatureTable) -> Numbers:
    return np.array([[row[feature.name] for feature in table] for row in examples.rows], float)


def balance(examples: Examples) -> Numbers:
    """Weights that sum to 1: the same for each source, and for both labels within it."""
    keys = list(zip(examples.sources, examples.labels, strict=True))
    count = Counter(keys)
    kinds = {source: len({label for s, label in count if s == source}) for source in set(examples.sources)}
    return np.array([1 / (len(kinds) * kinds[source] * count[source, label]) for source, label in keys])


def leave_sources_out(examples: Examples, table: FeatureTable, strength: float) -> dict[str, float]:
    """The AUROC on each source of a model that was fitted on all others. Sources with one label are left out of it."""
    found = {}
    for source in sorted(set(examples.sources)):
        rest, own = examples.only(source, left_out=True), examples.only(source)
        if len(set(own.labels)) == 2 and rest.labels:
            model = fit(rest, table, strength)
            found[source] = round(float(roc_auc_score(own.labels, [model.log_odds(row) for row in own.rows])), 4)
    return found


def choose(examples: Examples, table: FeatureTable) -> tuple[float, dict[str, float]]:
    """The strength with the best mean over left-out sources, and its AUROC for each of them."""
    tried = {strength: leave_sources_out(examples, table, strength) for strength in STRENGTHS}
    best = max(STRENGTHS, key=lambda strength: mean(tried[strength]))
    return best, tried[best]


def ablate(examples: Examples, table: FeatureTable, strength: float) -> dict[str, float]:
    """What each feature adds to the mean AUROC over left-out sources."""
    whole = mean(leave_sources_out(examples, table, strength))
    rest = {feature.name: tuple(other for other in table if other != feature) for feature in table}
    return {
        name: round(whole - mean(leave_sources_out(examples, others, strength)), 4) for name, others in rest.items()
    }


def mean(values: dict[str, float]) -> float:
    return sum(values.values()) / len(values) if values else 0.0


def keep(name: str, origin: str, examples: Examples, table: FeatureTable) -> LogisticModel:
    """Fit on all sources, and write weights/NAME.json with the AUROC on each source left out."""
    strength, left_out = choose(examples, table)
    model = msgspec.structs.replace(fit(examples, table, strength), origin=origin, left_out=left_out)
    write(name, model)
    print(
        f"{name}: {len(examples.labels)} examples, penalty {strength}, mean over sources left out {mean(left_out):.3f}",
        left_out,
    )
    return model


def write(name: str, model: LogisticModel) -> None:
    """Write a model as weights/NAME.json."""
    (WEIGHTS / f"{name}.json").write_bytes(msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n")


def sample(rows: Sequence[int], most: int, seed: int = 7) -> list[int]:
    """At most so many of the positions, chosen at random in a fixed way."""
    order = np.random.RandomState(seed).permutation(len(rows))[:most]
    return [rows[k] for k in sorted(order)]
