"""Practice on request: it never counts, only its agent sees it, and it tells nothing of items that others get too."""

import pytest

from tests import make
from tests.exams import pool, quiz
from viva.agents import accounts, owners
from viva.agents import store as agents
from viva.exams import (
    account_deletion,
    practising,
    proctoring,
    registering,
    starting,
    states,
    submitting,
    viewing,
    visibility,
    withdrawals,
)
from viva.exams import store as exams
from viva.exams.handlers.proctored import Verdict
from viva.exams.registering import NoTriesLeft
from viva.kit.clock import now
from viva.results import export, hub_results, leaderboard, listing, store
from viva.results.listing import ResultFilter
from viva.results.store import NoSuchResult

EXAM = "good-manners"


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia")}


def practise(db, candidate, proctor):
    """A decided exam that the candidate asked for as practice."""
    registering.register(db, EXAM, candidate)
    started = starting.start(db, make.HALL, EXAM, candidate, "", is_practice=True).registration
    claimed = proctoring.claim(db, EXAM, started.id, proctor, make.HALL.proctors)
    return make.submit(db, EXAM, started.id, proctor, Verdict(True, score=90)), claimed.session


def test_practice_never_counts(db, people):
    result, _ = practise(db, people["ada"], people["paul"])

    assert (result.official, result.official_reasons, result.is_private) == (False, ["asked_for_practice"], True)
    assert result.points_earned == 0
    assert agents.profile(db, "ada").points == 0
    assert agents.profile(db, "ada").results == 0
    assert leaderboard.top(db, EXAM, None, 10, None, "any").items == []
    assert store.tally(db, EXAM, None, "any").attempts == 0
    assert exams.find_passed(db, people["ada"].id, [EXAM]) == set()


def test_only_the_agent_and_maintainers_see_the_result(db, people):
    result, session = practise(db, people["ada"], people["paul"])
    maintainer = accounts.promote(db, "mary").agent

    for viewer in (people["ada"], maintainer):
        assert visibility.get_result(db, result.id, viewer).result.id == result.id
        assert viewing.get_session_by_id(db, session.id, viewer)
    for viewer in (people["paul"], people["pia"], None):
        with pytest.raises(NoSuchResult):
            visibility.get_result(db, result.id, viewer)
        with pytest.raises(NoSuchResult):
            viewing.get_result_in(db, EXAM, result.id, viewer)
    with pytest.raises(viewing.NotForYou):
        viewing.get_session_by_id(db, session.id, people["pia"])


def test_no_list_and_no_export_has_it_but_the_agents_own(db, people):
    result, _ = practise(db, people["ada"], people["paul"])

    for only in (ResultFilter(EXAM), ResultFilter(agent_ids=(people["ada"].id,)), ResultFilter(EXAM, q="ada")):
        assert listing.list_lines(db, only, "-completed_at", 10, None).items == []
        assert listing.list_results(db, only, "-completed_at", 10, None).items == []
    assert hub_results.list_newest(db, 10) == []
    assert not any(export.ResultReader(EXAM, None, now(), lambda _, columns: columns).next(db))
    own = ResultFilter(agent_ids=(people["ada"].id,), with_private=True)
    assert [each.id for each in listing.list_lines(db, own, "-completed_at", 10, None).items] == [result.id]


def test_an_attempt_that_counts_does_not_become_practice(db, people):
    make.registration(db, people["ada"])

    with pytest.raises(practising.StartedOtherwise):
        starting.start(db, make.HALL, EXAM, people["ada"], "", is_practice=True)


def test_practice_on_fixed_questions_uses_a_try_and_tells_nothing_of_them(db):
    ada = make.agent(db, "ada")
    make.evaluation(db, **quiz.fields(questions=quiz.QUESTIONS[:-1], max_tries=1))
    registering.register(db, quiz.ID, ada, is_practice=True)
    started = starting.start(db, make.HALL, quiz.ID, ada, "", is_practice=True)
    exam = submitting.exam_of(db, make.HALL, quiz.ID, ada, "")
    result = submitting.submit(db, exam, {"answers": {}}).result

    assert started.registration.is_practice
    assert result
    assert "criteria" not in (result.result_data or {})
    assert (result.result_data or {})["answered"] == 0
    with pytest.raises(NoTriesLeft):
        registering.register(db, quiz.ID, ada, is_practice=True)


def test_practice_on_drawn_questions_uses_no_try(db):
    ada = make.agent(db, "ada")
    make.evaluation(db, **quiz.fields(questions=pool.QUICK, draw=2, max_tries=1))
    for _ in range(3):
        registering.register(db, quiz.ID, ada, is_practice=True)
        starting.start(db, make.HALL, quiz.ID, ada, "", is_practice=True)
        exam = submitting.exam_of(db, make.HALL, quiz.ID, ada, "")
        result = submitting.submit(db, exam, {"answers": {}}).result
        assert result
        assert (result.result_data or {})["criteria"]

    assert registering.register(db, quiz.ID, ada).is_new


@pytest.mark.parametrize(
    ("draw", "has_new"),
    [(2, True), (4, False), ({"quick": 2, "essays": 1}, True), ({"quick": 4, "essays": 1}, False), (None, False)],
)
def test_a_draw_of_the_whole_pool_has_no_new_items(draw, has_new):
    questions = pool.QUESTIONS if isinstance(draw, dict) else pool.QUICK

    assert practising.has_new_items(quiz.evaluation(questions, draw=draw)) is has_new


def test_items_with_parameters_are_new_also_if_all_of_them_are_drawn():
    sums = [{**each, "text": "{a} + 1?", "parameters": {"a": [1, 2, 3]}} for each in pool.QUICK]

    assert practising.has_new_items(quiz.evaluation(sums, draw=4))
    assert practising.has_new_items(quiz.evaluation(sums))


def test_a_withdrawn_practice_is_shown_to_nobody(db, people):
    make.registration(db, people["pia"])
    registering.register(db, EXAM, people["ada"])
    started = starting.start(db, make.HALL, EXAM, people["ada"], "", is_practice=True).registration
    claimed = proctoring.claim(db, EXAM, started.id, people["paul"], make.HALL.proctors)
    make.talk(db, claimed.session, people["paul"])
    ended = registering.cancel(db, EXAM, people["ada"])

    assert states.find_state(db, ended) == "withdrawn"
    assert withdrawals.list_withdrawn(db, EXAM) == []


def test_who_leaves_after_the_first_question_has_withdrawn_and_used_a_try(db, people):
    make.evaluation(db, version="1.0.1", config={"summary": "x", "max_tries": 1})
    _, claimed = make.claim(db, people["ada"], people["paul"])
    make.talk(db, claimed.session, people["paul"])
    ended = registering.cancel(db, EXAM, people["ada"])

    assert states.find_state(db, ended) == "withdrawn"
    assert [each.agent_name for each in withdrawals.list_withdrawn(db, EXAM)] == ["ada"]
    assert [each.evaluation_id for each in withdrawals.list_withdrawn_by(db, people["ada"].id)] == [EXAM]
    assert store.tally(db, EXAM, None, "any").attempts == 0
    with pytest.raises(NoTriesLeft):
        registering.register(db, EXAM, people["ada"])


def test_who_leaves_while_nobody_came_has_not_withdrawn(db, people):
    make.registration(db, people["ada"])
    ended = registering.cancel(db, EXAM, people["ada"])

    assert states.find_state(db, ended) == "cancelled"
    assert withdrawals.list_withdrawn(db, EXAM) == []


def test_tries_follow_a_verified_owner_to_a_new_account_and_a_new_name(db, people):
    make.evaluation(db, version="1.0.1", config={"summary": "x", "max_tries": 1})
    for name in ("ada", "pia"):
        owners.confirm_owner(db, people[name].id, "acme.example")
    accounts.change(db, people["ada"], "ada the second", None)
    make.result(db, people["ada"], people["paul"])
    account_deletion.delete_account(db, people["ada"])

    with pytest.raises(NoTriesLeft):
        registering.register(db, EXAM, people["pia"])
    assert registering.register(db, EXAM, people["paul"]).is_new


def test_a_verdict_that_is_only_practice_uses_no_try_of_a_candidate_who_did_not_ask_for_it(db, people):
    make.evaluation(db, version="1.0.1", config={"summary": "x", "max_tries": 1})
    started, _ = make.claim(db, people["ada"], people["paul"])
    refused = proctoring.submit(db, EXAM, started.id, people["paul"], Verdict(False), "qualified")

    assert refused.official_reasons == ["not_qualified", "too_few_messages"]
    assert exams.count_tries(db, [people["ada"].id], EXAM) == exams.Tries(0, None)
    assert registering.register(db, EXAM, people["ada"]).is_new


def test_practice_on_request_in_a_proctored_exam_uses_a_try(db, people):
    make.evaluation(db, version="1.0.1", config={"summary": "x", "max_tries": 1, "max_score": 100})
    practise(db, people["ada"], people["paul"])

    with pytest.raises(NoTriesLeft):
        registering.register(db, EXAM, people["ada"])
