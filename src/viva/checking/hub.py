"""The command `viva check`: everything that can be counted or verified again, on a hub that may run."""

from collections.abc import Iterator

from msgspec import Struct

from viva.checking.attempts import check_attempts
from viva.checking.events import check_current_names, check_events
from viva.checking.messages import check_messages
from viva.checking.model import Check, HubCheck
from viva.checking.results import check_keys, check_results
from viva.checking.rights import check_rights
from viva.checking.sums import check_sums
from viva.kit.db import Database
from viva.kit.progress import show_progress
from viva.results.discrepancy import Discrepancy

CHECKS: tuple[Check, ...] = (
    check_keys,
    check_messages,
    check_results,
    check_events,
    check_attempts,
    check_rights,
    check_current_names,
    check_sums,
)
MAX_FINDINGS = 1_000  # a hub with more has one cause for them, and the first ones name it


class CheckReport(Struct):
    """What was checked, and what differs. `is_cut` says that there is more."""

    checked: dict[str, int]
    findings: list[Discrepancy]
    is_cut: bool


def check_hub(database: Database) -> CheckReport:
    with show_progress("checking", None) as advance:
        check = HubCheck(database, advance)
        findings: list[Discrepancy] = []
        for finding in find_all(check):
            if len(findings) == MAX_FINDINGS:
                return CheckReport(dict(check.counts), findings, True)
            findings.append(finding)
    return CheckReport(dict(check.counts), findings, False)


def find_all(check: HubCheck) -> Iterator[Discrepancy]:
    for run in CHECKS:
        yield from run(check)
