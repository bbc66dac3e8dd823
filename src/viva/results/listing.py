"""Lists of results: sorted by any column, filtered, a page at a time, however many results there are."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from viva.kit.db import Connection
from viva.kit.paging import BadCursor, cursor_at, read_cursor
from viva.kit.rows import Cursor, many
from viva.results.model import NamedResult
from viva.results.store import NAMED_COLUMNS, NAMES, tally
from viva.results.stretches import BY_CHARACTER, SORTS, Begun

PLACE_IN = "{place_in}"  # stands where a statement looks for a text in another, which the connection knows how to

# Results looked through for a page where no index has the filter; who finds too few goes on from there.
WINDOW = 5_000
FEW = 1_000  # results of an evaluation that are sorted whenever they are listed by name


class Filter(NamedTuple):
    """`q` is looked for in the names and in the feedback."""

    evaluation_id: str | None = None
    version: str | None = None
    agent_id: str | None = None
    passed: bool | None = None
    proctor_agent_id: str | None = None
    q: str | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What is asked for, by the name of its column."""
        named = self._asdict() | {"version": None, "evaluation_version": self.version}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def columns(self) -> set[str]:
        return {f"r.{name}" for name in self.given}


class Listed(NamedTuple):
    """`is_cut` where fewer than a page were found in the window; `next_cursor` then goes on looking."""

    items: list[NamedResult]
    next_cursor: str | None
    is_cut: bool


class After(NamedTuple):
    """A cursor: the last result that was shown or looked at. Its kind tells it from a cursor of another list."""

    kind: Literal["result"]
    id: str


def listed(db: Connection, only: Filter, sort: str, limit: int, cursor: str | None) -> Listed:
    """Results sorted by a column of SORTS, backwards with a minus before it."""
    stretches, found = stretches_of(db, only, sort.removeprefix("-")), list[NamedResult]()
    backwards = sort.startswith("-")
    if cursor:
        stretches = begun_after(db, stretches, read_cursor(cursor, After).id, "<" if backwards else ">")
    for begun in stretches:
        if begun.beyond in only.columns:
            continue  # all have the one value that is asked for
        part = Part(begun, only, backwards)
        found += part.read(db, limit + 1 - len(found))
        if len(found) > limit:
            return Listed(found[:limit], cursor_at(After("result", found[limit - 1].id)), False)
        end = part.end_of_window(db)
        if end:
            return Listed(found, cursor_at(After("result", end)), True)
    return Listed(found, None, False)


def stretches_of(db: Connection, only: Filter, sort: str) -> list[Begun]:
    """What has the results in this order; few are found and sorted sooner than all agents are gone through for them."""
    stretches = SORTS[sort]
    if only.evaluation_id and stretches[0].outer and tally(db, only.evaluation_id, None).attempts <= FEW:
        return [Begun(stretch.turned()) for stretch in stretches]
    return [Begun(stretch) for stretch in stretches]


def begun_after(db: Connection, stretches: list[Begun], result_id: str, beyond: str) -> list[Begun]:
    """What follows the result: of the stretch that it is in, and the stretches after that."""
    for number, (stretch, *_) in enumerate(stretches):
        source = stretch.source.replace("CROSS JOIN", "JOIN")  # from the result to whom it is of
        on = f"ON {stretch.condition} WHERE" if stretch.outer else f"WHERE {stretch.condition} AND"
        key = ask(db, f"SELECT {', '.join(stretch.key)} FROM {source} {on} r.id = :id", {"id": result_id}).fetchone()
        if key:
            return [*stretch.after(key, beyond), *stretches[number + 1 :]]
    raise BadCursor()


class Part:
    """What is asked of a stretch: the results after a key, of which some are looked through or all are wanted."""

    def __init__(self, begun: Begun, only: Filter, backwards: bool) -> None:
        stretch, tied, after, _ = begun
        self.stretch, self.order = stretch, "DESC" if backwards else "ASC"
        given = only.given
        leading = next((name for name in stretch.led_by if name in given), None)
        led = {"evaluation_id", leading}
        # An agent's own results are few: no index of the evaluation's may be used to find them.
        apart = {"evaluation_id": "r.evaluation_id || ''"} if leading == "agent_id" else {}
        self.conditions = [
            stretch.condition,
            *(f"{apart.get(name, f'r.{name}')} = :{name}" for name in given if name in led),
        ]
        self.asked_of_each = [asked(name) for name in given if name not in led]
        self.values = given | dict(tied) | ({"q": given["q"].lower()} if "q" in given else {})
        if after:
            self.begin_after(after, "<" if backwards else ">")

    def begin_after(self, key: Sequence[Any], beyond: str) -> None:
        names = [f"key_{number}" for number in range(len(key))]
        self.values |= dict(zip(names, key, strict=True))
        places = ", ".join(f":{name}" for name in names)
        self.conditions.append(f"({', '.join(self.stretch.key)}) {beyond} ({places})")

    def window(self, columns: str, limit: str) -> str:
        order = ", ".join(f"{column} {self.order}" for column in self.stretch.key)
        return f"""SELECT {columns} FROM {self.stretch.source}
            WHERE {" AND ".join(self.conditions)} ORDER BY {order} LIMIT {limit}"""

    def read(self, db: Connection, limit: int) -> list[NamedResult]:
        keys = ", ".join(f"{column} AS key_{number}" for number, column in enumerate(self.stretch.key))
        order = ", ".join(f"w.key_{number} {self.order}" for number in range(len(self.stretch.key)))
        within = self.window(f"r.id AS id, {keys}", ":window")
        conditions = " AND ".join(("r.id = w.id", *self.asked_of_each))
        rows = ask(
            db,
            f"""
            SELECT {NAMED_COLUMNS} FROM ({within}) w CROSS JOIN evaluation_results r {NAMES}
            WHERE {conditions} ORDER BY {order} LIMIT :limit
            """,
            {**self.values, "limit": limit, "window": WINDOW if self.asked_of_each else limit},
        )
        return many(NamedResult, rows)

    def end_of_window(self, db: Connection) -> str | None:
        """The last result that was looked through, where others follow that were not."""
        if not self.asked_of_each:
            return None
        row = ask(db, self.window("r.id", f"1 OFFSET {WINDOW - 1}"), self.values).fetchone()
        return None if row is None else str(row[0])


def ask(db: Connection, statement: str, values: dict[str, Any]) -> Cursor:
    return db.execute(statement.replace(BY_CHARACTER, db.by_character).replace(PLACE_IN, db.place_in), values)


SEARCHED = "lower(coalesce(a.name, '') || ' ' || coalesce(p.name, '') || ' ' || coalesce(r.proctor_feedback, ''))"


def asked(name: str) -> str:
    return f"{PLACE_IN}({SEARCHED}, :q) > 0" if name == "q" else f"r.{name} = :{name}"
