"""The submitted answers on the page of a result. The handler decides which parts are public."""

from viva.evaluations.model import Evaluation
from viva.exams import attempts
from viva.exams.handlers.table import SHOWING_HANDLERS
from viva.exams.handlers.traits import traits_of
from viva.exams.handlers.transcripts import ProbeConversation, SpokenPart
from viva.exams.model import Attempt
from viva.exams.revealing import ShownResult
from viva.kit.db import Connection

MAX_ANSWERS_CHARACTERS = 400_000  # on one page; the rest is cut, because no reader reads more


def shown_of(evaluation: Evaluation, attempt: Attempt | None) -> list[ProbeConversation]:
    handler = SHOWING_HANDLERS.get(evaluation.handler)
    return cut_to_page(handler.conversations(evaluation, attempt.content)) if handler and attempt else []


def read_handed_in(db: Connection, evaluation: Evaluation, result: ShownResult) -> list[ProbeConversation]:
    """The conversations that the viewer of the result may see: all, its own, or those whose probes are out of use."""
    conversations = shown_of(evaluation, attempts.find_of(db, result.registration_id))
    if result.shows != "marks":
        return conversations
    open_ids = {row.get("prompt_id") for row in (result.result_data or {}).get("criteria", ()) if row.get("text")}
    return [conversation for conversation in conversations if conversation.id in open_ids]


def cut_to_page(conversations: list[ProbeConversation]) -> list[ProbeConversation]:
    """Keep the first messages of the conversations that fit on one page."""
    characters_left = MAX_ANSWERS_CHARACTERS
    cut = []
    for conversation in conversations:
        said = first_messages(conversation.said, characters_left)
        characters_left -= sum(len(spoken.message.content) for spoken in said)
        cut.append(conversation._replace(said=said, left_out=len(conversation.said) - len(said)))
    return cut


def first_messages(said: list[SpokenPart], characters_left: int) -> list[SpokenPart]:
    for place, spoken in enumerate(said):
        characters_left -= len(spoken.message.content)
        if characters_left < 0:
            return said[:place]
    return said


def is_answer_in_criteria(evaluation: Evaluation) -> bool:
    """Whether the evidence of a criterion is the whole answer, not a quotation."""
    return traits_of(evaluation.handler).has_answers_as_evidence
