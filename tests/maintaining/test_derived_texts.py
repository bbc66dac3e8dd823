"""What was made of a hidden message: quotes in marks, results and readings go with it, and analyses are made again."""

import msgspec
import pytest

from tests import make
from tests.exams.class_work import CLASS, evaluation, gathered
from tests.maintaining.people import maintainer
from tests.maintaining.test_hiding import everything
from viva.agents import store as agents
from viva.analyses import running
from viva.exams import class_analysis, class_grading, classes, grading, joining, sheets
from viva.exams.marking import GivenMark
from viva.exams.model import Cohort
from viva.judging.panel import Panel
from viva.kit.db import Connection
from viva.maintaining import hiding
from viva.maintaining.derived_texts import without_words
from viva.results import statements
from viva.results import store as results
from viva.results.facts import find_differences
from viva.sessions import channel

SECRET = "My zorkmid number is four four two nine."
READERS = {"cohort": class_analysis.read_content}


@pytest.fixture
def spoken(db) -> Cohort:
    """A class in which two agents said the same."""
    evaluation(db)
    cohort, people = gathered(db, "ann", "ben")
    cohort = joining.start(db, CLASS, cohort.id, agents.get(db, cohort.opened_by_agent_id))
    for agent in people:
        for text in (SECRET, "I plan the games and the food."):
            channel.send(db, CLASS, cohort.session_id or "", agent.id, text, 1_000, None)
    classes.finish(db, CLASS, cohort.id, agents.get(db, cohort.opened_by_agent_id))
    return cohort


def secret_messages(db: Connection, cohort: Cohort) -> list[str]:
    found = db.execute("SELECT id FROM evaluation_messages WHERE content = ? ORDER BY id", [SECRET]).fetchall()
    return [message_id for (message_id,) in found]


def let_judges_read(db: Connection, cohort: Cohort) -> None:
    task = grading.read(db, {"cohort_id": cohort.id})
    assert grading.keep(db, task, grading.think(Panel([]), task), False) is None


def mark(db: Connection, cohort: Cohort) -> list[str]:
    """Ids of the results of the class, which a proctor marked with the words of the message."""
    marker = make.agent(db, "mia")
    rows = make.take_sheet(db, CLASS, cohort.id, marker).rows
    reason = f"It told its number: {SECRET} That is not done."
    given = [GivenMark(row.id, 10, reason, "number is four four") for row in rows]
    return [result.id for result in make.mark_sheet(db, CLASS, cohort.id, marker, given)]


def work_analyses(db: Connection) -> None:
    for (data,) in db.execute("SELECT data FROM jobs WHERE work = 'run_analysis' ORDER BY id").fetchall():
        task = running.read(READERS, db, msgspec.json.decode(data))
        running.keep(db, task, running.think(None, task), False)


def test_a_result_never_quotes_what_the_analysis_quotes(db, spoken):
    let_judges_read(db, spoken)
    quoted = class_grading.find_analysis(db, spoken.id)
    assert quoted
    assert '"quote"' in msgspec.json.encode(quoted).decode()

    for result_id in mark(db, spoken):
        data = results.get(db, result_id).result_data or {}
        assert data["coordination"]
        assert data["agent"]
        assert '"quote"' not in msgspec.json.encode([data["coordination"], data["agent"]]).decode()


def test_a_hidden_message_of_a_class_leaves_everything_that_was_made_of_it(db, spoken):
    let_judges_read(db, spoken)
    ids = mark(db, spoken)
    db.execute(  # as an earlier release kept it
        "UPDATE evaluation_results SET result_data = ? WHERE id = ?",
        [
            msgspec.json.encode(
                (results.get(db, ids[0]).result_data or {}) | {"coordination": {"ping_pong": [{"quote": SECRET}]}}
            ).decode(),
            ids[0],
        ],
    )
    maintainer(db)

    for message_id in secret_messages(db, spoken):
        hiding.hide(db, "message", message_id, "A number.")

    assert "zorkmid" not in everything(db).lower()
    assert "four four" not in everything(db).lower()
    for result_id in ids:
        signed = statements.list_statements(db, result_id)
        assert signed[0].facts["statement_reason"] == "text_hidden"
        salts = statements.read_salts(db, result_id)
        assert find_differences(signed[0].facts, results.get(db, result_id), salts) == []


def test_hiding_and_showing_a_message_of_a_class_both_end_with_an_analysis(db, spoken):
    let_judges_read(db, spoken)
    mark(db, spoken)
    maintainer(db)
    message_id = secret_messages(db, spoken)[0]

    hiding.hide(db, "message", message_id, "A number.")
    assert class_grading.find_analysis(db, spoken.id) is None
    work_analyses(db)
    hidden = msgspec.json.encode(class_grading.find_analysis(db, spoken.id)).decode()
    hiding.show_again(db, "message", message_id)
    assert class_grading.find_analysis(db, spoken.id) is None
    work_analyses(db)

    assert "coordination" in hidden
    assert class_grading.find_analysis(db, spoken.id)


def test_markers_read_the_line_in_place_of_the_message_and_the_message_once_it_is_shown(db, spoken):
    let_judges_read(db, spoken)
    marker = make.agent(db, "mia")
    maintainer(db)
    before = make.take_sheet(db, CLASS, spoken.id, marker).rows
    ids = secret_messages(db, spoken)

    lines = [hiding.hide(db, "message", message_id, "A number.").line for message_id in ids]
    hidden = make.take_sheet(db, CLASS, spoken.id, marker).rows
    for message_id in ids:
        hiding.show_again(db, "message", message_id)

    assert all(lines[0] in row.texts["transcript"] and SECRET not in row.texts["transcript"] for row in hidden)
    assert make.take_sheet(db, CLASS, spoken.id, marker).rows == before


def test_marks_of_judges_who_read_a_message_before_it_was_hidden_are_not_kept(db, spoken):
    maintainer(db)
    task = grading.read(db, {"cohort_id": spoken.id})
    thought = grading.think(Panel([]), task)

    hiding.hide(db, "message", secret_messages(db, spoken)[0], "A number.")

    assert grading.keep(db, task, thought, False) == grading.TEXTS_CHANGED_REASON
    assert sheets.get_about(db, spoken.id).status == "judges"
    assert grading.keep(db, task, thought, True) is None
    assert sheets.get_about(db, spoken.id).status == "proctors"
    work_analyses(db)
    assert class_grading.find_analysis(db, spoken.id)


@pytest.mark.parametrize(
    ("text", "is_quote", "is_kept"),
    [
        ("He said: my zorkmid NUMBER is four, I think.", False, True),
        ("He said: my zorkmid number is four four.", False, False),
        ("four four", True, False),
        ("four four", False, True),
        ("Nothing of it.", True, True),
        ("", True, True),
    ],
)
def test_which_texts_repeat_a_message(text, is_quote, is_kept):
    key = "quote" if is_quote else "reason"
    words = SECRET.casefold().split()

    assert (without_words({key: text, "id": SECRET}, words)[key] == text) is is_kept
    assert without_words({"id": SECRET}, words) == {"id": SECRET}
