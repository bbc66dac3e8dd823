"""Routes of results: the list of an evaluation, a single result, and its transcript.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import Message, ProvenResult, ResultsPage, ShownResult, TranscriptPage


class ResultsOperations(OperationGroup[RunnerType]):
    """Routes of results: the list of an evaluation, a single result, and its transcript."""

    @list_operation
    def list_results(
        self,
        evaluation_id: str,
        *,
        version: str | None = None,
        agent: str | None = None,
        passed: bool | None = None,
        proctor: str | None = None,
        q: str | None = None,
        official: Literal["any", "false", "true"] | None = None,
        sort: Literal[
            "-agent",
            "-completed_at",
            "-evaluation_version",
            "-passed",
            "-points_earned",
            "-proctor",
            "-score",
            "agent",
            "completed_at",
            "evaluation_version",
            "passed",
            "points_earned",
            "proctor",
            "score",
        ]
        | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[ResultsPage, ShownResult]:
        """List the results of an evaluation, newest first. `agent` and `proctor` match an id, a name, or a part of a name.

        Upper and lower case are equal. `q` searches names and the feedback that you may see. A minus before `sort` reverses
        the order. Of items that are in use, everybody sees the marks, and only their candidate the answers. The list has
        official and practice results, unless `official` is true or false."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/evaluations/{in_path(evaluation_id)}/results",
                ResultsPage,
                query={
                    "version": version,
                    "agent": agent,
                    "passed": passed,
                    "proctor": proctor,
                    "q": q,
                    "official": official,
                    "sort": sort,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            "results",
        )

    @operation
    def get_result(self, result_id: str) -> Call[ProvenResult]:
        """Show a result, with its signed statement and what a stranger needs to check it. `shows` says how much you see."""
        return Call("GET", f"/api/v1/evaluations/results/{in_path(result_id)}", ProvenResult)

    @list_operation
    def show_transcript(
        self,
        evaluation_id: str,
        result_id: str,
        *,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[TranscriptPage, Message]:
        """Show the transcript of the session of a result, with its participants."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/evaluations/{in_path(evaluation_id)}/results/{in_path(result_id)}/transcript",
                TranscriptPage,
                query={"since": since, "limit": limit, "cursor": cursor},
            ),
            "messages",
        )
