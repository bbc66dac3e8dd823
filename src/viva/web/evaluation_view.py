"""The query parameters of an evaluation's page, and addresses of the page with changed parameters."""

from typing import NamedTuple, Self

from litestar import Request

from viva.results.leaderboard import Holder
from viva.results.official import Scope
from viva.results.sort_orders import known_sort
from viva.web import queries
from viva.web.queries import word
from viva.web.wording import address, path_part

VERDICT_CHOICES = {"yes": True, "no": False}
ALL_AGENTS = "all"
ALL_VERSIONS_TOGETHER = "all"  # the choice that takes the results of all versions together
ALL_RESULTS = "any"


class View(NamedTuple):
    """The query parameters as they were given."""

    version: str = ""
    sort: str = ""
    passed: str = ""
    agent: str = ""
    proctor: str = ""
    q: str = ""
    cursor: str = ""
    board: str = ""
    board_cursor: str = ""
    each: str = ""
    matrix_cursor: str = ""
    official: str = ""

    @classmethod
    def from_request(cls, request: Request) -> Self:
        cursors = {name: queries.cursor(request, name) or "" for name in cls._fields if name.endswith("cursor")}
        texts = {name: word(request, name) for name in cls._fields if name not in cursors}
        return cls(**texts, **cursors)

    def version_shown(self, current: str) -> str | None:
        """The version that the page is about: the current one without a choice, or None for all versions together."""
        return None if self.version == ALL_VERSIONS_TOGETHER else self.version or current

    @property
    def chosen_sort(self) -> str:
        return known_sort(self.sort)

    @property
    def scope(self) -> Scope:
        """Which results the page counts: the official ones, or with `official=any` all."""
        return "any" if self.official == ALL_RESULTS else "official"

    @property
    def holder(self) -> Holder:
        """Whose best results the leaderboard shows: of each agent, or with `each=version` of each version of an agent."""
        return "version" if self.each == "version" else "agent"

    @property
    def is_whole_board(self) -> bool:
        return self.board == ALL_AGENTS

    @property
    def is_plain(self) -> bool:
        """Whether the results table is at its beginning and has no filter."""
        return not self.is_narrow and not self.cursor

    @property
    def is_narrow(self) -> bool:
        return bool(self.passed in VERDICT_CHOICES or self.agent or self.proctor or self.q)


class Here(NamedTuple):
    """Makes addresses of the page that keep its view."""

    evaluation_id: str
    view: View
    version: str | None  # that is shown; None for all together

    @property
    def path(self) -> str:
        return f"/evaluations/{path_part(self.evaluation_id)}"

    def with_changes(self, **changes: object) -> str:
        return address(self.path, **(self.view._asdict() | changes))

    def results(self, **changes: object) -> str:
        """Change what the results table shows, and begin at its first page."""
        return self.with_changes(**({"cursor": ""} | changes)) + "#results"

    def board(self, **changes: object) -> str:
        return self.with_changes(**({"board_cursor": ""} | changes)) + "#leaderboard"

    def counting(self, official: str) -> str:
        """Count official results, or all, from the first page of everything."""
        return self.with_changes(official=official, cursor="", board_cursor="", matrix_cursor="")

    def matrix(self, cursor: str) -> str:
        return self.with_changes(matrix_cursor=cursor) + "#matrix"

    def result(self, result_id: str) -> str:
        """Return the address of a result among the results of the version that is shown."""
        return address(f"/evaluations/result/{path_part(result_id)}", version=self.version)

    def whole(self, version: str, at: str) -> str:
        """Return the address of the whole page about another version, at one of its parts."""
        return self.with_changes(version=version, cursor="", board_cursor="", matrix_cursor="") + f"#{at}"

    def without_filters(self) -> str:
        return self.results(passed="", agent="", proctor="", q="")

    def sorted_by(self, column: str) -> str:
        """Sort by the column in descending order, or ascending if it is descending already."""
        return self.results(sort=column if self.view.chosen_sort == f"-{column}" else f"-{column}")

    def order_of(self, column: str) -> str:
        """Return the `aria-sort` value of the column."""
        return {f"-{column}": "descending", column: "ascending"}.get(self.view.chosen_sort, "none")

    def hidden_fields_without(self, *names: str) -> dict[str, str]:
        """The parameters that a form sends as hidden fields, without those that it sets."""
        return {name: value for name, value in self.view._asdict().items() if value and name not in names}
