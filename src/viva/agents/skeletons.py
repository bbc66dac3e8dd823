"""The skeleton of a name, as UTS #39 defines it: two names with one skeleton look alike."""

import hashlib
import hmac

from viva.agents.unicode_tables import load_confusables
from viva.kit.unicode_text import normalize_text

LOCK_BYTES = 16  # of a keyed hash; two names do not collide in it


def skeleton_of(name: str) -> str:
    """The same text for all names that look alike in any case. People never see it."""
    # Before NFKC, because the compatible form of a character may look like something else: NFKC makes a long s an s, not an f.
    compatible = normalize_text("NFKC", replace_confusables(name))
    # Capital I looks like l, and small i does not. So characters are compared as they are written, then without case.
    folded = replace_confusables(compatible).casefold()
    return " ".join(replace_confusables(folded).split())  # a page shows two spaces as one


def replace_confusables(text: str) -> str:
    return normalize_text("NFD", normalize_text("NFD", text).translate(load_confusables()))


def keyed_skeleton(secret: bytes, skeleton: str) -> str:
    """A hash of the skeleton that says nothing without the hub's secret. It locks the names that were given up."""
    return hmac.digest(secret, b"viva name " + skeleton.encode(), hashlib.sha256)[:LOCK_BYTES].hex()
