"""Signs of a mistake in each act of a run: the features by which the decisive one is told from the others."""

from collections.abc import Callable, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from viva.engine.attribution.acts import Run, gave_nothing, has_failed
from viva.engine.attribution.faults import MINOR_KINDS, is_concrete
from viva.engine.call_text import came_back, flat
from viva.engine.evidence import InteractionIndex
from viva.engine.faults import RunFault
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.model import Interaction
from viva.engine.outcome.tries import only_looks
from viva.engine.reading import Reading
from viva.engine.team.needs import facts
from viva.engine.text.phrases import Phrases
from viva.engine.text.words import stem, words

MAX_VALUE_CHARACTERS = 2_000  # of one text in which values are looked for
# Faults that a guessed value may be or lead to: the call, and the answer that the user then rejects.
GUESSED = frozenset(("tool", "minor_tool", "answer"))

# What the run shows of an act. The last ones are no faults: they only tell where in a failed run to look.
ACT_SIGNS: FeatureTable = (
    Feature("made_up_data", "worked with assumed or made-up data", 1),
    Feature("try_failed", "gave code or a call that failed", 1),
    Feature("try_gave_nothing", "ran something that brought no result", 1),
    Feature("gives_up", "could not do its part with the means it had", 1),
    Feature("claimed_deed", "claimed to have looked something up, with nothing to show for it", 1),
    Feature("unsourced_argument", "gave a tool a value that nobody had named", 1),
    Feature("unsourced_claim", "stated a value that nobody had named and no tool returned", 1),
    Feature("off_order", "did something other than it was told", 1),
    Feature("opening_off_task", "opened the run with little that is about the task", 1),
    Feature("presents", "stated results that the others built on", 1),
)
SUSPICION: FeatureTable = (
    Feature("fault", "was found at fault", 1),
    Feature("minor_fault", "did something doubtful", 1),
    Feature("loop", "did the same again with nothing new", 1),
    *ACT_SIGNS,
)


def any_of(*phrases: str) -> Phrases:
    return Phrases(rf"(?:{'|'.join(phrases)})\b")


MADE_UP = any_of(
    r"simulat\w+", "mock", "dummy", "placeholders?", r"sample (?:data\w*|of)", r"hypothetical\w*", "synthetic", "fictional",
    "made-up", "fabricated", "example data", r"assum(?:e|ing|ption)\w*", "suppose", "imagine",
    "for (?:demonstration|illustration|the sake of)",
)  # fmt: skip
GIVES_UP = any_of(
    "cannot", "can't", "unable", "couldn't", "could not", "not able", "wasn't able", "isn't able", "impossible",
    "don't have", "do not have", "didn't have", "did not have", "no access", "without access", "unfortunately",
    "not available", "unavailable", "not possible", "not feasible", r"manual\w*",
)  # fmt: skip
FOUND = (
    r"(?:'ve| have)? (?:\w+ )?(?:reviewed|checked|verified|retrieved|accessed|visited|found|confirmed|examined|watched"
    r"|looked|identified|gathered|analy[sz]ed|inspected|located)"
)
LOOKING = r" (?:\w+ )?(?:review|inspect|examin|visit|check|verif|manual|confirm)\w*"
CLAIMS_DEED = any_of("i" + FOUND, "we" + FOUND, "upon" + LOOKING, "after" + LOOKING, "having" + LOOKING)
PRESENTS = Phrases(r"(?:here (?:is|are)\b|the following (?:is|are)\b|as follows\b|(?:are|is):)")


class ValueFlow(NamedTuple):
    """For each act: the share of its arguments, and of the values in its words, that come from nowhere."""

    arguments: list[float]
    claims: list[float]


def value_flow(reading: Reading, run: Run) -> ValueFlow:
    """Follow the values from the user's words and the tools through the acts."""
    turns, heard = reading.trace.turns, -1
    known = set(values_in(run.task))
    flow = ValueFlow([], [])
    for place, act in zip(run.places, run.acts, strict=True):
        for turn in turns[heard + 1 : place.turn + 1]:
            known.update(values_in(turn.user_message or ""), values_in(turn.knowledge or ""))
        heard = max(heard, place.turn)
        seen, told = values_in(act.seen), values_in(act.said)
        given, used, guessed = read_arguments(place.interaction, known)
        flow.arguments.append(share(guessed, used))
        flow.claims.append(share(told - known - seen - given, told))
        known.update(seen, told, given)
    return flow


class ArgumentValues(NamedTuple):
    """Values in the arguments of an act: all of them, those of calls that act, and those of these that were not known."""

    given: set[float | str]
    used: set[float | str]
    guessed: set[float | str]


def read_arguments(interaction: Interaction, known: set[float | str]) -> ArgumentValues:
    """The values that an act gives to tools. What its earlier calls brought is known to the later ones."""
    found, brought = ArgumentValues(set(), set(), set()), set[float | str]()
    for step in interaction.agent_steps:
        if step.tool_call is not None:
            values = values_in(flat(step.tool_call.parameters))
            found.given.update(values)
            if not only_looks(step.tool_call.tool_name):  # what only looks may well take a default
                found.used.update(values)
                found.guessed.update(values - known - brought)
            brought |= values_in(came_back(step.tool_call))
        brought |= values_in(step.observation or "")
    return found


def share(some: Set[float | str], every: Set[float | str]) -> float:
    return len(some) / len(every) if every else 0.0


def values_in(text: str) -> Set[float | str]:
    return facts(text[:MAX_VALUE_CHARACTERS]).keys()


class Scene(NamedTuple):
    """One act in its run, the first acts that gave up or claimed a deed, and the words of the task."""

    run: Run
    k: int
    first_giving_up: int | None
    first_claim: int | None
    last_success: int
    task: frozenset[str]

    @property
    def said_text(self) -> str:
        return self.run.acts[self.k].said

    @property
    def low(self) -> str:
        return self.run.acts[self.k].low

    @property
    def is_mended(self) -> bool:
        """Whether a later try of the run worked: what could not be done at first is no mistake then."""
        return self.last_success > self.k

    @property
    def outcome(self) -> str:
        return self.run.outcome(self.k) if self.run.acts[self.k].tried else ""


STRENGTHS: dict[str, Callable[[Scene], float]] = {
    "made_up_data": lambda at: MADE_UP.said_in(at.low),
    "try_failed": lambda at: has_failed(at.outcome) and not at.is_mended,
    "try_gave_nothing": lambda at: gave_nothing(at.outcome) and not at.is_mended,
    "gives_up": lambda at: at.k == at.first_giving_up and not at.is_mended,
    "claimed_deed": lambda at: at.k == at.first_claim,
    "presents": lambda at: PRESENTS.said_in(at.low[:2_500]),
    "off_order": lambda at: missing(at.run.reading.stems(at.run.orders[at.k]), at.said_text[:1_200]),
}


def suspicions(reading: Reading, run: Run, faults: Sequence[RunFault]) -> list[dict[str, float]]:
    """The features of each act."""
    worst: dict[tuple[InteractionIndex, str], float] = {}
    guessing = find_guessing(run, faults)
    for fault in faults:
        if (fault.turn, fault.part) in guessing and fault.kind in GUESSED:
            continue
        group = fault.kind if fault.kind == "loop" else "minor_fault" if fault.kind in MINOR_KINDS else "fault"
        at = (fault.turn, fault.part), group
        worst[at] = max(fault.confidence, worst.get(at, 0.0))
    flow = value_flow(reading, run)
    gives_up = next((k for k in run.contributions if GIVES_UP.said_in(run.acts[k].low[:1_500])), None)
    talk = (k for k in run.contributions if not run.acts[k].tried)
    claims = next((k for k in talk if CLAIMS_DEED.said_in(run.acts[k].low[:2_500])), None)
    worked, rows = last_success(run), list[dict[str, float]]()
    for k, place in enumerate(run.places):
        row = {feature.name: worst.get((place[:2], feature.name), 0.0) for feature in SUSPICION}
        guessed = place[:2] in guessing
        row |= {"unsourced_argument": 0.0 if guessed else flow.arguments[k], "unsourced_claim": flow.claims[k]}
        rows.append(row | act_signs(Scene(run, k, gives_up, claims, worked, reading.stems(run.task))))
    return rows


def last_success(run: Run) -> int:
    """The last act whose try worked and brought something, and not from made-up data; -1 where none did."""
    tried = (k for k in range(len(run.acts) - 1, -1, -1) if run.acts[k].tried and run.outcome(k))
    real = (k for k in tried if not MADE_UP.said_in(run.acts[k].low))
    return next((k for k in real if not has_failed(run.outcome(k)) and not gave_nothing(run.outcome(k))), -1)


def find_guessing(run: Run, faults: Sequence[RunFault]) -> set[InteractionIndex]:
    """The acts of agents who had to guess what the one before kept back. They are excused for it."""
    kept_back = {(fault.turn, fault.part) for fault in faults if fault.kind == "context_lost" and is_concrete(fault)}
    return {after[:2] for before, after in pairwise(run.places) if before[:2] in kept_back}


def act_signs(at: Scene) -> dict[str, float]:
    """What the words and the outcome of an act say, if it contributes; of an opening, whether it is about the task."""
    if at.run.works[at.k]:
        return {name: float(strength(at)) for name, strength in STRENGTHS.items()}
    opens = at.k == 0 and at.run.team and not at.run.directors
    return {"opening_off_task": missing(at.task, at.said_text.replace(at.run.task, ""))} if opens else {}


def missing(wanted: frozenset[str], text: str) -> float:
    """The share of the wanted words that a text does not have."""
    if not wanted:
        return 0.0
    return 1 - len(wanted.intersection(map(stem, set(words(text))))) / len(wanted)
