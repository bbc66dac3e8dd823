"""Two attempts of one evaluation side by side: verdicts, criteria and conversations."""

from dataclasses import dataclass
from typing import NamedTuple

from litestar import Request, Response, get

from viva.agents.model import Agent
from viva.context import hub_of
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import visibility
from viva.exams.handlers.transcripts import ProbeConversation
from viva.exams.model import HubFacts
from viva.exams.revealing import ShownResult, show_results
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.web import pages
from viva.web.conversations import ConversationView, TranscriptView, transcript_of
from viva.web.criteria import ShownCriteria, criteria_of
from viva.web.handed_in import is_answer_in_criteria, read_handed_in
from viva.web.pairs import Pair, pair_criteria
from viva.web.queries import count, word
from viva.web.wording import address, path_part


class NothingToCompare(Invalid):
    """Two attempts are needed. Open a result and choose "Compare" next to another attempt."""


class OtherEvaluation(Invalid):
    """These attempts belong to different evaluations, so their marks cannot be compared."""


class ComparedAttempt(NamedTuple):
    """One of the two attempts."""

    letter: str
    result: ShownResult
    evaluation: Evaluation  # as it was in the result's version
    criteria: ShownCriteria
    handed_in: list[ProbeConversation]
    transcript: TranscriptView

    def message_address(self, sequence: int) -> str:
        return address(f"/evaluations/result/{path_part(self.result.id)}", message=sequence)


@dataclass(frozen=True)
class ComparePage:
    a: ComparedAttempt
    b: ComparedAttempt
    pairs: list[Pair]

    @property
    def sides(self) -> tuple[ComparedAttempt, ComparedAttempt]:
        return self.a, self.b

    @property
    def is_one_version(self) -> bool:
        return self.a.result.evaluation_version == self.b.result.evaluation_version

    @property
    def evidence_is_answer(self) -> bool:
        return is_answer_in_criteria(self.a.evaluation)

    @property
    def has_conversations(self) -> bool:
        """Whether there is more to read than the criteria."""
        return any(side.handed_in or side.transcript.session for side in self.sides) or not self.pairs

    @property
    def differences(self) -> int:
        return sum(pair.differ for pair in self.pairs)

    def here(self, **query: object) -> str:
        """Return this address, with one of the conversations at another page."""
        positions = {f"after_{side.letter.lower()}": side.transcript.after or None for side in self.sides}
        return address("/evaluations/compare", **({"a": self.a.result.id, "b": self.b.result.id} | positions | query))

    def at_message(self, side: ComparedAttempt, after: int) -> str:
        return self.here(**{f"after_{side.letter.lower()}": after or None})


@get("/evaluations/compare")
async def compare(request: Request) -> Response[str]:
    a, b = word(request, "a"), word(request, "b")
    after_a, after_b = count(request, "after_a"), count(request, "after_b")
    return await pages.show(
        request,
        "results/compare.html",
        lambda db: compare_page(db, hub_of(request), pages.frame_of(request).viewer, a, b, after_a, after_b),
    )


def compare_page(
    db: Connection, hub: HubFacts, viewer: Agent | None, a: str, b: str, after_a: int, after_b: int
) -> ComparePage:
    if not (a and b):
        raise NothingToCompare()
    if a == b:
        raise NothingToCompare("Both are the same attempt. Choose two different attempts.")
    (first, current), second = visibility.get_result(db, a, viewer), visibility.get_result(db, b, viewer).result
    if first.evaluation_id != second.evaluation_id:
        raise OtherEvaluation()

    shown_a, shown_b = show_results(db, hub, [first, second], viewer, current)
    side_a = side(db, "A", current, shown_a, after_a, viewer)
    side_b = side(db, "B", current, shown_b, after_b, viewer)
    return ComparePage(side_a, side_b, pair_criteria(side_a.criteria, side_b.criteria))


def side(
    db: Connection, letter: str, current: Evaluation, result: ShownResult, after: int, viewer: Agent | None
) -> ComparedAttempt:
    evaluation = catalogue.at_known_version(db, current, result.evaluation_version)
    return ComparedAttempt(
        letter=letter,
        result=result,
        evaluation=evaluation,
        criteria=criteria_of(result.result_data, evaluation.config),
        handed_in=read_handed_in(db, evaluation, result),
        transcript=transcript_of(db, result, evaluation, ConversationView(after=after), viewer),
    )
