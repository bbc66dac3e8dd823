"""Lists of results, sorted and filtered, in pages. The cost of a page does not grow with the number of results."""

from typing import Any, Generic, NamedTuple, TypeVar

from viva.kit.db import Connection
from viva.kit.paging import MAX_PAGE_BYTES, BadCursor, cursor_at, read_cursor, take_fitting
from viva.kit.rows import Cursor, builder, columns, many
from viva.results import store
from viva.results.model import NamedResult, ResultLine
from viva.results.sort_orders import SORT_ORDERS, known_sort

WINDOW_RESULTS = 5_000  # searched for one page if no index has the filter; the next page continues there
FIRST_LOOK_RESULTS = 500  # usually enough for a page, because most filters match often
ESCAPED_CHARACTER_BYTES = 6  # in JSON, as in \u0000
RESULT_BYTES = 2_000  # of a result in JSON without its texts; its names are bounded

PEOPLE = ("agent_id", "proctor_agent_id")
IS_PUBLIC = "NOT r.is_private"  # the indexes of lists have only these

ListItem = TypeVar("ListItem", NamedResult, ResultLine)


class ResultFilter(NamedTuple):
    """A result has one of the `agent_ids` and one of the `proctor_ids`; `q` is searched in names and feedback.

    Without `with_feedback`, a search cannot find out what hidden feedback says."""

    evaluation_id: str | None = None
    version: str | None = None
    agent_ids: tuple[str, ...] | None = None
    passed: bool | None = None
    proctor_ids: tuple[str, ...] | None = None
    q: str | None = None
    official: bool | None = None
    with_private: bool = False  # for the agent itself
    with_feedback: bool = True

    @property
    def allowed_values(self) -> dict[str, tuple[Any, ...]]:
        """For each filtered column, the values it may have."""
        single = {"evaluation_id": self.evaluation_id, "evaluation_version": self.version, "passed": self.passed}
        single |= {"official": self.official}
        several = {"agent_id": self.agent_ids, "proctor_agent_id": self.proctor_ids}
        return {name: (value,) for name, value in single.items() if value is not None} | {
            name: values for name, values in several.items() if values is not None
        }

    @property
    def matches_nobody(self) -> bool:
        """Whether a filter by name found no agent."""
        return () in (self.agent_ids, self.proctor_ids)


class FoundResults(NamedTuple):
    """The results whose texts fit on a page, the number of all that were found, and the length of their texts."""

    results: list[NamedResult]
    total: int
    characters: int


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
    if only.matches_nobody:
        return ResultList([], None, False)
    query = ResultQuery(db, only, known_sort(sort), cursor)
    found = query.read_results(limit + 1)
    results = found.results[:limit]
    # Even if every character had to be escaped, the JSON of short texts fits on the page.
    is_short = ESCAPED_CHARACTER_BYTES * found.characters + RESULT_BYTES * len(results) <= MAX_PAGE_BYTES
    return query.make_page(results if is_short else take_fitting(results), found.total)


def list_lines(db: Connection, only: ResultFilter, sort: str, limit: int, cursor: str | None) -> ResultList[ResultLine]:
    """Results without their texts."""
    if only.matches_nobody:
        return ResultList([], None, False)
    query = ResultQuery(db, only, known_sort(sort), cursor)
    lines = query.read_lines(limit + 1)
    return query.make_page(lines[:limit], len(lines))


class ResultQuery:
    """Scans results in the order of an index, and checks on each row the filters that the index does not have."""

    def __init__(self, db: Connection, only: ResultFilter, sort: str, cursor: str | None) -> None:
        self.db, self.allowed = db, only.allowed_values
        self.public = [] if only.with_private else [IS_PUBLIC]
        order = SORT_ORDERS[sort.removeprefix("-")]
        self.key, self.direction = order.key, "DESC" if sort.startswith("-") else "ASC"
        self.values = {
            f"{name}_{number}": value for name, values in self.allowed.items() for number, value in enumerate(values)
        }
        led_by = order.led_by if "evaluation_id" in self.allowed else ("agent_id",)
        leading = next((name for name in led_by if len(self.allowed.get(name, ())) == 1), None)
        narrow = None if leading in PEOPLE else self.find_narrow_column()
        self.is_narrow, leading = narrow is not None, narrow or leading
        self.looked_at = [
            *self.public,
            *(self.is_allowed(name) for name in self.allowed if name in ("evaluation_id", leading)),
        ]
        self.asked_of_each = [self.is_allowed(name) for name in self.allowed if name not in ("evaluation_id", leading)]
        if only.q:
            self.values["q"] = only.q.lower()
            self.asked_of_each.append(f"{db.place_in}({store.SEARCHED_TEXTS[only.with_feedback]}, :q) > 0")
        if cursor:
            self.begin_after(read_cursor(cursor, AfterResult))

    def is_allowed(self, name: str) -> str:
        places = [f":{name}_{number}" for number in range(len(self.allowed[name]))]
        return f"r.{name} = {places[0]}" if len(places) == 1 else f"r.{name} IN ({', '.join(places)})"

    def find_narrow_column(self) -> str | None:
        """The agent or proctor column whose filter leaves few results; its index then reads all of them."""
        named = (name for name in PEOPLE if name in self.allowed)
        return next((name for name in named if self.count_allowed(name) <= WINDOW_RESULTS), None)

    def count_allowed(self, name: str) -> int:
        """How many results the filter allows, counted up to one more than the window."""
        conditions = [
            *self.public,
            *(self.is_allowed(column) for column in self.allowed if column in ("evaluation_id", name)),
        ]
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

    def make_page(self, items: list[ListItem], found: int) -> ResultList[ListItem]:
        """A page of the first of the results that were found. Without others, the search goes on after the window."""
        if len(items) < found:
            return ResultList(items, cursor_after(items[-1].id), False)
        end = self.find_end_of_window()
        return ResultList(items, end and cursor_after(end), end is not None)

    def read_lines(self, limit: int) -> list[ResultLine]:
        lines: list[ResultLine] = []
        for window in self.windows(limit):
            statement = f"{self.within(window)} {self.matching(store.LINE_COLUMNS)}"
            lines += many(ResultLine, self.execute(statement, limit - len(lines)))
            if len(lines) == limit:
                break
        return lines

    def read_results(self, limit: int) -> FoundResults:
        """Whole results. Their texts are read only as far as they fit on a page: one result may have megabytes."""
        if self.db.reads_row_by_row and list(self.allowed) == ["evaluation_id"] and not self.asked_of_each:
            return self.read_in_order(limit)
        found = FoundResults([], 0, 0)
        for window in self.windows(limit):
            found = self.read_fitting(window, limit, found)
            if found.total == limit or len(found.results) < found.total:
                break
        return found

    def read_in_order(self, limit: int) -> FoundResults:
        """All results of an evaluation, along an index, until one does not fit. Nothing is sorted, so no more is read.

        If it stops early, `total` counts as if all wanted results were found."""
        cursor = self.execute(
            f"""
            SELECT {store.NAMED_COLUMNS}, {store.TEXT_LENGTH} FROM evaluation_results r {store.JOIN_NAMES}
            WHERE {" AND ".join(self.looked_at or ["TRUE"])} {self.order_by("r")} LIMIT :limit
            """,
            limit,
        )
        build, results, characters = builder(NamedResult, columns(cursor)[:-1]), list[NamedResult](), 0
        for row in iter(cursor.fetchone, None):
            if characters >= MAX_PAGE_BYTES:
                return FoundResults(results, limit, characters)
            results.append(build(row[:-1]))
            characters += row[-1]
        return FoundResults(results, len(results), characters)

    def read_fitting(self, window: range, limit: int, found: FoundResults) -> FoundResults:
        """Add results to those found. The database finds out which of them fit, from the lengths of their texts.

        One is added even if there is no room for it: it shows that the page ends before it."""
        keys = ", ".join(f"w.{name}" for name in self.key)
        cursor = self.execute(
            f"""
            {self.within(window)},
            found AS MATERIALIZED ({self.matching(f"{keys}, {store.TEXT_LENGTH} AS size")}),
            filled AS (SELECT w.*, sum(size) OVER ({self.order_by("w")} ROWS UNBOUNDED PRECEDING) - size AS before
                FROM found w)
            SELECT {store.NAMED_COLUMNS}, (SELECT count(*) FROM found), (SELECT sum(size) FROM found)
            FROM filled w CROSS JOIN evaluation_results r {store.JOIN_NAMES}
            WHERE r.id = w.id AND w.before < {max(1, MAX_PAGE_BYTES - found.characters)} {self.order_by("w")}
            """,
            limit - found.total,
        )
        rows, build = cursor.fetchall(), builder(NamedResult, columns(cursor)[:-2])
        total, characters = map(int, rows[0][-2:]) if rows else (0, 0)
        results = found.results + [build(row[:-2]) for row in rows]
        return FoundResults(results, found.total + total, found.characters + characters)

    def windows(self, limit: int) -> tuple[range, ...]:
        """Which results are searched: as many as are wanted if the index has every filter, else first a few."""
        if self.is_narrow or not self.asked_of_each:
            return (range(limit),)
        first = min(FIRST_LOOK_RESULTS, WINDOW_RESULTS)
        return range(first), range(first, WINDOW_RESULTS)

    def within(self, window: range) -> str:
        """The part of a statement that names the results to search."""
        ordered = "" if self.is_narrow else f"{self.order_by('r')} LIMIT {len(window)} OFFSET {window.start}"
        return f"""
            WITH looked_at AS MATERIALIZED (
                SELECT {", ".join(f"r.{name}" for name in self.key)} FROM evaluation_results r
                WHERE {" AND ".join(self.looked_at or ["TRUE"])} {ordered}
            )
        """

    def matching(self, selected: str) -> str:
        """The part that selects from the results to search those that match every filter."""
        return f"""
            SELECT {selected} FROM looked_at w CROSS JOIN evaluation_results r {store.JOIN_NAMES}
            WHERE {" AND ".join(("r.id = w.id", *self.asked_of_each))} {self.order_by("w")} LIMIT :limit
        """

    def execute(self, statement: str, limit: int) -> Cursor:
        return self.db.execute(statement, {**self.values, "limit": limit})

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
