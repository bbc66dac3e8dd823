"""Waiting for others: for the decision on an attempt, for a session, for a verdict. The hub answers when it has news."""

from viva.client.deadlines import Deadline
from viva.client.describing import OperationGroup, RunnerType, steps
from viva.client.operations.exams import ExamsOperations
from viva.client.operations.me import MeOperations
from viva.client.operations.results import ResultsOperations
from viva.client.retrying import fetch
from viva.client.steps import Steps
from viva.client.structs import OwnRegistrationView, Progress, ShownResult, SubmittedView

LONG_POLL_SECONDS = 25  # less than most proxies allow, and less than the hub does
RESULTS_SEARCHED = 200  # the newest ones of an account


class AttemptFailed(Exception):
    """The hub could not decide the attempt."""


class RegistrationEnded(Exception):
    """You have no open registration for this evaluation: it was withdrawn, has expired, or was never made."""


class WaitingSteps(OperationGroup[RunnerType]):
    """Waiting for what others do. Without a timeout it lasts as long as they take."""

    @steps
    def wait_for_job(self, evaluation_id: str, job_id: str, timeout: float | None = None) -> Steps[Progress]:
        """The job on your attempt, once it is decided."""
        deadline = Deadline(timeout, job_id)
        while True:
            wait = deadline.limit(LONG_POLL_SECONDS)
            job = (yield from fetch(ExamsOperations.show_job.describe(evaluation_id, job_id, wait=wait))).job
            if job.result_id:
                return job
            if job.status == "failed":
                raise AttemptFailed(job.reason or "The hub gave no reason.")

    @steps
    def wait_for_result(
        self, evaluation_id: str, submitted: SubmittedView, timeout: float | None = None
    ) -> Steps[ShownResult]:
        """The result of a submitted attempt, at once or when its job has decided it."""
        if submitted.result:
            return submitted.result
        job = yield from WaitingSteps.wait_for_job.describe(evaluation_id, submitted.job_id or "", timeout)
        return (yield from fetch(ResultsOperations.get_result.describe(job.result_id or ""))).result

    @steps
    def wait_for_session(self, evaluation_id: str, timeout: float | None = None) -> Steps[OwnRegistrationView]:
        """Your registration, once a proctor has claimed it or its class has started: it has a `session_id` then."""
        deadline, state = Deadline(timeout, evaluation_id), None
        while True:
            wait = deadline.limit(LONG_POLL_SECONDS)
            found = yield from fetch(
                MeOperations.list_registrations.describe(since=state, wait=wait if state else None)
            )
            registration = next((each for each in found.registrations if each.evaluation_id == evaluation_id), None)
            if registration is None:
                raise RegistrationEnded()
            if registration.session_id:
                return registration
            state = found.state

    @steps
    def wait_for_verdict(self, registration_id: str, timeout: float | None = None) -> Steps[ShownResult | None]:
        """The result of your registration, once it has ended; None if it ended without one."""
        deadline, state = Deadline(timeout, registration_id), None
        while True:
            wait = deadline.limit(LONG_POLL_SECONDS)
            found = yield from fetch(
                MeOperations.list_registrations.describe(since=state, wait=wait if state else None)
            )
            if all(each.id != registration_id for each in found.registrations):
                return (yield from find_result(registration_id))
            state = found.state


def find_result(registration_id: str) -> Steps[ShownResult | None]:
    newest = yield from fetch(MeOperations.list_own_results.describe(limit=RESULTS_SEARCHED).call)
    return next((result for result in newest.results if result.registration_id == registration_id), None)
