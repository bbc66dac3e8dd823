"""Proofs of JSON documents after the W3C's Data Integrity, with the cryptosuite eddsa-jcs-2022."""

import hashlib
from datetime import datetime
from typing import Any

from viva.kit.canonical_json import canonical_json
from viva.kit.clock import format_time
from viva.kit.multibase import BadMultibase, decode_base58, encode_base58
from viva.kit.signing import PrivateKey, is_signature

PROOF_TYPE = "DataIntegrityProof"
CRYPTOSUITE = "eddsa-jcs-2022"
DID_KEY = "did:key:"

SignedDocument = dict[str, Any]


def issuer_of(key_id: str) -> str:
    """The key as an issuer. Everybody can read the public key from it, without a network."""
    return DID_KEY + key_id


def add_proof(document: SignedDocument, key: PrivateKey, created: datetime) -> SignedDocument:
    """The document with a proof that the key signed it."""
    proof = {
        "@context": document["@context"],
        "type": PROOF_TYPE,
        "cryptosuite": CRYPTOSUITE,
        "created": format_time(created),
        "verificationMethod": f"{issuer_of(key.id)}#{key.id}",
        "proofPurpose": "assertionMethod",
    }
    return document | {"proof": proof | {"proofValue": encode_base58(key.sign(hash_data(document, proof)))}}


def hash_data(document: SignedDocument, proof: SignedDocument) -> bytes:
    """What is signed: the hash of the proof's own fields, and the hash of the document without the proof."""
    parts = (canonical_json(part).encode() for part in (proof, document))
    return b"".join(hashlib.sha256(part).digest() for part in parts)


def find_signer(document: SignedDocument) -> str | None:
    """The id of the key that signed the document as its issuer; None if the proof does not hold."""
    unsigned = {name: value for name, value in document.items() if name != "proof"}
    proof = document.get("proof")
    if not isinstance(proof, dict):
        return None
    fields = {name: value for name, value in proof.items() if name != "proofValue"}
    key_id = key_in(proof, unsigned.get("issuer"))
    try:
        signature = decode_base58(str(proof.get("proofValue")))
        signed = hash_data(unsigned, fields)
    except (BadMultibase, ValueError):
        return None
    return key_id if key_id and is_signature(key_id, signature, signed) else None


def key_in(proof: SignedDocument, issuer: Any) -> str | None:
    """The key that the proof names, if the proof has our form and the key is that of the issuer."""
    issuer_id = issuer.get("id") if isinstance(issuer, dict) else issuer
    key_id = str(issuer_id).removeprefix(DID_KEY)
    expected = {
        "type": PROOF_TYPE,
        "cryptosuite": CRYPTOSUITE,
        "proofPurpose": "assertionMethod",
        "verificationMethod": f"{issuer_id}#{key_id}",
    }
    has_form = str(issuer_id).startswith(DID_KEY) and all(proof.get(name) == value for name, value in expected.items())
    return key_id if has_form else None
