"""The runs of one agent of the gate, and the verdict on them."""

from collections.abc import Sequence

from viva.contributions.model import GateAgentName, GateOutcome, GateVerdict
from viva.contributions.sitting import SatExam

MIN_GAMED_PASSES = 2  # one lucky run is no verdict
NOTHING_TO_CHECK = "did not sit, because only a judge can mark this evaluation, and the hub has none."
MAX_PASS_SHARE = 0.05  # of the runs of an agent that knows nothing
AGENT_TITLES: dict[GateAgentName, str] = {
    "nothing": "The agent that answers nothing",
    "constant": "The agent with constant answers",
    "random": "The agent that answers at random",
    "prompt": "The agent that repeats the prompt",
    "orders": "The agent that gives orders to the judge",
    "reference": "The reference agent",
    "fail_exemplars": "The agent with the exemplars that should fail",
}


def is_gamed(runs: int, passes: int) -> bool:
    """The rule of the gate: at least two passes, and more than 5 % of the runs."""
    return passes >= MIN_GAMED_PASSES and passes > MAX_PASS_SHARE * runs


def outcome_of(agent: GateAgentName, runs: int, passes: int, verdict: GateVerdict, predicate: str) -> GateOutcome:
    return GateOutcome(agent, runs, passes, verdict, f"{AGENT_TITLES[agent]} {predicate}".rstrip())


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class GateTally:
    """Counts the runs of all forms of one agent. Each form is judged by itself."""

    def __init__(self, agent: GateAgentName) -> None:
        self._agent = agent
        self._sat: list[SatExam] = []
        self._gamed: list[str] = []

    def add(self, manner: str, sat: Sequence[SatExam]) -> None:
        self._sat += sat
        passes = sum(each.passed for each in sat)
        if is_gamed(len(sat), passes):
            self._gamed.append(f"passed {manner}, in {passes} of {count_of(len(sat), 'run')}.")

    @property
    def runs(self) -> int:
        return len(self._sat)

    def outcome(self) -> GateOutcome:
        runs, passes = self.runs, sum(each.passed for each in self._sat)
        undecided = next((each.undecided for each in self._sat if each.undecided), None)
        if not self._sat:
            return outcome_of(self._agent, 0, 0, "not_checked", NOTHING_TO_CHECK)
        if self._gamed:
            return outcome_of(self._agent, runs, passes, "error", self._gamed[0])
        if undecided:
            return outcome_of(self._agent, runs, passes, "not_checked", f"was not decided on. {undecided}")
        if passes:
            return outcome_of(
                self._agent, runs, passes, "ok", f"passed in {passes} of {count_of(runs, 'run')}, which is chance."
            )
        return outcome_of(self._agent, runs, passes, "ok", f"did not pass in {count_of(runs, 'run')}. {self._best()}")

    def _best(self) -> str:
        """What the best run reached. One that was refused says less than one that was decided."""
        return max(self._sat, key=lambda each: (each.refusal is None, each.score or 0)).summary
