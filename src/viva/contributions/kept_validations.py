"""Outcomes of the last validations of this process. One is found outside of a transaction and used inside it."""

import hashlib
import threading
from collections import OrderedDict
from time import monotonic
from typing import NamedTuple

import msgspec

from viva.contributions.model import Proposal, Validation
from viva.evaluations.known_catalogue import KnownCatalogue

MAX_KEPT_VALIDATIONS = 32  # each has at most 400 problems, about 100 kB
KEPT_SECONDS = 10  # from a validation to its transaction; a sandbox that was busy may answer after it


class KeptOutcome(NamedTuple):
    known: KnownCatalogue
    validation: Validation
    until: float


kept: OrderedDict[bytes, KeptOutcome] = OrderedDict()
kept_lock = threading.Lock()


def find_kept(proposal: Proposal, known: KnownCatalogue) -> Validation | None:
    """The outcome for exactly this proposal and this catalogue."""
    key = key_of(proposal)
    with kept_lock:
        found = kept.get(key)
    return found.validation if found and found.until > monotonic() and found.known == known else None


def keep(proposal: Proposal, known: KnownCatalogue, validation: Validation) -> None:
    key = key_of(proposal)
    with kept_lock:
        kept.pop(key, None)  # an outcome that is found again is the newest
        kept[key] = KeptOutcome(known, validation, monotonic() + KEPT_SECONDS)
        while len(kept) > MAX_KEPT_VALIDATIONS:
            kept.popitem(last=False)


def key_of(proposal: Proposal) -> bytes:
    return hashlib.sha256(msgspec.json.encode(proposal)).digest()
