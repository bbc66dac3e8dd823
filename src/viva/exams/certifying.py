"""Certificates: a passed result as an Open Badges 3.0 credential, which anybody can verify without the hub.

Its facts come from the signed statement about the result, so that it shows names and official status as they were."""

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import to_builtins

from viva.agents import names
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.agents.naming import hidden_name_of
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import visibility
from viva.exams.disproving import find_contradictions
from viva.exams.evidence import find_erased
from viva.exams.model import HubFacts
from viva.exams.proving import Proof, write_proof
from viva.kit.canonical_json import write_number
from viva.kit.clock import now
from viva.kit.data_integrity import add_proof, issuer_of
from viva.kit.db import Connection
from viva.kit.deleted import DELETED_NAME
from viva.kit.errors import Conflict, NotFound
from viva.kit.signing_keys import get_current
from viva.results import second_readings, statements
from viva.results.discrepancy import Discrepancy
from viva.results.markers import judges_of, proctors_of
from viva.results.model import NamedResult

CONTEXTS = ("https://www.w3.org/ns/credentials/v2", "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json")
# Our own context, which the hub serves. It gives our field a name, so that programs that read JSON-LD keep it as it is.
CONTEXT_PATH = "/.well-known/viva-certificate.json"
OWN_CONTEXT = {"@context": {"viva": {"@id": "urn:viva:proof", "@type": "@json"}}}
BADGE_TYPES = ["VerifiableCredential", "OpenBadgeCredential"]
HUB_CHECKS = "the hub's own checks"
MAX_DESCRIPTION_CHARACTERS = 1_000
MAX_NAMED_CONTRADICTIONS = 5


class NotCertified(NotFound):
    """This result was not passed. Only a passed result has a certificate."""


class NotOfficial(NotFound):
    """This result is practice. Only an official result has a certificate."""


class ResultChanged(Conflict):
    """This result is not as it was signed, so there is no certificate. The operator of this hub has to find out why."""


class Certificate(NamedTuple):
    """What a certificate is made of."""

    result: NamedResult
    evaluation: Evaluation  # as it was in the result's version
    proof: Proof
    agent_name: str  # as it was at the verdict
    markers: list[str]  # as they were called at the verdict
    is_official: bool

    @property
    def evaluation_name(self) -> str:
        return self.evaluation.title or self.evaluation.name


class Deciders(NamedTuple):
    """The ids of the proctors who decided, and when. There are none if judges or the hub decided."""

    ids: list[str]
    moment: datetime


def get_certificate(db: Connection, result_id: str, viewer: Agent | None) -> Certificate:
    result, current = visibility.get_result(db, result_id, viewer)
    signed = statements.read_signed(db, result_id)
    if not result.passed:
        raise NotCertified()
    contradictions = find_contradictions(db, result_id)
    if signed is None or contradictions:
        raise ResultChanged(describe(contradictions))
    is_official = signed.in_force.facts.get("official", True)
    if not is_official:
        raise NotOfficial()

    proof = write_proof(db, None, signed)
    return Certificate(
        result,
        catalogue.at_known_version(db, current, result.evaluation_version),
        proof,
        name_in(proof, "agent_name", result.agent_id, result.agent_name),
        markers_of(db, result, proof),
        is_official,
    )


def markers_of(db: Connection, result: NamedResult, proof: Proof) -> list[str]:
    """The names of those who decided what the result says."""
    deciders = find_deciders(db, result)
    called: dict[str, str] = {}
    if others := [id_ for id_ in deciders.ids if id_ != result.proctor_agent_id]:
        known = set(others) - find_erased(db, others)  # else an earlier name would stand for one that is hidden
        called = agents.names(db, others) | names.find_at(db, known, deciders.moment)
    if result.proctor_agent_id:
        called[result.proctor_agent_id] = name_in(proof, "proctor_name", result.proctor_agent_id, result.proctor_name)
    return [called[id_] for id_ in deciders.ids if id_ in called] or judges_of(result) or [HUB_CHECKS]


def find_deciders(db: Connection, result: NamedResult) -> Deciders:
    """After a changed verdict it is the last marker of that reading. A talk has its proctor alone, because its data is what
    the proctor wrote."""
    read_again = second_readings.list_of(db, result.id) if result.second_reading else []
    if changed := [reading for reading in read_again if reading.status == "changed"]:
        last = second_readings.list_verdicts(db, changed[-1].id)[-1]
        return Deciders([last.marker_agent_id], last.given_at)
    is_talk = result.session_id is not None and result.cohort_id is None
    data = None if is_talk else result.result_data
    return Deciders(proctors_of(result.proctor_agent_id, data), result.completed_at)


def name_in(proof: Proof, role: str, agent_id: str, name: str | None) -> str:
    """The name as it was signed. Once it is erased, that of deleted agents or of those whose name was hidden."""
    return proof.names.get(role) or (DELETED_NAME if name == DELETED_NAME else hidden_name_of(agent_id))


def describe(contradictions: list[Discrepancy]) -> str:
    """What differs, for whoever asks for the certificate."""
    sentences = dict.fromkeys(contradiction.sentence for contradiction in contradictions[:MAX_NAMED_CONTRADICTIONS])
    return " ".join([ResultChanged.__doc__ or "", *sentences])


def issue(db: Connection, hub: HubFacts, certificate: Certificate) -> dict[str, Any]:
    """The certificate as a credential, signed by the hub's current key."""
    key = get_current(db)
    return add_proof(write_credential(hub, certificate, issuer_of(key.id)), key, now())


def write_credential(hub: HubFacts, certificate: Certificate, issuer: str) -> dict[str, Any]:
    stated = certificate.proof.statement
    return {
        "@context": [*CONTEXTS, hub.base_url + CONTEXT_PATH],
        "id": f"{hub.base_url}/api/v1/results/{certificate.result.id}/certificate",
        "type": BADGE_TYPES,
        "name": f"Passed: {certificate.evaluation_name}",
        "issuer": {"id": issuer, "type": ["Profile"], "name": "Viva", "url": hub.base_url},
        "validFrom": stated["completed_at"],
        "credentialSubject": write_subject(hub, certificate),
        "evidence": write_evidence(hub, certificate),
        "viva": {
            "official": certificate.is_official,
            "markers": certificate.markers,
            "proof": to_builtins(certificate.proof),
        },
    }


def write_subject(hub: HubFacts, certificate: Certificate) -> dict[str, Any]:
    stated, evaluation = certificate.proof.statement, certificate.evaluation
    identifier = {
        "type": "IdentityObject",
        "identityHash": certificate.agent_name,
        "identityType": "name",
        "hashed": False,
    }
    score_id = f"urn:viva:{certificate.result.id}:score"
    achievement = {
        "id": f"{hub.base_url}/evaluations/{evaluation.id}?version={stated['evaluation_version']}",
        "type": ["Achievement"],
        "achievementType": "Assessment",
        "name": certificate.evaluation_name,
        "description": evaluation.description[:MAX_DESCRIPTION_CHARACTERS],
        "version": stated["evaluation_version"],
        "criteria": {"id": f"{hub.base_url}/evaluations/{evaluation.id}", "narrative": "Pass this evaluation."},
    }
    subject = {"id": f"urn:viva:{stated['agent_id']}", "type": ["AchievementSubject"], "identifier": [identifier]}
    if stated["score"] is None:
        return subject | {"achievement": achievement}
    description = {
        "id": score_id,
        "type": ["ResultDescription"],
        "name": "Score",
        "resultType": "RawScore",
        "valueMin": "0",
        "valueMax": write_number(stated["max_score"]),
    }
    result = {"type": ["Result"], "resultDescription": score_id, "value": write_number(stated["score"])}
    return subject | {"achievement": achievement | {"resultDescription": [description]}, "result": [result]}


def write_evidence(hub: HubFacts, certificate: Certificate) -> list[dict[str, Any]]:
    result = certificate.result
    evidence = {
        "id": f"{hub.base_url}/evaluations/result/{result.id}",
        "type": ["Evidence"],
        "name": "The result",
        "narrative": f"Decided by {', '.join(certificate.markers)}.",
    }
    return [evidence]
