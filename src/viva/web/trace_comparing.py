"""Two analyses side by side: of one trace, or of two."""

from dataclasses import dataclass

import msgspec
from litestar import Request, Response, get

from viva.analyses import comparing
from viva.analyses import store as analyses
from viva.analyses.comparing import AnalysisComparison, ComparedFinding
from viva.analyses.model import AnalysisRun
from viva.analyses.store import NotAnalysed
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.traces.model import StoredTrace
from viva.web import pages
from viva.web.queries import word
from viva.web.trace_access import TraceVisit, trace_path, visit
from viva.web.trace_findings import label_of
from viva.web.wording import address

ANALYSIS_PREFIX = "analysis"
MAX_COMPARED_SHOWN = 50  # findings of one side
MAX_COMPARED_AGENTS = 60


class TwoTracesNeeded(Invalid):
    """Name two traces or two analyses, as a and b."""


@dataclass(frozen=True)
class ComparedSide:
    letter: str
    visit: TraceVisit
    run: AnalysisRun

    @property
    def trace(self) -> StoredTrace:
        return self.visit.trace

    @property
    def path(self) -> str:
        return address(trace_path(self.trace.id), **self.visit.query, analysis=self.run.id)

    def turn(self, turn_index: int) -> str:
        query = self.visit.query | {"analysis": self.run.id, "turn": str(turn_index + 1)}
        return f"{address(trace_path(self.trace.id), **query)}#turn-{turn_index + 1}"


@dataclass(frozen=True)
class FoundOnOneSide:
    """What only one of the two analyses found."""

    side: ComparedSide
    findings: list[ComparedFinding]
    more: int

    def label(self, finding: ComparedFinding) -> str:
        return label_of(finding.kind)


@dataclass(frozen=True)
class CompareTracesPage:
    a: ComparedSide
    b: ComparedSide
    comparison: AnalysisComparison

    @property
    def is_one_trace(self) -> bool:
        return self.a.trace.id == self.b.trace.id

    @property
    def sides(self) -> tuple[ComparedSide, ComparedSide]:
        return self.a, self.b

    @property
    def agents(self) -> list[str]:
        return list(self.comparison.agents)[:MAX_COMPARED_AGENTS]

    @property
    def only(self) -> list[FoundOnOneSide]:
        pairs = ((self.a, self.comparison.gone), (self.b, self.comparison.new))
        return [
            FoundOnOneSide(side, found[:MAX_COMPARED_SHOWN], max(0, len(found) - MAX_COMPARED_SHOWN))
            for side, found in pairs
        ]


@get("/traces/compare")
async def compare_traces(request: Request) -> Response[str]:
    def read(db: Connection) -> CompareTracesPage:
        a, b = (open_side(db, request, letter) for letter in "ab")
        first, second = (msgspec.json.decode(analyses.read_json(db, side.run.id)) for side in (a, b))
        return CompareTracesPage(a, b, comparing.compare(a.run.id, first, b.run.id, second))

    return await pages.show(request, "traces/compare.html", read, is_slow=True)


def open_side(db: Connection, request: Request, letter: str) -> ComparedSide:
    """An analysis by its id, or the latest one of a trace by the id of the trace."""
    named = word(request, letter)
    if not named:
        raise TwoTracesNeeded()
    run = analyses.get(db, named) if named.startswith(ANALYSIS_PREFIX) else None
    visited = visit(db, request, run.subject_id if run else named)
    if run is None and visited.trace.analysis_id is None:
        raise NotAnalysed()
    return ComparedSide(letter.upper(), visited, run or analyses.get(db, visited.trace.analysis_id or ""))
