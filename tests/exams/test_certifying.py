"""Certificates: signed credentials that an independent implementation accepts, and refuses once they are changed."""

import copy
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.exams import certification, readings
from viva.agents import accounts
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.agents.naming import hidden_name_of
from viva.exams import account_deletion
from viva.exams.certifying import NotCertified, ResultChanged, get_certificate, issue
from viva.kit.data_integrity import find_signer
from viva.kit.db import Connection
from viva.kit.signing_keys import get_current
from viva.maintaining import hiding

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def people(db):
    make.evaluation(db)
    return make.agent(db, "ada"), make.agent(db, "paul")


def certify(
    db: Connection, people: tuple[Agent, Agent], feedback: str = "Well said.", data: Any = None
) -> dict[str, Any]:
    candidate, proctor = people
    result = make.result(db, candidate, proctor, score=88.5, feedback=feedback, data=data)
    return issue(db, make.HALL, get_certificate(db, result.id, None))


def verify_with_node(documents: list[dict[str, Any]]) -> list[bool]:
    """What the implementation of Digital Bazaar says of each document."""
    scripts = Path(__file__).parent / "credentials.mjs"
    subprocess.run([ROOT / "scripts/node_packages"], check=True)
    packages = os.environ | {"VIVA_NODE_PACKAGES": str(ROOT / "var/node")}
    process = subprocess.run(
        ["node", scripts], input=json.dumps(documents), env=packages, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    answer: list[bool] = json.loads(process.stdout)
    return answer


def test_a_certificate_is_signed_by_the_hub(db, people):
    document = certify(db, people)

    assert find_signer(document) == get_current(db).id
    assert document["type"] == ["VerifiableCredential", "OpenBadgeCredential"]
    assert document["credentialSubject"]["identifier"][0]["identityHash"] == "ada"
    assert document["credentialSubject"]["achievement"]["name"] == "Good manners"
    assert document["credentialSubject"]["achievement"]["version"] == "1.0.0"
    assert document["credentialSubject"]["result"][0]["value"] == "88.5"
    assert document["viva"]["markers"] == ["paul"]


CHANGES = {
    "score": lambda document: document["credentialSubject"]["result"][0].update(value="100"),
    "name": lambda document: document["credentialSubject"]["identifier"][0].update(identityHash="bob"),
    "statement": lambda document: document["viva"]["proof"]["statement"].update(score=100),
    "date": lambda document: document.update(validFrom="2020-01-01T00:00:00Z"),
    "context": lambda document: document.update({"@context": document["@context"][:2]}),
    "purpose": lambda document: document["proof"].update(proofPurpose="authentication"),
    "created": lambda document: document["proof"].update(created="2020-01-01T00:00:00Z"),
    "issuer": lambda document: document["issuer"].update(id="did:key:z6MkwXG2WjeQnNxSoynSGYU8V9j3QzP3JSqhdmkHc6SaVWoT"),
    "signature": lambda document: document["proof"].update(proofValue="z" + "1" * 64),
}


def change(document: dict[str, Any], what: str) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    CHANGES[what](changed)
    return changed


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_certificate_does_not_hold(db, people, what):
    document = certify(db, people)

    assert find_signer(change(document, what)) is None


@pytest.mark.slow
@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_an_independent_implementation_agrees(db, people):
    document = certify(db, people, feedback="Grüße 🍵", data={"a": [1e21, 0.1, "\u20ac"]})

    says = verify_with_node([document, *(change(document, what) for what in CHANGES)])

    assert says == [True] + [False] * len(CHANGES)


def test_a_result_that_was_changed_has_no_certificate(db, people):
    result = make.result(db, *people, score=88.5)
    db.execute("UPDATE evaluation_results SET score = 99")

    with pytest.raises(ResultChanged):
        get_certificate(db, result.id, None)


def test_what_was_not_passed_has_no_certificate(db, people):
    ada, paul = people
    result = make.result(db, ada, paul, passed=False)

    with pytest.raises(NotCertified):
        get_certificate(db, result.id, None)


def test_a_certificate_shows_names_as_they_were(db, people):
    ada, paul = people
    started, claim = make.claim(db, ada, paul)
    make.talk(db, claim.session, paul, ada)
    result = make.decide(db, started, paul)
    accounts.change(db, ada, "somebody else", None)
    accounts.change(db, paul, "another proctor", None)

    document = issue(db, make.HALL, get_certificate(db, result.id, None))

    assert document["credentialSubject"]["identifier"][0]["identityHash"] == "ada"
    assert document["viva"]["markers"] == ["paul"]
    assert document["viva"]["proof"]["statement"]["message_count"] == 2


def test_a_certificate_names_both_markers_of_a_sheet(db, people):
    ada, paul = people
    pia = make.agent(db, "pia")
    certification.evaluation(db, markers=2)
    registration_id = certification.handed_to_proctors(db, ada)
    certification.mark(db, registration_id, paul, 10, 10, 10)
    (result,) = certification.mark(db, registration_id, pia, 10, 10, 9)
    accounts.change(db, pia, "somebody else", None)

    assert sorted(get_certificate(db, result.id, None).markers) == ["paul", "pia"]


def test_a_marker_whose_name_was_hidden_is_called_as_on_the_hub(db, people):
    """By no earlier name either, which was not its name when it marked."""
    ada, paul = people
    pia = make.agent(db, "pia")
    accounts.change(db, pia, "zork", None)
    certification.evaluation(db, markers=2)
    registration_id = certification.handed_to_proctors(db, ada)
    certification.mark(db, registration_id, paul, 10, 10, 10)
    (result,) = certification.mark(db, registration_id, pia, 10, 10, 10)
    assert result.proctor_agent_id == paul.id
    hiding.hide(db, "name", pia.id, "An insult.")

    certificate = get_certificate(db, result.id, None)
    document = issue(db, make.HALL, certificate)

    assert sorted(certificate.markers) == sorted(["paul", hidden_name_of(pia.id)])
    assert not any(f'"{name}"' in json.dumps(document) for name in ("pia", "zork"))
    assert find_signer(document)
    hiding.show_again(db, "name", pia.id)
    assert "zork" in get_certificate(db, result.id, None).markers
    account_deletion.delete_account(db, agents.get(db, pia.id))
    assert "deleted agent" in get_certificate(db, result.id, None).markers


def test_after_a_changed_verdict_a_certificate_names_who_decided_it(db, people):
    ada, paul = people
    readings.evaluation(db)
    result = readings.decided(db, ada, paul, passed=False)
    for name in ("pia", "paz"):
        readings.read_again(db, readings.open_reading_of(db, result), make.agent(db, name), True)

    assert get_certificate(db, result.id, None).markers == ["paz"]


def test_a_proctor_cannot_name_others_as_markers(db, people):
    ada, paul = people
    result = make.result(db, ada, paul, data={"markers": [ada.id], "judges": ["a judge"]})

    assert get_certificate(db, result.id, None).markers == ["paul"]


def test_of_a_deleted_account_a_certificate_has_no_name(db, people):
    result = make.result(db, *people)
    account_deletion.delete_account(db, people[0])

    document = issue(db, make.HALL, get_certificate(db, result.id, None))

    assert document["credentialSubject"]["identifier"][0]["identityHash"] == "deleted agent"
    assert '"ada"' not in json.dumps(document)
    assert find_signer(document)
