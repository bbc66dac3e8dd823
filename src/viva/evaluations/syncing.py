"""A sync on command: for real, as a trial, or with all files or none."""

from typing import Any, NamedTuple

from viva.evaluations.catalogue import sync_files, sync_in_units
from viva.evaluations.sip_folders import ReadFolders
from viva.evaluations.sync_report import SyncReport
from viva.kit.db import Connection, Write


class SyncDiscarded(Exception):
    """Rolls the transaction back, and carries the report out of it."""

    def __init__(self, report: SyncReport) -> None:
        super().__init__()
        self.report = report


class SyncOutcome(NamedTuple):
    report: SyncReport
    is_dry_run: bool
    is_kept: bool

    @property
    def error_lines(self) -> list[str]:
        lines = []
        for path, error in self.report.refused:
            lines.append(f"{path}: {error}")
            lines += [f"  {fault.field}: {fault.message}" for fault in (error.faults if len(error.faults) > 1 else ())]
        return lines

    @property
    def lines(self) -> list[str]:
        reason = " Nothing was kept: this was a trial." if self.is_dry_run else " Nothing was kept: a file was refused."
        return [*self.report.lines, f"{self.report.summary}{'' if self.is_kept else reason}"]

    @property
    def as_json(self) -> dict[str, Any]:
        return {**self.report.as_json, "dry_run": self.is_dry_run, "kept": self.is_kept}


def sync_or_discard(write: Write, read: ReadFolders, is_dry_run: bool, is_atomic: bool) -> SyncOutcome:
    """Store what was read. A trial keeps nothing, and neither does an atomic sync with a refused file: both are one unit."""
    if not is_dry_run and not is_atomic:
        return SyncOutcome(sync_in_units(write, read).with_warnings(), is_dry_run, is_kept=True)

    def unit(db: Connection) -> SyncReport:
        report = sync_files(db, read)
        if is_dry_run or report.refused:
            raise SyncDiscarded(report)
        return report

    try:
        return SyncOutcome(write(unit).with_warnings(), is_dry_run, is_kept=True)
    except SyncDiscarded as discarded:
        return SyncOutcome(discarded.report.with_warnings(), is_dry_run, is_kept=False)
