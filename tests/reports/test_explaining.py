"""What `--explain` tells: of every score what it rests on, and each piece of evidence once."""

import io
from typing import Any

from rich.console import Console

from tests.engine.refund import refund
from viva.engine.analyze import analyze
from viva.engine.model import Trace
from viva.reports import table
from viva.reports.cells import MAX_ROWS_SHOWN
from viva.reports.tally import AnalysisTally


def explained(trace: Trace | dict[str, Any]) -> list[str]:
    """The lines of a report on one trace, on a terminal so wide that none is broken."""
    tally, screen = AnalysisTally(), io.StringIO()
    tally.add(analyze(trace, sentence_model=False))
    console = Console(file=screen, width=2_000)
    for part in table.render_report(tally, explain=True):
        console.print(part)
    return [line.strip() for line in screen.getvalue().splitlines()]


def refusals(count: int) -> dict[str, Any]:
    acts = [{"agent_id": "ada", "agent_response": f"I can't open gate {n}."} for n in range(count)]
    return {"turns": [{"user_message": "Open every gate", "agent_interactions": acts}]}


def test_each_piece_of_evidence_is_told_once():
    told = [line for line in explained(refund()) if line.startswith("turn ") and "“" in line]

    assert len(told) > 5
    assert len(told) == len(set(told))


def test_what_an_agents_scores_leave_out_is_told_of_its_parts():
    lines = explained(refusals(7))

    more = lines[lines.index("More evidence") :]
    told = [line for line in lines if line.startswith("turn ")]
    refused = [line for line in told if "A refusal that gives neither a reason nor another way." in line]
    assert len(refused) == 7
    assert more[1].startswith("turn 1, part ")
    assert ": ada, Response 0." in more[1]


def test_parts_beyond_those_that_are_read_are_counted():
    lines = explained(refusals(60))

    headings = [line for line in lines if ": ada, Response 0." in line]
    assert len(headings) == MAX_ROWS_SHOWN
    assert any(line.startswith("and ") and line.endswith(" more scores of parts") for line in lines)


def test_a_run_with_nothing_more_to_tell_has_no_section_for_it():
    assert not [line for line in explained(refusals(1)) if line.startswith("More evidence")]
