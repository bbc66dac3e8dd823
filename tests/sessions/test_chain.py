"""The chain of messages: the same bytes on both databases, in any order of posts, and a change is found."""

import hashlib
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import make
from viva.agents import accounts
from viva.agents.access import ApiKey
from viva.kit.db import Connection, Database
from viva.kit.hashing import NO_HASH
from viva.maintaining import hiding
from viva.sessions import chain, channel, posting_together, store
from viva.sessions.model import Message

TEXTS = ("Hello.", "  \n\t spaces ", "Grüße, 你好, 🍵", "a\\b'c\"%s:name?", "x" * 3000)


def hash_by_hand(session_id: str, message: Message, previous: str) -> str:
    """What the documentation says, without any code of Viva."""
    assert message.salt is not None
    text = hashlib.sha256(bytes.fromhex(message.salt) + message.content.encode()).hexdigest()
    time = message.created_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    turn = (str(message.sequence), message.role, time, previous, text, message.prompt_id or "")
    lines = ("viva-message-1", session_id, message.id, message.sender_agent_id, *turn)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def check_chain(db: Connection, session_id: str, count: int) -> None:
    messages = store.transcript(db, session_id, limit=10_000)
    head = NO_HASH
    for message in messages:
        assert message.hash == hash_by_hand(session_id, message, head)
        head = message.hash
    assert [message.sequence for message in messages] == list(range(1, count + 1))
    assert chain.read_head(db, session_id) == (count, head)
    assert list(chain.find_broken(session_id, messages)) == []


@pytest.fixture
def talk(db):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    return make.claim(db, ada, paul)[1].session.id, ada, paul


def test_each_message_carries_the_hash_of_the_one_before(db, talk):
    session_id, ada, paul = talk
    for number, text in enumerate(TEXTS):
        sender = (ada, paul)[number % 2]
        sent = channel.send(db, "good-manners", session_id, sender.id, text, 10_000, "a\nprompt" if number else None)
        assert sent in store.transcript(db, session_id)

    check_chain(db, session_id, len(TEXTS))


def test_an_empty_session_has_the_empty_head(db, talk):
    assert chain.read_head(db, talk[0]) == (0, NO_HASH)


@pytest.mark.parametrize(
    "change",
    ["content = 'Bye.'", "role = 'proctor'", "prompt_id = 'other'", "created_at = '2026-01-01T00:00:00.000000Z'"],
)
@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_a_changed_message_breaks_the_chain(db, talk, change):
    session_id, ada, _ = talk
    for _ in range(3):
        channel.send(db, "good-manners", session_id, ada.id, "Hello.", 100)
    db.execute("PRAGMA ignore_check_constraints = ON")
    db.execute("PRAGMA defer_foreign_keys = ON")

    db.execute(f"UPDATE evaluation_messages SET {change} WHERE sequence = 2")
    db.execute("PRAGMA ignore_check_constraints = OFF")  # the next test gets the same connection

    broken = chain.find_broken(session_id, store.transcript(db, session_id))
    assert [message.sequence for message in broken] == [2]


def hide_and_erase(db: Connection, message_id: str) -> None:
    hiding.hide(db, "message", message_id, "A court says so.")
    hiding.erase(db, "message", message_id)


def test_the_chain_still_holds_once_a_text_is_erased(db, talk):
    session_id, ada, _ = talk
    sent = [channel.send(db, "good-manners", session_id, ada.id, text, 10_000) for text in TEXTS]

    hide_and_erase(db, sent[1].id)

    messages = store.transcript(db, session_id)
    assert messages[1].content.startswith("Hidden by the operator of this hub")
    assert messages[1].salt is None
    assert messages[1].content_hash == chain.content_hash_of(sent[1])
    assert list(chain.find_broken(session_id, messages)) == []


class Hall:
    """Two sessions on one database, with the keys of everybody in them."""

    def __init__(self, db: Connection) -> None:
        make.evaluation(db)
        accounts_ = [accounts.register(db, name, "") for name in ("ada", "bea", "paul")]
        self.keys: list[ApiKey] = [account.key for account in accounts_]
        ada, bea, paul = (account.agent for account in accounts_)
        self.agents = (ada, bea, paul)
        self.sessions = [make.claim(db, candidate, paul)[1].session.id for candidate in (ada, bea)]


TURNS = st.tuples(st.integers(0, 1), st.booleans(), st.sampled_from(["alone", "together", "erase"]))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(turns=st.lists(TURNS, max_size=12))
def test_any_order_of_turns_gives_whole_chains(db, turns):
    """Posts alone, posts of many callers together, and texts that are erased in between."""
    with make.undone(db):
        hall, counts = Hall(db), [0, 0]
        for place, by_proctor, kind in turns:
            session_id = hall.sessions[place]
            if kind == "erase":
                erase_first(db, session_id)
                continue
            posts = 3 if kind == "together" else 1
            if posts == 1:
                channel.send(db, "good-manners", session_id, hall.agents[2 if by_proctor else place].id, "Hi.", 100)
            else:
                key = hall.keys[2 if by_proctor else place].hash
                posted = [posting_together.Post(key, "good-manners", session_id, "Hi.", None)] * posts
                assert None not in posting_together.add_messages(db, posted)
            counts[place] += posts

        for session_id, count in zip(hall.sessions, counts, strict=True):
            messages = store.transcript(db, session_id, limit=1_000)
            assert [message.sequence for message in messages] == list(range(1, count + 1))
            assert list(chain.find_broken(session_id, messages)) == []
            assert chain.read_head(db, session_id) == (count, messages[-1].hash if messages else NO_HASH)


def erase_first(db: Connection, session_id: str) -> None:
    shown = [message for message in store.transcript(db, session_id) if message.salt]
    if shown:
        hide_and_erase(db, shown[0].id)


@pytest.mark.slow
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rounds=st.lists(st.lists(st.tuples(st.integers(0, 1), st.booleans()), max_size=6), min_size=2, max_size=5))
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_any_interleaving_of_posts_gives_whole_chains(kind, rounds, chain_database):
    """Threads post one by one and many together, all at the same time."""
    database: Database = chain_database(kind)
    hall = database.write_now(Hall)

    def post(place: int, by_proctor: bool) -> posting_together.Post:
        return posting_together.Post(
            hall.keys[2 if by_proctor else place].hash, "good-manners", hall.sessions[place], "Hi.", None
        )

    def send_alone(db: Connection, place: int, by_proctor: bool) -> Message:
        sender = hall.agents[2 if by_proctor else place]
        return channel.send(db, "good-manners", hall.sessions[place], sender.id, "Alone.", 100)

    def work(turns: list[tuple[int, bool]], together: bool) -> None:
        if together:
            added = database.write_now(lambda db: posting_together.add_messages(db, [post(*turn) for turn in turns]))
            assert None not in added
        else:
            for place, by_proctor in turns:
                database.write_now(partial(send_alone, place=place, by_proctor=by_proctor))

    works = [partial(work, turns, bool(turns) and number % 2 == 0) for number, turns in enumerate(rounds)]
    assert make.together(*works) == [None] * len(works)

    for place, session_id in enumerate(hall.sessions):
        count = sum(turn[0] == place for turns in rounds for turn in turns)
        database.read_now(partial(check_chain, session_id=session_id, count=count))
