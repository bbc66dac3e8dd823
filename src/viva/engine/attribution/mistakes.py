"""Signs of a mistake in each act of a run: named features by which the decisive one is told from the others."""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from viva.engine.attribution.acts import Run, has_failed
from viva.engine.attribution.phrases import CLAIMS_DEED, CONCLUDES, GIVES_UP, MADE_UP, PRESENTS, REPAIRS
from viva.engine.reading import Reading
from viva.engine.text.words import content, stem, words

SHORT_RUN_CONTRIBUTIONS = 4  # contributions after which a run can be said to have ended soon
OFTEN = 3  # words that count: three times say as much as thirty
PREAMBLE = re.compile(r"exit ?code: 0[^\n]*|code output:", re.I)
NOTHING = frozenset({"", "none", "null", "nan", "0", "not found", "no result", "no results", "no data", "empty"})
VALUE = re.compile(r"\d[\d,.]*\d|\d|[A-Z][\w'’-]+|\"[^\"\n]{2,60}\"")


class Firsts(NamedTuple):
    """The acts that were the first to do something, where there is one."""

    conclusion: int | None
    claimed_deed: int | None
    answer: int | None


def firsts(run: Run) -> Firsts:
    talk = (k for k in run.rank if not run.acts[k].tried)
    return Firsts(
        next((k for k in run.rank if CONCLUDES.search(run.acts[k].low)), None),
        next((k for k in talk if CLAIMS_DEED.search(run.acts[k].low[:2_500])), None),
        source_of_answer(run),
    )


def source_of_answer(run: Run) -> int | None:
    """Who first brought a value on which the run ended; of an output, the author of what was executed."""
    if not run.team or not run.rank:
        return None
    known = set(VALUE.findall(run.task + "\n" + run.acts[0].said))
    final = set(VALUE.findall(run.acts[list(run.rank)[-1]].said[:4_000])) - known
    told = (
        k
        for k, act in enumerate(run.acts)
        if k and (run.works[k] or run.observes[k]) and brings((act.said, act.seen), final)
    )
    first = next(told, 0)
    return next((k for k in range(first, 0, -1) if not run.observes[k]), None)


def brings(texts: tuple[str, ...], values: set[str]) -> bool:
    return any(not values.isdisjoint(VALUE.findall(text[:4_000])) for text in texts)


def count(named: re.Pattern[str], text: str) -> float:
    return float(sum(1 for _ in zip(range(OFTEN), named.finditer(text), strict=False)))


def missing(wanted: frozenset[str], text: str) -> float:
    """The share of the wanted words that a text does not have."""
    return 1 - len(wanted.intersection(map(stem, set(words(text))))) / len(wanted) if wanted else 0.0


def gave_nothing(output: str) -> bool:
    """Whether an output is there and says nothing: no line, an empty list, a label without its value."""
    rest = PREAMBLE.sub("", output[:300]).strip(" \t\r\n[](){}'\".,;-")
    return bool(output) and "\n" not in rest and rest.rpartition(":")[2].strip(" []{}()'\"").lower() in NOTHING


class Scene(NamedTuple):
    """One act in its run."""

    run: Run
    k: int
    firsts: Firsts
    task: frozenset[str]

    @property
    def said_text(self) -> str:
        return self.run.acts[self.k].said

    @property
    def low(self) -> str:
        return self.run.acts[self.k].low

    @property
    def has_tried(self) -> bool:
        return self.run.acts[self.k].tried

    @property
    def outcome(self) -> str:
        return self.run.outcome[self.k]

    @property
    def output_before(self) -> str:
        return self.run.acts[self.k - 1].seen if self.k and self.run.observes[self.k - 1] else ""


Strength = Callable[[Scene], float]  # how strongly a scene shows a sign

OPENING: dict[str, Strength] = {
    "opening_executed": lambda at: float(at.has_tried or bool(at.outcome)),
    "opening_off_task": lambda at: missing(at.task, at.said_text.replace(at.run.task, "")),
}
WORKING: dict[str, Strength] = {
    "second": lambda at: at.run.rank[at.k] == 1,
    "tries": lambda at: at.has_tried,
    "try_failed": lambda at: at.has_tried and has_failed(at.outcome),
    "try_gave_nothing": lambda at: at.has_tried and gave_nothing(at.outcome),
    "nothing_to_run": lambda at: not at.has_tried and bool(at.outcome),
    "after_failure": lambda at: has_failed(at.output_before),
    "after_output": lambda at: bool(at.output_before) and not has_failed(at.output_before),
    "made_up_data": lambda at: bool(MADE_UP.search(at.low)),
    "gives_up": lambda at: count(GIVES_UP, at.low[:1_500]),
    "first_conclusion": lambda at: at.k == at.firsts.conclusion,
    "first_claimed_deed": lambda at: at.k == at.firsts.claimed_deed,
    "repairs": lambda at: count(REPAIRS, at.low[:600]),
    "about_task": lambda at: 1 - missing(at.task, at.said_text[:2_500]) if at.task else 0.0,
    "source_of_answer": lambda at: at.k == at.firsts.answer,
    "handed_on": lambda at: (
        at.k in at.run.next_work and at.run.acts[at.run.next_work[at.k]].agent_id != at.run.acts[at.k].agent_id
    ),
}
AMONG_EQUALS: dict[str, Strength] = {"presents": lambda at: bool(PRESENTS.search(at.low[:2_500]))}
DIRECTED: dict[str, Strength] = {
    "under_direction": lambda at: 1.0,
    "late_under_direction": lambda at: math.log1p(at.run.rank[at.k]),
    "last_of_few": lambda at: at.run.rank[at.k] == len(at.run.rank) - 1 < SHORT_RUN_CONTRIBUTIONS,
    "off_order": lambda at: missing(frozenset(content(at.run.orders[at.k])), at.said_text[:1_200]),
}
NAMES = ("observes", "closes", *OPENING, *WORKING, *AMONG_EQUALS, *DIRECTED)


def signs(reading: Reading, run: Run) -> list[dict[str, float]]:
    """The signs of each act; a sign that is not there is left out."""
    seen = firsts(run), reading.stems(run.task)
    return [signs_of(Scene(run, k, *seen)) for k in range(len(run.acts))]


def signs_of(at: Scene) -> dict[str, float]:
    run, k = at.run, at.k
    if run.observes[k] or run.closes[k]:
        return {"observes" if run.observes[k] else "closes": 1.0}
    if not run.works[k]:
        tables = [OPENING] if k == 0 and run.opens else []
    else:
        tables = [WORKING, DIRECTED if run.directors else AMONG_EQUALS]
    return {name: value for table in tables for name, strength in table.items() if (value := float(strength(at)))}
