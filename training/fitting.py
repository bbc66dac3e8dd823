"""Fitting a head: a logistic table whose weights keep the signs that their meanings ask for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from viva.engine.logistic import LogisticModel

Numbers = NDArray[np.float64]
WEIGHTS = Path(__file__).parent.parent / "src/viva/engine/weights"
DATA = Path(__file__).parent / "data"


class Cases(NamedTuple):
    """Named features of each case, whether it is one, and which cases belong together."""

    rows: list[dict[str, float]]
    labels: list[int]
    groups: list[int]


def fit(cases: Cases, names: Sequence[str], signs: Mapping[str, int], strength: float) -> tuple[float, Numbers]:
    """Bias and weights. Both classes count the same; a sign of 1 or -1 keeps a weight from turning over."""
    x = np.array([[row[name] for name in names] for row in cases.rows])
    y = np.array(cases.labels)
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z, side = (x - mean) / spread, 2 * y - 1
    weight = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))

    def loss(at: Numbers) -> tuple[float, Numbers]:
        margin = -side * (z @ at[1:] + at[0])
        slope = -weight * side / (1 + np.exp(-margin))
        value = (weight * np.logaddexp(0, margin)).sum() + (at[1:] ** 2).sum() / (2 * strength)
        return float(value), np.concatenate([[slope.sum()], z.T @ slope + at[1:] / strength])

    bounds = [(None, None)] + [{1: (0, None), -1: (None, 0), 0: (None, None)}[signs.get(name, 0)] for name in names]
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, bounds=bounds, method="L-BFGS-B").x
    weights = found[1:] / spread
    return float(found[0] - weights @ mean), weights


def crossed(cases: Cases, names: Sequence[str], signs: Mapping[str, int], strength: float, folds: int = 10) -> Numbers:
    """What heads fitted without a case's group say about it."""
    x, y = np.array([[row[name] for name in names] for row in cases.rows]), np.array(cases.labels)
    found = np.zeros(len(y))
    for train, test in GroupKFold(folds).split(x, y, cases.groups):
        part = Cases([cases.rows[k] for k in train], [cases.labels[k] for k in train], [])
        bias, weights = fit(part, names, signs, strength)
        found[test] = x[test] @ weights + bias
    return found


def keep(name: str, origin: str, cases: Cases, names: Sequence[str], signs: Mapping[str, int], strength: float) -> None:
    """Fit on all cases and write weights/NAME.json, with the figure on groups held out."""
    scores, y = crossed(cases, names, signs, strength), np.array(cases.labels)
    right = float((((scores > 0) == y)[y == 1].mean() + ((scores > 0) == y)[y == 0].mean()) / 2)
    bias, weights = fit(cases, names, signs, strength)
    kept = {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True) if abs(weight) >= 5e-4}
    figures = f"n={len(y)}; on groups held out AUROC {roc_auc_score(y, scores):.3f}, balanced accuracy {right:.3f}"
    write(name, LogisticModel(f"{origin}; {figures}", round(bias, 4), kept))


def write(name: str, head: LogisticModel) -> None:
    """Keep a head as weights/NAME.json, and say how good it is."""
    (WEIGHTS / f"{name}.json").write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
    print(name, head.origin)
