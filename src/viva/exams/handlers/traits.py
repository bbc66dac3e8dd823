"""What differs by handler beside its functions, in one table. Flows and pages ask for a trait, never for a name."""

from collections.abc import Callable

from msgspec import Struct

from viva.evaluations.model import Evaluation
from viva.exams.handlers import agent_certification, benchmark


def always(evaluation: Evaluation) -> bool:
    return True


def never(evaluation: Evaluation) -> bool:
    return False


class HandlerTraits(Struct, frozen=True, kw_only=True):
    """The defaults are those of contributed code, and of handlers that this hub does not know."""

    # The exam takes place in a session; its flow is `proctoring` or `classes`.
    is_in_session: bool = False
    # There is something to read before an attempt: answers, a rubric or a procedure that hold for more than one of them.
    has_keys: bool = True
    # Another attempt gets other items.
    has_new_items: Callable[[Evaluation], bool] = never
    # Judges or proctors mark some of the work.
    is_marked: Callable[[Evaluation], bool] = never
    # What a person writes on a page is saved before it is handed in. It must not be taken for an owner's confirmation.
    saves_pages: bool = True
    # Results hide answers while their items are in use. Without this, they do only if the SIP says `never`.
    hides_answers: bool = True
    # The criteria of a result have the text of the rubric, which candidates never read.
    shows_rubric: bool = False
    # The session is public, so what markers wrote about it is public too.
    has_public_marks: bool = False
    # The evidence of a criterion is the whole answer, not a quotation from it.
    has_answers_as_evidence: bool = False


CONTRIBUTED_TRAITS = HandlerTraits()
HANDLER_TRAITS: dict[str, HandlerTraits] = {
    "proctored": HandlerTraits(is_in_session=True, hides_answers=False),
    "live_class_work": HandlerTraits(is_in_session=True, is_marked=always, shows_rubric=True, has_public_marks=True),
    "agent_certification": HandlerTraits(
        has_new_items=agent_certification.has_new_items, is_marked=always, shows_rubric=True
    ),
    "benchmark": HandlerTraits(
        has_new_items=benchmark.has_new_items, is_marked=benchmark.has_free_texts, has_answers_as_evidence=True
    ),
    "text_check": HandlerTraits(),
    "proof_of_agentic_work": HandlerTraits(has_keys=False, has_new_items=always, hides_answers=False),
    "identity_check": HandlerTraits(has_keys=False, saves_pages=False, hides_answers=False),
    "account_verification": HandlerTraits(has_keys=False, saves_pages=False, hides_answers=False),
}


def traits_of(handler: str) -> HandlerTraits:
    return HANDLER_TRAITS.get(handler, CONTRIBUTED_TRAITS)
