"""Logistic models: a table of features in the code, their weights in a file, and the probability they give."""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

BASE_RATE = 0.12  # share of bad answers in real use: 10 to 15 % of them
MAX_LOG_ODDS = 20.0
HELD_MARGIN = 0.02  # below a bound, for probabilities that would pass it
NO_ALARM = 0.8  # at even odds: not reached by what is no reason to call an answer bad


class Feature(NamedTuple):
    """One named number that a model weighs. Detector, report and training use the same table of them.

    `meaning` is the reason that a reader is given if the feature speaks for the finding. A `sign` of 1 says that the
    feature can only raise the probability, -1 that it can only lower it, 0 that the data decide.
    """

    name: str
    meaning: str
    sign: int = 0


FeatureTable = tuple[Feature, ...]


class LogisticModel(msgspec.Struct, frozen=True):
    """Weights of a table of features, fitted to even odds.

    `origin` names the data and the training script. `left_out` has the AUROC on each source that a fit did not see.
    """

    origin: str
    bias: float
    weights: dict[str, float]
    left_out: dict[str, float] = {}

    def log_odds(self, features: Mapping[str, float]) -> float:
        """The log odds for these features. Features without a weight are ignored."""
        return self.bias + sum(weight * features[name] for name, weight in self.weights.items())

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability for these features, where both answers are as frequent."""
        return squash(self.log_odds(features))

    def reasons(self, features: Mapping[str, float], table: FeatureTable) -> list[Feature]:
        """The features that raise the probability, the strongest first."""
        pulls = {name: weight * features[name] for name, weight in self.weights.items()}
        raising = [feature for feature in table if pulls.get(feature.name, 0.0) > 0]
        return sorted(raising, key=lambda feature: -pulls[feature.name])


@cache
def load_model(name: str) -> LogisticModel:
    """The logistic model in weights/NAME.json."""
    return msgspec.json.decode(files("viva.engine.weights").joinpath(f"{name}.json").read_bytes(), type=LogisticModel)


def squash(x: float) -> float:
    """The logistic function."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def log_odds(probability: float) -> float:
    """The inverse of `squash`, kept within MAX_LOG_ODDS."""
    if not 0 < probability < 1:
        return math.copysign(MAX_LOG_ODDS, probability - 0.5)
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, math.log(probability / (1 - probability))))


def at_base_rate(probability: float, base_rate: float) -> float:
    """A probability at even odds, moved to where faults are as frequent as `base_rate`."""
    return squash(log_odds(probability) + log_odds(base_rate))


def hold_below(probability: float, bound: float, margin: float = HELD_MARGIN) -> float:
    """A probability that does not reach a bound. What would come into the margin below it is pressed into it, in the same order."""
    floor = bound - margin
    return probability if probability < floor else floor + 0.99 * margin * (probability - floor) / (1 - floor)


def combine_independent(probabilities: Iterable[float]) -> float:
    """The probability that at least one of several independent faults is there."""
    return 1 - math.prod(1 - probability for probability in probabilities)
