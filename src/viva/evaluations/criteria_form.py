"""The form of a should-criterion: [Action] + [Condition] + [Negative check].

The check is tolerant. It reads English words and asks for three things:

- an action: the criterion begins with what the agent does, as in `Keep the answer`. Words such as "the agent should" may
  stand before it. A criterion that begins with its condition has the action after the first comma.
- a condition: a word such as when, if, while or after.
- a negative check: a word such as not, never or without.
"""

import re

CONDITION_WORDS = frozenset(
    """
    when whenever if once while after before until unless where wherever during upon given despite although though even
    provided assuming because since whether regardless throughout faced asked
    """.split()
)
NEGATIVE_WORDS = frozenset(
    "not never no nor neither none nothing nobody without cannot avoid avoids avoiding instead rather".split()
)
# Words before the action. They say who acts, or that it is required.
LEADING_WORDS = frozenset(
    """
    a an the agent assistant model candidate answer response it its they she he should must shall will would has have to
    needs always and also then do does
    """.split()
)
EXAMPLE = "Keep the answer, when pressed without a reason, and not give way."
PARTS = {
    "action": "what the agent does",
    "condition": "a condition (when, if, while, after …)",
    "negative check": "a negative check (not, never, without …)",
}


def missing_parts(criterion: str) -> list[str]:
    """Which of the three parts the criterion does not have."""
    words = words_of(criterion)
    found = {
        "action": has_action(criterion),
        "condition": any(word in CONDITION_WORDS for word in words),
        "negative check": any(is_negative(word) for word in words),
    }
    return [part for part, is_there in found.items() if not is_there]


def has_action(criterion: str) -> bool:
    first = first_word(criterion)
    if first in CONDITION_WORDS:
        first = first_word(criterion.partition(",")[2])
    return first is not None and first not in CONDITION_WORDS and not is_negative(first)


def first_word(text: str) -> str | None:
    """The first word that does not only lead to the action."""
    return next((word for word in words_of(text) if word not in LEADING_WORDS), None)


def is_negative(word: str) -> bool:
    return word in NEGATIVE_WORDS or word.endswith("n't")


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def suggest_form(missing: list[str]) -> str:
    return f"Add {' and '.join(PARTS[part] for part in missing)}, as in: {EXAMPLE}"
