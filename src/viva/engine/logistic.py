"""Logistic models: named weights from a file, and the probability for named features."""

import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec


class LogisticModel(msgspec.Struct, frozen=True):
    """A logistic model. `origin` names its data, its training script, and its quality on held-out data."""

    origin: str
    bias: float
    weights: dict[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        """The calibrated probability for these features. Features without a weight are ignored."""
        balance = 0.0
        for name, weight in self.weights.items():
            balance += weight * features[name]
        return squash(self.bias + balance)


@cache
def head(name: str) -> LogisticModel:
    """The logistic model in weights/NAME.json."""
    return msgspec.json.decode(files("viva.engine.weights").joinpath(f"{name}.json").read_bytes(), type=LogisticModel)


def squash(x: float) -> float:
    """The logistic function."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
