"""The command `viva certificate verify`: verifies a certificate, a result or a transcript from its file, and a copy of the hub's keys."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from viva.agents.naming import hidden_name_of
from viva.exams.proving import Proof, StatementView
from viva.kit.canonical_json import canonical_json, write_number
from viva.kit.clock import format_time
from viva.kit.data_integrity import find_signer
from viva.kit.deleted import DELETED_NAME
from viva.kit.errors import Invalid
from viva.kit.hashing import NO_HASH, hash_joined, hash_text
from viva.kit.signing import is_signature
from viva.results.facts import TEXT_FIELDS, text_of
from viva.sessions.chain import find_broken, is_erased
from viva.sessions.model import Message

MAX_FILE_BYTES = 256 * 1024 * 1024  # more than the longest transcript that a hub keeps
MAX_NAMED_MESSAGES = 5
UNKNOWN_SIGNER = "Nothing was changed since it was signed. Whether the hub signed it, only its keys tell: --keys."


class BadFile(Invalid):
    """This file holds neither a certificate nor a result with its proof."""


class FileLine(NamedTuple):
    """One check: it holds, it does not, or the file alone cannot tell."""

    level: Literal["ok", "wrong", "unknown"]
    sentence: str


class FileReport(Struct):
    lines: list[FileLine]
    knows_keys: bool = False  # the hub's keys were given, so that nobody else's pass

    @property
    def holds(self) -> bool:
        return not any(line.level == "wrong" for line in self.lines)

    @property
    def verdict(self) -> str:
        if not self.holds:
            return "This is NOT genuine."
        return "This is genuine." if self.knows_keys else UNKNOWN_SIGNER


def verify_file(path: Path, keys_path: Path | None = None) -> FileReport:
    """The checks of the file, and with the keys of a hub also whether that hub signed it."""
    document = read_document(path)
    keys = read_keys(keys_path) if keys_path else None
    return FileReport(list(verify_document(document, keys)), keys is not None)


def read_keys(path: Path) -> frozenset[str]:
    """The ids in a copy of `/.well-known/viva.json`. An id is the public key itself."""
    try:
        return frozenset(str(key["id"]) for key in read_document(path)["keys"])
    except (KeyError, TypeError) as error:
        raise BadFile(f"{path} is no copy of /.well-known/viva.json.") from error


def read_document(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BadFile(f"{path} is too large to be verified.")
        document = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise BadFile(f"{path} is not JSON: {error}.") from error
    if not isinstance(document, dict):
        raise BadFile()
    return document


def verify_document(document: dict[str, Any], keys: Collection[str] | None = None) -> Iterator[FileLine]:
    if "credentialSubject" in document:
        yield from verify_credential(document, keys)
        return
    proof = read_proof(document.get("proof"))
    if proof is None:
        raise BadFile()
    yield from verify_proof(proof)
    if isinstance(document.get("result"), dict):
        yield from verify_result(document["result"], proof)
    if "messages" in document:
        yield from verify_messages(document["messages"], proof)
    yield from compare_keys([proof.key_id, *(view.key_id for view in proof.earlier)], keys, "the hub")


def read_proof(value: Any) -> Proof | None:
    try:
        return msgspec.convert(value, Proof)
    except msgspec.ValidationError:
        return None


def verify_credential(document: dict[str, Any], keys: Collection[str] | None) -> Iterator[FileLine]:
    """The credential's own proof, then the statement about the result inside, then that both say the same."""
    signer = find_signer(document)
    if signer is None:
        yield FileLine("wrong", "The certificate was changed, or its issuer did not sign it.")
        return
    yield FileLine("ok", f"The certificate is signed by the key {signer}, and was not changed.")
    inside = document.get("viva")
    proof = read_proof(inside.get("proof")) if isinstance(inside, dict) else None
    if proof is None:
        yield FileLine("unknown", "The certificate has no statement of a Viva hub about the result.")
        yield from compare_keys([signer], keys, "the hub")
        return
    yield from verify_proof(proof)
    yield from compare_credential(document, proof)
    issuer = document["issuer"]
    signers = [signer, proof.key_id, *(view.key_id for view in proof.earlier)]
    yield from compare_keys(signers, keys, issuer.get("url", "the hub") if isinstance(issuer, dict) else "the hub")


def compare_credential(document: dict[str, Any], proof: Proof) -> Iterator[FileLine]:
    stated, subject = proof.statement, document["credentialSubject"]
    says = {
        "date": (document.get("validFrom"), stated.get("completed_at")),
        "version": (find(subject, "achievement", "version"), stated.get("evaluation_version")),
        "score": (
            find(subject, "result", 0, "value"),
            None if stated.get("score") is None else write_number(stated["score"]),
        ),
        "name": (find(subject, "identifier", 0, "identityHash"), name_for(subject, proof)),
    }
    for what, (shown, signed) in says.items():
        if signed is not None and shown != signed:
            yield FileLine("wrong", f"The {what} on the certificate is {shown}, and the statement says {signed}.")
    passed = "passed" if stated.get("passed") is True else "not passed"
    yield FileLine("ok" if stated.get("passed") is True else "wrong", f"The statement says: {passed}.")


def name_for(subject: dict[str, Any], proof: Proof) -> str:
    """The name that a certificate may show. One that was erased is proven no more, so nothing may stand in its place but
    what the hub writes there."""
    if "agent_name" in proof.names:
        return proof.names["agent_name"]
    hidden = hidden_name_of(str(proof.statement.get("agent_id")))
    return hidden if find(subject, "identifier", 0, "identityHash") == hidden else DELETED_NAME


def find(value: Any, *path: str | int) -> Any:
    """The value at a path, or None."""
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def verify_proof(proof: Proof) -> Iterator[FileLine]:
    views: list[StatementView] = [proof, *proof.earlier]
    for number, view in enumerate(views):
        which = "statement about the result" if number == 0 else "earlier statement"
        yield verify_signature(view, which)
    for view, before in pairwise(views):
        if view.statement.get("previous_statement_hash") != hash_joined(canonical_json(before.statement)):
            yield FileLine("wrong", "An earlier statement is not the one that the later one names.")
    if is_hidden([view.statement.get("statement_reason") for view in views]):
        yield FileLine(
            "unknown", "What markers wrote about it: a maintainer of the hub has hidden texts of the result."
        )
    for role, name in proof.names.items():
        yield compare_hash(role.replace("_", " "), name, proof.salts.get(role), proof.statement.get(f"{role}_hash"))


def is_hidden(reasons: Sequence[Any]) -> bool:
    """Whether a text was hidden, and not shown since. The newest reason comes first."""
    return next((reason for reason in reasons if reason in ("text_hidden", "text_shown")), None) == "text_hidden"


def verify_signature(view: StatementView, which: str) -> FileLine:
    try:
        signature = bytes.fromhex(view.signature)
    except ValueError:
        signature = b""
    if is_signature(view.key_id, signature, canonical_json(view.statement).encode()):
        return FileLine("ok", f"The {which} is signed by the key {view.key_id}.")
    return FileLine("wrong", f"The signature of the {which} does not hold.")


def compare_hash(what: str, text: str, salt: str | None, stated: Any) -> FileLine:
    try:
        fits = salt is not None and hash_text(salt, text) == stated
    except ValueError:
        fits = False
    return FileLine("ok", f"The {what} is as it was signed.") if fits else FileLine("wrong", f"The {what} was changed.")


def verify_result(result: dict[str, Any], proof: Proof) -> Iterator[FileLine]:
    stated = proof.statement
    changed = [name for name in stated.keys() & result.keys() if read_fact(result[name]) != read_fact(stated[name])]
    for name in sorted(changed):
        yield FileLine("wrong", f"The {name} was changed: it is {result[name]}, and {stated[name]} was signed.")
    if not changed:
        yield FileLine("ok", "The result says what was signed.")
    for name in TEXT_FIELDS:
        value, hash_ = result.get(name), stated.get(f"{name}_hash")
        if value is not None and name in proof.salts:
            yield compare_hash(name, text_of(value), proof.salts[name], hash_)
        elif hash_ is not None or value is not None:
            yield FileLine("unknown", f"The {name} is not shown as it was signed: it was hidden, shortened or erased.")


def read_fact(value: Any) -> str:
    """Times are written with and without a fraction, so they are compared as moments."""
    if isinstance(value, str) and value.endswith("Z"):
        try:
            return format_time(datetime.fromisoformat(value))
        except ValueError:
            return value
    return canonical_json(value)


def verify_messages(value: Any, proof: Proof) -> Iterator[FileLine]:
    stated = proof.statement
    try:
        messages = msgspec.convert(value, list[Message])
    except msgspec.ValidationError as error:
        yield FileLine("wrong", f"The messages have another form: {error}.")
        return
    broken = list(find_broken(str(stated.get("session_id")), messages))
    for message in broken[:MAX_NAMED_MESSAGES]:
        yield FileLine("wrong", f"Message {message.sequence} ({message.id}) was changed, or one before it is missing.")
    yield from compare_head(messages, stated)
    erased = [message for message in messages if is_erased(message)]
    if erased and not broken:
        numbers = ", ".join(str(message.sequence) for message in erased[:MAX_NAMED_MESSAGES])
        more = ", …" if len(erased) > MAX_NAMED_MESSAGES else ""
        yield FileLine("unknown", f"What was said in message {numbers}{more}: its text was hidden or erased.")
    if not broken:
        which = f"All other messages ({len(messages) - len(erased)})" if erased else f"All {len(messages)} messages"
        yield FileLine("ok", f"{which} are as they were sent, in their order.")


def compare_head(messages: list[Message], stated: dict[str, Any]) -> Iterator[FileLine]:
    heads = {0: NO_HASH} | {message.sequence: message.hash or "" for message in messages}
    count = stated.get("message_count")
    if count not in heads:
        yield FileLine(
            "wrong", f"The file has {len(messages)} messages of {count}. Download the rest with `next_cursor`."
        )
    elif heads[count] != stated.get("chain_head"):
        yield FileLine("wrong", "The last message is not the one that was signed.")


def compare_keys(key_ids: Sequence[str], keys: Collection[str] | None, hub: str) -> Iterator[FileLine]:
    """Whether the hub signed it. Anybody can sign with a key of their own, so without its keys that stays unknown."""
    for key_id in dict.fromkeys(key_ids):
        if keys is None:
            yield FileLine(
                "unknown", f"Whether the key {key_id} is that of {hub}: compare it with /.well-known/viva.json there."
            )
        elif key_id in keys:
            yield FileLine("ok", f"The key {key_id} is one of the hub's.")
        else:
            yield FileLine("wrong", f"The key {key_id} is not one of the hub's.")
    yield FileLine("unknown", f"Whether the result was voided since: ask {hub}.")
