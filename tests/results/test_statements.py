"""Statements about results: signed with the result, later ones name the earlier, and a change is found."""

import pytest
from msgspec.structs import replace

from tests import make
from viva.agents import accounts, names
from viva.exams import account_deletion
from viva.exams.disproving import find_contradictions
from viva.exams.proving import find_proof
from viva.kit.canonical_json import canonical_json
from viva.kit.db import Violation
from viva.kit.hashing import hash_joined, hash_text
from viva.kit.signing import is_signature
from viva.kit.signing_keys import list_keys, rotate
from viva.results import statements, store
from viva.results.facts import find_differences
from viva.sessions import chain

TEXT_HASHES = {"evaluation_digest_hash", "proctor_feedback_hash", "result_data_hash"}
DATA = {"criteria": [{"id": "a", "met": True, "mark": 1.0}], "word": "Grüße 🍵", "big": 2**60, "tiny": 1e-9}


@pytest.fixture
def people(db):
    make.evaluation(db)
    return make.agent(db, "ada"), make.agent(db, "paul")


@pytest.fixture
def result(db, people):
    return make.result(db, *people, feedback="Well said.", score=88.5, data=DATA)


def differences(db, result_id):
    (signed,) = statements.list_statements(db, result_id, 1)
    found = find_differences(signed.facts, store.get(db, result_id), statements.read_salts(db, result_id))
    return [(difference.field, difference.stated, difference.found) for difference in found]


def is_held(db, result_id):
    """Whether the result is as it was signed."""
    return find_contradictions(db, result_id) == []


def test_a_result_is_signed_as_it_is_kept(db, people, result):
    (signed,) = statements.list_statements(db, result.id)

    assert signed.is_genuine
    assert is_signature(list_keys(db)[0].id, bytes.fromhex(signed.signature), signed.statement.encode())
    facts = signed.facts
    assert signed.statement == canonical_json(facts)
    assert (facts["format"], facts["statement_number"], facts["statement_reason"]) == ("viva-result-1", 1, "decided")
    assert (facts["id"], facts["passed"], facts["score"], facts["agent_id"]) == (result.id, True, 88.5, people[0].id)
    assert (facts["message_count"], facts["chain_head"]) == chain.read_head(db, result.session_id)
    assert (facts["official"], facts["official_reasons"]) == (True, [])
    assert "Well said" not in signed.statement
    assert '"ada"' not in signed.statement
    assert is_held(db, result.id)


def test_a_stranger_checks_names_and_texts_with_their_salts(db, result):
    proof = find_proof(db, result)
    assert proof is not None

    stated, salts = proof.statement, proof.salts
    assert proof.names == {"agent_name": "ada", "proctor_name": "paul"}
    assert hash_text(salts["agent_name"], "ada") == stated["agent_name_hash"]
    assert hash_text(salts["proctor_name"], "paul") == stated["proctor_name_hash"]
    assert hash_text(salts["proctor_feedback"], "Well said.") == stated["proctor_feedback_hash"]
    assert hash_text(salts["result_data"], canonical_json(result.result_data)) == stated["result_data_hash"]


@pytest.mark.parametrize(
    ("change", "field", "stated", "found"),
    [
        ("score = 90", "score", 88.5, 90),
        ("points_earned = 3", "points_earned", 10, 3),
        ("evaluation_version = '9.9.9'", "evaluation_version", "1.0.0", "9.9.9"),
    ],
)
def test_a_changed_column_is_named(db, result, change, field, stated, found):
    db.execute(f"UPDATE evaluation_results SET {change}")

    assert differences(db, result.id) == [(field, stated, found)]
    assert not is_held(db, result.id)


@pytest.mark.parametrize("change", ["proctor_feedback = 'Badly said.'", "result_data = '{}'", "salts = '{}'"])
def test_a_changed_text_is_named(db, result, change):
    db.execute(f"UPDATE evaluation_results SET {change}")

    assert {field for field, _, _ in differences(db, result.id)} <= TEXT_HASHES
    assert differences(db, result.id)


def test_a_hidden_text_has_no_salt(db, result):
    proof = find_proof(db, replace(result, result_data={"hidden": True}))

    assert proof is not None
    assert "result_data" not in proof.salts
    assert "proctor_feedback" in proof.salts


def test_an_erased_text_leaves_a_statement_that_holds(db, result):
    db.execute("UPDATE evaluation_results SET proctor_feedback = NULL")
    statements.erase_salt(db, result.id, "proctor_feedback")

    assert differences(db, result.id) == []
    proof = find_proof(db, store.get(db, result.id))
    assert proof is not None
    assert "proctor_feedback" not in proof.salts


def test_a_later_statement_names_the_earlier_and_is_in_force(db, result):
    rotate(db)
    db.execute("UPDATE evaluation_results SET points_earned = 0")
    statements.state(db, store.get(db, result.id), "voided")

    second, first = statements.list_statements(db, result.id)
    assert second.facts["previous_statement_hash"] == hash_joined(first.statement)
    assert (second.facts["statement_number"], second.facts["statement_reason"]) == (2, "voided")
    assert first.key_id != second.key_id
    assert first.is_genuine
    assert second.is_genuine
    assert differences(db, result.id) == []


@pytest.mark.parametrize(
    "change", ["UPDATE result_statements SET statement = statement", "DELETE FROM result_statements"]
)
def test_a_statement_is_neither_changed_nor_removed(db, result, change):
    with pytest.raises(Violation) as refused, make.unit(db):
        db.execute(change)

    assert refused.value.constraint == "result_statements_append_only"


def test_results_of_an_earlier_release_are_signed_later(db, people, result):
    db.execute("UPDATE evaluation_results SET salts = '{}'")
    if type(db).__name__ == "SqliteConnection":
        db.execute("DROP TRIGGER result_statements_no_delete")
    else:
        db.execute("ALTER TABLE result_statements DISABLE TRIGGER USER")
    db.execute("DELETE FROM result_statements")
    assert find_proof(db, result) is None

    (signed,) = statements.sign_missing(db)
    assert statements.sign_missing(db, after=signed) == statements.sign_missing(db) == []

    assert is_held(db, result.id)


def test_a_name_is_proven_as_it_was_at_the_verdict(db, people, result):
    accounts.change(db, people[0], "ada the second", None)

    proof = find_proof(db, store.get(db, result.id))
    assert proof is not None
    assert proof.names["agent_name"] == "ada"
    assert [given.name for given in names.list_names(db, people[0].id)] == ["ada the second", "ada"]


def test_a_deleted_account_leaves_a_result_that_holds_and_no_name(db, people, result):
    account_deletion.delete_account(db, people[0])

    proof = find_proof(db, store.get(db, result.id))
    assert proof is not None
    assert proof.names == {"proctor_name": "paul"}
    assert "agent_name" not in proof.salts
    assert names.list_names(db, people[0].id) == []
    assert is_held(db, result.id)
