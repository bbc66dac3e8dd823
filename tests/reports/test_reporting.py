"""Reports get analyses from whoever drives the engine; they start nothing themselves."""

import io
import subprocess
import sys

import msgspec

from tests.engine.refund import refund
from tests.values import UNTRACED
from viva.engine.analysis import Analysed
from viva.engine.analyze import analyze
from viva.engine.intake.faults import BadTrace
from viva.reports.reporting import MAX_FAULTY_TRACES_LISTED, write_report
from viva.reports.writers import Style

PROGRAM = """
import sys
import viva.reports.reporting

print(*(name for name in ("viva.engine.bulk", "viva.engine.cluster", "multiprocessing") if name in sys.modules))
"""


def test_reports_load_no_process_pool():
    loaded = subprocess.run([sys.executable, "-c", PROGRAM], env=UNTRACED, capture_output=True, text=True, check=True)

    assert loaded.stdout == "\n"


def test_analyses_are_written_and_counted_as_they_come():
    raw = msgspec.json.encode(analyze(refund(), sentence_model=False))
    draft = io.StringIO()

    done = write_report([Analysed(10, raw), Analysed(10, raw)], "jsonl", Style(fail_under=1.0), draft)

    assert draft.getvalue() == 2 * (raw.decode() + "\n")
    assert (done.traces, done.low, done.faulty, done.is_complete) == (2, 2, 0, True)


def test_a_report_with_a_fault_or_without_traces_is_not_complete():
    fault = Analysed(10, fault=BadTrace("a"))

    faulty = write_report([fault] * (MAX_FAULTY_TRACES_LISTED + 1), "jsonl", Style(), io.StringIO())
    empty = write_report([], "jsonl", Style(), io.StringIO())
    raw = msgspec.json.encode(analyze(refund(), sentence_model=False))
    mixed = write_report([Analysed(10, raw), fault], "jsonl", Style(), io.StringIO())

    assert (faulty.faulty, len(faulty.faults), faulty.is_complete) == (
        MAX_FAULTY_TRACES_LISTED + 1,
        MAX_FAULTY_TRACES_LISTED,
        False,
    )
    assert not empty.is_complete
    assert (mixed.traces, mixed.is_complete) == (1, False)
