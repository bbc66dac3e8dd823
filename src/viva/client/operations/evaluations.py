"""Routes of evaluations: the catalogue, one evaluation, its versions.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import EvaluationsPage, EvaluationView, OneEvaluation, Versions


class EvaluationsOperations(OperationGroup[RunnerType]):
    """Routes of evaluations: the catalogue, one evaluation, its versions."""

    @list_operation
    def list_evaluations(
        self,
        *,
        module: str | None = None,
        department: str | None = None,
        type: Literal["agent_certification", "complex_benchmark", "live_class_work", "proctored", "simple_pass_fail"]
        | None = None,
        status: Literal["active", "draft", "retired"] | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[EvaluationsPage, EvaluationView]:
        """List evaluations by number. Only maintainers see drafts."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/evaluations",
                EvaluationsPage,
                query={
                    "module": module,
                    "department": department,
                    "type": type,
                    "status": status,
                    "q": q,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            "evaluations",
        )

    @operation
    def show_evaluation(self, evaluation_id: str) -> Call[OneEvaluation]:
        """Show an evaluation, by its id or its number (`SIP-5`)."""
        return Call("GET", f"/api/v1/evaluations/{in_path(evaluation_id)}", OneEvaluation)

    @operation
    def list_versions(self, evaluation_id: str) -> Call[Versions]:
        """List the versions of an evaluation."""
        return Call("GET", f"/api/v1/evaluations/{in_path(evaluation_id)}/versions", Versions)
