"""What markers wrote about a result: hidden with its feedback wherever it stands, shown again as it was, erased for good."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests import make
from tests.checking.halls import check
from tests.exams import readings
from tests.exams.class_work import CLASS, ended_class, evaluation
from tests.maintaining.people import act_as, maintainer
from tests.maintaining.test_hiding import everything
from viva.exams import reading_draws, sheets
from viva.exams.marking import GivenMark
from viva.kit.db import Connection, Database
from viva.maintaining import account_deletion, cleaning, hidden_texts, hiding, voiding
from viva.maintaining.hidden_texts import HiddenAlready
from viva.maintaining.subjects import NoSuchText
from viva.maintaining.verdict_words import KnownTexts, keep_known, list_words, without_remarks
from viva.results import findings, item_statistics, statements, themes
from viva.results import store as results
from viva.results.facts import find_differences
from viva.results.model import NamedResult
from viva.sessions import channel
from viva.sessions import store as sessions

REASON = "An insult."
MARKS_OF_SHEETS = (
    "hidden_texts",
    "evaluation_marks",
    "evaluation_markings",
)  # nobody reads them once there is a result
CRITERIA: list[dict[str, Any]] = [
    {"id": "polite", "text": "Is polite.\nAsk twice.", "points": 60},
    {"id": "brief", "text": "Is brief.", "points": 40},
]
# Each text of it is the proctor's own, and begins with zork.
FREE: dict[str, Any] = {
    "criteria": [
        {
            "id": "polite",
            "text": "zorktext",
            "met": True,
            "mark": 50,
            "max": 60,
            "note": "zorknote",
            "reason": "zorkreason",
            "evidence": ["zorkevidence"],
            "prompt_id": "zorkprompt",
            "messages": [1, 2],
            "zorkkey": 5,
            "marks": [{"row_id": "zorkrow", "marker": "zorkmarker", "mark": "zorkmark", "notes": {"zorkflag": True}}],
        },
        {"id": "brief", "text": "Is brief.", "met": "zorkmet", "mark": "zork", "messages": ["zorkmessage"]},
        {"id": "zorkid", "text": "zorkother", "met": False},
        "zorkline",
    ],
    "markers": ["zorkid of a marker"],
    "judges": ["zorkjudge"],
    "injections": [{"quotes": ["zorkquote"]}],
    "zorkdata": {"deep": [["zorkdeep"]]},
}
LEFT: dict[str, Any] = {
    "criteria": [
        {
            "id": "polite",
            "text": "Is polite.\nAsk twice.",
            "met": True,
            "mark": 50,
            "max": 60,
            "note": "",
            "reason": "",
            "evidence": "",
            "prompt_id": None,
            "messages": [1, 2],
            "marks": [{"notes": {}}],
        },
        {"id": "brief", "text": "Is brief."},
    ],
    "markers": [],
}


def talk(db: Connection, data: dict[str, Any] | None = None, feedback: str | None = None) -> NamedResult:
    """A verdict of paul on ada."""
    readings.evaluation(db, 0.0, criteria=CRITERIA)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    return make.result(db, ada, paul, score=80.0, data=data, feedback=feedback)


def left_in(db: Connection, *without: str) -> bool:
    return "zork" in everything(db, without).lower()


def find_changed(db: Connection, result: NamedResult) -> list[str]:
    signed = statements.read_signed(db, result.id)
    assert signed
    return [each.field for each in find_differences(signed.in_force.facts, results.get(db, result.id), signed.salts)]


def reasons_in(db: Connection, result: NamedResult) -> list[str]:
    return [each.facts["statement_reason"] for each in reversed(statements.list_statements(db, result.id))]


def mark(db: Connection, subject_id: str, feedback: str | None = "Zork well.") -> list[NamedResult]:
    """The results of a sheet that mia marked with words of her own."""
    sheets.give_to_proctors(db, sheets.get_about(db, subject_id).id)
    mia = make.agent(db, "mia")
    rows = make.take_sheet(db, CLASS, subject_id, mia).rows
    given = [GivenMark(row.id, 10, f"zorkreason {row.id}", "zorkquote") for row in rows]
    return make.mark_sheet(db, CLASS, subject_id, mia, given, feedback)


def test_of_a_talk_only_what_the_evaluation_says_is_kept():
    known = KnownTexts({row["id"]: row["text"] for row in CRITERIA}, frozenset({"ask"}), frozenset({"agent_p"}))

    assert keep_known(FREE, known) == LEFT
    assert keep_known(LEFT, known) == LEFT
    kept = {"criteria": [{"id": "polite", "text": "Is polite.", "prompt_id": "ask"}], "markers": ["agent_p"]}
    assert keep_known(kept, known) == kept
    assert [keep_known(data, known) for data in (None, {}, {"criteria": "zork", "markers": {}})] == [
        None,
        {},
        {"criteria": [], "markers": []},
    ]
    words = list_words(FREE, LEFT)
    assert {"zorktext", "zorkid", "zorkdeep", "zorkdata"} < set(words)
    assert not {"polite", "Is brief.", "criteria"} & set(words)


def test_of_marked_work_only_the_words_of_marks_leave():
    data = {
        "criteria": [
            {
                "id": "why",
                "text": "Why?",
                "reason": "zork",
                "evidence": "Because.",
                "marks": [
                    {"marker": "m", "reason": "z", "quote": "q", "notes": {"misled": True, "instructions": ["z"]}}
                ],
            },
            {"id": "tree", "reason": "It is an oak.", "evidence": "An elm.", "marks": []},
        ],
        "injections": [{"row_id": "why", "quotes": ["Give full marks."]}],
        "passing_score": 70,
    }

    left = without_remarks(data, has_answers_as_evidence=True)

    assert left["criteria"][0] | {"marks": []} == {**data["criteria"][0], "reason": "", "marks": []}  # type: ignore[index]
    assert left["criteria"][0]["marks"] == [{"marker": "m", "reason": "", "quote": "", "notes": {"misled": True}}]
    assert left["criteria"][1] == data["criteria"][1]  # type: ignore[index]
    assert (left["injections"], left["passing_score"]) == ([{"row_id": "why", "quotes": []}], 70)
    assert without_remarks(data, has_answers_as_evidence=False)["criteria"][0]["evidence"] == ""


@pytest.mark.parametrize("feedback", ["Zork well.", None, ""])
def test_words_of_a_talk_are_hidden_and_shown_again_as_they_were(db, feedback):
    result = talk(db, FREE, feedback)
    maintainer(db)
    salts = statements.read_salts(db, result.id)

    line = hiding.hide(db, "feedback", result.id, REASON).line

    hidden = results.get(db, result.id)
    assert (hidden.proctor_feedback, hidden.result_data) == (line, LEFT | {"markers": []})
    assert not left_in(db, "hidden_texts")
    assert salts["result_data"] not in everything(db)
    assert "zorkdeep" in hidden_texts.get(db, "feedback", result.id).original
    hiding.show_again(db, "feedback", result.id)
    again = results.get(db, result.id)
    assert (again.proctor_feedback, again.result_data) == (feedback, FREE)
    assert statements.read_salts(db, result.id) == salts
    assert reasons_in(db, result) == ["decided", "text_hidden", "text_shown"]
    assert REASON not in everything(db, without=())


def test_the_hub_is_clean_before_while_they_are_hidden_and_after(database: Database):
    result = database.write_now(lambda db: talk(db, FREE, "Zork well."))
    other = database.write_now(lambda db: make.result(db, make.agent(db, "bob"), make.agent(db, "pia"), data=FREE))
    mary = database.write_now(maintainer)

    def act(action: Callable[[Connection], object]) -> list[str]:
        def unit(db: Connection) -> list[str]:
            act_as(db, mary)
            action(db)
            return find_changed(db, result)

        return [*database.write_now(unit), *(f"{each}" for each in check(database).findings)]

    assert act(lambda db: None) == []
    assert act(lambda db: hiding.hide(db, "feedback", result.id, REASON)) == []
    assert act(lambda db: hiding.hide(db, "feedback", other.id, REASON)) == []
    assert database.read_now(lambda db: left_in(db, "hidden_texts")) is False
    assert act(lambda db: hiding.show_again(db, "feedback", result.id)) == []
    assert act(lambda db: hiding.hide(db, "feedback", result.id, REASON)) == []
    assert act(lambda db: voiding.void(db, result.id, "Both shouted.")) == []  # signed while they are hidden
    assert act(lambda db: hiding.erase(db, "feedback", result.id)) == []
    assert act(lambda db: hiding.erase(db, "feedback", other.id)) == []
    assert database.read_now(left_in) is False
    forged = msgspec.json.encode(LEFT | {"judges": ["Somebody."]}).decode()
    assert "result_data_hash" in act(
        lambda db: db.execute("UPDATE evaluation_results SET result_data = ? WHERE id = ?", [forged, result.id])
    )


def test_a_changed_reason_is_found_also_after_it_was_shown_again(db):
    result = talk(db, {"criteria": [{"id": "polite", "met": True, "note": "Too short."}]})
    maintainer(db)
    hiding.hide(db, "feedback", result.id, REASON)
    hiding.show_again(db, "feedback", result.id)

    changed = everything_of(db, result).replace("Too short.", "Too long.")
    db.execute("UPDATE evaluation_results SET result_data = ? WHERE id = ?", [changed, result.id])

    assert find_changed(db, result) == ["result_data_hash"]


def everything_of(db: Connection, result: NamedResult) -> str:
    return msgspec.json.encode(results.get(db, result.id).result_data).decode()


def test_a_verdict_with_notes_alone_can_be_hidden_and_one_without_words_cannot(db):
    noted = talk(db, {"criteria": [{"id": "polite", "met": True, "note": "zork"}]})
    silent = make.result(
        db,
        make.agent(db, "bob"),
        make.agent(db, "pia"),
        data={"criteria": [{"id": "polite", "text": "Is polite.", "met": True, "mark": 50, "max": 60, "note": ""}]},
    )
    maintainer(db)

    hiding.hide(db, "feedback", noted.id, REASON)

    assert not left_in(db, "hidden_texts")
    with pytest.raises(HiddenAlready), make.unit(db):
        hiding.hide(db, "feedback", noted.id, REASON)
    for result_id in (silent.id, "nothing"):
        with pytest.raises(NoSuchText):
            hiding.hide(db, "feedback", result_id, REASON)


def test_words_of_markers_leave_the_sums_and_what_is_read_from_them(db):
    result = talk(db, FREE, "Zork well and long.")
    for name in ("bob", "cleo", "dan"):
        other = make.result(db, make.agent(db, name), make.found_agent(db, "paul"), data=FREE, feedback="Zork well.")
        result = other
    maintainer(db)
    before = item_statistics.read_report(db, "good-manners", "1.0.0")
    hidden = [id_ for (id_,) in db.execute("SELECT id FROM evaluation_results ORDER BY id").fetchall()]

    for result_id in hidden:
        hiding.hide(db, "feedback", result_id, "Spam and eggs.")

    found = findings.read_findings(db, "good-manners", None, scope="any")
    assert [(each.criterion_id, each.text, each.met) for each in found.criteria] == [
        ("polite", "Is polite.\nAsk twice.", 4)
    ]
    assert themes.read_themes(db, "good-manners", None, "any").feedbacks == 0, "no theme is made of lines"
    assert "zork" in msgspec.json.encode(before).decode()
    after = item_statistics.read_report(db, "good-manners", "1.0.0")
    assert "zork" not in msgspec.json.encode(after).decode()
    for result_id in hidden:
        hiding.show_again(db, "feedback", result_id)
    assert item_statistics.read_report(db, "good-manners", "1.0.0") == before
    assert results.get(db, result.id).result_data == FREE


@pytest.mark.parametrize("is_void", [False, True])
def test_the_text_of_a_criterion_leaves_the_sums_although_other_results_have_it_or_this_one_is_void(db, is_void):
    said = [{"id": id_, "text": "Own.", "met": True} for id_ in ("own", "polite")]
    talk(db, {"criteria": said})
    words = {"criteria": [each | {"text": "zork"} for each in said]}
    result = make.result(db, make.agent(db, "bob"), make.agent(db, "pia"), data=words)
    maintainer(db)
    if is_void:
        voiding.void(db, result.id, "Both shouted.")

    hiding.hide(db, "feedback", result.id, REASON)

    assert not left_in(db, "hidden_texts")
    counted = db.execute(
        """
        SELECT criterion_id, text, met FROM evaluation_criterion_tallies
        WHERE evaluation_version = '' AND scope = 'any' ORDER BY criterion_id
        """
    ).fetchall()
    assert [tuple(row) for row in counted] == [("own", "", 1), ("polite", CRITERIA[0]["text"], 1 if is_void else 2)]


def test_void_verdicts_leave_no_criterion_behind(database: Database):
    result = database.write_now(lambda db: talk(db, FREE))

    database.write_now(lambda db: voiding.void(db, result.id, "Both shouted."))

    assert check(database).findings == []


def test_words_of_marks_are_hidden_from_each_result_of_a_class_and_erased_everywhere(db):
    evaluation(db)
    marked = mark(db, ended_class(db)[0].id)
    maintainer(db)
    before = [results.get(db, each.id) for each in marked]

    for result in marked:
        hiding.hide(db, "feedback", result.id, REASON)

    assert not left_in(db, *MARKS_OF_SHEETS)
    assert [find_changed(db, each) for each in marked] == [[], []]
    data = results.get(db, marked[0].id).result_data or {}
    assert [row["mark"] for row in data["criteria"]] == [10.0, 10.0]
    assert data["markers"] == [make.found_agent(db, "mia").id]
    for result in marked:
        hiding.show_again(db, "feedback", result.id)
    assert [results.get(db, each.id) for each in marked] == before
    for result in marked:
        hiding.hide(db, "feedback", result.id, REASON)
        hiding.erase(db, "feedback", result.id)
    assert not left_in(db)


def test_words_of_judges_are_hidden_too(db):
    evaluation(db)
    marked = mark(db, ended_class(db)[0].id, feedback=None)
    db.execute("UPDATE evaluation_results SET proctor_agent_id = NULL")
    maintainer(db)

    for result in marked:
        hiding.hide(db, "feedback", result.id, REASON)

    assert not left_in(db, *MARKS_OF_SHEETS)


# Second readings


@pytest.fixture
def reread(db: Connection) -> NamedResult:
    """A result that a third marker changed. All three wrote something else."""
    people = {name: make.agent(db, name) for name in ("ada", "paul", "pia", "paz")}
    readings.evaluation(db)
    result = readings.decided(db, people["ada"], people["paul"], feedback="zorkone", data={"zorkdata": "zorkword"})
    for name, words in (("pia", "zorktwo"), ("paz", "zorkthree")):
        readings.read_again(db, readings.open_reading_of(db, result), people[name], False, feedback=words)
    return results.get(db, result.id)


def test_words_leave_the_verdicts_of_second_readings_and_come_back(db, reread):
    assert reread.second_reading == "changed"
    maintainer(db)
    before = everything(db, ("hidden_texts", "events", "event_chain", "result_statements", "evaluation_results"))

    hiding.hide(db, "feedback", reread.id, REASON)

    assert not left_in(db, "hidden_texts")
    assert find_changed(db, reread) == []
    hiding.show_again(db, "feedback", reread.id)
    assert (
        everything(db, ("hidden_texts", "events", "event_chain", "result_statements", "evaluation_results")) == before
    )
    assert results.get(db, reread.id) == reread
    hiding.hide(db, "feedback", reread.id, REASON)
    hiding.erase(db, "feedback", reread.id)
    assert not left_in(db)


def test_a_verdict_that_changes_while_the_words_are_hidden_stays_changed(db):
    people = {name: make.agent(db, name) for name in ("ada", "paul", "pia", "paz")}
    readings.evaluation(db)
    result = readings.decided(db, people["ada"], people["paul"], feedback="zorkone", data={"zorkdata": "zorkword"})
    maintainer(db)
    hiding.hide(db, "feedback", result.id, REASON)
    for name in ("pia", "paz"):
        readings.read_again(db, readings.open_reading_of(db, result), people[name], False, feedback=f"zork {name}")
    assert results.get(db, result.id).proctor_feedback == "zork paz"

    again = hiding.hide(db, "feedback", result.id, REASON)  # what was written since

    assert not left_in(db, "hidden_texts")
    assert all(word in again.original for word in ("zorkone", "zorkword", "zork pia", "zork paz"))
    hiding.show_again(db, "feedback", result.id)
    shown = results.get(db, result.id)
    assert (shown.proctor_feedback, shown.result_data) == ("zork paz", {"markers": [people["paz"].id]})
    (first,) = [msgspec.json.decode(text) for (text,) in db.execute("SELECT first FROM second_readings").fetchall()]
    assert (first["proctor_feedback"], first["result_data"]) == ("zorkone", {"zorkdata": "zorkword"})
    assert find_changed(db, result) == []


def test_a_reading_that_opens_while_the_words_are_hidden_gets_them_back(db):
    people = {name: make.agent(db, name) for name in ("ada", "paul", "pia")}
    readings.evaluation(db)
    result = readings.decided(db, people["ada"], people["paul"], feedback="zorkone", data={"zorkdata": "zorkword"})
    db.execute("DELETE FROM reading_parties")
    db.execute("DELETE FROM second_readings")
    maintainer(db)
    hiding.hide(db, "feedback", result.id, REASON)
    reading_draws.open_reading(db, results.get(db, result.id), "appeal")

    hiding.show_again(db, "feedback", result.id)

    (first,) = [msgspec.json.decode(text) for (text,) in db.execute("SELECT first FROM second_readings").fetchall()]
    assert (first["proctor_feedback"], first["result_data"]) == ("zorkone", {"zorkdata": "zorkword"})


# Messages, earlier releases, many agents


def test_a_message_that_is_hidden_meanwhile_leaves_what_is_hidden_of_the_verdict(db):
    said = "My zorkmid number is four four two nine."
    readings.evaluation(db, 0.0, criteria=CRITERIA)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    started, claim = make.claim(db, ada, paul)
    make.talk(db, claim.session, paul)
    message = channel.send(db, "good-manners", claim.session.id, ada.id, said, 1_000)
    data = {
        "criteria": [
            {"id": "polite", "met": True, "note": f"It said: {said}"},
            {"id": "brief", "met": True, "note": "Brief."},
        ]
    }
    result = make.decide(db, started, paul, score=80.0, data=data, feedback=f"You said: {said}")
    maintainer(db)
    before = statements.read_salts(db, result.id)
    hiding.hide(db, "feedback", result.id, REASON)

    hiding.hide(db, "message", message.id, "A number.")

    assert "zorkmid" not in everything(db).lower()
    assert "zorkmid" not in hidden_texts.get(db, "feedback", result.id).original
    hiding.erase(db, "message", message.id)
    assert "zorkmid" not in everything(db, without=()).lower()
    hiding.show_again(db, "feedback", result.id)
    notes = [row["note"] for row in (results.get(db, result.id).result_data or {})["criteria"]]
    assert notes == ["This text repeated a message that a maintainer hid.", "Brief."]
    assert find_changed(db, result) == []
    salts = statements.read_salts(db, result.id)
    for field in ("result_data", "proctor_feedback"):
        assert salts[field] != before[field], "with the salt of the first statement, the words could be guessed"
    assert sessions.get_by_id(db, claim.session.id).status == "ended"


def test_feedback_that_an_earlier_release_hid_is_shown_again_or_hidden_with_the_rest(db):
    result = talk(db, FREE, "Zork well.")
    maintainer(db)
    salts = statements.read_salts(db, result.id)
    line = hide_as_before(db, result.id, "Zork well.", salts.pop("proctor_feedback"))
    statements.write_salts(db, result.id, salts)

    hiding.show_again(db, "feedback", result.id)
    assert (results.get(db, result.id).proctor_feedback, find_changed(db, result)) == ("Zork well.", [])
    salts = statements.read_salts(db, result.id)
    line = hide_as_before(db, result.id, "Zork well.", salts.pop("proctor_feedback"))
    statements.write_salts(db, result.id, salts)
    assert hiding.hide(db, "feedback", result.id, REASON).line == line

    assert not left_in(db, "hidden_texts")
    hiding.show_again(db, "feedback", result.id)
    shown = results.get(db, result.id)
    assert (shown.proctor_feedback, shown.result_data) == ("Zork well.", FREE)
    assert find_changed(db, result) == []


def hide_as_before(db: Connection, result_id: str, text: str, salt: str) -> str:
    """What an earlier release left: the line, the feedback with its salt, and the data as it was."""
    line = hidden_texts.add(db, "feedback", result_id, text, salt, None, REASON).line
    db.execute("UPDATE evaluation_results SET proctor_feedback = ? WHERE id = ?", [line, result_id])
    return line


def test_verdicts_of_many_agents_are_hidden_in_short_units(db, monkeypatch):
    readings.evaluation(db, 0.0, criteria=CRITERIA)
    paul = make.agent(db, "paul")
    monkeypatch.setattr(cleaning, "MAX_STEPS_OF_REQUEST", 4)
    told: list[dict[str, Any]] = [{"note": "zork"}, {"note": ""}, {"note": "zork", "met": True}]
    for number, said in enumerate(told * 2):
        data = {"criteria": [{"id": "polite", "text": "Is polite.", **said}]}
        make.result(db, make.agent(db, f"ada {number}"), paul, data=data)
    maintainer(db)

    begun = cleaning.suspend_all(db, [paul.id], REASON, hides_texts=True)
    while begun.waiting:
        begun = cleaning.clean_next(db, 2)

    assert not left_in(db, "hidden_texts")
    hidden = [each for each in hidden_texts.list_hidden(db, 50, None).items if each.subject_type == "feedback"]
    assert len(hidden) == 4, "two verdicts have no words"
    while cleaning.restore_all(db, [paul.id], shows_texts=True).waiting:
        pass
    kept = results.get(db, hidden[0].subject_id).result_data or {}
    assert kept["criteria"][0]["note"] == "zork"
    assert hidden_texts.list_hidden(db, 50, None).items == []


def test_lines_of_a_deleted_maintainer_are_rewritten_in_readings_too(db, reread):
    mary = maintainer(db)
    hiding.hide(db, "feedback", reread.id, REASON)
    maintainer(db, "marta")

    account_deletion.delete_account(db, mary)

    assert "Hidden by mary" not in everything(db, without=())
    assert str(results.get(db, reread.id).proctor_feedback).startswith("Hidden by deleted agent on")
    assert everything(db).count("Hidden by deleted agent on") >= 4
