"""Routes of analyses: request one, list and show them, compare two, and analyse without storing anything."""

import asyncio
from functools import partial
from typing import Any

import msgspec
from litestar import Router
from msgspec import UNSET, Raw, Struct, UnsetType

from viva.agents.access import id_of
from viva.agents.model import Agent
from viva.analyses import comparing, running, store
from viva.analyses.comparing import AnalysisComparison
from viva.analyses.model import AnalysisChoices, AnalysisRun, FinishedAnalysis, Subject
from viva.analyses.running import AnalysisTask
from viva.analyses.store import NoSuchAnalysis, NotAnalysed
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.route_handlers import IncomingBody
from viva.api.route_spec import EncodedAnswer
from viva.api.routing import get, post, post_stream
from viva.api.traces import ShareToken
from viva.context import HubContext
from viva.engine.intake.faults import BadTrace
from viva.exams import analysis_viewing
from viva.exams.viewing import NotForYou
from viva.jobs.processes import ProcessDied
from viva.kit.bodies import read_body
from viva.kit.db import Connection
from viva.kit.errors import Unavailable
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.traces import sharing
from viva.traces.reading import open_content, read_trace
from viva.traces.sharing import NotYourTrace, OwnersOnly
from viva.traces.store import NoSuchTrace

MAX_ANALYZED_BYTES = 1024 * 1024  # the caller waits for the answer; a larger trace is uploaded
TOO_LARGE_TO_ANALYZE = "A trace that is answered at once has at most 1 MiB; upload a larger one to /api/v1/traces."
ANALYZE_SECONDS = 30.0
MAX_ANALYZE_WAITING = 16  # requests of one server process; more would time out
MAX_ANALYZE_WAITING_OF_CALLER = 4  # so that one caller leaves room for others


class EngineBusy(Unavailable):
    """Too many traces wait to be analysed just now; try again in a moment, or upload yours to /api/v1/traces."""


class TookTooLongToAnalyze(Unavailable):
    """This trace takes too long to be answered at once; upload it to /api/v1/traces."""


class AnalysesPage(Struct):
    analyses: list[AnalysisRun]
    next_cursor: str | None


class OneAnalysis(Struct):
    analysis: AnalysisRun


class WholeAnalysis(AnalysisRun, frozen=True):
    """An analysis. What the engine found is there once it is done. Every score is a ratio from 0 to 1."""

    name: str | None
    conversation_score: float | UnsetType | None = UNSET
    tool_use_score: float | UnsetType | None = UNSET
    coordination_score: float | UnsetType | None = UNSET
    reasoning_score: float | UnsetType | None = UNSET
    intent_drift_score: float | UnsetType | None = UNSET
    task_completion_score: float | UnsetType | None = UNSET
    failure_attribution: dict[str, Any] | UnsetType | None = UNSET
    per_agent_scores: dict[str, Any] | UnsetType = UNSET
    turn_results: list[dict[str, Any]] | UnsetType = UNSET
    interaction_results: list[dict[str, Any]] | UnsetType = UNSET
    issues: list[dict[str, Any]] | UnsetType = UNSET
    trajectory: dict[str, Any] | UnsetType = UNSET
    coordination: dict[str, Any] | UnsetType = UNSET
    latency: dict[str, Any] | UnsetType | None = UNSET
    cost: dict[str, Any] | UnsetType | None = UNSET
    conversation: dict[str, int] | UnsetType = UNSET
    recommendations: list[dict[str, Any]] | UnsetType = UNSET
    evidence: dict[str, Any] | UnsetType = UNSET
    intake: dict[str, Any] | UnsetType = UNSET
    judge: dict[str, Any] | UnsetType | None = UNSET


@get("/traces/{trace_id:str}/analyses", NoSuchTrace, NotYourTrace, BadCursor)
def list_analyses(
    db: Connection,
    viewer: Agent | None,
    trace_id: str,
    share: ShareToken = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> AnalysesPage:
    """List the analyses of a trace, newest first."""
    trace = sharing.get_visible(db, trace_id, id_of(viewer), share)
    return AnalysesPage(*store.list_runs(db, Subject("trace", trace.id), limit, cursor))


@post(
    "/traces/{trace_id:str}/analyses",
    NoSuchTrace,
    OwnersOnly,
    running.NoJudge,
    running.TooManyAnalyses,
    status=202,
)
def request_analysis(
    db: Connection, caller: Agent, hub: HubContext, trace_id: str, data: AnalysisChoices
) -> OneAnalysis:
    """Analyse your trace once more: with some parts only, with a judge, or faster."""
    trace = sharing.get_own(db, trace_id, caller.id)
    analysis_id = running.request_again(db, trace, data, bool(hub.judges))
    return OneAnalysis(store.get(db, analysis_id))


@get("/analyses/{analysis_id:str}", NoSuchAnalysis, NotYourTrace, NotForYou, is_slow=True)
def show_analysis(
    db: Connection, viewer: Agent | None, analysis_id: str, share: ShareToken = None
) -> EncodedAnswer[WholeAnalysis]:
    """Show an analysis: how far it is, and once it is done, everything that was found."""
    run = analysis_viewing.get_run(db, analysis_id, viewer, share)
    content = store.find_json(db, run.id)
    found = msgspec.json.decode(content, type=dict[str, Raw]) if content else {}
    about = {name: value for name, value in msgspec.structs.asdict(run).items() if name not in found or name == "id"}
    return EncodedAnswer(msgspec.json.encode({"name": found.get("id"), **about, **without_id(found)}))


def without_id(found: dict[str, Raw]) -> dict[str, Raw]:
    """The engine's analysis has the id of its trace."""
    return {name: value for name, value in found.items() if name != "id"}


@get(
    "/analyses/{analysis_id:str}/compare/{other_id:str}",
    NoSuchAnalysis,
    NotAnalysed,
    NotYourTrace,
    NotForYou,
    is_slow=True,
)
def compare_analyses(
    db: Connection, viewer: Agent | None, analysis_id: str, other_id: str, share: ShareToken = None
) -> AnalysisComparison:
    """Compare two analyses of one trace or of two: how the scores changed, and what is new or gone."""
    runs = [analysis_viewing.get_run(db, run_id, viewer, share) for run_id in (analysis_id, other_id)]
    first, second = (msgspec.json.decode(store.read_json(db, run.id)) for run in runs)
    return comparing.compare(runs[0].id, first, runs[1].id, second)


@post_stream(
    "/analyze",
    BadTrace,
    EngineBusy,
    TookTooLongToAnalyze,
    running.NoJudge,
    body_media_types=("application/json",),
    status=200,
)
async def analyze(
    incoming: IncomingBody, caller: Agent, judge: bool = False, fast: bool = False
) -> EncodedAnswer[dict[str, Any]]:
    """Analyse one trace of any form and answer with the analysis. Nothing is stored."""
    hub, choices = incoming.hub, AnalysisChoices(judge=judge, fast=fast)
    running.check_judge(choices, bool(hub.judges))
    check_room(hub, caller)
    body = await read_body(incoming.request.receive, MAX_ANALYZED_BYTES, TOO_LARGE_TO_ANALYZE)
    new = await asyncio.to_thread(read_trace, body, None)
    think = partial(running.think, hub.judges[0] if judge else None)
    check_room(hub, caller)  # others may have come while the body arrived
    task = AnalysisTask("", Subject("trace", ""), choices, new.content)
    try:
        found: FinishedAnalysis = await hub.engine.run(think, task, ANALYZE_SECONDS, caller.id)
    except ProcessDied as error:
        raise TookTooLongToAnalyze() from error
    return EncodedAnswer(open_content(found.content))


def check_room(hub: HubContext, caller: Agent) -> None:
    waiting = hub.engine.pending
    if waiting.total() >= MAX_ANALYZE_WAITING or waiting[caller.id] >= MAX_ANALYZE_WAITING_OF_CALLER:
        raise EngineBusy(retry_after=5)


router = Router(
    "",
    route_handlers=[list_analyses, request_analysis, show_analysis, compare_analyses, analyze],
)
