"""What every handler of an exam that an agent sits alone can do; each is a file with these functions, and sees no database."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from viva.evaluations.model import Evaluation
from viva.exams.model import Challenge, Decision, Exam, Given, Mark, Outcome

Content = dict[str, Any]


class Handler(Protocol):
    def give(self, exam: Exam) -> Given:
        """The challenge of a new attempt, as the hub keeps it."""

    def show(self, exam: Exam, challenge: Challenge) -> Content:
        """What the candidate sees of its challenge."""

    def accept(self, exam: Exam, challenge: Challenge, body: Content, answers: Mapping[str, Any]) -> Content:
        """What was handed in, checked, with all that is needed to decide it; or Invalid with every fault."""

    def decide(self, evaluation: Evaluation, content: Content) -> Decision:
        """The outcome, or what has to be done before there is one."""


class ConcludingHandler(Handler, Protocol):
    """A handler whose `decide` may ask for marks or for a page first."""

    def conclude(self, evaluation: Evaluation, content: Content, marks: Sequence[Mark]) -> Outcome:
        """The outcome once the rows are marked; a fetched page is one row, marked 1 where it holds the proof."""
