"""Who may see an analysis: that of a trace as the trace itself, that of a hosted run as its session after the verdict.

Before the verdict only maintainers see it, since its scores may contradict the marks that people are about to give.
"""

from viva.agents.access import id_of
from viva.agents.model import Agent
from viva.analyses import store
from viva.analyses.model import AnalysisRun
from viva.analyses.store import NoSuchAnalysis
from viva.exams import cohorts, viewing
from viva.exams.viewing import NotForYou
from viva.kit.db import Connection
from viva.traces import sharing


def get_run(db: Connection, analysis_id: str, viewer: Agent | None, share: str | None = None) -> AnalysisRun:
    """The analysis, if `viewer` may see what it is about. `share` is the token of a trace's share link."""
    run = store.get(db, analysis_id)
    if run.subject_kind == "trace":
        sharing.get_visible(db, run.subject_id, id_of(viewer), share)
        return run
    session_id = run.subject_id
    if run.subject_kind == "cohort":
        session_id = cohorts.get_by_id(db, run.subject_id).session_id or ""
        if not session_id:
            raise NoSuchAnalysis()
    session = viewing.get_session_by_id(db, session_id, viewer)
    if not (viewing.is_decided(db, session) or (viewer and viewer.is_maintainer)):
        raise NotForYou("Until there is a verdict, only maintainers may see this analysis.")
    return run
