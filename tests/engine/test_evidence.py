"""What a number rests on: quotations on one line, the worst first."""

import msgspec

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, Score, cut, worst
from viva.engine.summing import interaction_result


def test_a_quotation_is_one_line_of_a_bounded_length():
    assert cut("two\n  lines") == "two lines"
    assert cut("a" * 300, 10) == "a" * 9 + "…"


def test_the_evidence_of_the_lowest_scores_comes_first():
    low, high = Evidence("low"), Evidence("high")

    assert worst([Score(0.9, (high,)), Score(0.2, (low,)), Score(1.0), Score(None)]) == (low, high)


def test_no_more_evidence_is_kept_than_a_person_reads():
    many = [Score(0.5, (Evidence(str(k)), Evidence("more"))) for k in range(20)]

    assert len(worst(many)) == MAX_EVIDENCE_PIECES


def test_an_interaction_has_the_evidence_of_its_scores_that_are_written_below_one():
    many = tuple(Evidence(str(k), "", 0, 0) for k in range(20))
    scores = {"tool_use": Score(0.5, many), "reasoning": Score(0.99999, many), "handoff": None}

    assert interaction_result("ada", scores | {"response_quality": Score(1.0)}).evidence == {
        "tool_use": many[:MAX_EVIDENCE_PIECES]
    }


def test_an_interaction_without_a_flaw_is_written_without_evidence():
    scores = {"tool_use": None, "reasoning": Score(1.0), "handoff": None, "response_quality": Score(1.0)}

    assert b"evidence" not in msgspec.json.encode(interaction_result("ada", scores))
