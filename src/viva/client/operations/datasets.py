"""Routes of datasets, and of the marks by which owners say whether detections are right.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import (
    DatasetLine,
    DatasetsPage,
    DatasetView,
    DetectionLabel,
    LabelsPage,
    MarksList,
    OneDetectionMark,
)


class DatasetsOperations(OperationGroup[RunnerType]):
    """Routes of datasets, and of the marks by which owners say whether detections are right."""

    @list_operation
    def list_datasets(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[DatasetsPage, DatasetLine]:
        """List your datasets by name, with the number of traces and their mean score."""
        return PagedCall(
            Call("GET", "/api/v1/datasets", DatasetsPage, query={"limit": limit, "cursor": cursor}), "datasets"
        )

    @operation
    def show_dataset(self, dataset: str) -> Call[DatasetView]:
        """Show a dataset: scores by agent, by role and by day, the weakest agent, and what is found most often."""
        return Call("GET", f"/api/v1/datasets/{in_path(dataset)}", DatasetView)

    @list_operation
    def list_labels(
        self, dataset: str, *, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[LabelsPage, DetectionLabel]:
        """List the marks of a dataset as labels: which detections of which traces are right and which are wrong."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/datasets/{in_path(dataset)}/labels",
                LabelsPage,
                query={"limit": limit, "cursor": cursor},
            ),
            "labels",
        )

    @operation
    def list_marks(self, trace_id: str) -> Call[MarksList]:
        """List your marks on the detections of a trace."""
        return Call("GET", f"/api/v1/traces/{in_path(trace_id)}/marks", MarksList)

    @operation
    def mark_detection(
        self,
        trace_id: str,
        kind: str,
        turn_index: int,
        right: bool | None,
        interaction_index: int | None = None,
        step_index: int | None = None,
    ) -> Call[OneDetectionMark]:
        """Mark a detection or an issue of your trace as right or wrong. A second mark replaces the first."""
        return Call(
            "POST",
            f"/api/v1/traces/{in_path(trace_id)}/marks",
            OneDetectionMark,
            body=given_fields(
                {
                    "kind": kind,
                    "turn_index": turn_index,
                    "right": right,
                    "interaction_index": interaction_index,
                    "step_index": step_index,
                },
                ("right",),
            ),
        )
