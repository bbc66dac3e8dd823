"""In which order results can be listed, and what follows a result there, as indexes have them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

BY_CHARACTER = "{by_character}"  # stands where a statement says how texts are compared, which the connection knows


class Stretch(NamedTuple):
    """Results that an index has in the order of the key.

    `led_by` are the filters with which such an index begins, the narrowest first; of the others each result is asked."""

    key: tuple[str, ...]
    led_by: tuple[str, ...] = ("agent_id",)
    source: str = "evaluation_results r"
    condition: str = "TRUE"
    outer: int = 0  # columns of the key that are of another table, which is gone through first

    def after(self, key: Sequence[Any], beyond: str) -> list["Begun"]:
        """What follows a key: those that share its first values, then those that share fewer of them, down to none.

        Each is said by itself, since SQLite does not find a row of values in an index that begins with an expression,
        nor in two tables."""
        said = max(1, self.outer)
        values = {f"tied_{number}": value for number, value in enumerate(key[:said])}
        parts = [Begun(self.tied(said), values, key[said:])]
        for number in reversed(range(said)):
            part, column = self.tied(number), self.key[number]
            # Written as an expression, an agent's id leads SQLite to no results but that agent's.
            apart = f"{column} || ''" if number else column
            condition = f"{part.condition} AND {apart} {beyond} :tied_{number}"
            parts.append(Begun(part._replace(condition=condition), values, beyond=column))
        return parts

    def turned(self) -> "Stretch":
        """The same with the tables the other way round."""
        return self._replace(source=" CROSS JOIN ".join(reversed(self.source.split(" CROSS JOIN "))))

    def tied(self, many: int) -> "Stretch":
        """Those that share so many of the first values of a key."""
        conditions = [self.condition, *(f"{column} = :tied_{number}" for number, column in enumerate(self.key[:many]))]
        return self._replace(key=self.key[many:], condition=" AND ".join(conditions))


class Begun(NamedTuple):
    """A stretch, or a part of what follows a key in it: values of the key, those of its columns that are left to compare,
    and the column in which the part goes beyond the key."""

    stretch: Stretch
    tied: Mapping[str, Any] = MappingProxyType({})
    after: Sequence[Any] = ()
    beyond: str = ""


def by(column: str, *led_by: str) -> Stretch:
    return Stretch((column, "r.completed_at", "r.id"), ("agent_id", *led_by))


def by_name(column: str) -> Stretch:
    """In the order of names; a CROSS JOIN is one that SQLite does in the order in which it is written."""
    return Stretch(
        (f"coalesce(n.name_key, '') {BY_CHARACTER}", "n.id", "r.completed_at", "r.id"),
        source="agents n CROSS JOIN evaluation_results r",
        condition=f"r.{column} = n.id",
        outer=2,
    )


LED_BY_DATE = ("agent_id", "proctor_agent_id", "evaluation_version", "passed")
SORTS: dict[str, tuple[Stretch, ...]] = {
    "agent": (by_name("agent_id"),),
    "completed_at": (Stretch(("r.completed_at", "r.id"), LED_BY_DATE),),
    "passed": (by("r.passed", "passed"),),
    "score": (by("coalesce(r.score, -1)", "evaluation_version"),),
    "points_earned": (by("r.points_earned"),),
    "evaluation_version": (by("r.evaluation_version", "evaluation_version"),),
    # Results without a proctor come last, in either direction.
    "proctor": (
        by_name("proctor_agent_id"),
        Stretch(("r.completed_at", "r.id"), condition="r.proctor_agent_id IS NULL"),
    ),
}
