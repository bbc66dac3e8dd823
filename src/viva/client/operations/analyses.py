"""Routes of analyses: request one, list and show them, compare two, and analyse without storing anything.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Any, Literal

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import AnalysesPage, AnalysisComparison, AnalysisRun, OneAnalysis, WholeAnalysis


class AnalysesOperations(OperationGroup[RunnerType]):
    """Routes of analyses: request one, list and show them, compare two, and analyse without storing anything."""

    @list_operation
    def list_analyses(
        self, trace_id: str, *, share: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[AnalysesPage, AnalysisRun]:
        """List the analyses of a trace, newest first."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/traces/{in_path(trace_id)}/analyses",
                AnalysesPage,
                query={"share": share, "limit": limit, "cursor": cursor},
            ),
            "analyses",
        )

    @operation
    def request_analysis(
        self,
        trace_id: str,
        parts: list[Literal["conversation", "coordination", "intent_drift", "reasoning", "tool_use"]] | None = None,
        judge: bool | None = None,
        fast: bool | None = None,
    ) -> Call[OneAnalysis]:
        """Analyse your trace once more: with some parts only, with a judge, or faster."""
        return Call(
            "POST",
            f"/api/v1/traces/{in_path(trace_id)}/analyses",
            OneAnalysis,
            body=given_fields({"parts": parts, "judge": judge, "fast": fast}),
        )

    @operation
    def show_analysis(self, analysis_id: str, *, share: str | None = None) -> Call[WholeAnalysis]:
        """Show an analysis: how far it is, and once it is done, everything that was found."""
        return Call("GET", f"/api/v1/analyses/{in_path(analysis_id)}", WholeAnalysis, query={"share": share})

    @operation
    def compare_analyses(
        self, analysis_id: str, other_id: str, *, share: str | None = None
    ) -> Call[AnalysisComparison]:
        """Compare two analyses of one trace or of two: how the scores changed, and what is new or gone."""
        return Call(
            "GET",
            f"/api/v1/analyses/{in_path(analysis_id)}/compare/{in_path(other_id)}",
            AnalysisComparison,
            query={"share": share},
        )

    @operation
    def analyze(
        self,
        content: bytes,
        *,
        judge: bool | None = None,
        fast: bool | None = None,
        media_type: Literal["application/json"] = "application/json",
    ) -> Call[dict[str, Any]]:
        """Analyse one trace of any form and answer with the analysis. Nothing is stored."""
        return Call(
            "POST",
            "/api/v1/analyze",
            dict[str, Any],
            query={"judge": judge, "fast": fast},
            body=content,
            media_type=media_type,
        )
