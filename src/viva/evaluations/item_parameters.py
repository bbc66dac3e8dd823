"""The parameters of a question: how many values each has, which ones a seed draws, and samples for a check."""

from collections.abc import Mapping
from decimal import Decimal
from itertools import product
from math import prod

from msgspec import Struct

from viva.evaluations.configs import BenchmarkQuestion, NumberRange, Parameters, QuestionParameter
from viva.kit import seeded

MAX_SAMPLES = 200  # the sandbox computes so many in a few milliseconds
HALF_SAMPLES = MAX_SAMPLES // 2


class TextItem(Struct, frozen=True, kw_only=True, tag_field="kind", tag="texts"):
    """Texts that share parameters: of a probe, or of the task of a class."""

    id: str
    texts: list[str]
    parameters: Parameters


ParametrisedItem = BenchmarkQuestion | TextItem
ParameterValues = dict[str, int | float | str]


def draw_values(question: ParametrisedItem, seed: str) -> ParameterValues:
    """The values depend only on the question and the seed."""
    return {
        name: value_at(parameter, seeded.number_below(size_of(parameter), f"{seed}:{question.id}:{name}"))
        for name, parameter in question.parameters.items()
    }


def size_of(parameter: QuestionParameter) -> int:
    """How many values the parameter has; none if `max` is below `min`."""
    if not isinstance(parameter, NumberRange):
        return len(parameter)
    return max(0, int((decimal(parameter.max) - decimal(parameter.min)) / decimal(parameter.step) + 1))


def value_at(parameter: QuestionParameter, place: int) -> int | float | str:
    if not isinstance(parameter, NumberRange):
        return parameter[place]
    value = decimal(parameter.min) + place * decimal(parameter.step)  # so that three steps of 0.1 are 0.3
    is_whole = isinstance(parameter.min, int) and isinstance(parameter.step, int)
    return int(value) if is_whole else float(value)


def decimal(number: int | float) -> Decimal:
    return Decimal(repr(number))


def sample_values(question: ParametrisedItem) -> list[ParameterValues]:
    """All combinations of values, or a sample of them.

    In the first half of a sample, the numbers are as near to each other as they can be, from the lowest to the highest.
    So equal numbers meet. In the second half they are mixed, with every value of a parameter that has at most 100."""
    parameters = question.parameters
    if prod(map(size_of, parameters.values())) <= MAX_SAMPLES:
        rows = [dict(zip(parameters, row, strict=True)) for row in product(*map(all_places, parameters.values()))]
    else:
        rows = near_places(parameters) + mixed_places(parameters)
    return [{name: value_at(parameters[name], place) for name, place in row.items()} for row in rows]


def all_places(parameter: QuestionParameter) -> range:
    return range(size_of(parameter))


def near_places(parameters: Mapping[str, QuestionParameter]) -> list[dict[str, int]]:
    ranges = [each for each in parameters.values() if isinstance(each, NumberRange)] or [NumberRange(min=0, max=1)]
    low, high = min(decimal(each.min) for each in ranges), max(decimal(each.max) for each in ranges)
    return [
        {
            name: place_near(parameter, low + (high - low) * step / (HALF_SAMPLES - 1), step)
            for name, parameter in parameters.items()
        }
        for step in range(HALF_SAMPLES)
    ]


def place_near(parameter: QuestionParameter, number: Decimal, step: int) -> int:
    """The place of the value nearest to the number, or the place of the step in a list."""
    if not isinstance(parameter, NumberRange):
        return place_of(step, size_of(parameter))
    nearest = round((number - decimal(parameter.min)) / decimal(parameter.step))
    return min(max(0, nearest), size_of(parameter) - 1)


def mixed_places(parameters: Mapping[str, QuestionParameter]) -> list[dict[str, int]]:
    steps = list(map(str, range(HALF_SAMPLES)))
    mixed = {name: seeded.shuffle(steps, name) for name in parameters}
    return [
        {name: place_of(int(mixed[name][at]), size_of(parameter)) for name, parameter in parameters.items()}
        for at in range(HALF_SAMPLES)
    ]


def place_of(step: int, size: int) -> int:
    """The place of a step, so that the steps go from the first value to the last."""
    return step * (size - 1) // (HALF_SAMPLES - 1)
