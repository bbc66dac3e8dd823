"""Writers of reports: each takes analyses one by one and writes them in its format."""

from collections.abc import Callable
from typing import IO, Protocol

import msgspec

from viva.engine.analysis import Analysis
from viva.reports import junit
from viva.reports.tally import AnalysisTally

REPORT_ENDINGS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".html": "html",
    ".htm": "html",
    ".xml": "junit",
}


class Style(msgspec.Struct, frozen=True):
    """Options of a report."""

    explain: bool = False
    fail_under: float | None = None
    width: int | None = None  # of the terminal; None without one
    colour: bool = False
    min_confidence: float = 0.0  # of the findings that are listed


class ReportWriter(Protocol):
    """Takes analyses one by one. Its output is complete after `close`."""

    def add(self, raw: bytes, analysis: Analysis) -> None: ...

    def close(self) -> None: ...


class JsonLinesWriter:
    """One line for each analysis, in the order of the traces."""

    def __init__(self, out: IO[str], style: Style) -> None:
        self.out = out

    def add(self, raw: bytes, analysis: Analysis) -> None:
        self.out.write(raw.decode() + "\n")

    def close(self) -> None:
        """Nothing is left to write."""


class JsonWriter:
    """One object for one trace, a list for many."""

    def __init__(self, out: IO[str], style: Style) -> None:
        self.out = out
        self.first: bytes | None = None
        self.many = False

    def add(self, raw: bytes, analysis: Analysis) -> None:
        if self.first is None:
            self.first = raw
            return
        if not self.many:
            self.out.write("[" + self.first.decode())
            self.many = True
        self.out.write(",\n" + raw.decode())

    def close(self) -> None:
        if self.many:
            self.out.write("]\n")
        elif self.first is not None:
            self.out.write(msgspec.json.format(self.first, indent=2).decode() + "\n")
        else:
            self.out.write("[]\n")


class JUnitWriter:
    """A test case for each trace."""

    def __init__(self, out: IO[str], style: Style) -> None:
        self.out = out
        self.style = style
        self.out.write(junit.JUNIT_OPENING)

    def add(self, raw: bytes, analysis: Analysis) -> None:
        self.out.write(junit.render_case(analysis, self.style.fail_under, self.style.min_confidence))

    def close(self) -> None:
        self.out.write(junit.JUNIT_CLOSING)


class TerminalWriter:
    """A table for people: one trace in full, or a summary of many."""

    def __init__(self, out: IO[str], style: Style) -> None:
        self.out = out
        self.style = style
        self.tally = AnalysisTally()

    def add(self, raw: bytes, analysis: Analysis) -> None:
        self.tally.add(analysis)

    def close(self) -> None:
        from rich.console import Console

        from viva.reports import table

        console = Console(
            file=self.out,
            width=self.style.width or 120,
            force_terminal=self.style.colour,
            no_color=not self.style.colour,
            markup=False,  # text of a trace must not control the console
            emoji=False,
            highlight=False,
        )
        for part in table.render_report(self.tally, self.style.explain, self.style.min_confidence):
            console.print(part)


class HtmlWriter:
    """One HTML page without other files."""

    def __init__(self, out: IO[str], style: Style) -> None:
        self.out = out
        self.min_confidence = style.min_confidence
        self.tally = AnalysisTally()

    def add(self, raw: bytes, analysis: Analysis) -> None:
        self.tally.add(analysis)

    def close(self) -> None:
        from viva.reports import page

        self.out.write(page.render(self.tally, self.min_confidence))


WRITERS: dict[str, Callable[[IO[str], Style], ReportWriter]] = {
    "table": TerminalWriter,
    "json": JsonWriter,
    "jsonl": JsonLinesWriter,
    "html": HtmlWriter,
    "junit": JUnitWriter,
}
