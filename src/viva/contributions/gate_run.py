"""A run of the gate: all agents sit the proposal in a scratch hub, and each gets a verdict."""

import random
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, get_args

from viva.contributions import exemplar_agents
from viva.contributions.exam_items import ExamItem
from viva.contributions.gate_model import make_unchecked
from viva.contributions.gate_tally import GateTally, count_of, outcome_of
from viva.contributions.model import GateOutcome, NullAgentName
from viva.contributions.null_agents import FIXED_AGENTS, RANDOM_AGENT, NullAgent, leave_out
from viva.contributions.sitting import ExamRoom, GateStopped, SatExam
from viva.exams.handlers.traits import traits_of

RANDOM_RUNS = 100  # enough to tell a pass probability of 2 % from one of 10 %
JUDGED_RANDOM_RUNS = 3  # a judge costs money and time
MAX_RANDOM_PASSES = 5  # 5 % of 100 runs
RUNS_AFTER_PASS = 2  # an agent that passes sits again, so that one lucky run is no verdict
UNFIT_EXEMPLARS = "An exemplar has to answer a probe, or an item that is the same in every attempt."
UNMARKED_TEXTS = "Free texts were not checked, because the hub has no judge."


def run_gate(run: "GateRun") -> list[GateOutcome]:
    """The outcome of every agent, and why some could not sit."""
    outcomes: list[GateOutcome] = []
    try:
        outcomes.extend(outcomes_of(run))
    except GateStopped as reason:
        outcomes += make_unchecked(str(reason))
    return outcomes


def outcomes_of(run: "GateRun") -> Iterator[GateOutcome]:
    for name in get_args(NullAgentName):
        yield run.check_random() if name == RANDOM_AGENT.name else run.check_fixed(name)
    if traits_of(run.room.sip.executable.handler).has_keys:  # without keys, no exemplar fits more than one attempt
        yield run.check_reference()
        yield from run.check_fail_exemplars()


class GateRun:
    """The agents of one gate, one after the other."""

    def __init__(
        self, room: ExamRoom, exemplars: Sequence[Any], has_judge: bool, random_runs: int = RANDOM_RUNS
    ) -> None:
        self.room = room
        self.random_runs = random_runs
        self.exemplars = exemplars
        self.has_judge = has_judge
        self.items: list[ExamItem] = []  # of the first sitting
        self.answers_seen: list[dict[str, Any]] = []
        self.texts_seen: set[tuple[str, str]] = set()  # of items, by id
        self.rng = random.Random(room.sip.id)  # noqa: S311 - not a secret; a proposal always meets the same answers

    def check_fixed(self, name: NullAgentName) -> GateOutcome:
        """Let every form of the agent sit once, and again if it passes."""
        tally = GateTally(name)
        for agent in FIXED_AGENTS:
            if agent.name == name and not (tally.runs and self.has_seen(agent)):
                sat = self.sit(agent, self.has_judge)
                again = [self.sit(agent, self.has_judge) for _ in range(RUNS_AFTER_PASS if sat.passed else 0)]
                tally.add(agent.manner, [sat, *again])
                self.answers_seen.append(self.answers_of(agent))
        return tally.outcome()

    def check_random(self) -> GateOutcome:
        """Many runs of what code checks, and a few of what a judge marks."""
        tally = GateTally(RANDOM_AGENT.name)
        if not self.items or not all(item.is_judged for item in self.items):
            tally.add(RANDOM_AGENT.manner, self.sit_until_gamed())
        if self.has_judge and any(item.is_judged for item in self.items):
            tally.add(RANDOM_AGENT.manner, [self.sit(RANDOM_AGENT, True) for _ in range(JUDGED_RANDOM_RUNS)])
        return tally.outcome()

    def sit_until_gamed(self) -> list[SatExam]:
        """After six passes, no run can change the verdict, because they are more than 5 % of 100."""
        sat: list[SatExam] = []
        while len(sat) < self.random_runs and sum(each.passed for each in sat) <= MAX_RANDOM_PASSES:
            sat.append(self.sit(RANDOM_AGENT, False))
        return sat

    def has_seen(self, agent: NullAgent) -> bool:
        """Whether an agent has given these answers. Several rules give the same ones if an item has no options."""
        return self.answers_of(agent) in self.answers_seen

    def answers_of(self, agent: NullAgent) -> dict[str, Any]:
        return answer_items(agent, self.items, self.has_judge, copy(self.rng))

    def sit(self, agent: NullAgent, with_judge: bool) -> SatExam:
        sat = self.room.sit(lambda items: answer_items(agent, items, with_judge, self.rng))
        self.items = self.items or sat.items
        self.texts_seen.update((item.id, item.text) for item in sat.items)
        return sat if self.has_judge or sat.passed else sat._replace(undecided=sat.undecided or why_open(sat))

    def check_reference(self) -> GateOutcome:
        sat, answered = self.sit_exemplars("pass", exemplar_agents.keys_of(self.room.sip.config))
        if not answered:
            return outcome_of("reference", 1, 0, "not_checked", f"had no answer to hand in. {UNFIT_EXEMPLARS}")
        if sat.undecided:
            return outcome_of("reference", 1, 0, "not_checked", f"was not decided on. {sat.undecided}")
        share = f"its answers to {count_of(len(answered), 'item')}. {sat.summary}"
        if not exemplar_agents.reaches_passing_score(sat, answered):
            return outcome_of("reference", 1, 0, "error", f"did not reach the passing score with {share}")
        if any(item.is_judged for item in sat.items) and not self.has_judge:
            return outcome_of("reference", 1, 1, "not_checked", f"passed only what code checks. {UNMARKED_TEXTS}")
        return outcome_of("reference", 1, 1, "ok", f"reached the passing score with {share}")

    def check_fail_exemplars(self) -> Iterator[GateOutcome]:
        if not exemplar_agents.texts_of(self.exemplars, "fail"):
            return
        sat, answered = self.sit_exemplars("fail", {})
        if sat.undecided or not answered:
            return
        met = [each["met"] for each in exemplar_agents.covered_criteria(sat, answered)] or [sat.passed]
        if all(met):
            yield outcome_of(
                "fail_exemplars", 1, 1, "warning", "met every criterion. The rubric does not tell them apart."
            )
        else:
            yield outcome_of("fail_exemplars", 1, 0, "ok", f"met {sum(map(bool, met))} of {len(met)} criteria.")

    def is_usable(self, item: ExamItem) -> bool:
        """Whether an exemplar can answer the item: it is the same in every attempt, or a probe, and somebody marks it.

        An exemplar of a probe with parameters fits all their values."""
        other_texts = {text for id_, text in self.texts_seen if id_ == item.id} - {item.text}
        return (item.kind == "probe" or not other_texts) and (self.has_judge or not item.is_judged)

    def sit_exemplars(self, which: exemplar_agents.ExemplarKey, keys: dict[str, Any]) -> tuple[SatExam, set[str]]:
        """The sitting, and the ids of the items that got an answer."""
        texts = exemplar_agents.texts_of(self.exemplars, which)
        answered: set[str] = set()

        def answer(items: Sequence[ExamItem]) -> dict[str, Any]:
            usable = [item for item in items if self.is_usable(item)]
            answers = exemplar_agents.answers_from(usable, texts, keys)
            answered.update(exemplar_agents.covered_ids(usable, texts, answers))
            return {item.id: answers.get(item.id, leave_out(item, self.rng)) for item in items}

        return self.room.sit(answer), answered


def answer_items(agent: NullAgent, items: Sequence[ExamItem], with_judge: bool, rng: random.Random) -> dict[str, Any]:
    """The agent's answers. Without a judge, texts that only a judge marks are left out where that is allowed."""
    rules = [(item, agent.rule if with_judge or not item.is_judged else leave_out) for item in items]
    return {item.id: rule(item, rng) for item, rule in rules}


def why_open(sat: SatExam) -> str | None:
    """Why a run without a judge says nothing: full marks for the free texts would let it pass."""
    unmarked = sum(item.points for item in sat.items if item.is_judged)
    if not unmarked or sat.score is None or sat.max_score is None:
        return None
    is_open = sat.score + unmarked >= sat.data["passing_score"] / 100 * sat.max_score
    return UNMARKED_TEXTS if is_open else None
