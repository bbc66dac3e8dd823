"""Sitting an evaluation of any type: on a hub with others, or on a hub of one's own with a scripted other side."""

from collections.abc import Callable
from contextlib import closing
from threading import Thread
from typing import Any

from viva.adapters.model import AskedAgent
from viva.client.retrying import HubError
from viva.judging.panel import Panel
from viva.kit.errors import VivaError
from viva.sittings.accounts import HubAccount, HubConnector
from viva.sittings.candidates import SittingCandidate
from viva.sittings.class_work import sit_in_class
from viva.sittings.examining import ExamReport, claim_named, examine
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
COMPANY_END_SECONDS = 10.0  # it notices within a pause that the exam is over
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
) -> SittingOutcome:
    """Sit with a scripted proctor or scripted partners, whom this function brings."""
    company = Company(hub, evaluation, panel, account.name)
    candidate = SittingCandidate(account, agent, evaluation, watcher, is_practice, company.find_stop)
    company.start()
    try:
        return sit(candidate)
    finally:
        company.end()


class Company:
    """The other side of an exam, in a thread. It ends with the exam, or says why it cannot go on."""

    def __init__(self, hub: HubConnector, evaluation: dict[str, Any], panel: Panel, candidate_name: str) -> None:
        self._hub = hub
        self._evaluation = evaluation
        self._panel = panel
        self._candidate_name = candidate_name
        self._stop: list[str] | None = None
        self._is_over = False
        self._thread: Thread | None = None

    def find_stop(self) -> list[str] | None:
        return self._stop

    def start(self) -> None:
        works = {"proctored": self._examine, "live_class_work": self._fill_class}
        work = works.get(self._evaluation["type"])
        if work:
            self._thread = Thread(target=self._run, args=[work], name="viva-company", daemon=True)
            self._thread.start()

    def end(self) -> None:
        self._is_over = True
        if self._thread:
            self._thread.join(COMPANY_END_SECONDS)

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (VivaError, HubError) as error:
            self._stop = [str(error)]

    def _examine(self) -> None:
        name = f"proctor-of-{self._candidate_name}"
        account = HubAccount.register(self._hub, name, SCRIPT_PROCTOR_DESCRIPTION)
        with closing(account):
            for _ in Pauses():
                if self._is_over:
                    return
                claim = claim_named(account, self._evaluation["id"], self._candidate_name)
                if claim:
                    self._note(examine(account, self._evaluation["id"], claim, ScriptExaminer(self._panel)))
                    return

    def _note(self, report: ExamReport) -> None:
        if report.result is None:
            self._stop = report.reasons

    def _fill_class(self) -> None:
        path = f"/evaluations/{self._evaluation['id']}/cohorts"
        watching = HubAccount.register(self._hub, f"{PARTNER_NAME}1-of-{self._candidate_name}", PARTNER_DESCRIPTION)
        accounts = [watching]
        try:
            cohort = self._wait_for_cohort(watching, path)
            if cohort is None:
                return
            for number in range(2, cohort["min_participants"]):
                name = f"{PARTNER_NAME}{number}-of-{self._candidate_name}"
                accounts.append(HubAccount.register(self._hub, name, PARTNER_DESCRIPTION))
            accompany(accounts, self._evaluation["id"], cohort["id"], lambda: self._is_over)
        finally:
            for account in accounts:
                account.close()

    def _wait_for_cohort(self, account: HubAccount, path: str) -> dict[str, Any] | None:
        for _ in Pauses():
            cohorts = account.get(path, status="open")["cohorts"]
            if cohorts or self._is_over:
                return dict(cohorts[0]) if cohorts else None
        return None
