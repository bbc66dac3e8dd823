"""What a number rests on: quotations on one line, the worst first."""

from viva.engine.evidence import PIECES, Evidence, Score, cut, worst


def test_a_quotation_is_one_line_of_a_bounded_length():
    assert cut("two\n  lines") == "two lines"
    assert cut("a" * 300, 10) == "a" * 9 + "…"


def test_the_evidence_of_the_lowest_scores_comes_first():
    low, high = Evidence("low"), Evidence("high")

    assert worst([Score(0.9, (high,)), Score(0.2, (low,)), Score(1.0), Score(None)]) == (low, high)


def test_no_more_evidence_is_kept_than_a_person_reads():
    many = [Score(0.5, (Evidence(str(k)), Evidence("more"))) for k in range(20)]

    assert len(worst(many)) == PIECES
