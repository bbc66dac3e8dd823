"""Routes of second readings: take one, read it without knowing the verdict, decide, give it back.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import GivenReadingView, MarkBody, ReadingFormView


class ReadingsOperations(OperationGroup[RunnerType]):
    """Routes of second readings: take one, read it without knowing the verdict, decide, give it back."""

    @operation
    def take_reading(self, evaluation_id: str, reading_id: str) -> Call[ReadingFormView]:
        """Take a second reading. For an hour nobody else can. Only then you see what has to be read."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/readings/{in_path(reading_id)}/take",
            ReadingFormView,
        )

    @operation
    def release_reading(self, evaluation_id: str, reading_id: str) -> Call[None]:
        """Give a second reading back without deciding it."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/readings/{in_path(reading_id)}/release",
            type(None),
        )

    @operation
    def show_reading(self, evaluation_id: str, reading_id: str, *, since: int | None = None) -> Call[ReadingFormView]:
        """Show what you have to read and mark. Take the reading first."""
        return Call(
            "GET",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/readings/{in_path(reading_id)}",
            ReadingFormView,
            query={"since": since},
        )

    @operation
    def give_reading(
        self,
        evaluation_id: str,
        reading_id: str,
        marks: list[MarkBody] | None = None,
        passed: bool | None = None,
        score: float | None = None,
        feedback: str | None = None,
    ) -> Call[GivenReadingView]:
        """Give your verdict. If it differs from the first one, a third marker decides."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/readings/{in_path(reading_id)}",
            GivenReadingView,
            body=given_fields({"marks": marks, "passed": passed, "score": score, "feedback": feedback}),
        )
