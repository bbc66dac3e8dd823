"""How a cohort gathers, works and ends, and what each participant has of it."""

from datetime import timedelta
from typing import Any

import pytest

from tests import make
from tests.exams.class_work import CLASS, evaluation, gathered, registered
from tests.values import require
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.exams import (
    account_deletion,
    class_grading,
    classes,
    cohorts,
    concluding,
    grading,
    joining,
    members,
    progress,
    registering,
    sheets,
    starting,
    store,
    viewing,
)
from viva.exams.marking import GivenMark, OwnClassWork
from viva.exams.model import Cohort
from viva.jobs import queue
from viva.judging.panel import Panel
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized
from viva.sessions import channel
from viva.sessions import store as sessions


def named(db: Connection, name: str) -> Agent:
    found = agents.find_by_name(db, name)
    assert found
    return found


def status_of(db: Connection, agent: Agent) -> str | None:
    return store.find_last_status(db, agent.id, CLASS)


def say(db: Connection, cohort: Cohort, agent: Agent, text: str = "I am here.") -> None:
    channel.send(db, CLASS, cohort.session_id or "", agent.id, text, 10_000)


@pytest.fixture
def exam(db):
    return evaluation(db)


@pytest.fixture
def running(db, exam):
    """A running class of ada and bob, led by ida."""
    cohort, people = gathered(db, "ada", "bob")
    return joining.start(db, CLASS, cohort.id, named(db, "ida")), *people


@pytest.fixture
def finished(db, running):
    """The class when it is over and no judge was there to mark it."""
    cohort, ada, bob = running
    say(db, cohort, named(db, "ida"), "Begin, please.")
    say(db, cohort, ada, "The museum opens at ten.")
    say(db, cohort, bob, "The bus leaves at nine.")
    cohort = classes.finish(db, CLASS, cohort.id, named(db, "ida"))
    judge(db, cohort)
    return cohort, ada, bob


def judge(db: Connection, cohort: Cohort) -> None:
    """Let the job of marking run with no judge, so that proctors are asked."""
    job = queue.get(db, sheets.find_job_id(db, cohort.id) or "")
    paper = grading.read(db, job.data)
    assert grading.keep(db, paper, grading.think(Panel([]), paper), is_last=False) is None


def marked(db: Connection, cohort: Cohort, proctor: Agent, **marks: float):
    given = {"group/plan": 8.0, "1/share": 10.0, "2/share": 2.0} | marks
    return make.mark_sheet(db, CLASS, cohort.id, proctor, [GivenMark(*each) for each in given.items()], "Well planned.")


# Gathering


def test_who_is_not_registered_opens_a_cohort_as_its_instructor(db, exam):
    joined = joining.open_cohort(db, CLASS, make.agent(db, "ida"), None)

    assert joined.registration is None
    assert (joined.cohort.status, joined.cohort.participant_count) == ("open", 0)
    assert (joined.cohort.min_participants, joined.cohort.max_participants) == (2, 3)
    assert (joined.cohort.evaluation_version, joined.cohort.evaluation_digest) == ("1.0.0", exam.digest)
    assert [(p.name, p.role) for p in members.list_members(db, joined.cohort)] == [("ida", "instructor")]


def test_who_is_registered_opens_a_cohort_as_its_first_participant(db, exam):
    joined = joining.open_cohort(db, CLASS, registered(db, "ada"), None)

    assert require(joined.registration).status == "in_progress"
    assert require(joined.registration).evaluation_version == "1.0.0"
    assert (joined.cohort.participant_count, joined.cohort.instructor_agent_id) == (1, None)
    assert [(p.name, p.role) for p in members.list_members(db, joined.cohort)] == [("ada", "participant")]


def test_a_participant_needs_a_registration(db, exam):
    ada = make.agent(db, "ada")
    cohort = joining.open_cohort(db, CLASS, make.agent(db, "ida"), None).cohort

    with pytest.raises(store.NotRegistered):
        joining.open_cohort(db, CLASS, ada, "participant")
    with pytest.raises(store.NotRegistered):
        joining.join(db, CLASS, cohort.id, ada)


def test_only_class_work_has_cohorts(db):
    make.evaluation(db)

    with pytest.raises(classes.NotClassWork):
        joining.open_cohort(db, "good-manners", make.agent(db, "ida"), None)


def test_joining_pins_the_version_of_the_cohort(db, exam):
    cohort = joining.open_cohort(db, CLASS, make.agent(db, "ida"), None).cohort
    evaluation(db, "1.1.0", task="Another task.")

    joined = joining.join(db, CLASS, cohort.id, registered(db, "ada"))

    assert (require(joined.registration).evaluation_version, require(joined.registration).evaluation_digest) == (
        "1.0.0",
        exam.digest,
    )
    assert joined.cohort.participant_count == 1
    assert classes.view_cohort(db, joined.cohort).task == "Plan a day out for thirty children."


def test_joining_the_same_cohort_again_gives_the_same_place(db, exam):
    cohort, (ada,) = gathered(db, "ada")

    again = joining.join(db, CLASS, cohort.id, ada)

    assert not again.is_new
    assert again.cohort == cohort


def test_nobody_is_in_two_cohorts_of_an_evaluation(db, exam):
    _, (ada,) = gathered(db, "ada")
    other = joining.open_cohort(db, CLASS, make.agent(db, "ivo"), None).cohort

    with pytest.raises(joining.AlreadyInACohort):
        joining.join(db, CLASS, other.id, ada)
    with pytest.raises(joining.AlreadyInACohort):
        joining.open_cohort(db, CLASS, ada, "participant")


def test_nobody_takes_part_in_a_class_that_they_lead(db, exam):
    cohort, _ = gathered(db)
    ida = named(db, "ida")
    registering.register(db, CLASS, ida)

    with pytest.raises(joining.OwnClass):
        joining.join(db, CLASS, cohort.id, ida)

    assert started(db, ida)["cohort"].id != cohort.id


def test_the_last_seat_starts_the_class(db, exam):
    cohort, _ = gathered(db, "ada", "bob", "cyd")

    assert cohort.status == "running"
    assert {(p.name, p.role) for p in sessions.list_participants(db, require(cohort.session_id))} == {
        ("ida", "instructor"),
        ("ada", "participant"),
        ("bob", "participant"),
        ("cyd", "participant"),
    }
    assert require(cohort.ends_at) - require(cohort.started_at) > timedelta(minutes=29)
    with pytest.raises(joining.CohortNotOpen):
        joining.join(db, CLASS, cohort.id, registered(db, "dan"))


def test_a_full_cohort_takes_nobody(db, exam):
    cohort, _ = gathered(db, "ada", "bob")
    db.execute("UPDATE evaluation_cohorts SET max_participants = 2 WHERE id = ?", [cohort.id])

    with pytest.raises(joining.CohortFull):
        joining.join(db, CLASS, cohort.id, registered(db, "cyd"))


def test_a_class_starts_with_enough_participants(db, exam):
    cohort, _ = gathered(db, "ada")

    with pytest.raises(joining.TooFew, match="1 participants are here; 2 are needed to start"):
        joining.start(db, CLASS, cohort.id, named(db, "ida"))

    joining.join(db, CLASS, cohort.id, registered(db, "bob"))
    assert joining.start(db, CLASS, cohort.id, named(db, "ida")).status == "running"
    with pytest.raises(joining.CohortNotOpen):
        joining.start(db, CLASS, cohort.id, named(db, "ida"))


def test_only_who_leads_a_cohort_starts_and_finishes_it(db, exam):
    cohort, (ada, _) = gathered(db, "ada", "bob")

    with pytest.raises(classes.NotYourCohort):
        joining.start(db, CLASS, cohort.id, ada)

    joining.start(db, CLASS, cohort.id, named(db, "ida"))
    with pytest.raises(classes.NotYourCohort):
        classes.finish(db, CLASS, cohort.id, ada)


def test_once_who_opened_it_is_gone_any_participant_leads(db, exam):
    cohort, (ada, bob) = gathered(db, "ada", "bob")
    account_deletion.delete_account(db, named(db, "ida"))

    cohort = joining.start(db, CLASS, cohort.id, bob)
    assert cohort.status == "running"
    say(db, cohort, ada)
    say(db, cohort, bob)
    assert classes.finish(db, CLASS, cohort.id, ada).status == "finished"
    with pytest.raises(classes.NotYourCohort):
        classes.finish(db, CLASS, cohort.id, make.agent(db, "eve"))


def test_who_has_waited_long_need_not_wait_for_the_instructor(db, exam):
    cohort, (_, bob) = gathered(db, "ada", "bob")
    db.execute("UPDATE evaluation_cohorts SET opened_at = ?", [now() - timedelta(minutes=31)])

    with pytest.raises(classes.NotYourCohort):
        joining.start(db, CLASS, cohort.id, make.agent(db, "eve"))

    assert joining.start(db, CLASS, cohort.id, bob).status == "running"


# Starting without choosing a cohort


def started(db: Connection, agent: Agent) -> dict[str, Any]:
    return starting.start(db, make.HALL, CLASS, agent, "").details


def test_starting_opens_a_cohort_and_the_next_agent_joins_it(db, exam):
    ada, bob = registered(db, "ada"), registered(db, "bob")

    first, second = started(db, ada)["cohort"], started(db, bob)["cohort"]

    assert first.id == second.id
    assert (second.participant_count, second.task) == (2, "Plan a day out for thirty children.")
    assert started(db, bob)["cohort"] == second


def test_starting_takes_the_cohort_that_has_waited_longest(db, exam):
    first, _ = gathered(db)
    joining.open_cohort(db, CLASS, make.agent(db, "ivo"), None)

    assert started(db, registered(db, "ada"))["cohort"].id == first.id


# Leaving


def test_leaving_an_open_cohort_frees_the_seat_and_costs_no_try(db, exam):
    cohort, (ada,) = gathered(db, "ada")

    left = joining.leave(db, CLASS, cohort.id, ada)

    assert (require(left.registration).status, left.cohort.participant_count) == ("cancelled", 0)
    assert store.count_tries(db, [ada.id], CLASS).number == 0
    registering.register(db, CLASS, ada)
    again = joining.join(db, CLASS, cohort.id, ada)
    assert again.cohort.participant_count == 1
    assert [(p.name, p.left_at) for p in members.list_members(db, again.cohort)] == [("ida", None), ("ada", None)]


def test_who_left_a_running_class_reads_but_speaks_no_more(db, running):
    cohort, ada, bob = running
    joining.leave(db, CLASS, cohort.id, ada)

    with pytest.raises(channel.LeftSession), make.unit(db):
        say(db, cohort, ada, "One more thing.")

    say(db, cohort, bob, "I go on.")
    assert viewing.get_session(db, CLASS, cohort.session_id, ada).message_count == 1
    (gone,) = [p for p in sessions.list_participants(db, cohort.session_id) if p.left_at]
    assert gone.name == "ada"
    with pytest.raises(joining.NotInThisCohort):
        joining.leave(db, CLASS, cohort.id, ada)


def test_withdrawing_leaves_the_cohort(db, running):
    cohort, ada, _ = running

    assert registering.cancel(db, CLASS, ada).status == "cancelled"

    assert cohorts.get(db, CLASS, cohort.id).participant_count == 1


def test_nobody_leaves_a_class_that_is_over(db, finished):
    cohort, ada, _ = finished

    with pytest.raises(classes.ClassIsOver):
        joining.leave(db, CLASS, cohort.id, ada)
    with pytest.raises(classes.ClassIsOver):
        registering.cancel(db, CLASS, ada)

    assert status_of(db, ada) == "in_progress"


def test_a_deleted_agent_leaves_its_cohort(db, running):
    cohort, ada, _ = running

    account_deletion.delete_account(db, ada)

    assert cohorts.get(db, CLASS, cohort.id).participant_count == 1
    assert [p.name for p in members.list_members(db, cohort) if p.left_at] == ["deleted agent"]


# The end


def test_a_finished_class_is_marked(db, running):
    cohort, ada, bob = running
    say(db, cohort, ada)
    say(db, cohort, bob)

    ended = classes.finish(db, CLASS, cohort.id, named(db, "ida"))

    assert ended.status == "finished"
    assert sessions.read_state(db, cohort.session_id).status == "ended"
    job = queue.get(db, require(sheets.find_job_id(db, cohort.id)))
    assert (job.work, job.data) == ("mark_sheet", {"evaluation_id": CLASS, "cohort_id": cohort.id})
    assert sheets.get_about(db, cohort.id).status == "judges"
    assert progress.get_progress(db, CLASS, job.id, ada).waiting_for == "judge"
    with pytest.raises(classes.CohortNotRunning):
        classes.finish(db, CLASS, cohort.id, named(db, "ida"))


def test_who_leads_calls_off_a_class_that_has_not_begun(db, exam):
    cohort, (ada,) = gathered(db, "ada")

    ended = classes.finish(db, CLASS, cohort.id, named(db, "ida"))

    assert ended.status == "cancelled"
    assert (status_of(db, ada), store.count_tries(db, [ada.id], CLASS).number) == ("cancelled", 0)
    with pytest.raises(joining.CohortNotOpen):
        joining.join(db, CLASS, cohort.id, registered(db, "bob"))


def test_a_class_of_which_too_few_stayed_costs_nobody_a_try(db, running):
    cohort, ada, bob = running
    joining.leave(db, CLASS, cohort.id, ada)

    ended = classes.finish(db, CLASS, cohort.id, named(db, "ida"))

    assert ended.status == "cancelled"
    assert [status_of(db, agent) for agent in (ada, bob)] == ["cancelled", "cancelled"]
    assert store.count_tries(db, [bob.id], CLASS).number == 0
    assert sheets.find_job_id(db, cohort.id) is None
    assert sessions.read_state(db, cohort.session_id).status == "ended"


def test_a_class_in_which_too_few_spoke_costs_nobody_a_try(db, running):
    cohort, ada, bob = running
    say(db, cohort, ada)

    ended = classes.finish(db, CLASS, cohort.id, named(db, "ida"))

    assert ended.status == "cancelled"
    assert [store.count_tries(db, [agent.id], CLASS).number for agent in (ada, bob)] == [0, 0]
    assert [status_of(db, agent) for agent in (ada, bob)] == ["cancelled", "cancelled"]


def test_the_sweep_ends_a_class_whose_time_is_over(db, running):
    cohort, ada, bob = running
    say(db, cohort, ada)
    say(db, cohort, bob)
    assert classes.end_overdue(db) == 0
    db.execute("UPDATE evaluation_cohorts SET ends_at = ? WHERE id = ?", [now() - timedelta(seconds=1), cohort.id])

    assert classes.end_overdue(db) == 1

    assert cohorts.get(db, CLASS, cohort.id).status == "finished"
    assert classes.end_overdue(db) == 0


def test_the_sweep_cancels_a_cohort_that_did_not_fill(db, exam):
    cohort, (ada,) = gathered(db, "ada")
    db.execute("UPDATE evaluation_cohorts SET opened_at = ? WHERE id = ?", [now() - timedelta(hours=25), cohort.id])

    assert classes.end_overdue(db) == 1

    assert cohorts.get(db, CLASS, cohort.id).status == "cancelled"
    assert (status_of(db, ada), store.count_tries(db, [ada.id], CLASS).number) == ("cancelled", 0)


# Marks and results


def test_each_participant_has_a_result_of_the_group_and_its_own_marks(db, finished):
    cohort, ada, bob = finished

    first, second = marked(db, cohort, make.agent(db, "mara"))

    assert (first.agent_name, first.score, first.max_score, first.passed) == ("ada", 90, 100, True)
    assert (second.agent_name, second.score, second.passed) == ("bob", 50, False)
    assert {r.session_id for r in (first, second)} == {cohort.session_id}
    assert {r.cohort_id for r in (first, second)} == {cohort.id}
    assert (first.proctor_name, first.proctor_feedback) == ("mara", "Well planned.")
    assert [each["id"] for each in second.result_data["criteria"]] == ["group/plan", "2/share"]
    assert second.result_data["group"] == {"score": 80, "max_score": 100, "weight": 0.5}
    assert second.result_data["own"] == {"score": 20, "max_score": 100, "weight": 0.5}
    assert second.result_data["participants"] == 2
    assert second.result_data["markers"] == [named(db, "mara").id]
    assert [status_of(db, agent) for agent in (ada, bob)] == ["completed", "failed"]
    assert store.count_tries(db, [bob.id], CLASS).number == 1


def test_what_the_engine_found_stands_in_the_result(db, finished):
    cohort, ada, _ = finished

    first, _ = marked(db, cohort, make.agent(db, "mara"))

    analysis = require(class_grading.find_analysis(db, cohort.id))
    assert first.result_data["coordination"] == analysis["coordination"]
    assert first.result_data["agent"] == analysis["per_agent_scores"][ada.id]
    assert first.result_data["agent"]["interactions_count"] == 1


def test_without_an_analysis_a_result_invents_none(db, finished):
    cohort, _, _ = finished
    db.execute("DELETE FROM analyses WHERE subject_id = ?", [cohort.id])

    first, _ = marked(db, cohort, make.agent(db, "mara"))

    assert (first.result_data["coordination"], first.result_data["agent"]) == (None, None)


def test_of_a_very_long_class_the_beginning_and_the_end_are_read(db, running, monkeypatch):
    cohort, ada, bob = running
    for number in range(1, 8):
        say(db, cohort, bob if number == 4 else ada, f"Number {number}.")
    monkeypatch.setattr(class_grading, "MAX_CLASS_MESSAGES", 2)
    classes.finish(db, CLASS, cohort.id, named(db, "ida"))

    paper = concluding.read_paper(db, sheets.get_about(db, cohort.id))

    assert paper.rows[0].texts["transcript"].splitlines() == [
        "ada: Number 1.",
        "ada: Number 2.",
        "[3 messages left out]",
        "ada: Number 6.",
        "ada: Number 7.",
    ]


def test_who_left_has_no_rows_and_no_result(db, exam):
    cohort, (ada, bob, cyd) = gathered(db, "ada", "bob", "cyd")
    say(db, cohort, ada, "I know the way, and I am off.")
    say(db, cohort, bob)
    say(db, cohort, cyd)
    joining.leave(db, CLASS, cohort.id, ada)
    cohort = classes.finish(db, CLASS, cohort.id, named(db, "ida"))

    paper = concluding.read_paper(db, sheets.get_about(db, cohort.id))
    judge(db, cohort)
    found = marked(db, cohort, make.agent(db, "mara"))

    assert [row.id for row in paper.rows] == ["group/plan", "1/share", "2/share"]
    assert "ada: I know the way, and I am off." in paper.rows[0].texts["transcript"]
    assert [result.agent_name for result in found] == ["bob", "cyd"]
    assert status_of(db, ada) == "cancelled"


def test_who_is_deleted_before_the_marks_has_no_result_and_the_others_have_theirs(db, finished):
    cohort, ada, _ = finished
    account_deletion.delete_account(db, ada)

    (found,) = marked(db, cohort, make.agent(db, "mara"))

    assert (found.agent_name, found.score) == ("bob", 50)


def test_neither_a_participant_nor_the_leader_marks_the_class(db, finished):
    cohort, ada, _ = finished

    for involved in (ada, named(db, "ida")):
        with pytest.raises(OwnClassWork):
            marked(db, cohort, involved)


def test_the_marks_hold_by_the_version_that_the_cohort_began_with(db, finished):
    cohort, _, _ = finished
    evaluation(db, "2.0.0", group_weight=0, rubric=[{"id": "other", "of": "group", "criteria": "Another."}])

    first, _ = marked(db, cohort, make.agent(db, "mara"))

    assert (first.score, first.evaluation_version) == (90, "1.0.0")


# Who may read


def test_the_session_of_a_class_is_public_once_there_are_results(db, finished):
    cohort, ada, _ = finished
    with pytest.raises(viewing.NotForYou):
        viewing.get_session(db, CLASS, cohort.session_id, make.agent(db, "eve"))
    with pytest.raises(Unauthorized):
        viewing.get_session(db, CLASS, cohort.session_id, None)
    for agent in (ada, named(db, "ida")):
        assert viewing.get_session(db, CLASS, cohort.session_id, agent).id == cohort.session_id

    marked(db, cohort, make.agent(db, "mara"))

    assert viewing.get_session(db, CLASS, cohort.session_id, None).id == cohort.session_id


def test_anybody_follows_an_observable_class(db):
    evaluation(db, observable=True)
    cohort, _ = gathered(db, "ada", "bob", "cyd")

    assert viewing.get_session(db, CLASS, require(cohort.session_id), None).status == "active"


def test_participants_find_the_session_among_their_own(db, running):
    cohort, ada, _ = running

    (own,) = sessions.list_by_agent(db, ada.id, "active", 10, None).items
    (led,) = sessions.list_by_agent(db, named(db, "ida").id, "active", 10, None).items

    assert (own.id, own.role, own.kind) == (cohort.session_id, "participant", "live_class_work")
    assert led.role == "instructor"


def test_cohorts_are_listed_newest_first_by_page(db, exam):
    opened = [joining.open_cohort(db, CLASS, make.agent(db, f"ida-{n}"), None).cohort for n in range(3)]

    first = cohorts.list_cohorts(db, CLASS, "open", 2, None)
    rest = cohorts.list_cohorts(db, CLASS, "open", 2, first.next_cursor)

    assert [cohort.id for cohort in (*first.items, *rest.items)] == sorted(
        (cohort.id for cohort in opened), reverse=True
    )
    assert rest.next_cursor is None
    assert cohorts.list_cohorts(db, CLASS, "running", 2, None).items == []
