"""Learned heads: a table of named weights from a file, and the probability it gives to named features."""

import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec


class LogisticModel(msgspec.Struct, frozen=True):
    """A logistic model. `origin` says from which data, by which script, and how good it was on data held out."""

    origin: str
    bias: float
    weights: dict[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        """The calibrated probability for these features; a feature without a weight does not count."""
        balance = 0.0
        for name, weight in self.weights.items():
            balance += weight * features[name]
        return squash(self.bias + balance)


@cache
def head(name: str) -> LogisticModel:
    """The head kept in weights/NAME.json."""
    return msgspec.json.decode(files("viva.engine.weights").joinpath(f"{name}.json").read_bytes(), type=LogisticModel)


def squash(x: float) -> float:
    """The logistic function."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
