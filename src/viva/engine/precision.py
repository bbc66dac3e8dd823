"""How often a kind of finding was right when people read it, in runs of sources that the engine was not fitted on."""

UNSURE_PRECISION = 0.5  # a kind below this is shown with the word "unsure"
UNSURE = "unsure"

# Share of the findings of a kind that a reader found right; docs/accuracy.md has the counts and intervals.
PRECISION = {
    "rdm": 0.63,
    "ccm": 0.70,
    "hallucination": 0.46,
    "none": 1.0,
    "failure_attribution": 0.29,
    "UNAUTHORIZED_TOOL": 1.0,
    "PARAMETER_HALLUCINATION": 1.0,
    "MISSING_REQUIRED_PARAM": 1.0,
    "INVALID_PARAM_TYPE": 1.0,
    "INVALID_PARAM_VALUE": 1.0,
    "UNGROUNDED_ARGUMENT": 0.76,
    "DUPLICATE_CALL": 1.0,
    "IGNORED_ERROR": 0.58,
    "REPEATED_FAILURE": 1.0,
    "duplicate_work": 0.46,
    "context_lost": 0.09,
    "role_breaches": 0.23,
    "ping_pong": 0.60,
    "deadlock": 0.95,
}


def is_unsure(kind: str) -> bool:
    """Whether a kind of finding was wrong more often than right."""
    return PRECISION.get(kind, 1.0) < UNSURE_PRECISION


def mark_unsure(kind: str, label: str) -> str:
    """A label, with a word of warning for a kind that was often wrong."""
    return f"{label} ({UNSURE})" if is_unsure(kind) else label
