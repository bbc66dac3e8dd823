"""A judge that reports its progress: it is asked about a few turns at a time, and a judge takes seconds for each."""

from collections.abc import Callable, Sequence
from typing import Self

from viva.judging.model import Judge, JudgeQuestion, Rulings, RulingType, Usage

QUESTIONS_AT_ONCE = 8  # as many as a judge answers in parallel


class ReportingJudge:
    """The same judge. After every few questions, `report` gets the number of those that are answered."""

    def __init__(self, judge: Judge, report: Callable[[int], None]) -> None:
        self.judge = judge
        self.report = report
        self.model = judge.model

    def ask(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        total: Rulings[RulingType] = Rulings([], Usage(), [])
        for start in range(0, len(questions), QUESTIONS_AT_ONCE):
            some = self.judge.ask(questions[start : start + QUESTIONS_AT_ONCE])
            usage = Usage(total.usage.calls + some.usage.calls, total.usage.tokens + some.usage.tokens)
            total = Rulings([*total.rulings, *some.rulings], usage, [*total.lost, *some.lost])
            self.report(len(total.rulings))
        return total

    def with_full_budget(self) -> Self:
        return type(self)(self.judge.with_full_budget(), self.report)
