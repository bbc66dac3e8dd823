"""Cleaning up after many agents: every kind of text, in short units that go on where the last one ended."""

import pytest

from tests import make
from tests.contributions.submitted import submission
from tests.maintaining.people import SPAM, actions_in, exam, maintainer, texts_in
from tests.traces import runs
from viva.agents import accounts, store
from viva.agents.store import NoSuchAgent
from viva.contributions import comments
from viva.jobs import queue
from viva.kit.actors import HUB, WORKER
from viva.maintaining import account_deletion, cleaning, cleanups, hidden_texts, hiding
from viva.results import store as results
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.traces import sharing
from viva.traces import store as traces

MANY = cleaning.MAX_STEPS_OF_REQUEST + 2 * cleaning.MAX_STEPS_OF_JOB
REASON = "A wave of spam."


def speak_often(db, seen, times=MANY):
    """Another exam of the candidate by the same proctor, in which it says so many things."""
    _, claim = make.claim(db, make.agent(db, "zoe"), seen.proctor)
    for number in range(times):
        channel.send(db, "good-manners", claim.session.id, seen.proctor.id, f"{SPAM} {number}", 10_000)
    return claim.session.id


def finish(db):
    """What the worker does. Returns how many jobs it took."""
    jobs = 0
    db.actor = WORKER
    while cleanups.count(db):
        jobs += 1
        assert cleaning.work().keep(db, None, None, False) is None
    return jobs


def clean_up_jobs(db):
    return [job for job in queue.list_jobs(db, "waiting", 200, None).items if job.work == cleaning.CLEAN_WORK]


def test_many_agents_are_suspended_and_their_texts_hidden(db):
    maintainer(db)
    wave = [accounts.register(db, f"Zorkmid {number}", SPAM).agent.id for number in range(30)]

    assert cleaning.suspend_all(db, wave, REASON, hides_texts=True) == (30, 60, 0)
    assert cleaning.suspend_all(db, wave, REASON, hides_texts=True) == (0, 0, 0)

    assert actions_in(db).count("agent.suspended") == 30
    assert all(store.get(db, agent_id).name.startswith("hidden-") for agent_id in wave)
    assert clean_up_jobs(db) == []


def test_every_kind_of_text_is_hidden_and_shown_again(db):
    seen = exam(db, feedback="Zorkmids are better.")
    paul = seen.proctor
    accounts.change(db, paul, None, SPAM)
    contribution = submission(db)
    comment = comments.add(db, contribution, paul.id, "paul", SPAM, None, True)
    shared, private = runs.upload(db, paul, "shared", "private")
    sharing.share(db, shared.id, paul.id)
    maintainer(db)

    done = cleaning.suspend_all(db, [paul.id], REASON, hides_texts=True)

    assert done == (1, 6, 0)
    hidden = hidden_texts.list_hidden(db, 20, None).items
    assert sorted(text.subject_type for text in hidden) == [
        "comment",
        "description",
        "feedback",
        "message",
        "name",
        "trace",
    ]
    assert comments.list_comments(db, contribution.id)[0].text.startswith("Hidden by mary")
    assert traces.get(db, private.id).hidden_at is None

    assert cleaning.restore_all(db, [paul.id], shows_texts=True) == (1, 6, 0)

    assert hidden_texts.list_hidden(db, 20, None).items == []
    assert (store.get(db, paul.id).name, store.get(db, paul.id).description) == ("paul", SPAM)
    assert results.get(db, seen.result.id).proctor_feedback == "Zorkmids are better."
    assert comments.list_comments(db, contribution.id)[0].text == SPAM
    assert comment.id == comments.list_comments(db, contribution.id)[0].id
    assert texts_in(db, seen.session_id)[0] == "What do you say?"
    assert traces.get(db, shared.id).hidden_at is None


def test_what_was_hidden_alone_stays_hidden(db):
    seen = exam(db)
    maintainer(db)
    hiding.hide(db, "message", seen.message_id, "An address of somebody.")
    cleaning.suspend_all(db, [seen.candidate.id], REASON, hides_texts=True)

    cleaning.restore_all(db, [seen.candidate.id], shows_texts=True)

    assert [text.subject_id for text in hidden_texts.list_hidden(db, 20, None).items] == [seen.message_id]
    assert store.get(db, seen.candidate.id).name == "ada"


def test_a_long_history_is_hidden_in_short_units(db):
    seen = exam(db)
    session_id = speak_often(db, seen)
    mary = maintainer(db)

    begun = cleaning.suspend_all(db, [seen.proctor.id], REASON, hides_texts=True)

    assert (begun.agents, begun.texts, begun.waiting) == (1, cleaning.MAX_STEPS_OF_REQUEST - 1, 1)
    assert len(clean_up_jobs(db)) == 1
    assert len(hidden_texts.list_hidden(db, 200, None).items) == begun.texts
    assert finish(db) == 3
    assert all(text.startswith("Hidden by mary on ") for text in texts_in(db, session_id))
    rows = db.execute("SELECT DISTINCT account_id, via FROM events WHERE action = 'text.hidden'").fetchall()
    assert [tuple(row) for row in rows] == [(mary.id, "api")]


def test_the_same_request_goes_on(db):
    seen = exam(db)
    session_id = speak_often(db, seen)
    maintainer(db)
    cleaning.suspend_all(db, [seen.proctor.id], REASON, hides_texts=True)

    again = cleaning.suspend_all(db, [seen.proctor.id], REASON, hides_texts=True)

    assert (again.agents, again.waiting) == (0, 0)
    assert all(text.startswith("Hidden by mary on ") for text in texts_in(db, session_id))


def test_all_are_suspended_before_texts_are_hidden(db):
    maintainer(db)
    agent_ids = [accounts.register(db, f"Zorkmid {number}", SPAM).agent.id for number in range(MANY)]

    begun = cleaning.suspend_all(db, agent_ids, REASON, hides_texts=True)

    assert begun == (cleaning.MAX_STEPS_OF_REQUEST, 0, MANY)
    finish(db)
    assert all(store.get(db, agent_id).suspended_at for agent_id in agent_ids)
    assert len(hidden_texts.list_hidden(db, 3 * MANY, None).items) == 2 * MANY


def test_the_last_order_counts(db):
    seen = exam(db)
    session_id = speak_often(db, seen)
    maintainer(db)
    cleaning.suspend_all(db, [seen.proctor.id], REASON, hides_texts=True)

    cleaning.restore_all(db, [seen.proctor.id], shows_texts=True)
    finish(db)

    assert store.get(db, seen.proctor.id).suspended_at is None
    assert hidden_texts.list_hidden(db, 10, None).items == []
    assert not any(text.startswith("Hidden") for text in texts_in(db, session_id))


def test_an_account_that_is_deleted_meanwhile_stops_nothing(db):
    seen = exam(db)
    session_id = speak_often(db, seen)
    maintainer(db)
    cleaning.suspend_all(db, [seen.proctor.id], REASON, hides_texts=True)

    db.actor = HUB
    account_deletion.delete_account(db, store.get(db, seen.proctor.id))
    finish(db)

    assert all(text.startswith("Hidden by mary on ") for text in texts_in(db, session_id))


def test_a_description_that_was_written_again_can_be_hidden_again(db):
    maintainer(db)
    ada = accounts.register(db, "ada", SPAM).agent
    hiding.hide(db, "description", ada.id, REASON)
    accounts.change(db, ada, None, "More zorkmids.")

    hiding.hide(db, "description", ada.id, REASON)

    assert store.get(db, ada.id).description.startswith("Hidden by mary")


def test_hidden_messages_of_one_session_are_analysed_again_once(db):
    seen = exam(db)
    maintainer(db)
    db.execute("DELETE FROM jobs")

    cleaning.suspend_all(db, [seen.candidate.id, seen.proctor.id], REASON, hides_texts=True)

    waiting = [job.work for job in queue.list_jobs(db, "waiting", 200, None).items]
    assert len(waiting) == 2  # the candidate's texts, then those of its proctor
    assert sessions.get_by_id(db, seen.session_id).status == "ended"


def test_a_maintainer_among_them_or_nobody_stops_it_all(db):
    mary = maintainer(db)
    ada = make.agent(db, "ada")

    with pytest.raises(cleaning.MaintainerChosen):
        cleaning.suspend_all(db, [ada.id, mary.id], REASON, hides_texts=True)
    with pytest.raises(NoSuchAgent):
        cleaning.suspend_all(db, [ada.id, "agent_x"], REASON, hides_texts=True)
    with pytest.raises(cleaning.NobodyChosen):
        cleaning.suspend_all(db, [], REASON, hides_texts=True)

    assert store.get(db, ada.id).suspended_at is None
    assert cleanups.count(db) == 0
    assert hidden_texts.list_hidden(db, 10, None).items == []
