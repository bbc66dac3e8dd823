"""Posts of many callers at once: each gets its place in the chain of its session, or none."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest

from tests import make
from viva.agents import accounts
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.maintaining import suspending
from viva.sessions import chain, posting_together, store
from viva.sessions.model import Message
from viva.sessions.posting_together import Post

SESSIONS = 4


class Hall:
    """Sessions that run, each with a candidate of its own and the keys of both who speak."""

    def __init__(self, db: Connection) -> None:
        make.evaluation(db)
        self.candidates = [accounts.register(db, f"ada-{number}", "") for number in range(SESSIONS)]
        self.proctors = [accounts.register(db, f"paul-{number}", "") for number in range(SESSIONS)]
        self.session_ids = [
            make.claim(db, candidate.agent, proctor.agent)[1].session.id
            for candidate, proctor in zip(self.candidates, self.proctors, strict=True)
        ]

    def post(self, place: int, content: str = "Hello.", by_proctor: bool = False) -> Post:
        speaker = (self.proctors if by_proctor else self.candidates)[place]
        return Post(speaker.key.hash, "good-manners", self.session_ids[place], content, None)


def post_all(database: Database, posts: list[Post]) -> list[Message | None]:
    async def write() -> list[Message | None]:
        writing = (database.write_together(posting_together.add_messages, post, post.session_id) for post in posts)
        return await asyncio.gather(*writing)

    return asyncio.run(write())


def post_in_one_unit(database: Database, posts: list[Post]) -> list[Message | None]:
    return database.write_now(lambda db: posting_together.add_messages(db, posts))


@pytest.mark.parametrize("run", [post_all, post_in_one_unit])
def test_posts_at_once_follow_each_other_in_the_chain_of_their_session(database, run):
    hall = database.write_now(Hall)
    posts = [hall.post(number % SESSIONS, f"{number}", by_proctor=number % 3 == 0) for number in range(200)]

    added = run(database, posts)

    for place, session_id in enumerate(hall.session_ids):
        stored = database.read_now(partial(store.transcript, session_id=session_id))
        assert stored == added[place::SESSIONS]
        assert [message.content for message in stored] == [f"{number}" for number in range(place, 200, SESSIONS)]
        assert [message.sequence for message in stored] == list(range(1, 51))
        assert {message.role for message in stored} == {"candidate", "proctor"}
        assert list(chain.find_broken(session_id, stored)) == []
        assert database.read_now(partial(chain.read_head, session_id=session_id)) == (50, stored[-1].hash)
        session = database.read_now(partial(store.get, evaluation_id="good-manners", session_id=session_id))
        assert session.active_at == max(message.created_at for message in stored)


def leave(db: Connection, hall: Hall) -> None:
    store.leave(db, hall.session_ids[0], hall.candidates[0].agent.id)


def end(db: Connection, hall: Hall) -> None:
    store.end(db, hall.session_ids[0])


def suspend(db: Connection, hall: Hall) -> None:
    suspending.suspend(db, hall.candidates[0].agent, "Spam.")


def await_a2a_agent(db: Connection, hall: Hall) -> None:
    """Its messages need a job each."""
    db.execute("UPDATE evaluation_sessions SET a2a_asked = 0 WHERE id = ?", [hall.session_ids[0]])


@pytest.mark.parametrize("change", [leave, end, suspend, await_a2a_agent])
def test_a_post_without_a_turn_is_refused_among_others(database, change):
    hall = database.write_now(Hall)
    database.write_now(lambda db: change(db, hall))

    added = post_all(database, [hall.post(1), hall.post(0), hall.post(1)])

    assert [message and message.sequence for message in added] == [1, None, 2]
    assert database.read_now(lambda db: store.read_state(db, hall.session_ids[0])).message_count == 0


@pytest.mark.parametrize(
    "wrong",
    [{"key_hash": "of nobody"}, {"evaluation_id": "other"}, {"session_id": "none"}],
    ids=["key", "evaluation", "session"],
)
def test_a_post_with_something_wrong_is_refused_among_others(database, wrong):
    hall = database.write_now(Hall)

    added = post_all(database, [hall.post(0), hall.post(0)._replace(**wrong), hall.post(0)])

    assert [message and message.sequence for message in added] == [1, None, 2]


def test_a_message_is_never_earlier_than_the_one_before_it(database):
    hall = database.write_now(Hall)
    later = now() + timedelta(days=1)  # the clock was set back
    database.write_now(lambda db: db.execute("UPDATE evaluation_sessions SET active_at = ?", [later]))

    added = post_all(database, [hall.post(0), hall.post(0)])

    assert [message and message.created_at for message in added] == [later] * 2


def test_a_post_that_fails_leaves_the_others_unharmed(database):
    """Such as a prompt that no constraint admits, which the route would have refused."""
    hall = database.write_now(Hall)
    bad = hall.post(0)._replace(prompt_id="x" * 101)

    async def write() -> list:
        writing = (
            database.write_together(posting_together.add_messages, post, post.session_id)
            for post in (hall.post(0), bad, hall.post(0))
        )
        return await asyncio.gather(*writing, return_exceptions=True)

    first, failed, third = asyncio.run(write())

    assert isinstance(failed, Exception)
    assert sorted([first.sequence, third.sequence]) == [1, 2]
    stored = database.read_now(partial(store.transcript, session_id=hall.session_ids[0]))
    assert list(chain.find_broken(hall.session_ids[0], stored)) == []
    assert len(stored) == 2
