"""What every handler of an exam that an agent sits alone can do; each is a file with these functions, and sees no database."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from viva.evaluations.model import Evaluation
from viva.exams.handlers.transcripts import ProbeConversation
from viva.exams.model import Challenge, Decision, Exam, Mark, NewChallenge, Outcome, SheetRow

Content = dict[str, Any]


class Handler(Protocol):
    def make_challenge(self, exam: Exam) -> NewChallenge:
        """The challenge of a new attempt, as the hub keeps it."""

    def show_challenge(self, exam: Exam, challenge: Challenge) -> Content:
        """What the candidate sees of its challenge."""

    def read_submission(self, exam: Exam, challenge: Challenge, body: Content, answers: Mapping[str, Any]) -> Content:
        """What was handed in, checked, with all that is needed to decide it; or Invalid with every fault."""

    def decide(self, evaluation: Evaluation, content: Content) -> Decision:
        """The outcome, or what has to be done before there is one."""


class AnsweringHandler(Handler, Protocol):
    """A handler of questions that can be answered one by one; what is answered when the time is over is handed in."""

    def merge_answers(self, evaluation: Evaluation, saved: Mapping[str, Any], given: Mapping[str, Any]) -> Content:
        """The saved answers with the given ones in their places; or Invalid with every fault of the given ones."""

    def make_content(self, evaluation: Evaluation, challenge: Challenge, answers: Mapping[str, Any]) -> Content:
        """What is handed in for a candidate whose time is over."""

    def add_checks(self, evaluation: Evaluation, content: Content) -> Content:
        """What was handed in, with what code finds in it; done once, in a thread, before a sheet is concluded."""


class ShowingHandler(Handler, Protocol):
    """A handler whose attempts everybody may read."""

    def conversations(self, evaluation: Evaluation, content: Content) -> list[ProbeConversation]:
        """What was handed in, for a page. An attempt may hold more than that, such as keys to the right answers."""


class ConcludingHandler(Handler, Protocol):
    """A handler whose `decide` may ask for marks or for a page first."""

    def conclude(
        self, evaluation: Evaluation, content: Content, rows: Sequence[SheetRow], marks: Sequence[Mark]
    ) -> Outcome:
        """The outcome once the rows are marked, as they were stored when the sheet opened.

        A fetched page has no rows, and one mark, which is 1 where it holds the proof."""
