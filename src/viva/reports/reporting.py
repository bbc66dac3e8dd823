"""Reporting on files of traces: analysed, written in a format, delivered whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from viva.engine.analysis import Analysis
from viva.engine.bulk import Options, analyze_files
from viva.engine.cluster import Cluster
from viva.engine.intake.faults import BadTrace
from viva.reports.junit import is_low
from viva.reports.writers import WRITERS, Style, Writer

IN_MEMORY = 1 << 20  # bytes of a report before it goes to a temporary file
FAULTS = 100  # traces at fault that are told


class Report(msgspec.Struct):
    """How a run over files went."""

    traces: int = 0
    low: int = 0  # traces under the threshold
    faulty: int = 0
    faults: list[BadTrace] = []
    asked: int = 0  # answers that a judge was to rule on
    unscored: int = 0  # of these, on how many it did not


class Assignment(NamedTuple):
    """What to report on, and how."""

    paths: list[str]
    format: str
    style: Style
    jobs: int
    options: Options
    cluster: Cluster | None = None


def report(assignment: Assignment, out: Path | None, screen: IO[str], on_read: Callable[[int], None]) -> Report:
    """Analyse and write to `out`, or to the screen. Where a trace is at fault, or there is none, nothing is written."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8", newline="\n") as draft:
        done = write(assignment, draft, on_read)
        if done.traces and not done.faulty:
            draft.seek(0)
            deliver(draft, out, screen)
    return done


def write(assignment: Assignment, draft: IO[str], on_read: Callable[[int], None]) -> Report:
    writer: Writer = WRITERS[assignment.format](draft, assignment.style)
    decoder = msgspec.json.Decoder(Analysis)
    done = Report()
    for one in analyze_files(assignment.paths, assignment.jobs, assignment.options, assignment.cluster):
        on_read(one.size)
        if one.fault:
            done.faulty += 1
            done.faults += [one.fault][: FAULTS - len(done.faults)]
        elif one.analysis:
            analysis = decoder.decode(one.analysis)
            writer.add(one.analysis, analysis)
            count(done, analysis, assignment.style.fail_under)
    writer.close()
    return done


def count(done: Report, analysis: Analysis, fail_under: float | None) -> None:
    done.traces += 1
    done.low += is_low(analysis, fail_under)
    if analysis.judge is not None:
        done.asked += analysis.judge.asked
        done.unscored += analysis.judge.unscored


def deliver(draft: IO[str], out: Path | None, screen: IO[str]) -> None:
    """Hand the finished report over."""
    if out is None:
        shutil.copyfileobj(draft, screen)
    elif out.exists() and not out.is_file():  # a pipe or a device is written to and not replaced
        with open(out, "w", encoding="utf-8", newline="\n") as file:
            shutil.copyfileobj(draft, file)
    else:
        place(draft, out.resolve())


def place(draft: IO[str], out: Path) -> None:
    """Write a file that appears under its name only when it is complete."""
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=".viva-")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            shutil.copyfileobj(draft, file)
        os.chmod(name, 0o666 & ~current_umask())
        os.replace(name, out)
    except BaseException:
        os.unlink(name)
        raise


def current_umask() -> int:
    """What a new file of this process may not allow; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
