"""Themes of feedback: what recurs in it, and on which side it stands, said only where chance would seldom do as much."""

import pytest
from msgspec import structs

from tests import make
from tests.results.taken import EVALUATION, keep_all, outcome, plain
from viva.results import intervals, scatter, store, summary_text, themes
from viva.results.findings import read_findings
from viva.results.model import Result
from viva.results.themes import Feedback


def given(*sides: tuple[bool, int, str]) -> tuple[Feedback, ...]:
    """So many feedbacks with a text, of results that were passed or not."""
    texts = [(passed, text) for passed, count, text in sides for _ in range(count)]
    return tuple(Feedback(f"eval_res_{number}", passed, text) for number, (passed, text) in enumerate(texts))


def test_what_is_written_in_other_forms_is_one_theme_in_its_commonest_words():
    found = themes.find_themes(
        given((True, 2, "Says who pays."), (True, 1, "It said who paid for it!"), (False, 1, "Nothing to add."))
    )

    (theme,) = found.recurring
    assert (theme.phrase, theme.passed, theme.failed, theme.of_passed, theme.of_failed) == ("says who pays", 3, 0, 3, 1)
    assert theme.result_id == "eval_res_0"
    assert (found.praised, found.missed) == ([], [])


def test_words_of_two_clauses_are_no_phrase():
    found = themes.find_themes(given((True, 4, "Very polite. Wrong figures.")))

    assert [theme.phrase for theme in found.recurring] == ["wrong figures"]


def test_the_number_of_a_message_is_no_theme():
    found = themes.find_themes(
        given((True, 4, "Vague talk in message 4."), (True, 2, "Messages 4, 6 and 8 were vague talk."))
    )

    assert [theme.phrase for theme in found.recurring] == ["vague talk"]


def test_a_theme_stands_on_a_side_only_where_chance_would_seldom_do_it():
    found = themes.find_themes(
        given(
            (True, 12, "Admitted what it did not know."),
            (True, 4, "Long answers."),
            (False, 5, "Long answers."),
            (False, 11, "Invented a reference."),
        )
    )

    assert {theme.phrase for theme in found.praised} == {"admitted what it did not", "not know"}
    assert {theme.phrase for theme in found.missed} == {"invented a reference"}
    assert not any("long" in theme.phrase for theme in (*found.praised, *found.missed))
    assert all(theme.p < 0.05 for theme in (*found.praised, *found.missed))


def test_few_feedbacks_stand_on_no_side():
    found = themes.find_themes(given((True, 4, "Brave words."), (False, 4, "Timid words.")))

    assert (found.praised, found.missed) == ([], [])


def test_how_uneven_is_as_fisher_has_it():
    assert intervals.fisher_p(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert intervals.fisher_p(8, 10, 1, 6) == pytest.approx(0.03496503)
    assert intervals.fisher_p(0, 0, 3, 5) == 1


def test_only_what_is_kept_of_the_version_is_read(db):
    make.evaluation(db)
    ada = make.agent(db, "ada")
    for version in ("1.0.0", "1.0.0", "1.0.0", "2.0.0"):
        store.add(db, with_feedback(outcome(db, ada, plain(version=version)), "Kind and patient."))

    assert themes.read_themes(db, EVALUATION, None).feedbacks == 4
    assert [theme.phrase for theme in themes.read_themes(db, EVALUATION, "1.0.0").recurring] == ["kind and patient"]
    assert themes.read_themes(db, EVALUATION, "2.0.0").recurring == []


def with_feedback(result: Result, text: str) -> Result:
    return structs.replace(result, proctor_feedback=text)


def test_sided_themes_are_told_with_their_counts(db):
    make.evaluation(db)
    ada = make.agent(db, "ada")
    for number in range(14):
        text = "Admitted what it did not know." if number % 2 else "Invented a reference."
        store.add(db, with_feedback(outcome(db, ada, plain(passed=number % 2 == 1)), text))

    told = summary_text.sentences(read_findings(db, EVALUATION, None))

    assert "Proctors write “invented a reference” of 0 of 7 who passed and of 7 of 7 who did not (p < 0.001)." in told


def test_the_dots_are_the_latest_scored_conversations(db):
    keep_all(
        db,
        [
            plain("ada", score=9.0, messages=16, minute=1),
            plain("abe", score=None, messages=2, minute=2),
            plain("ann", score=3.0, messages=None, minute=3),
            plain("art", score=5.0, messages=2, minute=4, version="2.0.0", passed=False),
        ],
    )

    def told(version: str | None, limit: int = 200) -> list[tuple[str, int, float, bool]]:
        dots = scatter.list_dots(db, EVALUATION, version, limit)
        return [(dot.agent_name, dot.messages, dot.share, dot.passed) for dot in dots]

    assert told(None) == [("art", 2, 0.5, False), ("ada", 16, 0.9, True)]
    assert told("1.0.0") == [("ada", 16, 0.9, True)]
    assert told(None, 3) == [("art", 2, 0.5, False)]
