"""Texts that were erased for good: they stand nowhere, the line stays, and nobody shows them again."""

from typing import Any

import pytest

from tests import make
from tests.contributions.submitted import submission
from tests.contributions.test_announcing import collaborate
from tests.exams import readings
from tests.exams.class_work import CLASS, evaluation, gathered
from tests.maintaining.people import SPAM, act_as, actions_in, exam, maintainer, texts_in
from tests.maintaining.test_derived_texts import let_judges_read
from tests.maintaining.test_hiding import everything
from tests.traces import runs
from viva.agents import accounts
from viva.agents import store as agents
from viva.analyses import deleting
from viva.contributions import comments, reviewing
from viva.contributions.ownership import Editor
from viva.exams import classes, joining
from viva.exams.marking import GivenMark
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.maintaining import cleaning, hidden_texts, hiding
from viva.maintaining.hidden_texts import HiddenSubject, NotHidden, TextErased
from viva.notices import webhooks
from viva.results import store as results
from viva.sessions import channel
from viva.traces import sharing
from viva.traces import store as traces


def hide_and_erase(db: Connection, subject_type: HiddenSubject, subject_id: str) -> str:
    line = hiding.hide(db, subject_type, subject_id, "A court says so.").line
    hiding.erase(db, subject_type, subject_id)
    return line


def test_an_erased_message_stands_nowhere_and_its_line_stays(db):
    seen = exam(db)
    maintainer(db)

    line = hide_and_erase(db, "message", seen.message_id)

    assert SPAM not in everything(db, without=())
    assert texts_in(db, seen.session_id)[1] == line
    assert actions_in(db)[-2:] == ["text.hidden", "text.erased"]
    hidden = hidden_texts.get(db, "message", seen.message_id)
    assert (hidden.original, hidden.line) == ("", line)
    assert hidden.erased_at


def test_what_is_erased_is_neither_shown_again_nor_erased_again(db):
    seen = exam(db)
    maintainer(db)
    hide_and_erase(db, "message", seen.message_id)

    for act in (hiding.show_again, hiding.erase):
        with pytest.raises(TextErased), make.unit(db):
            act(db, "message", seen.message_id)
        for subject_id in (seen.session_id, "' OR 1=1 --", "x" * 100):
            with pytest.raises(NotHidden), make.unit(db):
                act(db, "message", subject_id)


def test_every_kind_of_text_is_erased(db):
    seen = exam(db, feedback="Grumblewort is better.")
    accounts.change(db, seen.proctor, "Zorkmid Sales", "All about snorkelwhackers.")
    contribution = submission(db)
    comment = comments.add(db, contribution, seen.proctor.id, "Zorkmid Sales", "Try fizzbangles.", None, True)
    maintainer(db)

    texts: dict[HiddenSubject, str] = {
        "message": seen.message_id,
        "feedback": seen.result.id,
        "name": seen.proctor.id,
        "description": seen.proctor.id,
        "comment": comment.id,
    }
    for subject_type, subject_id in texts.items():
        hide_and_erase(db, subject_type, subject_id)

    left = everything(db, without=()).lower()
    assert [word for word in ("zorkmid", "grumblewort", "snorkelwhack", "fizzbangle") if word in left] == []


def test_a_new_text_in_the_place_of_an_erased_one_can_be_hidden_and_shown(db):
    ada = make.agent(db, "ada")
    accounts.change(db, ada, None, SPAM)
    maintainer(db)
    hide_and_erase(db, "description", ada.id)
    accounts.change(db, ada, None, "Makes tea.")

    hiding.hide(db, "description", ada.id, "Too short.")
    hiding.show_again(db, "description", ada.id)

    assert agents.get(db, ada.id).description == "Makes tea."


def test_feedback_leaves_second_readings_too(db):
    people = {name: make.agent(db, name) for name in ("ada", "paul", "pia", "paz")}
    readings.evaluation(db)
    words = "Grumblewort is better."
    result = readings.decided(db, people["ada"], people["paul"], feedback=words)
    reading = readings.open_reading_of(db, result)
    readings.read_again(db, reading, people["pia"], False, feedback=words)
    maintainer(db)

    hide_and_erase(db, "feedback", result.id)

    assert "Grumblewort" not in everything(db, without=())


def test_feedback_leaves_the_markers_words_of_a_class(db):
    evaluation(db)
    cohort, people = gathered(db, "ann", "ben")
    cohort = joining.start(db, CLASS, cohort.id, agents.get(db, cohort.opened_by_agent_id))
    for agent in people:
        channel.send(db, CLASS, cohort.session_id or "", agent.id, "I plan the games.", 1_000, None)
    classes.finish(db, CLASS, cohort.id, agents.get(db, cohort.opened_by_agent_id))
    let_judges_read(db, cohort)
    marker = make.agent(db, "mia")
    given = [GivenMark(row.id, 10) for row in make.take_sheet(db, CLASS, cohort.id, marker).rows]
    marked = make.mark_sheet(db, CLASS, cohort.id, marker, given, "Grumblewort is better.")
    maintainer(db)

    for result in marked:
        hide_and_erase(db, "feedback", result.id)

    assert len(marked) == 2
    assert "Grumblewort" not in everything(db, without=())


def test_a_name_leaves_class_work_collaborators_and_what_people_were_told(db):
    name = "Zorkmid (Sales)"
    evaluation(db)
    cohort, people = gathered(db, name, "ben")
    cohort = joining.start(db, CLASS, cohort.id, agents.get(db, cohort.opened_by_agent_id))
    for agent in people:
        channel.send(db, CLASS, cohort.session_id or "", agent.id, "I plan the games.", 1_000, None)
    classes.finish(db, CLASS, cohort.id, agents.get(db, cohort.opened_by_agent_id))
    let_judges_read(db, cohort)
    pia = people[0]
    ada = make.agent(db, "ada")
    webhooks.add(db, ada.id, "https://ada.example/", ["*"])
    contribution = submission(db, contributor_id=ada.id, contributor_email=None)
    collaborate(db, contribution.id, pia)
    act_as(db, pia)
    reviewing.comment(db, contribution.id, Editor(contribution, "collaborator", pia.id, name), "Nice.")
    assert everything(db).count(name) > 5
    maintainer(db)

    hide_and_erase(db, "name", pia.id)

    assert "Zorkmid" not in everything(db, without=())
    shown = f"hidden-{pia.id[-12:]}"
    texts = [text for (text,) in db.execute("SELECT text FROM notices WHERE account_id = ?", [ada.id]).fetchall()]
    assert f"{shown} has commented on the evaluation." in texts
    assert f"{shown}: I plan the games." in everything(db)


def test_a_hidden_name_is_sent_to_nobody_who_is_told_of_its_comments(db):
    pia, ada = make.agent(db, "Zorkmid (Sales)"), make.agent(db, "ada")
    webhooks.add(db, ada.id, "https://ada.example/", ["*"])
    db.execute("INSERT INTO notice_addresses VALUES (?, 'ada@ada.example', ?)", [ada.id, now()])
    contribution = submission(db, contributor_id=ada.id, contributor_email=None)
    collaborate(db, contribution.id, pia)
    act_as(db, pia)
    reviewing.comment(db, contribution.id, Editor(contribution, "collaborator", pia.id, pia.name), "Nice.")
    tables = ("notices", "notice_emails", "webhook_deliveries")
    told = [db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall() for table in tables]
    assert repr(told).count("Zorkmid") > 2
    maintainer(db)

    hiding.hide(db, "name", pia.id, "Advertising.")

    hidden = repr([db.execute(f"SELECT * FROM {table}").fetchall() for table in tables])
    assert "Zorkmid" not in hidden
    assert f"hidden-{pia.id[-12:]} has commented" in hidden
    hiding.show_again(db, "name", pia.id)
    assert [db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall() for table in tables] == told


@pytest.mark.parametrize("is_there", [True, False])
def test_an_erased_trace_is_deleted_also_if_its_owner_was_faster(db, is_there):
    ada = make.agent(db, "ada")
    (shared,) = runs.upload(db, ada, "Grumblewort")
    sharing.share(db, shared.id, ada.id)
    maintainer(db)
    hiding.hide(db, "trace", shared.id, "A court says so.")
    if not is_there:
        deleting.delete_trace(db, shared.id, ada.id)

    hiding.erase(db, "trace", shared.id)

    with pytest.raises(traces.NoSuchTrace):
        traces.get(db, shared.id)
    assert "Grumblewort" not in everything(db, without=())
    with pytest.raises(TextErased), make.unit(db):
        hiding.show_again(db, "trace", shared.id)


def test_restoring_an_agent_shows_what_was_not_erased(db):
    seen = exam(db, feedback="Quite good.")
    maintainer(db)
    cleaning.suspend_all(db, [seen.proctor.id], "Spam.", hides_texts=True)

    hiding.erase(db, "feedback", seen.result.id)
    cleaning.restore_all(db, [seen.proctor.id], shows_texts=True)

    assert texts_in(db, seen.session_id)[0] == "What do you say?"
    assert str(results.get(db, seen.result.id).proctor_feedback).startswith("Hidden by mary")


def test_of_showing_again_and_erasing_at_once_one_wins(database: Database):
    seen = database.write_now(exam)
    database.write_now(lambda db: hiding.hide(db, "message", seen.message_id, "Advertising."))

    def run(act: Any) -> None:
        database.write_now(lambda db: act(db, "message", seen.message_id))

    acts = (hiding.show_again, hiding.erase)
    shown, erased = make.together(*(lambda act=act: run(act) for act in acts))

    is_shown = SPAM in database.read_now(lambda db: everything(db, without=()))
    assert (shown is None, erased is None) == (is_shown, not is_shown)
    assert isinstance(erased if is_shown else shown, NotHidden if is_shown else TextErased)
