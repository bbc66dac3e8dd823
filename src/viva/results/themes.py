"""Themes: phrases that recur in proctors' feedback, and those more frequent in passed or in failed exams."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from viva.engine.text.words import telling, words
from viva.kit.db import Connection
from viva.kit.deleted import HIDDEN_LINE_START
from viva.results.intervals import fisher_p
from viva.results.official import COUNTED, Scope

MAX_FEEDBACKS_READ = 200  # the newest ones
MAX_FEEDBACK_CHARACTERS = 600  # of each feedback
MIN_RECURRING_FEEDBACKS = 3  # a phrase in fewer feedbacks is not recurring
MIN_SIDED_FEEDBACKS = 5  # a phrase in fewer feedbacks is not tested for a side
FALSE_THEME_RATE = 0.05  # the false discovery rate among one-sided phrases
MAX_THEMES = 8
MAX_THEMES_CACHED = 64  # evaluations and versions, the last used
CLAUSE_BREAK = re.compile(r"[.,;:!?()\n]+")
# A reference to a message says nothing about its content.
MESSAGE_REFERENCE = re.compile(r"\bmessages? \d+(?:(?:, | and |–)\d+)*", re.IGNORECASE)
SELECT_FEEDBACK = f"""
    SELECT id, passed, substr(proctor_feedback, 1, {MAX_FEEDBACK_CHARACTERS}) FROM evaluation_results r
    WHERE evaluation_id = :evaluation_id {{version}} AND proctor_feedback IS NOT NULL AND NOT is_private AND {{counted}}
    ORDER BY completed_at DESC, id DESC LIMIT {MAX_FEEDBACKS_READ}
"""

Stems = tuple[str, str]


class Theme(Struct, frozen=True):
    """A phrase in the feedback on `passed` of `of_passed` passed results, and on `failed` of `of_failed` failed ones.

    `p` is the p-value of the difference; `result_id` is one result with the phrase."""

    phrase: str
    passed: int
    failed: int
    of_passed: int
    of_failed: int
    p: float
    result_id: str

    @property
    def feedbacks(self) -> int:
        return self.passed + self.failed


class Themes(Struct, frozen=True):
    """Phrases in the latest feedbacks: the recurring ones, those typical of passed and those typical of failed results."""

    feedbacks: int
    recurring: list[Theme]
    praised: list[Theme]
    missed: list[Theme]


class Feedback(NamedTuple):
    result_id: str
    passed: bool
    text: str


def read_themes(db: Connection, evaluation_id: str, version: str | None, scope: Scope = "official") -> Themes:
    condition = "" if version is None else "AND evaluation_version = :version"
    values = {"evaluation_id": evaluation_id} | ({} if version is None else {"version": version})
    rows = db.execute(SELECT_FEEDBACK.format(version=condition, counted=COUNTED[scope]), values).fetchall()
    said = (Feedback(result_id, bool(passed), text) for result_id, passed, text in rows)
    return find_themes(tuple(each for each in said if not each.text.startswith(HIDDEN_LINE_START)))


@lru_cache(MAX_THEMES_CACHED)
def find_themes(feedbacks: tuple[Feedback, ...]) -> Themes:
    themes = sorted(recurring_themes(feedbacks), key=lambda theme: (-theme.feedbacks, theme.phrase))
    sided = one_sided_themes([theme for theme in themes if theme.feedbacks >= MIN_SIDED_FEEDBACKS])
    return Themes(
        feedbacks=len(feedbacks),
        recurring=themes[:MAX_THEMES],
        praised=[theme for theme in sided if theme.passed * theme.of_failed > theme.failed * theme.of_passed][
            :MAX_THEMES
        ],
        missed=[theme for theme in sided if theme.passed * theme.of_failed < theme.failed * theme.of_passed][
            :MAX_THEMES
        ],
    )


def recurring_themes(feedbacks: Sequence[Feedback]) -> Iterator[Theme]:
    numbers: dict[Stems, set[int]] = defaultdict(set)  # of the feedbacks with these stems
    spellings: dict[Stems, Counter[str]] = defaultdict(Counter)
    for number, feedback in enumerate(feedbacks):
        for stems, phrase in phrases(feedback.text):
            numbers[stems].add(number)
            spellings[stems][phrase] += 1
    of_passed = sum(feedback.passed for feedback in feedbacks)
    for stems in numbers:
        if len(numbers[stems]) >= MIN_RECURRING_FEEDBACKS:
            phrase = max(spellings[stems].items(), key=lambda spelling: (spelling[1], spelling[0]))[0]
            matching = [feedbacks[number] for number in sorted(numbers[stems])]
            yield build_theme(phrase, matching, of_passed, len(feedbacks) - of_passed)


def phrases(text: str) -> Iterator[tuple[Stems, str]]:
    """Pairs of neighbouring content words in a clause, with their stems. Single words say too little."""
    for clause in CLAUSE_BREAK.split(MESSAGE_REFERENCE.sub(".", text)):
        said = words(clause)
        content = [(position, stem) for position, word in enumerate(said) if (stem := telling(word))]
        for (first, stem), (last, next_stem) in pairwise(content):
            yield (stem, next_stem), " ".join(said[first : last + 1])


def build_theme(phrase: str, matching: Sequence[Feedback], of_passed: int, of_failed: int) -> Theme:
    passed = sum(feedback.passed for feedback in matching)
    failed = len(matching) - passed
    p = fisher_p(passed, of_passed, failed, of_failed)
    return Theme(phrase, passed, failed, of_passed, of_failed, p, matching[0].result_id)


def one_sided_themes(themes: Sequence[Theme]) -> list[Theme]:
    """Themes more frequent on one side, the lowest p first, selected by the Benjamini-Hochberg procedure."""
    by_p = sorted(themes, key=lambda theme: (theme.p, -theme.feedbacks, theme.phrase))
    significant = [rank for rank, theme in enumerate(by_p, 1) if theme.p <= FALSE_THEME_RATE * rank / len(by_p)]
    return by_p[: max(significant, default=0)]
