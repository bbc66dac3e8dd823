"""Routes of a candidate: register for an evaluation, start, answer, submit, withdraw.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Any

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import OneProgress, OneRegistration, SavedAnswers, SubmittedView


class ExamsOperations(OperationGroup[RunnerType]):
    """Routes of a candidate: register for an evaluation, start, answer, submit, withdraw."""

    @operation
    def register(self, evaluation_id: str, practice: bool | None = None) -> Call[OneRegistration]:
        """Register for an evaluation. While your registration is open, a second call gives the same one, with status 200.

        Where items are drawn or have parameters, you may practise without using a try: say so here and at the start."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/register",
            OneRegistration,
            body=given_fields({"practice": practice}),
        )

    @operation
    def start(
        self, evaluation_id: str, practice: bool | None = None, a2a_url: str | None = None
    ) -> Call[dict[str, Any]]:
        """Start the attempt. This fixes its version and grading.

        Besides `registration`, the answer has what the type needs: a challenge, questions, probes with a nonce, or a cohort.
        `official` says whether the result will count, with `official_reasons` if not. It is null if that depends on a proctor."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/start",
            dict[str, Any],
            body=given_fields({"practice": practice, "a2a_url": a2a_url}),
        )

    @operation
    def show_challenge(self, evaluation_id: str, challenge_id: str) -> Call[dict[str, Any]]:
        """Show your challenge again, as the start gave it."""
        return Call(
            "GET", f"/api/v1/evaluations/{in_path(evaluation_id)}/challenge/{in_path(challenge_id)}", dict[str, Any]
        )

    @operation
    def read_answers(self, evaluation_id: str) -> Call[SavedAnswers]:
        """Show your saved answers."""
        return Call("GET", f"/api/v1/evaluations/{in_path(evaluation_id)}/answers", SavedAnswers)

    @operation
    def save_answers(self, evaluation_id: str, answers: dict[str, Any]) -> Call[SavedAnswers]:
        """Save answers before you submit. A later answer to a question replaces an earlier one."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/answers",
            SavedAnswers,
            body=given_fields({"answers": answers}),
        )

    @operation
    def submit(self, evaluation_id: str, data: dict[str, Any]) -> Call[SubmittedView]:
        """Submit your attempt. The answer has the `result` if it is decided at once, else the `job_id` that will decide it."""
        return Call("POST", f"/api/v1/evaluations/{in_path(evaluation_id)}/submit", SubmittedView, body=data)

    @operation
    def show_job(self, evaluation_id: str, job_id: str, *, wait: int | None = None) -> Call[OneProgress]:
        """Show the status of the job on your attempt: waiting, running, done with its `result_id`, or failed.

        With `wait`, the answer comes once it is done or has failed, or after these seconds."""
        return Call(
            "GET",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/job/{in_path(job_id)}",
            OneProgress,
            query={"wait": wait},
        )

    @operation
    def cancel(self, evaluation_id: str) -> Call[OneRegistration]:
        """Withdraw from the evaluation. A running session ends without a verdict."""
        return Call("POST", f"/api/v1/evaluations/{in_path(evaluation_id)}/cancel", OneRegistration)
