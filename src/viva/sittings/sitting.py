"""Sitting an evaluation of any type: on a hub with others, or on a hub of one's own with a scripted other side."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from threading import Event, Thread
from typing import Any

from viva.adapters.model import AskedAgent
from viva.client.key_files import KeyFile
from viva.client.retrying import HubError
from viva.judging.panel import Panel
from viva.kit.errors import VivaError
from viva.sittings.accounts import HubAccount, HubConnector
from viva.sittings.candidates import SittingCandidate
from viva.sittings.class_work import sit_in_class
from viva.sittings.examining import ExamReport, claim_named, examine
from viva.sittings.interrupted_exams import find_open_claim
from viva.sittings.model import SittingOutcome, Watcher
from viva.sittings.partners import PARTNER_NAME, accompany
from viva.sittings.pausing import Pauses
from viva.sittings.proctored import sit_with_proctor
from viva.sittings.script_examiner import ScriptExaminer
from viva.sittings.solo import sit_alone

SITTINGS: dict[str, Callable[[SittingCandidate], SittingOutcome]] = {
    "simple_pass_fail": sit_alone,
    "complex_benchmark": sit_alone,
    "agent_certification": sit_alone,
    "proctored": sit_with_proctor,
    "live_class_work": sit_in_class,
}
IN_A_COHORT = "already_in_a_cohort"  # a code of the hub
COMPANY_END_SECONDS = 10.0  # for its last request
SCRIPT_PROCTOR_DESCRIPTION = "A script that examines as the evaluation says. It runs with `viva sit`."
PARTNER_DESCRIPTION = "A scripted partner of a class. It runs with `viva sit`."


def sit(candidate: SittingCandidate) -> SittingOutcome:
    return SITTINGS[candidate.evaluation["type"]](candidate)


def sit_on_own_hub(
    hub: HubConnector,
    account: HubAccount,
    agent: AskedAgent,
    evaluation: dict[str, Any],
    panel: Panel,
    watcher: Watcher,
    is_practice: bool = False,
    keys: KeyFile | None = None,
) -> SittingOutcome:
    """Sit with a scripted proctor or scripted partners, whom this function brings. `keys` keeps their keys, too."""
    company = Company(hub, evaluation, panel, account.name, keys)
    candidate = SittingCandidate(account, agent, evaluation, watcher, is_practice, company.find_stop)
    if evaluation["type"] == "live_class_work" and not is_practice:
        company.cohort = open_class(candidate)
    company.start()
    try:
        return sit(candidate)
    finally:
        company.end()


def open_class(candidate: SittingCandidate) -> dict[str, Any]:
    """A cohort that the candidate leads: those of others may wait for a leader who is away. An open attempt goes on."""
    candidate.account.post(f"{candidate.path}/register")
    try:
        opened = candidate.account.post(f"{candidate.path}/cohorts", {"role": "participant"})
    except HubError as error:
        if error.code != IN_A_COHORT:
            raise
        opened = candidate.start()
    return dict(opened["cohort"])


class Company:
    """The other side of an exam, in a thread. It ends with the exam, or says why it cannot go on."""

    def __init__(
        self,
        hub: HubConnector,
        evaluation: dict[str, Any],
        panel: Panel,
        candidate_name: str,
        keys: KeyFile | None = None,
    ) -> None:
        self.cohort: dict[str, Any] | None = None  # that of the candidate, in class work
        self._hub = hub
        self._evaluation = evaluation
        self._panel = panel
        self._candidate_name = candidate_name
        self._keys = keys
        self._stop: list[str] | None = None
        self._over = Event()
        self._thread: Thread | None = None

    def find_stop(self) -> list[str] | None:
        return self._stop

    def start(self) -> None:
        if self._evaluation["type"] == "proctored":
            self._begin(self._examine)
        elif self.cohort is not None:
            self._begin(partial(self._fill_class, self.cohort))

    def _begin(self, work: Callable[[], None]) -> None:
        self._thread = Thread(target=self._run, args=[work], name="viva-company", daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join(COMPANY_END_SECONDS)

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (VivaError, HubError) as error:
            self._stop = [str(error)]
        except Exception as error:  # a mistake of ours; the candidate would wait for ever
            self._stop = [f"The other side of the exam failed: {type(error).__name__}: {error}"]

    def _examine(self) -> None:
        with closing(self._open_account(f"proctor-of-{self._candidate_name}", SCRIPT_PROCTOR_DESCRIPTION)) as account:
            claim = find_open_claim(account, self._evaluation["id"])
            for _ in Pauses(stop=self._over):
                claim = claim or claim_named(account, self._evaluation["id"], self._candidate_name)
                if claim:
                    self._note(
                        examine(account, self._evaluation["id"], claim, ScriptExaminer(self._panel), stop=self._over)
                    )
                    return

    def _open_account(self, name: str, description: str) -> HubAccount:
        return HubAccount.make(self._hub, name, description, self._keys)

    def _note(self, report: ExamReport) -> None:
        if report.result is None:
            self._stop = report.reasons

    def _fill_class(self, cohort: dict[str, Any]) -> None:
        with ExitStack() as stack:
            names = [f"{PARTNER_NAME}{number}-of-{self._candidate_name}" for number in partner_numbers(cohort)]
            accounts = [stack.enter_context(closing(self._open_account(name, PARTNER_DESCRIPTION))) for name in names]
            accompany(accounts, self._evaluation["id"], cohort["id"], self._over)


def partner_numbers(cohort: dict[str, Any]) -> range:
    """One for each place that the smallest class has besides the candidate's, and at least one."""
    return range(1, max(2, cohort["min_participants"]))
