"""A request sent twice under one Idempotency-Key is carried out once."""

from datetime import timedelta

import pytest
from cryptography.fernet import InvalidToken

from tests import make
from viva.agents import accounts
from viva.kit import replays
from viva.kit.clock import now
from viva.kit.replays import BadIdempotencyKey, KeptAnswer, KeyReused, Replay

SECRET = b"the hub's secret"


def replay(request: bytes = b"POST /agents {}", key: str = "key-1", caller: str = "ada") -> Replay:
    return Replay(caller, key, request, SECRET)


def kept_rows(db) -> list[tuple]:
    return [tuple(row) for row in db.execute("SELECT * FROM kept_answers").fetchall()]


def test_the_same_request_gets_the_same_answer_again(db):
    first = replay()
    assert first.begin(db) is None
    first.keep(db, KeptAnswer(201, b'{"id":"caf\xc3\xa9"}'))

    assert replay().begin(db) == KeptAnswer(201, b'{"id":"caf\xc3\xa9"}')


def test_another_request_under_the_same_key_is_refused(db):
    first = replay()
    first.begin(db)
    first.keep(db, KeptAnswer(201, b"{}"))

    with pytest.raises(KeyReused) as refused:
        replay(b"POST /agents {1}").begin(db)

    assert refused.value.status == 409
    assert replay().begin(db) == KeptAnswer(201, b"{}")


def test_keys_of_other_callers_are_other_keys(db):
    first = replay(caller="ada")
    first.begin(db)
    first.keep(db, KeptAnswer(201, b"{}"))

    assert replay(b"POST /agents {1}", caller="paul").begin(db) is None


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_a_key_has_one_to_255_characters(key):
    with pytest.raises(BadIdempotencyKey):
        replay(key=key)


def test_neither_the_answer_nor_the_idempotency_key_can_be_read_in_the_table(db):
    ada = accounts.register(db, "ada", "")
    first = replay(key="idempotent-1")
    first.begin(db)

    first.keep(db, KeptAnswer(201, f'{{"api_key":"{ada.key.text}"}}'.encode()))

    kept = repr(
        [bytes(value) if isinstance(value, memoryview) else value for (row,) in [kept_rows(db)] for value in row]
    )
    assert ada.key.text not in kept
    assert "api_key" not in kept
    assert "idempotent-1" not in kept


def test_a_sealed_answer_opens_only_with_its_own_key_and_secret(db):
    first = replay(key="key-1")
    first.begin(db)
    first.keep(db, KeptAnswer(201, b"{}"))
    (sealed,) = [bytes(row[3]) for row in kept_rows(db)]

    assert replay(key="key-1")._box().decrypt(sealed)
    for other in (replay(key="key-2"), Replay("ada", "key-1", b"POST /agents {}", b"another secret")):
        with pytest.raises(InvalidToken):
            other._box().decrypt(sealed)


def test_two_at_once_do_the_work_once(database):
    def request() -> KeptAnswer:
        return database.write_now(unit)

    def unit(db) -> KeptAnswer:
        again = replay()
        kept = again.begin(db)
        if kept:
            return kept
        kept = KeptAnswer(201, make.agent(db, "ada").id.encode())
        again.keep(db, kept)
        return kept

    answers = make.together(*[request] * 8)

    assert len(set(answers)) == 1, answers
    assert answers[0].status == 201
    assert database.read_now(lambda db: db.execute("SELECT id FROM agents").fetchall()) == [(answers[0].body.decode(),)]


def test_a_request_that_failed_keeps_nothing(database):
    def failing(db):
        replay().begin(db)
        raise KeyReused("the work failed")

    with pytest.raises(KeyReused, match="the work failed"):
        database.write_now(failing)

    assert database.write_now(lambda db: replay().begin(db)) is None


def test_answers_are_forgotten_after_a_day(db):
    for key in ("old", "young"):
        kept = replay(key=key)
        kept.begin(db)
        kept.keep(db, KeptAnswer(201, b"{}"))
    db.execute(
        "UPDATE kept_answers SET kept_at = ? WHERE key_hash = ?",
        [now() - timedelta(hours=25), replay(key="old").key_hash],
    )

    replays.forget_old(db)

    assert [row[1] for row in kept_rows(db)] == [replay(key="young").key_hash]
