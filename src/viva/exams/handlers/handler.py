"""The protocol of handlers of solo exams. Each handler is a file with these functions and has no database access."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from viva.evaluations.model import Evaluation
from viva.exams.handlers.transcripts import ProbeConversation
from viva.exams.model import Challenge, Decision, Exam, Mark, NewChallenge, Outcome, SheetRow

Content = dict[str, Any]


class Handler(Protocol):
    def make_challenge(self, exam: Exam) -> NewChallenge:
        """The challenge of a new attempt, as the hub stores it."""

    def show_challenge(self, exam: Exam, challenge: Challenge) -> Content:
        """What the candidate sees of its challenge."""

    def read_submission(self, exam: Exam, challenge: Challenge, body: Content, answers: Mapping[str, Any]) -> Content:
        """The checked submission, with everything needed to decide it; or Invalid with every fault."""

    def decide(self, evaluation: Evaluation, content: Content) -> Decision:
        """The outcome, or what has to be done before there is one."""


class AnsweringHandler(Handler, Protocol):
    """A handler whose questions are answered one by one. Saved answers are handed in when the time is over."""

    def merge_answers(
        self, evaluation: Evaluation, challenge: Challenge, saved: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Content:
        """The saved answers, replaced by the given ones; or Invalid with every fault of the given ones."""

    def make_content(self, evaluation: Evaluation, challenge: Challenge, answers: Mapping[str, Any]) -> Content:
        """The content that is handed in for a candidate whose time is over."""

    def add_checks(self, evaluation: Evaluation, content: Content) -> Content:
        """The content with the checks by code. It runs once, in a thread, before a sheet is concluded."""


class ShowingHandler(Handler, Protocol):
    """A handler whose attempts everybody may read."""

    def conversations(self, evaluation: Evaluation, content: Content) -> list[ProbeConversation]:
        """What a page shows of the attempt. Its content may hold more, such as the right answers."""


class ConcludingHandler(Handler, Protocol):
    """A handler whose `decide` may ask for marks or for a page first."""

    def conclude(
        self, evaluation: Evaluation, content: Content, rows: Sequence[SheetRow], marks: Sequence[Mark]
    ) -> Outcome:
        """The outcome once all rows are marked. The rows are those stored when the sheet opened.

        A fetched page has no rows and one mark, which is 1 if the page holds the proof."""
