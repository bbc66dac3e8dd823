"""How often a kind of finding was right when people read it, in runs of sources that the engine was not fitted on."""

from typing import NamedTuple

UNSURE_PRECISION = 0.5  # a kind below this is shown with the word "unsure"
MIN_READ_FINDINGS = 10  # a kind of which fewer were read, too
UNSURE = "unsure"


class Precision(NamedTuple):
    """How many findings of a kind were read, and how many of them were right."""

    right: int
    read: int


# docs/accuracy.md has the shares with their intervals.
PRECISION = {
    "rdm": Precision(19, 21),
    "ccm": Precision(23, 24),
    "hallucination": Precision(20, 23),
    "none": Precision(12, 12),
    "failure_attribution": Precision(10, 23),
    "UNAUTHORIZED_TOOL": Precision(24, 24),
    "PARAMETER_HALLUCINATION": Precision(24, 24),
    "MISSING_REQUIRED_PARAM": Precision(24, 24),
    "INVALID_PARAM_TYPE": Precision(24, 24),
    "INVALID_PARAM_VALUE": Precision(15, 15),
    "UNGROUNDED_ARGUMENT": Precision(12, 15),
    "DUPLICATE_CALL": Precision(23, 24),
    "IGNORED_ERROR": Precision(20, 23),
    "REPEATED_FAILURE": Precision(24, 24),
    "duplicate_work": Precision(20, 23),
    "context_lost": Precision(1, 1),
    "role_breaches": Precision(2, 2),
    "ping_pong": Precision(3, 4),
    "deadlock": Precision(23, 24),
}


def is_unsure(kind: str) -> bool:
    """Whether a kind of finding was wrong more often than right, or was hardly read."""
    found = PRECISION.get(kind)
    return found is not None and (found.read < MIN_READ_FINDINGS or found.right < UNSURE_PRECISION * found.read)


def mark_unsure(kind: str, label: str) -> str:
    """A label, with a word of warning for a kind that was often wrong."""
    return f"{label} ({UNSURE})" if is_unsure(kind) else label
