"""The signing keys of a hub in the database: public keys only, the current one and all earlier ones."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct

from viva.kit import events
from viva.kit.canonical_json import canonical_json
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Unavailable
from viva.kit.events import Action, Event
from viva.kit.rows import find, many, one
from viva.kit.signing import PrivateKey, derive_key, is_signature

OWN_KEY_FORMAT = "viva-own-key-1"
MAX_LISTED_KEYS = 1_000  # far more than a hub ever makes


class NoSigningKey(Unavailable):
    """This hub has no signing key for its secret yet; the next start makes one."""


class NoSigner(RuntimeError):
    """The database was opened without the hub's secret, so nothing can be signed."""


class SigningKey(Struct, frozen=True):
    """A public key. `id` is the key itself in the form of did:key, `public_key` its bytes as hexadecimal digits."""

    id: str
    number: int
    public_key: str
    made_at: datetime
    retired_at: datetime | None


KEY_COLUMNS = ", ".join(SigningKey.__struct_fields__)


def list_keys(db: Connection) -> list[SigningKey]:
    """Every key, newest first."""
    return many(
        SigningKey, db.execute(f"SELECT {KEY_COLUMNS} FROM signing_keys ORDER BY number DESC LIMIT {MAX_LISTED_KEYS}")
    )


def get(db: Connection, key_id: str) -> SigningKey:
    return one(SigningKey, db.execute(f"SELECT {KEY_COLUMNS} FROM signing_keys WHERE id = ?", [key_id]), NoSigningKey)


def find_newest(db: Connection) -> SigningKey | None:
    return find(SigningKey, db.execute(f"SELECT {KEY_COLUMNS} FROM signing_keys ORDER BY number DESC LIMIT 1"))


def get_current(db: Connection) -> PrivateKey:
    """The key that signs now, for a read."""
    key = derive_for(db, find_newest(db))
    if key is None:
        raise NoSigningKey()
    return key


def ensure_current(db: Connection) -> PrivateKey:
    """The key that signs now. A hub without one, or with a new secret, gets a new key."""
    newest = find_newest(db)
    return derive_for(db, newest) or add_key(db, newest.number + 1 if newest else 1)


def derive_for(db: Connection, newest: SigningKey | None) -> PrivateKey | None:
    """The private half of the newest key; None if there is no key, or it was made with another secret."""
    key = derive(db, newest.number) if newest else None
    return key if key and newest and key.id == newest.id else None


def derive(db: Connection, number: int) -> PrivateKey:
    if not db.secret:
        raise NoSigner(NoSigner.__doc__)
    return derive_key(db.secret, number)


def rotate(db: Connection) -> PrivateKey:
    """Make a new key. Earlier signatures stay valid by their own keys."""
    newest = find_newest(db)
    return add_key(db, newest.number + 1 if newest else 1)


def add_key(db: Connection, number: int) -> PrivateKey:
    """Add the key with this number and retire the others. Of two processes, the number admits one."""
    key, moment = derive(db, number), now()
    added = db.execute(
        """
        INSERT INTO signing_keys (id, number, public_key, made_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
        """,
        [key.id, number, key.public_key.hex(), moment],
    ).rowcount
    if not added:
        return ensure_current(db)
    if number > 1:
        db.execute("UPDATE signing_keys SET retired_at = ? WHERE retired_at IS NULL AND number < ?", [moment, number])
    action: Action = "signing_key.rotated" if number > 1 else "signing_key.made"
    events.record(db, action, "signing_key", key.id, number=number)
    return key


def list_own(db: Connection) -> set[str]:
    """The ids of the keys that this hub has made; any other key in the table was put there.

    The secret gives its first key and all later ones. Keys of earlier secrets have to stand in the event log before it, or
    later with a signature by one that the secret gives. So whoever can only write to the database finds no number for a key of another."""
    keys = list_keys(db)
    derived = {key.id: key.number for key in keys if is_derived(db, key)}
    earlier = [key for key in keys if not derived or key.number < min(derived.values())]
    recorded = read_recorded(db, derived) if earlier else {}
    return {*derived, *(key.id for key in earlier if recorded.get(key.id) == key.number)}


def is_own(db: Connection, key_id: str) -> bool:
    """Whether this hub has made the key. That of today is told by the secret alone."""
    key = find(SigningKey, db.execute(f"SELECT {KEY_COLUMNS} FROM signing_keys WHERE id = ?", [key_id]))
    return key is not None and (is_derived(db, key) or key_id in list_own(db))


def is_derived(db: Connection, key: SigningKey) -> bool:
    """Whether the hub's present secret gives this key. A command without the secret cannot tell, so then it is False."""
    return bool(db.secret) and derive_key(db.secret, key.number).id == key.id


def read_recorded(db: Connection, derived: Collection[str]) -> dict[str, int]:
    """The keys of the event log with their numbers: up to the first derived one, and those that one of these signed."""
    recorded, is_before = {}, True
    for event in events.list_about(db, "signing_key"):
        is_before = is_before and event.subject_id not in derived
        if is_before or is_signed_by(derived, event):
            recorded[event.subject_id] = event.data["number"]
    return recorded


def record_again(db: Connection, key_id: str) -> None:
    """Record, signed by the key of today, that the hub has made this key. Its earlier event will be deleted."""
    signer, number = ensure_current(db), get(db, key_id).number
    signature = signer.sign(own_key_statement(key_id, number)).hex()
    events.record(db, "event.kept", "signing_key", key_id, number=number, signed_by=signer.id, signature=signature)


def own_key_statement(key_id: str, number: int) -> bytes:
    """What is signed of a key that the hub has made."""
    return canonical_json({"format": OWN_KEY_FORMAT, "id": key_id, "number": number}).encode()


def is_signed_by(signers: Collection[str], event: Event) -> bool:
    """Whether one of the keys signed what the event says of its key."""
    signer, statement = str(event.data.get("signed_by")), own_key_statement(event.subject_id, event.data["number"])
    try:
        signature = bytes.fromhex(str(event.data.get("signature")))
    except ValueError:
        return False
    return signer in signers and is_signature(signer, signature, statement)
