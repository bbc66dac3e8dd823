"""The criteria of two results side by side, and their differences in words."""

from typing import NamedTuple

from viva.web.criteria import ShownCriteria, ShownCriterion
from viva.web.wording import figure

SAME_LABEL = "Same"


class Pair(NamedTuple):
    """One criterion in two results."""

    text: str
    a: ShownCriterion | None
    b: ShownCriterion | None

    @property
    def difference(self) -> str:
        if self.a is None or self.b is None:
            return f"Only in {'A' if self.a else 'B'}"
        if self.a.mark is not None and self.b.mark is not None and self.a.most == self.b.most:
            return describe_mark_difference(self.a.mark - self.b.mark)
        return describe_verdict_difference(self.a.met, self.b.met)

    @property
    def differ(self) -> bool:
        return self.difference != SAME_LABEL


def describe_mark_difference(difference: float) -> str:
    if figure(difference) in ("0", "-0"):
        return SAME_LABEL
    return f"{'A' if difference > 0 else 'B'} has {figure(abs(difference))} more"


def describe_verdict_difference(a: bool | None, b: bool | None) -> str:
    if a == b:
        return SAME_LABEL
    if None in (a, b):
        return f"Judged only in {'B' if a is None else 'A'}"
    return f"Met only in {'A' if a else 'B'}"


def pair_criteria(a: ShownCriteria, b: ShownCriteria) -> list[Pair]:
    """Match criteria by id, or by text if they have no id. The order is that of the first result."""
    of_a, of_b = by_key(a), by_key(b)
    keys = dict.fromkeys([*of_a, *of_b])
    return [Pair((of_a.get(key) or of_b[key]).text, of_a.get(key), of_b.get(key)) for key in keys]


def by_key(criteria: ShownCriteria) -> dict[str, ShownCriterion]:
    found: dict[str, ShownCriterion] = {}
    for criterion in criteria.all:
        found.setdefault(criterion.id or criterion.text, criterion)
    return found
