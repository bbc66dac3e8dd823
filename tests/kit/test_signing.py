"""Signing: keys derived from the secret, rotated, and made anew for a new secret."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import make
from viva.kit.canonical_json import canonical_json
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.multibase import BadMultibase, decode_base58, encode_base58, key_id_of, public_key_of
from viva.kit.signing import derive_key, is_signature
from viva.kit.signing_keys import (
    NoSigner,
    NoSigningKey,
    ensure_current,
    get_current,
    is_own,
    list_keys,
    list_own,
    rotate,
)

# Of RFC 8785, appendix B and section 3.2.
NUMBERS = {
    0.0: "0",
    5e-324: "5e-324",
    1.7976931348623157e308: "1.7976931348623157e+308",
    9007199254740992.0: "9007199254740992",
    295147905179352830000.0: "295147905179352830000",
    1e23: "1e+23",
    333333333.3333332: "333333333.3333332",
    1e-27: "1e-27",
    0.000001: "0.000001",
    1e-7: "1e-7",
    4.5: "4.5",
    100.0: "100",
}


@pytest.mark.parametrize(("number", "text"), NUMBERS.items())
def test_numbers_are_written_as_javascript_writes_them(number, text):
    assert canonical_json(number) == text


def test_the_example_of_the_standard_is_written_as_there():
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    assert canonical_json(value) == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_by_utf16():
    assert canonical_json({"\U0001f600": 1, "\ufb33": 2, "€": 3}) == '{"€":3,"\U0001f600":1,"\ufb33":2}'


@given(st.binary(max_size=64))
def test_base_58_comes_back_as_it_was(value):
    assert decode_base58(encode_base58(value)) == value


@pytest.mark.parametrize("text", ["", "6Mk", "z0OIl", "z" * 300, "zé"])
def test_what_is_not_base_58_is_refused(text):
    with pytest.raises(BadMultibase):
        decode_base58(text)


def test_the_id_of_a_key_is_that_of_did_key():
    # The key of the first test in RFC 8032, and its did:key.
    public = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    assert key_id_of(public).startswith("z6Mk")
    assert public_key_of(key_id_of(public)) == public


def test_processes_with_one_secret_have_the_same_keys():
    first, second = derive_key(b"s" * 32, 1), derive_key.__wrapped__(b"s" * 32, 1)

    assert first.id == second.id != derive_key(b"s" * 32, 2).id
    assert is_signature(first.id, second.sign(b"data"), b"data")
    assert not is_signature(first.id, second.sign(b"data"), b"other data")
    assert not is_signature("not a key", b"", b"data")


def test_a_key_is_made_once_and_kept(db: Connection):
    first = ensure_current(db)

    assert ensure_current(db).id == get_current(db).id == first.id
    assert [(key.id, key.number, key.retired_at) for key in list_keys(db)] == [(first.id, 1, None)]


def test_a_new_secret_makes_a_new_key_and_retires_the_old(db: Connection):
    first = ensure_current(db)
    db.secret = b"another secret of the hub"
    with pytest.raises(NoSigningKey):
        get_current(db)

    second = ensure_current(db)

    assert second.number == 2
    new, old = list_keys(db)
    assert (new.id, new.retired_at, old.id) == (second.id, None, first.id)
    assert old.retired_at == new.made_at


def test_many_who_rotate_at_once_leave_one_current_key(database: Database):
    made = make.together(*(lambda: database.write_now(rotate).id for _ in range(6)))

    keys = database.read_now(list_keys)
    assert set(made) <= {key.id for key in keys}
    assert [key.number for key in keys if key.retired_at is None] == [max(key.number for key in keys)]


@pytest.mark.parametrize("secret", [make.HALL.secret, b"another secret of the hub", b""])
def test_the_hub_knows_its_keys_also_under_a_new_secret(db: Connection, secret: bytes):
    made = {ensure_current(db).id, rotate(db).id}
    db.secret = secret
    if secret:
        made.add(ensure_current(db).id)

    assert list_own(db) == made
    assert all(is_own(db, key_id) for key_id in made)


@pytest.mark.parametrize("comes_first", [True, False])
def test_a_key_of_somebody_else_is_not_the_hubs(db: Connection, comes_first: bool):
    """It is in the table, and even in the log: before the hub's own first key if its secret had been another one."""
    own = None if comes_first else ensure_current(db)
    db.secret = b"the secret of somebody else"
    stranger = rotate(db)
    db.secret = make.HALL.secret
    newest = rotate(db)

    assert list_own(db) == ({stranger.id, newest.id} if own is None else {own.id, newest.id})
    assert is_own(db, stranger.id) == comes_first


def test_a_key_that_is_only_in_the_table_is_not_the_hubs(db: Connection):
    stranger, moment = derive_key(b"the secret of somebody else", 1), now()
    db.execute(
        "INSERT INTO signing_keys (id, number, public_key, made_at) VALUES (?, 1, ?, ?)",
        [stranger.id, stranger.public_key.hex(), moment],
    )

    assert list_own(db) == set()
    own = ensure_current(db)
    assert list_own(db) == {own.id}
    assert not is_own(db, stranger.id)
    assert not is_own(db, "z6Mk")


def test_nothing_is_signed_without_the_secret(db: Connection):
    db.secret = b""
    with pytest.raises(NoSigner):
        ensure_current(db)
