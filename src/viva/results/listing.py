"""Lists of results, sorted and filtered, in pages. The cost of a page does not grow with the number of results."""

from typing import Any, Generic, NamedTuple, TypeVar

from viva.kit.db import Connection
from viva.kit.paging import BadCursor, cursor_at, read_cursor, take_fitting
from viva.kit.rows import many
from viva.results import store
from viva.results.model import NamedResult, ResultLine
from viva.results.sort_orders import SORT_ORDERS, known_sort

WINDOW_RESULTS = 5_000  # searched for one page if no index has the filter; the next page continues there
FIRST_LOOK_RESULTS = 500  # usually enough for a page, because most filters match often

ListItem = TypeVar("ListItem")


class ResultFilter(NamedTuple):
    """A result has one of the `agent_ids` and one of the `proctor_ids`; `q` is searched in names and feedback."""

    evaluation_id: str | None = None
    version: str | None = None
    agent_ids: tuple[str, ...] | None = None
    passed: bool | None = None
    proctor_ids: tuple[str, ...] | None = None
    q: str | None = None

    @property
    def allowed_values(self) -> dict[str, tuple[Any, ...]]:
        """For each filtered column, the values it may have."""
        single = {"evaluation_id": self.evaluation_id, "evaluation_version": self.version, "passed": self.passed}
        several = {"agent_id": self.agent_ids, "proctor_agent_id": self.proctor_ids}
        return {name: (value,) for name, value in single.items() if value is not None} | {
            name: values for name, values in several.items() if values is not None
        }


class ResultList(NamedTuple, Generic[ListItem]):
    """`is_cut` is true if the window ended before the page was full; `next_cursor` then continues the search."""

    items: list[ListItem]
    next_cursor: str | None
    is_cut: bool


class AfterResult(NamedTuple):
    """A cursor: the id of the last result listed or searched. `kind` distinguishes it from cursors of other lists."""

    kind: str
    id: str


def cursor_after(result_id: str) -> str:
    return cursor_at(AfterResult("result", result_id))


def list_results(
    db: Connection, only: ResultFilter, sort: str, limit: int, cursor: str | None
) -> ResultList[NamedResult]:
    """Whole results with their texts; a page is shorter if these are long."""
    lines, next_cursor, is_cut = list_lines(db, only, sort, limit, cursor)
    results = take_fitting(store.read_page(db, [line.id for line in lines]))
    if len(results) < len(lines):
        return ResultList(results, cursor_after(results[-1].id), False)
    return ResultList(results, next_cursor, is_cut)


def list_lines(db: Connection, only: ResultFilter, sort: str, limit: int, cursor: str | None) -> ResultList[ResultLine]:
    """Results without their texts."""
    if () in only.allowed_values.values():  # no agent matches the name
        return ResultList([], None, False)
    query = ResultQuery(db, only, known_sort(sort), cursor)
    lines = query.read_lines(limit + 1)
    if len(lines) > limit:
        return ResultList(lines[:limit], cursor_after(lines[limit - 1].id), False)
    end = query.find_end_of_window()
    return ResultList(lines, end and cursor_after(end), end is not None)


class ResultQuery:
    """Scans results in the order of an index, and checks on each row the filters that the index does not have."""

    def __init__(self, db: Connection, only: ResultFilter, sort: str, cursor: str | None) -> None:
        self.db, self.allowed = db, only.allowed_values
        order = SORT_ORDERS[sort.removeprefix("-")]
        self.key, self.direction = order.key, "DESC" if sort.startswith("-") else "ASC"
        self.values = {
            f"{name}_{number}": value for name, values in self.allowed.items() for number, value in enumerate(values)
        }
        narrow = self.find_narrow_column()
        self.is_narrow = narrow is not None
        led_by = order.led_by if "evaluation_id" in self.allowed else ("agent_id",)
        leading = narrow or next((name for name in led_by if len(self.allowed.get(name, ())) == 1), None)
        self.looked_at = [self.is_allowed(name) for name in self.allowed if name in ("evaluation_id", leading)]
        self.asked_of_each = [self.is_allowed(name) for name in self.allowed if name not in ("evaluation_id", leading)]
        if only.q:
            self.values["q"] = only.q.lower()
            self.asked_of_each.append(f"{db.place_in}({store.SEARCHED_TEXT}, :q) > 0")
        if cursor:
            self.begin_after(read_cursor(cursor, AfterResult))

    def is_allowed(self, name: str) -> str:
        places = [f":{name}_{number}" for number in range(len(self.allowed[name]))]
        return f"r.{name} = {places[0]}" if len(places) == 1 else f"r.{name} IN ({', '.join(places)})"

    def find_narrow_column(self) -> str | None:
        """The agent or proctor column whose filter leaves few results; its index then reads all of them."""
        named = (name for name in ("agent_id", "proctor_agent_id") if name in self.allowed)
        return next((name for name in named if self.count_allowed(name) <= WINDOW_RESULTS), None)

    def count_allowed(self, name: str) -> int:
        """How many results the filter allows, counted up to one more than the window."""
        conditions = [self.is_allowed(column) for column in self.allowed if column in ("evaluation_id", name)]
        counted = f"SELECT 1 FROM evaluation_results r WHERE {' AND '.join(conditions)} LIMIT {WINDOW_RESULTS + 1}"
        (count,) = self.db.execute(f"SELECT count(*) FROM ({counted}) counted", self.values).fetchone()
        return int(count)

    def begin_after(self, after: AfterResult) -> None:
        """Begin after a result. Its sort key is read from its row, so the cursor needs only the id."""
        columns = ", ".join(self.key)
        row = self.db.execute(f"SELECT {columns} FROM evaluation_results WHERE id = ?", [after.id]).fetchone()
        if after.kind != "result" or row is None:
            raise BadCursor()
        self.values |= {f"after_{name}": value for name, value in zip(self.key, row, strict=True)}
        beyond = "<" if self.direction == "DESC" else ">"
        places = ", ".join(f":after_{name}" for name in self.key)
        self.looked_at.append(f"({', '.join(f'r.{name}' for name in self.key)}) {beyond} ({places})")

    def order_by(self, table: str) -> str:
        return "ORDER BY " + ", ".join(f"{table}.{name} {self.direction}" for name in self.key)

    def read_lines(self, limit: int) -> list[ResultLine]:
        if self.is_narrow or not self.asked_of_each:
            return self.read_lines_within(limit, limit)
        lines = self.read_lines_within(min(FIRST_LOOK_RESULTS, WINDOW_RESULTS), limit)
        return lines if len(lines) == limit else self.read_lines_within(WINDOW_RESULTS, limit)

    def read_lines_within(self, window: int, limit: int) -> list[ResultLine]:
        ordered = "" if self.is_narrow else f"{self.order_by('r')} LIMIT {window}"
        rows = self.db.execute(
            f"""
            WITH looked_at AS MATERIALIZED (
                SELECT {", ".join(f"r.{name}" for name in self.key)} FROM evaluation_results r
                WHERE {" AND ".join(self.looked_at or ["TRUE"])} {ordered}
            )
            SELECT {store.LINE_COLUMNS} FROM looked_at w CROSS JOIN evaluation_results r {store.JOIN_NAMES}
            WHERE {" AND ".join(("r.id = w.id", *self.asked_of_each))} {self.order_by("w")} LIMIT :limit
            """,
            {**self.values, "limit": limit},
        )
        return many(ResultLine, rows)

    def find_end_of_window(self) -> str | None:
        """The last result of the window, if more results follow it."""
        if self.is_narrow or not self.asked_of_each:
            return None
        # One more than the window shows whether anything follows.
        rows = self.db.execute(
            f"""
            SELECT r.id FROM evaluation_results r WHERE {" AND ".join(self.looked_at or ["TRUE"])}
            {self.order_by("r")} LIMIT 2 OFFSET {WINDOW_RESULTS - 1}
            """,
            self.values,
        ).fetchall()
        return str(rows[0][0]) if len(rows) == 2 else None
