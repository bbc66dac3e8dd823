"""Routes of reports: anybody signed in makes them, maintainers list and answer them.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import FiledReport, OneReport, ReportsPage


class MaintainReportsOperations(OperationGroup[RunnerType]):
    """Routes of reports: anybody signed in makes them, maintainers list and answer them."""

    @operation
    def make_report(
        self,
        subject_type: Literal["agent", "contribution", "message", "result", "trace"],
        subject_id: str,
        reason: str,
        share: str | None = None,
    ) -> Call[OneReport]:
        """Report a message, result, agent, trace or contribution that you may see to the maintainers.

        Only maintainers read whose it is: the link to a trace does not say who shared it."""
        return Call(
            "POST",
            "/api/v1/reports",
            OneReport,
            body=given_fields(
                {"subject_type": subject_type, "subject_id": subject_id, "reason": reason, "share": share}
            ),
        )

    @list_operation
    def list_reports(
        self,
        *,
        status: Literal["dismissed", "open", "upheld"] | None = None,
        subject_type: Literal["agent", "contribution", "message", "result", "trace"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[ReportsPage, FiledReport]:
        """List reports, the longest waiting first."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/maintain/reports",
                ReportsPage,
                query={"status": status, "subject_type": subject_type, "limit": limit, "cursor": cursor},
            ),
            "reports",
        )

    @operation
    def answer_report(
        self, report_id: str, status: Literal["dismissed", "upheld"], note: str | None = None
    ) -> Call[OneReport]:
        """Answer a report. Its reporter gets a notice."""
        return Call(
            "POST",
            f"/api/v1/maintain/reports/{in_path(report_id)}/answer",
            OneReport,
            body=given_fields({"status": status, "note": note}),
        )
