"""A request sent twice under one Idempotency-Key is carried out once."""

from datetime import timedelta

import msgspec
import pytest
from cryptography.fernet import InvalidToken

from tests import make
from viva.agents import accounts
from viva.kit import idempotency
from viva.kit.clock import now
from viva.kit.idempotency import (
    BadIdempotencyKey,
    IdempotentRequest,
    IdempotentResponse,
    KeyReused,
    TooManyIdempotencyKeys,
)

SECRET = b"the hub's secret"


def repeatable(request: bytes = b"POST /agents {}", key: str = "key-1", caller: str = "ada") -> IdempotentRequest:
    return IdempotentRequest(caller, key, request, SECRET)


def kept_rows(db) -> list[tuple]:
    return [tuple(row) for row in db.execute("SELECT * FROM kept_answers").fetchall()]


def test_the_same_request_gets_the_same_answer_again(db):
    first = repeatable()
    assert first.begin(db) is None
    first.keep(db, IdempotentResponse(201, b'{"id":"caf\xc3\xa9"}'))

    assert repeatable().begin(db) == IdempotentResponse(201, b'{"id":"caf\xc3\xa9"}')


def test_another_request_under_the_same_key_is_refused(db):
    first = repeatable()
    first.begin(db)
    first.keep(db, IdempotentResponse(201, b"{}"))

    with pytest.raises(KeyReused) as refused:
        repeatable(b"POST /agents {1}").begin(db)

    assert refused.value.status == 409
    assert repeatable().begin(db) == IdempotentResponse(201, b"{}")


def test_keys_of_other_callers_are_other_keys(db):
    first = repeatable(caller="ada")
    first.begin(db)
    first.keep(db, IdempotentResponse(201, b"{}"))

    assert repeatable(b"POST /agents {1}", caller="paul").begin(db) is None


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_a_key_has_one_to_255_characters(key):
    with pytest.raises(BadIdempotencyKey):
        repeatable(key=key)


def test_neither_the_answer_nor_the_idempotency_key_can_be_read_in_the_table(db):
    ada = accounts.register(db, "ada", "")
    first = repeatable(key="idempotent-1")
    first.begin(db)

    first.keep(db, IdempotentResponse(201, f'{{"api_key":"{ada.key.text}"}}'.encode()))

    kept = repr(
        [bytes(value) if isinstance(value, memoryview) else value for (row,) in [kept_rows(db)] for value in row]
    )
    assert ada.key.text not in kept
    assert "api_key" not in kept
    assert "idempotent-1" not in kept


def test_a_sealed_answer_opens_only_with_its_own_key_and_secret(db):
    first = repeatable(key="key-1")
    first.begin(db)
    first.keep(db, IdempotentResponse(201, b"{}"))
    (sealed,) = [bytes(row[3]) for row in kept_rows(db)]

    assert repeatable(key="key-1")._box().decrypt(sealed)
    for other in (repeatable(key="key-2"), IdempotentRequest("ada", "key-1", b"POST /agents {}", b"another secret")):
        with pytest.raises(InvalidToken):
            other._box().decrypt(sealed)


def test_two_at_once_do_the_work_once(database):
    def request() -> IdempotentResponse:
        return database.write_now(unit)

    def unit(db) -> IdempotentResponse:
        again = repeatable()
        kept = again.begin(db)
        if kept:
            return kept
        kept = IdempotentResponse(201, make.agent(db, "ada").id.encode())
        again.keep(db, kept)
        return kept

    answers = make.together(*[request] * 8)

    assert len(set(answers)) == 1, answers
    assert answers[0].status == 201
    assert database.read_now(lambda db: db.execute("SELECT id FROM agents").fetchall()) == [(answers[0].body.decode(),)]


def test_a_request_that_failed_keeps_nothing(database):
    def failing(db):
        repeatable().begin(db)
        raise KeyReused("the work failed")

    with pytest.raises(KeyReused, match="the work failed"):
        database.write_now(failing)

    assert database.write_now(lambda db: repeatable().begin(db)) is None


def test_answers_are_forgotten_after_a_day(db):
    for key in ("old", "young"):
        kept = repeatable(key=key)
        kept.begin(db)
        kept.keep(db, IdempotentResponse(201, b"{}"))
    db.execute(
        "UPDATE kept_answers SET kept_at = ? WHERE key_hash = ?",
        [now() - timedelta(hours=25), repeatable(key="old").key_hash],
    )

    assert idempotency.forget_old(db) == 1

    assert [row[1] for row in kept_rows(db)] == [repeatable(key="young").key_hash]


def test_a_sweep_deletes_a_bounded_number_of_answers(db, monkeypatch):
    monkeypatch.setattr(idempotency, "RESPONSES_DELETED_PER_SWEEP", 2)
    for key in ("one", "two", "three"):
        repeatable(key=key).begin(db)
    db.execute("UPDATE kept_answers SET kept_at = ?", [now() - timedelta(hours=25)])

    assert [idempotency.forget_old(db) for _ in range(3)] == [2, 1, 0]
    assert kept_rows(db) == []


def test_a_large_response_is_kept_by_its_reference(db):
    first = repeatable()
    first.begin(db)
    first.keep(db, IdempotentResponse(200, None, "eval_reg_1"))

    assert repeatable().begin(db) == IdempotentResponse(200, None, "eval_reg_1")


def test_a_response_that_was_kept_without_a_reference_is_still_opened(db):
    first = repeatable()
    first.begin(db)
    sealed = first._box().encrypt(msgspec.json.encode((201, b"{}")))
    db.execute("UPDATE kept_answers SET answer = ?", [sealed])

    assert repeatable().begin(db) == IdempotentResponse(201, b"{}")


def keep_many(db, count: int, body: bytes, caller: str = "ada") -> None:
    for number in range(count):
        each = repeatable(key=f"{len(body)} {number}", caller=caller)
        each.begin(db)
        each.keep(db, IdempotentResponse(201, body))


def test_so_many_responses_are_kept_for_a_caller_on_one_day(db, monkeypatch):
    monkeypatch.setattr(idempotency, "MAX_RESPONSES_PER_DAY", 3)
    keep_many(db, 3, b"{}")

    with pytest.raises(TooManyIdempotencyKeys) as refused:
        repeatable(key="one more").begin(db)

    assert 1 <= (refused.value.retry_after or 0) <= 24 * 3600
    assert repeatable(key="2 0").begin(db) == IdempotentResponse(201, b"{}")  # what is kept is still given
    keep_many(db, 3, b"{}", caller="paul")


def test_so_many_bytes_are_kept_for_a_caller_on_one_day(db, monkeypatch):
    monkeypatch.setattr(idempotency, "MAX_BYTES_PER_DAY", 10_000)
    keep_many(db, 3, b"x" * 1_000)

    with pytest.raises(TooManyIdempotencyKeys):
        keep_many(db, 3, b"x" * 2_000)

    (size,) = db.execute("SELECT sum(length(answer)) FROM kept_answers").fetchone()
    assert size <= 10_000
    keep_many(db, 1, b"x" * 1_000, caller="paul")


def test_a_request_beyond_the_quota_is_not_carried_out(database, monkeypatch):
    monkeypatch.setattr(idempotency, "MAX_BYTES_PER_DAY", 1_000)

    def unit(db):
        again = repeatable()
        again.begin(db)
        again.keep(db, IdempotentResponse(201, make.agent(db, "ada").id.encode() * 10))

    database.write_now(unit)
    with pytest.raises(TooManyIdempotencyKeys):
        database.write_now(lambda db: keep_many(db, 1, b"x" * 1_000))

    kept = database.read_now(lambda db: db.execute("SELECT count(*) FROM kept_answers").fetchone()[0])
    assert kept == 1
