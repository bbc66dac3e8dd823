"""Signs of the ending: the last answer against what was asked and seen, and how the user took it."""

from viva.engine.detectors import ccm, rdm
from viva.engine.outcome.closing import Closing, FinalAnswer
from viva.engine.outcome.requests import MAX_TASK_CHARACTERS, task_of
from viva.engine.outcome.signs import Sign, flag
from viva.engine.outcome.tries import Try
from viva.engine.reading import Reading, answer
from viva.engine.text.numbers import numbers
from viva.engine.text.phrases import Phrases

MAX_MESSAGE_CHARACTERS = 4_000  # of one message that are looked at
SHORT_ANSWER_CHARACTERS = 60  # of an answer that a result should have word for word
MAX_QUESTION_CHARACTERS = 400  # a longer text gives instructions, and asks for more than a value
SENTENCE_ENDS = (".", "!", "?", ":")
EXCUSE_CHARACTERS = 100  # of a reply that mends nothing
PLAIN_REJECTION = 0.9  # a displeasure above this can be read in no other way
# The patterns are for texts in small letters: to look for either case takes three times as long.
ASKS_VALUE = Phrases(
    r"how (?:much|many|long|old|tall|far|fast|often|high|big|large)\b|when\b|what time\b"
    r"|what(?:'s| is| was| are| were)(?: the| my| our)? (?:total|number|amount|price|cost|rating|date|balance|sum|average)\b"
)
LATER = Phrases(r"(?:(?:get|come) back|later|another time|hold off|think about|once i (?:have|find|get)|try again)\b")
PERSISTS = Phrases(
    r"(?:still (?:not|no|isn'?t|doesn'?t|can'?t|won'?t|having|get|getting|broken|the same)|(?:doesn'?t|not|isn'?t|didn'?t) work\w*"
    r"|no luck|useless|waste of|give up|not (?:what i|helpful|satisfied|happy)|disappoint\w*|unacceptable|frustrat\w*|incorrect|wrong)\b"
)

EXCUSE = Phrases(r"(?:sorry|apolog\w+|unfortunately|afraid|understand|regret)\b")


def ending_signs(reading: Reading, final: FinalAnswer, done: list[Try], close: Closing) -> list[Sign]:
    """What the last answer and the user's last words say about the end of a run."""
    end, question = len(reading.trace.turns) - 1, (final.request or task_of(reading))[:MAX_TASK_CHARACTERS].lower()
    worked = bool(done) and done[-1].turn == end and not done[-1].failed
    asks_value = len(question) <= MAX_QUESTION_CHARACTERS and ASKS_VALUE.said_in(question)
    valueless = bool(close.text) and asks_value and not numbers(close.text)
    return [
        flag("gives_up", bool(close.gives_up), close.gives_up, final.turn),
        flag("asks_back", bool(close.asks_back), close.asks_back, final.turn),
        flag("empty", not close.text and not worked),
        flag("valueless", valueless, close.text, final.turn),
        flag("unquoted", is_unquoted(close.text, done), close.text, final.turn),
        *user_signs(reading, end, done, close.declined),
    ]


def is_unquoted(text: str, done: list[Try]) -> bool:
    """Whether an answer of a few words, other than yes or no, is found in no result as it stands. A sentence says more."""
    short = text.strip().lower()
    if not 0 < len(short) <= SHORT_ANSWER_CHARACTERS or short.endswith(SENTENCE_ENDS) or short in ("yes", "no"):
        return False
    return any(one.result for one in done) and not any(short in one.result.lower() for one in done)


def user_signs(reading: Reading, end: int, done: list[Try], declined: bool) -> list[Sign]:
    """How the user took it. Whoever was declined for a rule is displeased with the rule, not with the agent."""
    spoke, last = end and not declined, reading.trace.turns[end]
    user = (last.user_message or "")[:MAX_MESSAGE_CHARACTERS] if spoke else ""
    heard = (
        max(reading.once(detect)[end - 1].probability or 0.0 for detect in (rdm.detect, ccm.detect)) if spoke else 0.0
    )
    rejected = max(0.0, (heard - PLAIN_REJECTION) / (1 - PLAIN_REJECTION))
    persists = PERSISTS.said_in(user.lower())
    reply = answer(last)[: EXCUSE_CHARACTERS + 1].lower()
    excused = not reply or (len(reply) <= EXCUSE_CHARACTERS and EXCUSE.said_in(reply))
    idle = excused and not any(one.turn == end for one in done)
    return [
        flag("postponed", LATER.said_in(user.lower()), user, end),
        flag("persists", persists, user, end),
        Sign("rejected", rejected, user, end),
        flag("unheeded", idle and (persists or rejected > 0), user, end),
    ]
