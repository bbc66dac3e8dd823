"""How often a kind of finding was right when people read it, in runs of sources that the engine was not fitted on."""

UNSURE_PRECISION = 0.5  # a kind below this is shown with the word "unsure"

# Share of the findings of a kind that people found right; docs/accuracy.md has the counts and intervals.
PRECISION: dict[str, float] = {}


def is_unsure(kind: str) -> bool:
    """Whether a kind of finding was wrong more often than right."""
    return PRECISION.get(kind, 1.0) < UNSURE_PRECISION
