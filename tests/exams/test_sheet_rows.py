"""The rows of a sheet are stored when it opens: whatever the evaluation would give later, they decide."""

import logging
from typing import Any

import msgspec
import pytest

from tests import make
from tests.exams import certification, class_work, quiz
from tests.exams.certification import EXAM, fair, hand_in
from tests.exams.class_work import CLASS
from tests.judging.endpoint import endpoint
from tests.values import require
from viva.exams import (
    attempts,
    classes,
    concluding,
    expiring,
    grading,
    progress,
    registering,
    sheet_rows,
    sheets,
    starting,
    submitting,
)
from viva.exams.marking import GivenMark
from viva.exams.model import Exam, SheetRow
from viva.judging.http_judge import HttpJudge
from viva.judging.panel import Panel
from viva.kit.clock import now
from viva.kit.db import Connection, Violation
from viva.results import store as results
from viva.results.model import NamedResult
from viva.sessions import channel

OTHER_RUBRIC = [{"promptId": "quarrel", "criteria": "Sings.", "weight": 100, "maxScore": 3}]
LONG = [{"id": f"q{number}", "kind": "exact", "text": "?", "answers": ["a"]} for number in range(300)]


def work(db: Connection, data: dict[str, Any], panel: Panel | None = None) -> None:
    """Do the background work on a sheet, as the worker does."""
    read, think, keep, _ = grading.work(panel or Panel([]))
    task = read(db, data)
    assert keep(db, task, think(task), False) is None


def change_config(db: Connection, evaluation_id: str, **changes: Any) -> None:
    """Let the evaluation give other rows than it gave when the sheet opened."""
    (config,) = db.execute("SELECT config FROM evaluation_definitions WHERE id = ?", [evaluation_id]).fetchone()
    changed = msgspec.json.encode({**msgspec.json.decode(config), **changes}).decode()
    db.execute("UPDATE evaluation_definitions SET config = ? WHERE id = ?", [changed, evaluation_id])


def forget_rows(db: Connection) -> None:
    """Leave the sheets as the migration leaves those of an earlier release: what is marked has its id and its most."""
    db.execute("UPDATE evaluation_sheets SET texts = NULL")
    db.execute("DELETE FROM evaluation_sheet_rows WHERE row_id NOT IN (SELECT row_id FROM evaluation_marks)")
    db.execute("UPDATE evaluation_sheet_rows SET position = 0, ask = '', texts = '{}', guidance = '', points = most")


def result_of(db: Connection, registration_id: str) -> NamedResult:
    return results.get(db, results.find_id(db, registration_id) or "none")


# Stored rows decide


def test_proctors_mark_the_rows_that_were_stored(db):
    certification.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    registration_id = hand_in(db, ada)
    work(db, {"registration_id": registration_id})
    before = make.take_sheet(db, EXAM, registration_id, paul).rows

    change_config(db, EXAM, rubric=OTHER_RUBRIC)

    assert make.take_sheet(db, EXAM, registration_id, paul).rows == before
    (result,) = certification.mark(db, registration_id, paul, 10, 10, 5)
    assert (result.passed, result.score, result.max_score) == (True, 80, 100)
    assert [line["text"] for line in require(result.result_data)["criteria"]] == [
        "Greets back.",
        "Sells nothing.",
        "Stays calm.",
    ]


def test_judges_mark_the_rows_that_were_stored(db):
    certification.evaluation(db)
    registration_id = hand_in(db, make.agent(db, "ada"))
    change_config(db, EXAM, rubric=OTHER_RUBRIC)

    with endpoint(fair({"Greets back.": 10, "Sells nothing.": 5, "Stays calm.": 10, "Sings.": 0})) as server:
        work(db, {"registration_id": registration_id}, Panel([HttpJudge(server.url, "model-a")]))

    assert (result_of(db, registration_id).score, result_of(db, registration_id).max_score) == (85, 100)


def test_a_class_is_marked_by_the_rows_of_its_end(db):
    class_work.evaluation(db)
    paul = make.agent(db, "paul")
    cohort, members = class_work.gathered(db, "ada", "bea")
    cohort = classes.begin_class(db, cohort)
    for member in members:
        channel.send(db, CLASS, cohort.session_id or "", member.id, "I bring the bread.", 100)
    cohort = classes.end_class(db, cohort)
    work(db, {"cohort_id": cohort.id})
    before = make.take_sheet(db, CLASS, cohort.id, paul).rows

    change_config(db, CLASS, rubric=[{"id": "song", "of": "group", "criteria": "They sing.", "max_score": 3}])
    db.execute("UPDATE evaluation_messages SET content = 'I said something else.'")

    assert make.take_sheet(db, CLASS, cohort.id, paul).rows == before
    assert [row.id for row in before] == ["group/plan", "1/share", "2/share"]
    given = [GivenMark(row.id, mark) for row, mark in zip(before, (10, 4, 10), strict=True)]
    found = make.mark_sheet(db, CLASS, cohort.id, paul, given, None)
    assert [(result.score, result.max_score) for result in found] == [(70, 100), (100, 100)]


def test_free_texts_are_marked_by_the_rows_of_the_day_they_were_handed_in(db):
    make.evaluation(db, **quiz.fields())
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    registering.register(db, quiz.ID, ada)
    registration_id = starting.start(db, make.HALL, quiz.ID, ada, "").registration.id
    exam = submitting.exam_of(db, make.HALL, quiz.ID, ada, "")
    submitting.submit(db, exam, {"answers": {"essay": quiz.ESSAY, **quiz.RIGHT}})
    work(db, {"registration_id": registration_id})

    change_config(db, quiz.ID, questions=quiz.QUESTIONS[:-1])

    (result,) = make.mark_sheet(db, quiz.ID, registration_id, paul, [GivenMark("essay", 3)], None)
    assert (result.score, result.max_score) == (10, 10)


def test_equal_texts_of_a_sheet_are_stored_once(db):
    certification.evaluation(db)
    sheet = sheets.get_about(db, hand_in(db, make.agent(db, "ada")))

    (texts,) = db.execute("SELECT texts FROM evaluation_sheets WHERE id = ?", [sheet.id]).fetchone()

    rows = require(sheet_rows.find_rows(db, sheet.id))
    assert [row.id for row in rows] == list(certification.ROWS)
    assert len(msgspec.json.decode(texts)) == 4  # two conversations and two answers, for three rows
    assert rows[0].texts == rows[1].texts != rows[2].texts


def test_stored_rows_come_back_as_they_were(db):
    certification.evaluation(db)
    sheet = sheets.get_about(db, hand_in(db, make.agent(db, "ada")))
    forget_rows(db)
    rows = [
        SheetRow("b/é", "Ask?", 0.5, {"a": "x\n\N{SNOWMAN}", "b": ""}, "probe", None, "Look.", 12.25),
        SheetRow("a", "", 3, {}, None, None, "", 0),
    ]

    assert sheet_rows.store_rows(db, sheet.id, rows)
    assert not sheet_rows.store_rows(db, sheet.id, rows[:1])

    assert sheet_rows.find_rows(db, sheet.id) == rows


def test_only_a_row_of_the_sheet_can_have_a_mark(db):
    certification.evaluation(db)
    registration_id = hand_in(db, make.agent(db, "ada"))
    sheet = sheets.get_about(db, registration_id)
    sheets.add_judge(db, sheet.id, "wise")

    with pytest.raises(Violation):
        db.execute(
            """
            INSERT INTO evaluation_marks (sheet_id, marker, row_id, mark, most, reason, quote, notes)
            VALUES (?, 'wise', 'nothing', 1, 1, '', '', '{}')
            """,
            [sheet.id],
        )


# Sheets of an earlier release


@pytest.mark.parametrize("is_hub_started", [True, False])
def test_a_sheet_of_an_earlier_release_loses_nothing(db, is_hub_started):
    certification.evaluation(db, markers=2, margin=100)
    ada, paul, pia = (make.agent(db, name) for name in ("ada", "paul", "pia"))
    registration_id = hand_in(db, ada)
    work(db, {"registration_id": registration_id})
    before = make.take_sheet(db, EXAM, registration_id, paul).rows
    assert certification.mark(db, registration_id, paul, 10, 10, 10) == []
    forget_rows(db)

    if is_hub_started:
        assert concluding.store_missing_rows(db) == 1
        assert concluding.store_missing_rows(db) == 0
        change_config(db, EXAM, rubric=OTHER_RUBRIC)

    assert make.take_sheet(db, EXAM, registration_id, pia).rows == before
    (result,) = certification.mark(db, registration_id, pia, 10, 10, 5)
    assert (result.score, result.max_score) == (90, 100)
    assert sheet_rows.find_rows(db, sheets.get_about(db, registration_id).id) == before


def test_a_sheet_of_an_earlier_release_is_judged(db):
    certification.evaluation(db)
    registration_id = hand_in(db, make.agent(db, "ada"))
    forget_rows(db)

    with endpoint(fair(certification.FULL)) as server:
        work(db, {"registration_id": registration_id}, Panel([HttpJudge(server.url, "model-a")]))

    assert result_of(db, registration_id).score == 100
    assert len(require(sheet_rows.find_rows(db, sheets.get_about(db, registration_id).id))) == 3


def test_one_sheet_whose_rows_cannot_be_had_does_not_keep_a_hub_from_starting(db, caplog):
    certification.evaluation(db)
    broken, whole = (hand_in(db, make.agent(db, name)) for name in ("ada", "bea"))
    forget_rows(db)
    db.execute("UPDATE evaluation_attempts SET content = '{}' WHERE registration_id = ?", [broken])

    with caplog.at_level(logging.CRITICAL):
        assert concluding.store_missing_rows(db) == 1

    assert sheet_rows.find_rows(db, sheets.get_about(db, whole).id)
    assert sheet_rows.find_rows(db, sheets.get_about(db, broken).id) is None


def test_closed_sheets_are_left_as_they_are(db):
    certification.evaluation(db)
    sheet = sheets.get_about(db, hand_in(db, make.agent(db, "ada")))
    sheets.close(db, sheet.id)
    forget_rows(db)

    assert concluding.store_missing_rows(db) == 0


# Long benchmarks


def begin_long(db: Connection, questions: list[dict[str, Any]]) -> Exam:
    make.evaluation(db, **quiz.fields(questions=questions))
    ada = make.agent(db, "ada")
    registering.register(db, quiz.ID, ada)
    starting.start(db, make.HALL, quiz.ID, ada, "")
    return submitting.exam_of(db, make.HALL, quiz.ID, ada, "")


def test_a_long_benchmark_is_decided_by_a_job(db):
    exam = begin_long(db, LONG)

    result, job = submitting.submit(db, exam, {"answers": {f"q{number}": "a" for number in range(250)}})

    assert result is None
    assert job is not None
    assert progress.progress_of(db, job, exam.candidate).waiting_for is None
    work(db, job.data)
    found = result_of(db, exam.registration.id)
    assert (found.passed, found.score, found.max_score) == (True, 250, 300)
    assert "judges" not in require(found.result_data)
    assert progress.progress_of(db, job, exam.candidate).result_id == found.id


def test_what_code_found_is_kept_until_the_free_texts_are_marked(db):
    exam, paul = begin_long(db, [*LONG, quiz.QUESTIONS[-1]]), make.agent(db, "paul")
    _, job = submitting.submit(db, exam, {"answers": {"q0": "a", "q1": "b", "essay": quiz.ESSAY}})

    assert job is not None
    work(db, job.data)

    checks = require(attempts.find_of(db, exam.registration.id)).content["checks"]
    assert [checks[f"q{number}"][0] for number in range(3)] == [1, 0, 0]
    assert progress.progress_of(db, job, exam.candidate).waiting_for == "proctor"
    (result,) = make.mark_sheet(db, quiz.ID, exam.registration.id, paul, [GivenMark("essay", 2)], None)
    assert (result.score, result.max_score) == (3, 303)


def test_a_long_benchmark_whose_time_is_over_is_decided_by_a_job(db):
    exam = begin_long(db, LONG)
    submitting.save_answers(db, exam, {"q0": "a"})
    db.execute("UPDATE evaluation_challenges SET expires_at = ?", [now()])

    assert expiring.end_overdue(db) == 1

    assert results.find_id(db, exam.registration.id) is None
    work(db, {"registration_id": exam.registration.id})
    assert result_of(db, exam.registration.id).score == 1
