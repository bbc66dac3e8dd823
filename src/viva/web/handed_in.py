"""What was handed in, as the result's page shows it; its handler says what of it everybody may read."""

from viva.evaluations.model import Evaluation
from viva.exams.handlers.table import ANSWER_IS_EVIDENCE, SHOWING
from viva.exams.handlers.transcripts import ProbeConversation, SpokenPart
from viva.exams.model import Attempt

MAX_ANSWERS_CHARACTERS = 400_000  # of answers on one page; the rest is cut, since no marker reads so much


def shown_of(evaluation: Evaluation, attempt: Attempt | None) -> list[ProbeConversation]:
    handler = SHOWING.get(evaluation.handler)
    return fitting(handler.conversations(evaluation, attempt.content)) if handler and attempt else []


def fitting(conversations: list[ProbeConversation]) -> list[ProbeConversation]:
    """The conversations with as many messages as a page has room for."""
    room = MAX_ANSWERS_CHARACTERS
    cut = []
    for conversation in conversations:
        said = first_messages(conversation.said, room)
        room -= sum(len(spoken.message.content) for spoken in said)
        cut.append(conversation._replace(said=said, left_out=len(conversation.said) - len(said)))
    return cut


def first_messages(said: list[SpokenPart], room: int) -> list[SpokenPart]:
    for place, one in enumerate(said):
        room -= len(one.message.content)
        if room < 0:
            return said[:place]
    return said


def is_answer_in_criteria(evaluation: Evaluation) -> bool:
    """Whether what a criterion rests on is the whole answer, and not a quotation from it."""
    return evaluation.handler in ANSWER_IS_EVIDENCE
