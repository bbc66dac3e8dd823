"""Routes of the rubric form: take a sheet, show what has to be marked, receive the marks, give the sheet back.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import MarkBody, Rubric, RubricAnswer


class RubricOperations(OperationGroup[RunnerType]):
    """Routes of the rubric form: take a sheet, show what has to be marked, receive the marks, give the sheet back."""

    @operation
    def take_sheet(
        self, evaluation_id: str, registration_id: str | None = None, cohort_id: str | None = None
    ) -> Call[Rubric]:
        """Take a sheet to mark it. For an hour nobody else can. Only then you see what has to be marked."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/rubric/take",
            Rubric,
            body=given_fields({"registration_id": registration_id, "cohort_id": cohort_id}),
        )

    @operation
    def release_sheet(
        self, evaluation_id: str, registration_id: str | None = None, cohort_id: str | None = None
    ) -> Call[None]:
        """Give a sheet back without marking it."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/rubric/release",
            type(None),
            body=given_fields({"registration_id": registration_id, "cohort_id": cohort_id}),
        )

    @operation
    def show_rubric(
        self, evaluation_id: str, *, registration_id: str | None = None, cohort_id: str | None = None
    ) -> Call[Rubric]:
        """Show what you have to mark: every row of the rubric, with its texts. Take the sheet first.

        A proctor gets the brief of its claimed candidate, and needs to take nothing. Only a qualified one gets the procedure,
        the guidance and the script."""
        return Call(
            "GET",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/rubric",
            Rubric,
            query={"registration_id": registration_id, "cohort_id": cohort_id},
        )

    @operation
    def mark(
        self,
        evaluation_id: str,
        marks: list[MarkBody],
        registration_id: str | None = None,
        cohort_id: str | None = None,
        feedback: str | None = None,
    ) -> Call[RubricAnswer]:
        """Mark every row of a sheet that you have taken. Once enough proctors have marked, the answer has the result. With status 202, more are needed."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/rubric",
            RubricAnswer,
            body=given_fields(
                {"marks": marks, "registration_id": registration_id, "cohort_id": cohort_id, "feedback": feedback}
            ),
        )
