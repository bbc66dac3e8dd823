"""The criteria of two results side by side, and in words how they differ."""

from typing import NamedTuple

from viva.web.criteria import ShownCriteria, ShownCriterion
from viva.web.wording import figure

SAME_LABEL = "Same"


class Pair(NamedTuple):
    """One criterion with what each of two results has for it."""

    text: str
    a: ShownCriterion | None
    b: ShownCriterion | None

    @property
    def difference(self) -> str:
        if self.a is None or self.b is None:
            return f"Only in {'A' if self.a else 'B'}"
        if self.a.mark is not None and self.b.mark is not None and self.a.most == self.b.most:
            return by_marks(self.a.mark - self.b.mark)
        return by_verdict(self.a.met, self.b.met)

    @property
    def differ(self) -> bool:
        return self.difference != SAME_LABEL


def by_marks(apart: float) -> str:
    return (
        f"{'A' if apart > 0 else 'B'} has {figure(abs(apart))} more" if figure(apart) not in ("0", "-0") else SAME_LABEL
    )


def by_verdict(a: bool | None, b: bool | None) -> str:
    if a == b:
        return SAME_LABEL
    if None in (a, b):
        return f"Judged only in {'B' if a is None else 'A'}"
    return f"Met only in {'A' if a else 'B'}"


def pair_criteria(a: ShownCriteria, b: ShownCriteria) -> list[Pair]:
    """Each criterion of either, known by its id or else by its text, in the order of the first."""
    of_a, of_b = by_key(a), by_key(b)
    keys = dict.fromkeys([*of_a, *of_b])
    return [Pair((of_a.get(key) or of_b[key]).text, of_a.get(key), of_b.get(key)) for key in keys]


def by_key(criteria: ShownCriteria) -> dict[str, ShownCriterion]:
    found: dict[str, ShownCriterion] = {}
    for criterion in criteria.all:
        found.setdefault(criterion.id or criterion.text, criterion)
    return found
