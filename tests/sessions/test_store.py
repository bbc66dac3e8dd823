"""Sessions as they are kept: participants, transcripts by page, and an agent's own sessions."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests import make
from tests.values import require
from viva.agents import accounts
from viva.exams import proctoring
from viva.kit import paging
from viva.kit.clock import now
from viva.kit.paging import BadCursor, cursor_at
from viva.kit.rows import iterate
from viva.sessions import channel, store
from viva.sessions.model import Message, OwnSession
from viva.sessions.store import AlreadyClaimed, NoSuchSession

NINE = datetime(2026, 11, 15, 9, tzinfo=UTC)


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia")}


@pytest.fixture
def session(db, people):
    return make.claim(db, people["ada"], people["paul"])[1].session


@pytest.fixture
def spoken(db, people, session):
    """Five messages, one a minute from nine o'clock on."""
    for number in range(5):
        sent = channel.send(db, "good-manners", session.id, people["ada"].id, f"message {number + 1}", 100)
        at = NINE + timedelta(minutes=number)
        db.execute("UPDATE evaluation_messages SET created_at = ? WHERE id = ?", [at, sent.id])
    return session


def sequences(messages) -> list[int]:
    return [message.sequence for message in messages]


def test_an_opened_session_is_found_as_it_was_opened(db, session):
    assert store.get(db, "good-manners", session.id) == session
    assert store.find_by_registration(db, session.registration_id) == session
    assert (session.kind, session.status, session.message_count, session.ended_at) == ("proctored", "active", 0, None)
    assert session.id.startswith("eval_sess_")


def test_a_session_is_only_found_in_its_own_evaluation(db, session):
    make.evaluation(db, id="tea-making", sip=8)

    with pytest.raises(NoSuchSession):
        store.get(db, "tea-making", session.id)


def test_a_second_session_of_a_registration_is_refused(db, session):
    with pytest.raises(AlreadyClaimed):
        store.open_session(db, "good-manners", "proctored", session.registration_id)


def test_participants_come_in_the_order_they_joined(db, people, session):
    found = store.list_participants(db, session.id)

    assert [(each.agent_id, each.name, each.role) for each in found] == [
        (people["paul"].id, "paul", "proctor"),
        (people["ada"].id, "ada", "candidate"),
    ]


def test_a_participant_that_was_deleted_has_no_name(db, people, session):
    accounts.delete(db, people["ada"])

    assert [each.name for each in store.list_participants(db, session.id)] == ["paul", "deleted agent"]


def test_the_role_of_an_agent_in_a_session_can_be_asked(db, people, session):
    roles = {name: store.role_of(db, session.id, agent.id) for name, agent in people.items()}

    assert roles == {"ada": "candidate", "paul": "proctor", "pia": None}


# Transcripts


@pytest.mark.parametrize(("since", "expected"), [(0, [1, 2, 3, 4, 5]), (3, [4, 5]), (5, []), (99, [])])
def test_what_came_after_a_sequence(db, spoken, since, expected):
    assert sequences(store.transcript(db, spoken.id, since)) == expected


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (NINE - timedelta(seconds=1), [1, 2, 3, 4, 5]),
        (NINE, [2, 3, 4, 5]),
        (NINE + timedelta(minutes=2, microseconds=-1), [3, 4, 5]),
        (NINE + timedelta(minutes=2), [4, 5]),
        ((NINE + timedelta(minutes=2)).astimezone(timezone(timedelta(hours=5, minutes=30))), [4, 5]),
        (NINE + timedelta(hours=1), []),
    ],
)
def test_what_came_after_a_moment(db, spoken, since, expected):
    assert sequences(store.transcript(db, spoken.id, since)) == expected


def test_a_transcript_has_at_most_so_many_messages_and_goes_on_from_there(db, spoken):
    first = store.transcript(db, spoken.id, 0, limit=3)

    assert sequences(first) == [1, 2, 3]
    assert sequences(store.transcript(db, spoken.id, first[-1].sequence, limit=3)) == [4, 5]
    assert sequences(store.transcript(db, spoken.id, NINE, limit=2)) == [2, 3]


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (NINE - timedelta(seconds=1), 0),
        (NINE, 1),
        (NINE + timedelta(minutes=2), 3),
        (NINE + timedelta(minutes=2, seconds=30), 3),
        (NINE + timedelta(hours=1), 5),
    ],
)
def test_the_sequence_at_a_moment_is_that_of_the_last_message_until_then(db, spoken, moment, expected):
    assert store.sequence_at(db, spoken.id, moment) == expected


def test_state_tells_status_and_count(db, spoken):
    assert store.read_state(db, spoken.id) == ("active", 5)

    store.end(db, spoken.id)

    assert store.read_state(db, spoken.id) == ("ended", 5)


# Ending and releasing


def test_ending_twice_keeps_the_first_end(db, session):
    store.end(db, session.id)
    first = store.get(db, "good-manners", session.id)

    store.end(db, session.id)

    assert store.get(db, "good-manners", session.id) == first


def test_a_released_session_gives_its_registration_back_and_remembers_it(db, session):
    store.release(db, session.id)

    released = store.get(db, "good-manners", session.id)
    assert (released.status, released.registration_id) == ("ended", None)
    assert released.released_registration_id == session.registration_id
    assert store.find_by_registration(db, session.registration_id) is None


def test_an_ended_session_is_not_released(db, session):
    store.end(db, session.id)

    store.release(db, session.id)

    assert store.find_by_registration(db, session.registration_id) is not None


def test_silent_sessions_are_running_ones_nobody_spoke_in_since_then(db, people, session):
    quiet = make.claim(db, people["pia"], people["paul"])[1].session
    make.silence(db, quiet.id, minutes=10)
    since = now() - timedelta(minutes=5)

    assert [each.id for each in store.list_silent(db, "good-manners", since, 10)] == [quiet.id]

    store.end(db, quiet.id)
    assert store.list_silent(db, "good-manners", since, 10) == []


def test_an_agent_proctors_only_the_running_sessions_it_is_the_proctor_of(db, people, session):
    other = make.claim(db, people["pia"], people["ada"])[1].session

    assert [each.id for each in store.list_proctored_by(db, people["paul"].id)] == [session.id]
    assert [each.id for each in store.list_proctored_by(db, people["ada"].id)] == [other.id]
    assert store.list_proctored_by(db, people["pia"].id) == []

    store.end(db, session.id)
    assert store.list_proctored_by(db, people["paul"].id) == []


# An agent's own sessions


@pytest.fixture
def seven(db, people):
    """Seven sessions of paul, the first as candidate, of the others three ended: nobody examines more than three."""
    opened = [make.claim(db, people["paul"], people["ada"])[1].session]
    for number in range(6):
        opened.append(make.claim(db, make.agent(db, f"candidate-{number}"), people["paul"])[1].session)
        if number in (1, 2, 4):
            proctoring.release(db, "good-manners", require(opened[-1].registration_id), people["paul"])
    return sorted(opened, key=lambda session: session.id, reverse=True)


def pages(db, agent, status, limit) -> list[list[OwnSession]]:
    found, cursor = [], None
    while True:
        page = store.list_by_agent(db, agent.id, status, limit, cursor)
        found.append(page.items)
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize(("limit", "sizes"), [(1, [1] * 7), (3, [3, 3, 1]), (7, [7]), (50, [7])])
def test_an_agents_sessions_come_newest_first_each_once(db, people, seven, limit, sizes):
    found = pages(db, people["paul"], None, limit)

    assert [len(page) for page in found] == sizes
    assert [session.id for page in found for session in page] == [session.id for session in seven]


def test_an_agents_sessions_tell_its_role(db, people, seven):
    (found,) = pages(db, people["paul"], None, 50)
    own = [session.role for session in found if session.id in {each.id for each in seven}]

    assert sorted(own) == ["candidate"] + ["proctor"] * 6
    assert [session.role for session in pages(db, people["ada"], None, 50)[0]] == ["proctor"]


@pytest.mark.parametrize(("status", "count"), [("active", 4), ("ended", 3)])
def test_an_agents_sessions_by_status(db, people, seven, status, count):
    found = [session for page in pages(db, people["paul"], status, 2) for session in page]

    assert [session.status for session in found] == [status] * count


def test_who_is_in_no_session_has_none(db, people, seven):
    assert pages(db, people["pia"], None, 10) == [[]]


@pytest.mark.parametrize("cursor", ["x", cursor_at((7,)), cursor_at(("a", "b"))])
def test_a_cursor_of_another_list_is_refused(db, people, cursor):
    with pytest.raises(BadCursor):
        store.list_by_agent(db, people["ada"].id, None, 10, cursor)


def test_a_cursor_with_a_value_no_database_takes_is_refused(db, people):
    with pytest.raises(BadCursor):
        store.list_by_agent(db, people["ada"].id, None, 10, cursor_at(("a\0b",)))


@pytest.fixture
def talk(db):
    """A session in which Ada says what she is given."""
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    _, (session, _) = make.claim(db, ada, paul)

    def say(*contents: str, prompt_id: str | None = None) -> str:
        for content in contents:
            channel.send(db, session.evaluation_id, session.id, ada.id, content, 10**7, prompt_id)
        return session.id

    return say


def test_long_messages_make_a_page_shorter_and_every_page_has_one(db, talk):
    session_id = talk("12345", "67890", "1", "x" * 11, "last", prompt_id="p")

    def page(since: int) -> list[str]:
        return [message.content for message in store.transcript(db, session_id, since, characters=10)]

    assert page(0) == ["12345", "67890"]
    assert page(2) == ["1"]
    assert page(3) == ["x" * 11]
    assert page(4) == ["last"]
    assert [one.content for one in store.list_prompt_messages(db, session_id, "p", 3, 200, 10)] == ["x" * 11]
    assert [one.content for one in store.list_latest_messages(db, session_id, 99, 200, 10)] == ["last"]
    assert [one.content for one in store.list_latest_messages(db, session_id, 4, 200, 6)] == ["67890", "1"]


@pytest.mark.parametrize("text", ["x", '"', "é", "\x01", "🦉"])
def test_a_page_ends_by_its_bytes_in_json_and_pages_lose_nothing(db, talk, text):
    size = paging.encoded_size(text) - 2  # without its quotes
    session_id = talk(*[text * (paging.MAX_PAGE_BYTES // 3 // size)] * 7, "short")

    pages: list[list[Message]] = []
    while not pages or pages[-1]:
        pages.append(store.transcript(db, session_id, pages[-1][-1].sequence if pages else 0))

    assert [len(page) for page in pages] == [2, 2, 2, 2, 0]
    assert all(sum(map(paging.encoded_size, page)) <= paging.MAX_PAGE_BYTES for page in pages)
    assert [message.sequence for page in pages for message in page] == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("db", ["postgresql"], indirect=True)  # SQLite reads row by row
def test_the_database_sends_hardly_more_messages_than_a_page_has(db, talk, monkeypatch):
    session_id = talk(*["x" * (paging.MAX_PAGE_BYTES // 4)] * 20)
    sent: list[int] = []

    def count_and_read(model, rows):
        sent.append(rows.rowcount)
        return iterate(model, rows)

    monkeypatch.setattr(store, "iterate", count_and_read)

    store.transcript(db, session_id)
    store.list_latest_messages(db, session_id, 21, 200, 10)

    assert sent == [5, 1]
