"""Files that a hub has signed: what each change of one is called, and what stays unknown."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests import make
from viva.agents import accounts
from viva.checking.files import verify_document
from viva.exams import account_deletion
from viva.exams.certifying import get_certificate, issue
from viva.exams.proving import find_proof
from viva.kit.canonical_json import canonical_json
from viva.kit.clock import now
from viva.kit.data_integrity import add_proof
from viva.kit.db import Connection
from viva.kit.hashing import hash_text
from viva.kit.signing_keys import get_current
from viva.maintaining import hiding
from viva.results.model import NamedResult
from viva.sessions import store

pytestmark = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@pytest.fixture
def result(db: Connection) -> NamedResult:
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    started, claim = make.claim(db, ada, paul)
    make.talk(db, claim.session, paul, ada, paul)
    return make.decide(db, started, paul)


def transcript(db: Connection, result: NamedResult) -> dict[str, Any]:
    messages = store.transcript(db, str(result.session_id))
    answer: dict[str, Any] = msgspec.to_builtins({"messages": messages, "proof": find_proof(db, result)})
    return answer


def said(document: dict[str, Any], level: str) -> list[str]:
    return [line.sentence for line in verify_document(document) if line.level == level]


def forge(message: dict[str, Any], text: str = "I admit it.") -> None:
    """Keep the old hash, and put another text beside it."""
    message["content_hash"] = hash_text(message.pop("salt"), message["content"])
    message["content"] = text


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "text": lambda message: message.update(content="I admit it."),
    "text with the old hash": forge,
    "salt that is none": lambda message: message.update(salt="zz"),
    "line without a date": lambda message: forge(message, "Hidden by mary."),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_message_is_named(db: Connection, result: NamedResult, change: str):
    document = transcript(db, result)
    assert said(document, "wrong") == []

    CHANGES[change](document["messages"][1])

    (sentence,) = said(document, "wrong")
    assert sentence.startswith("Message 2 (")
    assert not any("as they were sent" in sentence for sentence in said(document, "ok"))


def test_a_hidden_and_an_erased_message_are_not_called_as_sent(db: Connection, result: NamedResult):
    first, second, _ = store.transcript(db, str(result.session_id))
    hiding.hide(db, "message", first.id, "Advertising.")
    hiding.hide(db, "message", second.id, "A court says so.")
    hiding.erase(db, "message", second.id)

    document = transcript(db, result)

    assert said(document, "wrong") == []
    assert "What was said in message 1, 2: its text was hidden or erased." in said(document, "unknown")
    assert "All other messages (1) are as they were sent, in their order." in said(document, "ok")


def certificate(db: Connection, result: NamedResult) -> dict[str, Any]:
    return issue(db, make.HALL, get_certificate(db, result.id, None))


def test_a_certificate_has_no_salt_of_a_text(db: Connection, result: NamedResult):
    assert certificate(db, result)["viva"]["proof"]["salts"].keys() == {"agent_name", "proctor_name"}


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_certificate_of_an_erased_name_may_show_no_other(db: Connection, result: NamedResult, is_deleted: bool):
    ada = make.found_agent(db, "ada")
    if is_deleted:
        account_deletion.delete_account(db, ada)
    else:
        hiding.hide(db, "name", ada.id, "An insult.")
        accounts.change(db, make.found_agent(db, f"hidden-{ada.id[-12:]}"), "somebody else", None)
    document = certificate(db, result)
    assert said(document, "wrong") == []
    assert "somebody else" not in canonical_json(document)

    document["credentialSubject"]["identifier"][0]["identityHash"] = "eve"
    del document["proof"]
    forged = add_proof(document, get_current(db), now())

    (sentence,) = said(forged, "wrong")
    assert sentence.startswith("The name on the certificate is eve, and the statement says ")
