"""The parts of tables on a terminal: coloured scores, rows, sections."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from viva.reports.words import score, tone

COLOURS = {"good": "green", "fair": "yellow", "bad": "bold red", "none": "dim"}
MAX_ROWS_SHOWN = 12  # of one table; the rest is only counted


def score_cell(value: float | None, name: str = "") -> Text:
    """A score in its colour. The number alone is enough to read it."""
    return Text(score(value), COLOURS[tone(value, name)])


def plain_table() -> Table:
    """A table without borders or headings."""
    return Table(box=None, pad_edge=False, show_header=False)


def section(title: str, body: RenderableType | None) -> RenderableType:
    if body is None:
        return Text.assemble((f"\n{title}: ", "bold"), "none")
    return Group(Text(f"\n{title}", "bold"), Padding(body, (0, 0, 0, 2)))


def add_rest(table: Table, rest: int, what: str) -> RenderableType:
    return Group(table, Text(f"and {rest} more {what}", "dim")) if rest > 0 else table
