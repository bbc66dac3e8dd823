"""Themes: what proctors write again and again in their feedback, and more often where an exam was passed or not."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from viva.engine.text.words import telling, words
from viva.kit.db import Connection
from viva.results.intervals import fisher_p

MAX_FEEDBACKS_READ = 200  # feedbacks that are read, the newest
MAX_FEEDBACK_CHARACTERS = 600  # characters of each
MIN_RECURRING_FEEDBACKS = 3  # feedbacks in which a phrase has to stand to recur
MIN_SIDED_FEEDBACKS = 5  # feedbacks in which it has to stand before it is asked on which side it stands
FALSE_THEME_RATE = 0.05  # how many of the phrases that are told to stand on a side may do so by chance
MAX_THEMES = 8
MAX_THEMES_CACHED = 64  # evaluations and versions whose themes were asked for last
CLAUSE_BREAK = re.compile(r"[.,;:!?()\n]+")
MESSAGE_REFERENCE = re.compile(
    r"\bmessages? \d+(?:(?:, | and |–)\d+)*", re.IGNORECASE
)  # says where, and nothing of what was there
SELECT_FEEDBACK = f"""
    SELECT id, passed, substr(proctor_feedback, 1, {MAX_FEEDBACK_CHARACTERS}) FROM evaluation_results
    WHERE evaluation_id = :evaluation_id {{version}} AND proctor_feedback IS NOT NULL
    ORDER BY completed_at DESC, id DESC LIMIT {MAX_FEEDBACKS_READ}
"""

Stems = tuple[str, str]


class Theme(Struct, frozen=True):
    """A phrase in the feedback of `passed` of the `of_passed` results that were passed, and of `failed` of the others.

    `p` is how often chance alone would divide it so unevenly; `result_id` is one of them."""

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
    """Of so many feedbacks, the latest: what recurs, and what is said of those who passed or of the others."""

    feedbacks: int
    recurring: list[Theme]
    praised: list[Theme]
    missed: list[Theme]


class Feedback(NamedTuple):
    result_id: str
    passed: bool
    text: str


def read_themes(db: Connection, evaluation_id: str, version: str | None) -> Themes:
    condition = "" if version is None else "AND evaluation_version = :version"
    asked = {"evaluation_id": evaluation_id} | ({} if version is None else {"version": version})
    rows = db.execute(SELECT_FEEDBACK.format(version=condition), asked).fetchall()
    return find_themes(tuple(Feedback(result_id, bool(passed), text) for result_id, passed, text in rows))


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
    standing: dict[Stems, set[int]] = defaultdict(set)
    written: dict[Stems, Counter[str]] = defaultdict(Counter)
    for number, feedback in enumerate(feedbacks):
        for stems, phrase in phrases(feedback.text):
            standing[stems].add(number)
            written[stems][phrase] += 1
    of_passed = sum(each.passed for each in feedbacks)
    again = {stems: places for stems, places in standing.items() if len(places) >= MIN_RECURRING_FEEDBACKS}
    for stems in again:
        phrase = max(written[stems].items(), key=lambda each: (each[1], each[0]))[0]
        having = [feedbacks[number] for number in sorted(again[stems])]
        yield build_theme(phrase, having, of_passed, len(feedbacks) - of_passed)


def phrases(text: str) -> Iterator[tuple[Stems, str]]:
    """Each two words that carry meaning and follow each other in a clause, by their stems; one word says too little."""
    for clause in CLAUSE_BREAK.split(MESSAGE_REFERENCE.sub(".", text)):
        said = words(clause)
        meant = [(place, stem) for place, word in enumerate(said) if (stem := telling(word))]
        for (first, one), (last, other) in pairwise(meant):
            yield (one, other), " ".join(said[first : last + 1])


def build_theme(phrase: str, having: Sequence[Feedback], of_passed: int, of_failed: int) -> Theme:
    passed = sum(each.passed for each in having)
    failed = len(having) - passed
    p = fisher_p(passed, of_passed, failed, of_failed)
    return Theme(phrase, passed, failed, of_passed, of_failed, p, having[0].result_id)


def one_sided_themes(themes: Sequence[Theme]) -> list[Theme]:
    """Those that stand on a side, the surest first; of them, as Benjamini and Hochberg have it, one in twenty by chance."""
    surest = sorted(themes, key=lambda theme: (theme.p, -theme.feedbacks, theme.phrase))
    sure = [place for place, theme in enumerate(surest, 1) if theme.p <= FALSE_THEME_RATE * place / len(surest)]
    return surest[: max(sure, default=0)]
