"""The page of one run."""

from dataclasses import dataclass

import msgspec
from litestar import Request, Response, get

from viva.analyses import store as analyses
from viva.analyses.model import ANALYSIS_PARTS, AnalysisRun, Subject
from viva.context import hub_of
from viva.engine.analysis import Analysis
from viva.kit.db import Connection
from viva.reports.words import outcome
from viva.traces import marks, store
from viva.traces.examples import EXAMPLE_TOKEN
from viva.traces.model import StoredTrace
from viva.traces.reading import decode_trace
from viva.traces.store import TraceFilter
from viva.web import pages
from viva.web.queries import count, word
from viva.web.run_view import RunView, view_run
from viva.web.trace_access import TRACES_PATH, TraceVisit, visit
from viva.web.trace_findings import RunFinding
from viva.web.wording import address

ANALYSES_SHOWN = 20
OTHERS_SHOWN = 20  # traces to compare with
TOLD = {
    "uploaded": "The trace is stored. What was read of it stands at the end of the page.",
    "tagged": "The tags are saved.",
    "unshared": "The share link no longer works.",
}
OLDER_FORM = (
    "This analysis was stored by another version in a form that this version cannot show. Analyse the trace again."
)


@dataclass(frozen=True)
class TracePage:
    """`run` is None until an analysis is done."""

    visit: TraceVisit
    analyses: list[AnalysisRun]
    chosen: AnalysisRun | None
    analysis_id: str  # chosen in the address; empty for the newest
    run: RunView | None
    marks: dict[tuple[object, ...], bool]
    others: list[StoredTrace]  # to compare with
    has_judge: bool
    base_url: str
    told: str = ""
    fault: str = ""
    analysis_parts = ANALYSIS_PARTS

    @property
    def trace(self) -> StoredTrace:
        return self.visit.trace

    @property
    def is_owner(self) -> bool:
        return self.visit.is_owner

    @property
    def path(self) -> str:
        return self.visit.path

    @property
    def here(self) -> str:
        return address(self.path, **self.visit.query, analysis=self.analysis_id)

    @property
    def is_waiting(self) -> bool:
        return self.chosen is not None and not self.chosen.has_ended

    @property
    def outcome(self) -> str:
        sentence = outcome(self.run.analysis) if self.run else ""
        return f"{sentence[:1].upper()}{sentence[1:]}."

    @property
    def dataset_path(self) -> str:
        """The page of the dataset. A share link shows one trace and not the others of its dataset, so it has none."""
        is_shown = self.trace.dataset and (self.is_owner or self.visit.share == EXAMPLE_TOKEN)
        return address(f"{TRACES_PATH}/datasets/{self.trace.dataset}", **self.visit.query) if is_shown else ""

    @property
    def events_path(self) -> str:
        return address(f"{self.path}/events", **self.visit.query, analysis=self.chosen.id if self.chosen else "")

    @property
    def raw_trace(self) -> str:
        return address(f"{self.path}/trace.json", **self.visit.query)

    @property
    def raw_analysis(self) -> str:
        return address(f"{self.path}/analysis.json", **self.visit.query, analysis=self.chosen.id if self.chosen else "")

    @property
    def share_url(self) -> str:
        """The share link, which only the page right after its making can show."""
        is_new = self.is_owner and self.visit.share
        return f"{self.base_url}{address(self.path, share=self.visit.share)}" if is_new else ""

    def comparison(self, other: AnalysisRun) -> str:
        """The page that compares the shown analysis with another one, the earlier of them first."""
        runs = sorted(filter(None, (self.chosen, other)), key=lambda run: run.requested_at)
        return address(f"{TRACES_PATH}/compare", a=runs[0].id, b=runs[-1].id)

    @property
    def can_mark(self) -> bool:
        """Whether the visitor is asked about findings: the owner is, about those of the latest analysis, and of the latest whole one."""
        latest = next((run.id for run in self.analyses if run.status == "done"), None)
        return self.is_owner and self.chosen is not None and self.chosen.id in (latest, self.trace.analysis_id)

    def mark_of(self, finding: RunFinding) -> bool | None:
        return self.marks.get((finding.kind, *finding.about))


@get("/traces/{trace_id:str}")
async def show_trace(request: Request, trace_id: str) -> Response[str]:
    has_judge, base_url = bool(hub_of(request).judges), hub_of(request).base_url

    def read(db: Connection) -> TracePage:
        return trace_page(db, request, visit(db, request, trace_id), has_judge, base_url)

    return await pages.show(request, "traces/show.html", read, is_slow=True)


def trace_page(
    db: Connection, request: Request, visited: TraceVisit, has_judge: bool = False, base_url: str = ""
) -> TracePage:
    subject, analysis_id = Subject("trace", visited.trace.id), word(request, "analysis")
    runs = analyses.list_runs(db, subject, ANALYSES_SHOWN, None).items
    chosen = choose_run(db, runs, subject, analysis_id)
    query = visited.query | ({"analysis": analysis_id} if analysis_id else {})
    analysis = read_analysis(db, chosen)
    run = None
    if analysis:
        content = store.find_content(db, visited.trace.id) or b""
        shows_all = word(request, "found") == "all"
        run = view_run(decode_trace(content), analysis, visited.path, query, count(request, "turn"), shows_all)
    return TracePage(
        visit=visited,
        analyses=runs,
        chosen=chosen,
        analysis_id=analysis_id,
        run=run,
        marks={tuple(marks.place_of(mark).values): mark.is_right for mark in marks.list_of_trace(db, visited.trace.id)},
        others=list_others(db, visited) if visited.is_owner else [],
        has_judge=has_judge,
        base_url=base_url,
        told=next((text for name, text in TOLD.items() if word(request, name)), ""),
        fault=OLDER_FORM if chosen and chosen.status == "done" and run is None else "",
    )


def list_others(db: Connection, visited: TraceVisit) -> list[StoredTrace]:
    """Analysed traces that the owner can compare with this one: of its dataset, if it has one."""
    trace = visited.trace
    chosen = TraceFilter(trace.owner_id, dataset=trace.dataset)
    found = store.list_traces(db, chosen, "-received_at", OTHERS_SHOWN + 1, None).items
    return [other for other in found if other.id != trace.id and other.analysis_id][:OTHERS_SHOWN]


def choose_run(db: Connection, runs: list[AnalysisRun], subject: Subject, analysis_id: str) -> AnalysisRun | None:
    """The analysis of the address; else the newest that is done; else the newest."""
    if analysis_id:
        chosen = analyses.get(db, analysis_id)
        if (chosen.subject_kind, chosen.subject_id) != subject:
            raise analyses.NoSuchAnalysis()
        return chosen
    done = [run for run in runs if run.status == "done"]
    return next(iter(done or runs), None)


def read_analysis(db: Connection, chosen: AnalysisRun | None) -> Analysis | None:
    """None if the analysis is not done, or if another version stored it in another form."""
    content = analyses.find_json(db, chosen.id) if chosen else None
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Analysis)
    except msgspec.ValidationError:
        return None
