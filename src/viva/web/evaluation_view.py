"""Which results of an evaluation its page shows, and the addresses of the same page with something changed."""

from typing import NamedTuple, Self

from litestar import Request

from viva.results.sort_orders import known_sort
from viva.web import queries
from viva.web.queries import word
from viva.web.wording import address, path_part

VERDICT_CHOICES = {"yes": True, "no": False}
ALL_AGENTS = "all"


class View(NamedTuple):
    """The words of the address, as they were given."""

    version: str = ""
    sort: str = ""
    passed: str = ""
    agent: str = ""
    proctor: str = ""
    q: str = ""
    cursor: str = ""
    board: str = ""
    board_cursor: str = ""
    matrix_cursor: str = ""

    @classmethod
    def of(cls, request: Request) -> Self:
        cursors = {name: queries.cursor(request, name) or "" for name in cls._fields if name.endswith("cursor")}
        words = {name: word(request, name) for name in cls._fields if name not in cursors}
        return cls(**words, **cursors)

    @property
    def chosen_version(self) -> str | None:
        return self.version or None

    @property
    def chosen_sort(self) -> str:
        return known_sort(self.sort)

    @property
    def is_whole_board(self) -> bool:
        return self.board == ALL_AGENTS

    @property
    def is_narrow(self) -> bool:
        return bool(self.passed in VERDICT_CHOICES or self.agent or self.proctor or self.q)


class Here(NamedTuple):
    """The page's own address in a view."""

    evaluation_id: str
    view: View

    @property
    def path(self) -> str:
        return f"/evaluations/{path_part(self.evaluation_id)}"

    def with_(self, **changes: object) -> str:
        return address(self.path, **(self.view._asdict() | changes))

    def results(self, **changes: object) -> str:
        """With something changed about the results, which then begin at their first page."""
        return self.with_(**({"cursor": ""} | changes)) + "#results"

    def board(self, **changes: object) -> str:
        return self.with_(**({"board_cursor": ""} | changes)) + "#leaderboard"

    def matrix(self, cursor: str) -> str:
        return self.with_(matrix_cursor=cursor) + "#matrix"

    def result(self, result_id: str) -> str:
        """Where a result is shown among the others of the chosen version."""
        return address(f"/evaluations/result/{path_part(result_id)}", version=self.view.version)

    def without_filters(self) -> str:
        return self.results(passed="", agent="", proctor="", q="")

    def sorted_by(self, column: str) -> str:
        """Sorted by the column, the highest or latest first, or turned round where it is so already."""
        return self.results(sort=column if self.view.chosen_sort == f"-{column}" else f"-{column}")

    def order_of(self, column: str) -> str:
        """How a screen reader names the column's order."""
        return {f"-{column}": "descending", column: "ascending"}.get(self.view.chosen_sort, "none")

    def kept_without(self, *names: str) -> dict[str, str]:
        """What a form that sets these words sends along unseen."""
        return {name: value for name, value in self.view._asdict().items() if value and name not in names}
