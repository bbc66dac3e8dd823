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

IN_MEMORY = 1 << 24  # bytes of a report before it goes to a temporary file
FAULTS = 100  # traces at fault that are told


class Report(NamedTuple):
    """How a run over files ended."""

    traces: int
    low: int  # traces under the threshold
    faults: list[BadTrace]
    faulty: int


class Job(NamedTuple):
    """What to report on, and how."""

    paths: list[str]
    format: str
    style: Style
    jobs: int
    options: Options
    cluster: Cluster | None = None


def report(job: Job, out: Path | None, screen: IO[str], on_read: Callable[[int], None]) -> Report:
    """Analyse and write to `out`, or to the screen. Where a trace is at fault nothing is written."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8", newline="\n") as draft:
        done = write(job, draft, on_read)
        if not done.faulty:
            draft.seek(0)
            deliver(draft, out, screen)
    return done


def write(job: Job, draft: IO[str], on_read: Callable[[int], None]) -> Report:
    writer: Writer = WRITERS[job.format](draft, job.style)
    decoder = msgspec.json.Decoder(Analysis)
    traces = low = faulty = 0
    faults: list[BadTrace] = []
    for outcome in analyze_files(job.paths, job.jobs, job.options, job.cluster):
        on_read(outcome.size)
        if outcome.fault:
            faulty += 1
            faults += [outcome.fault][: FAULTS - len(faults)]
        elif outcome.analysis:
            analysis = decoder.decode(outcome.analysis)
            writer.add(outcome.analysis, analysis)
            low += is_low(analysis, job.style.fail_under)
            traces += 1
    writer.close()
    return Report(traces, low, faults, faulty)


def deliver(draft: IO[str], out: Path | None, screen: IO[str]) -> None:
    """Hand the finished report over; a file appears under its name only when it is complete."""
    if out is None:
        shutil.copyfileobj(draft, screen)
        return
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
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
