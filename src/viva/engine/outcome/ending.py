"""Signs of the ending: how the last answer closes, and how the user took it."""

from viva.engine.outcome.closing import Closing, FinalAnswer
from viva.engine.outcome.signs import Sign, flag
from viva.engine.outcome.tries import Try, only_looks
from viva.engine.reading import Reading, answer
from viva.engine.text.phrases import Phrases

MAX_MESSAGE_CHARACTERS = 4_000  # of one message that are looked at
EXCUSE_CHARACTERS = 100  # of a reply that mends nothing
# The patterns are for texts in small letters: to look for either case takes three times as long.
PERSISTS = Phrases(
    r"(?:still (?:not|no|isn'?t|doesn'?t|can'?t|won'?t|having|get|getting|broken|the same)|(?:doesn'?t|not|isn'?t|didn'?t) work\w*"
    r"|no luck|useless|waste of|give up|not (?:what i|helpful|satisfied|happy)|disappoint\w*|unacceptable|frustrat\w*|incorrect|wrong)\b"
)
EXCUSE = Phrases(r"(?:sorry|apolog\w+|unfortunately|afraid|understand|regret)\b")


def ending_signs(reading: Reading, final: FinalAnswer, done: list[Try], close: Closing) -> list[Sign]:
    """What the last answer and the user's last words say about the end of a run."""
    end = len(reading.trace.turns) - 1
    last = done[-1] if done and done[-1].turn == end else None
    worked = last is not None and not last.failed
    stopped = last is not None and (last.failed or only_looks(last.tool)) and not answer(reading.trace.turns[end])
    return [
        flag("gives_up", bool(close.gives_up), close.gives_up, final.turn),
        flag("asks_back", bool(close.asks_back), close.asks_back, final.turn),
        flag("empty", stopped or not (close.text or worked)),
        *user_signs(reading, end, done, close.declined),
    ]


def user_signs(reading: Reading, end: int, done: list[Try], declined: bool) -> list[Sign]:
    """How the user took it. Whoever was declined for a rule is displeased with the rule, not with the agent."""
    last = reading.trace.turns[end]
    user = (last.user_message or "")[:MAX_MESSAGE_CHARACTERS] if end and not declined else ""
    persists = PERSISTS.said_in(user.lower())
    reply = answer(last)[: EXCUSE_CHARACTERS + 1].lower()
    excused = not reply or (len(reply) <= EXCUSE_CHARACTERS and EXCUSE.said_in(reply))
    idle = excused and not any(one.turn == end for one in done)
    return [flag("persists", persists, user, end), flag("unheeded", idle and persists, user, end)]
