"""Signs of a mistake in each act of a run: the features by which the decisive one is told from the others."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from viva.engine.attribution.acts import Run, has_failed, plain
from viva.engine.attribution.faults import FAULT_MEANINGS, MINOR_KINDS
from viva.engine.attribution.phrases import ASKS, CLAIMS_DEED, CONCLUDES, GIVES_UP, MADE_UP, PRESENTS, REFUSES, REPAIRS
from viva.engine.attribution.values import value_flow
from viva.engine.faults import RunFault
from viva.engine.logistic import Feature, FeatureTable, combine_independent
from viva.engine.reading import Reading
from viva.engine.text.words import content, stem, words

MOST_CUES = 3  # words that count: three times say as much as thirty
PREAMBLE = re.compile(r"exit ?code: 0[^\n]*|code output:", re.I)
NOTHING = frozenset({"", "none", "null", "nan", "0", "not found", "no result", "no results", "no data", "empty"})
CONCRETE = frozenset(f"{kind}_fault" for kind in FAULT_MEANINGS.keys() - MINOR_KINDS)
EXCUSED = ("unauthorized_fault", "role_breaches_fault")  # what an agent does because it was told to
VALUE = re.compile(r"\d[\d,.]*\d|\d|[A-Z][\w'’-]+|\"[^\"\n]{2,60}\"")

# What the run shows of an act. The last ones are no faults: they only tell where in a failed run to look.
ACT_SIGNS: FeatureTable = (
    Feature("made_up_data", "worked with assumed or made-up data", 1),
    Feature("try_failed", "gave code or a call that failed", 1),
    Feature("try_gave_nothing", "ran something that brought no result", 1),
    Feature("gives_up", "could not do its part with the means it had", 1),
    Feature("claimed_deed", "claimed to have looked something up, with nothing to show for it", 1),
    Feature("unsourced_argument", "gave a tool a value that nobody had named", 1),
    Feature("unsourced_claim", "stated a value that nobody had named and no tool returned", 1),
    Feature("next_refuses", "handed the work to an agent that could not do it", 1),
    Feature("next_asks", "left open what the next agent had to ask for", 1),
    Feature("misdirects_next", "told an agent to do what it has no right to do", 1),
    Feature("starves_next", "handed on less than the next agent needed", 1),
    Feature("off_order", "did something other than it was told", 1),
    Feature("opening_off_task", "opened the run with little that is about the task", 1),
    Feature("source_of_answer", "brought values on which the run ended", 1),
    Feature("first_conclusion", "drew the first conclusion", 1),
    Feature("presents", "stated results that the others built on", 1),
    Feature("tries", "chose what was tried", 1),
    Feature("about_task", "took on the core of the task", 1),
    Feature("works", "did the work", 1),
    Feature("observes", "", -1),
    Feature("closes", "", -1),
    Feature("after_failure", "", -1),
    Feature("repairs", "", -1),
    Feature("lateness", "", -1),
)
SUSPICION: FeatureTable = (
    *(Feature(f"{kind}_fault", meaning, 1) for kind, meaning in FAULT_MEANINGS.items()),
    Feature("after_fault", "", -1),  # of several faults the earliest caused the others
    *ACT_SIGNS,
)


class Firsts(NamedTuple):
    """The acts that were the first to do something, where there is one."""

    conclusion: int | None
    claimed_deed: int | None
    giving_up: int | None
    answer: int | None


def firsts(run: Run) -> Firsts:
    talk = (k for k in run.contributions if not run.acts[k].tried)
    return Firsts(
        next((k for k in run.contributions if CONCLUDES.search(run.acts[k].low)), None),
        next((k for k in talk if CLAIMS_DEED.search(run.acts[k].low[:2_500])), None),
        next((k for k in run.contributions if GIVES_UP.search(run.acts[k].low[:1_500])), None),
        source_of_answer(run),
    )


def source_of_answer(run: Run) -> int | None:
    """Who first brought a value on which the run ended; of an output, the author of what was executed."""
    if not run.team or not run.contributions:
        return None
    known = set(VALUE.findall(run.task + "\n" + run.acts[0].said))
    final = set(VALUE.findall(run.acts[run.contributions[-1]].said[:4_000])) - known
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
    return float(sum(1 for _ in zip(range(MOST_CUES), named.finditer(text), strict=False)))


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


STRENGTHS: dict[str, Callable[[Scene], float]] = {
    "works": lambda at: 1.0,
    "tries": lambda at: at.has_tried,
    "try_failed": lambda at: at.has_tried and has_failed(at.outcome),
    "try_gave_nothing": lambda at: at.has_tried and gave_nothing(at.outcome),
    "after_failure": lambda at: has_failed(at.output_before),
    "made_up_data": lambda at: bool(MADE_UP.search(at.low)),
    "gives_up": lambda at: at.k == at.firsts.giving_up,
    "first_conclusion": lambda at: at.k == at.firsts.conclusion,
    "claimed_deed": lambda at: at.k == at.firsts.claimed_deed,
    "repairs": lambda at: count(REPAIRS, at.low[:600]),
    "about_task": lambda at: 1 - missing(at.task, at.said_text[:2_500]) if at.task else 0.0,
    "source_of_answer": lambda at: at.k == at.firsts.answer,
    "presents": lambda at: bool(PRESENTS.search(at.low[:2_500])),
    "off_order": lambda at: missing(frozenset(content(at.run.orders[at.k])), at.said_text[:1_200]),
    "lateness": lambda at: at.k / len(at.run.acts),
}


def suspicions(reading: Reading, run: Run, faults: Iterable[RunFault]) -> list[dict[str, float]]:
    """The features of each act."""
    at: defaultdict[tuple[int, int], defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for fault in faults:
        at[fault.turn, fault.part][f"{fault.kind}_fault"].append(min(fault.confidence, 0.99))
    flow = value_flow(reading, run)
    flows = {
        "unsourced_argument": flow.arguments,
        "unsourced_claim": flow.claims,
        "starves_next": flow.starves_next,
        "next_refuses": [float(takes_up(run, k + 1, REFUSES)) for k in range(len(run.acts))],
        "next_asks": [float(takes_up(run, k + 1, ASKS)) for k in range(len(run.acts))],
        "misdirects_next": [float(misdirects(run, k, at)) for k in range(len(run.acts))],
    }
    shared = firsts(run), reading.stems(run.task)
    rows: list[dict[str, float]] = []
    spoilt = False
    for k, place in enumerate(run.places):
        row = dict.fromkeys((feature.name for feature in SUSPICION), 0.0)
        found = {name: combine_independent(values) for name, values in at[place[:2]].items()} if place[:2] in at else {}
        row |= {name: values[k] for name, values in flows.items()} | {"after_fault": float(spoilt)}
        if k and rows[k - 1]["misdirects_next"]:
            found = {name: value for name, value in found.items() if name not in EXCUSED}
        row |= act_signs(Scene(run, k, *shared)) | found
        row["concrete"] = max((value for name, value in found.items() if name in CONCRETE), default=0.0)
        spoilt = spoilt or any(value >= 0.5 for value in found.values())
        rows.append(row)
    return rows


def takes_up(run: Run, k: int, reply: re.Pattern[str]) -> bool:
    """Whether act `k` replies like this to what another agent handed to it, without trying."""
    if not 0 < k < len(run.acts) or run.acts[k].tried or run.acts[k].agent_id == run.acts[k - 1].agent_id:
        return False
    return reply.search(run.acts[k].low[:400]) is not None


def misdirects(run: Run, k: int, faults: Mapping[tuple[int, int], Mapping[str, list[float]]]) -> bool:
    """Whether act `k` calls on the next agent by name, and all that this does is done with tools that only others have."""
    if k + 1 >= len(run.acts) or run.acts[k].agent_id == run.acts[k + 1].agent_id:
        return False
    after = run.places[k + 1]
    calls = [step.tool_call.tool_name for step in after.interaction.agent_steps if step.tool_call]
    breaches = len(faults[after[:2]]["unauthorized_fault"]) if after[:2] in faults else 0
    others = run.tools.issuperset(calls) and breaches >= max(1, len(calls))
    return others and plain(run.acts[k + 1].agent_id) in run.acts[k].low


def act_signs(at: Scene) -> dict[str, float]:
    run, k = at.run, at.k
    if run.observes[k] or run.closes[k]:
        return {"observes" if run.observes[k] else "closes": 1.0}
    if not run.works[k]:
        opens = k == 0 and run.team and not run.directors
        return {"opening_off_task": missing(at.task, at.said_text.replace(run.task, ""))} if opens else {}
    return {name: float(strength(at)) for name, strength in STRENGTHS.items()}
