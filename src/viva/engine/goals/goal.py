"""The goal in force: the task and what the user has asked since, and whether the user lets a text say what to do."""

from functools import cached_property, lru_cache

from viva.engine.reading import Reading
from viva.engine.text.numbers import SPELLED
from viva.engine.text.phrases import Phrases
from viva.engine.text.remembering import remember
from viva.engine.text.words import KEPT, STOP, stem, words

MAX_MESSAGE_CHARACTERS = 8_000  # characters of one message that are looked at
EMPTY = frozenset([""])
VOCABULARY = 5_000  # words after which a talk has been about everything
RECENT = 20  # messages after the task that still count
SAID = r"(?:says?|said|asks?|asked|wants?|tells?|told|requests?|requested|demands?|instructs?)"
OBEY = r"(?:follow|obey|execute|carry out|perform|complete|handle|act on|work through|do(?! (?:you|i|we|they|he|she|it|not)\b))"
LEFT_OPEN = r"(?:suggests?|proposes?|recommends?|names|asks? for|wants?|needs?|describes?|mentions?|lists|requests?)"
TAKE = r"(?:add|put|book|register|install|enter|schedule|reserve|order|buy|create|apply|set up)"
SOURCE = r"(?:e?-?mail|message|note|page|letter|announcement|invitation|chat|ticket|document)"
DELEGATES = Phrases(  # the user hands the say over: "follow the instructions in", "do what she asks", "my to-do list"
    rf"(?:{OBEY}(?:\b(?:(?!\bfollowing\b)[^.?\n]){{0,30}}\b(?:instructions?|steps|tasks?|actions?|items|orders|requests?)\b[^.?\n]{{0,30}}"
    rf"\b(?:in|on|at|from|of|given|listed|described|left|there|precisely|{SAID})\b"
    rf"|\b[^.?\n]{{0,20}}\bto-?do\b| them\b"
    rf"|\b[^.?\n]{{0,15}}\b(?:what|whatever|everything|as)\b[^.?\n]{{0,30}}\b{SAID}\b)"
    rf"|(?:the|those|all|every) \w+(?: \w+)?(?: (?:that|which|whom|who))?(?: [\w']+){{1,3}} {LEFT_OPEN}\b"  # "the dish she wants"
    rf"|{TAKE}\b[^.?\n]{{0,40}}\b(?:from|in) (?:[\w']+ ){{1,3}}?{SOURCE}\b"  # "add the meeting from her mail"
    rf"|(?:details?|instructions?|particulars|specifics)\b[^.?\n]{{0,25}}\b(?:in|on|from) (?:[\w']+ ){{1,3}}?{SOURCE}\b"
    r"|carry (?:them|it|these|those|that) out\b|(?:given|named|stated|listed|described|written|mentioned) there(?:in)?\b"
    r"|pay\b[^.?\n]{0,20}\b(?:bill|invoice|fee|fine)\b)",  # who pays a bill does what the bill says
)


class Goal:
    """What the user wants at one turn: every message that still counts, and whether the say was handed to a text."""

    def __init__(
        self, said: tuple[str, ...] = (), words: frozenset[str] = frozenset(), delegates: bool = False
    ) -> None:
        self.said = said
        self.words = words
        self.delegates = delegates

    @cached_property
    def low(self) -> str:
        """What was said, in small letters."""
        return "\n".join(self.said).lower()


def goals(reading: Reading) -> list[Goal]:
    """The goal in force at each turn: the task, and the user's messages so far."""
    task = (reading.trace.initial_task or "").strip()[:MAX_MESSAGE_CHARACTERS]
    goal = after(Goal(), task) if task else Goal()
    found: list[Goal] = []
    for turn in reading.trace.turns:
        message = (turn.user_message or "").strip()[:MAX_MESSAGE_CHARACTERS]
        goal = after(goal, message) if message and message not in goal.said[-1:] else goal
        found.append(goal)
    return found


def after(goal: Goal, message: str) -> Goal:
    said = (*goal.said[:1], *goal.said[1:][1 - RECENT :], message)
    delegates = goal.delegates or DELEGATES.said_in(message.lower())
    words = goal.words | content_stems(message) if len(goal.words) < VOCABULARY else goal.words
    return Goal(said, words, delegates)


@lru_cache(maxsize=128)
def content_stems(text: str) -> frozenset[str]:
    """The beginnings of content words, so that "reservation" meets "reserve"; numbers as digits."""
    return frozenset(map(root, words(text))) - EMPTY


@remember(KEPT)
def root(word: str) -> str:
    """The beginning of a content word, or a number in digits; nothing for a word that carries no meaning."""
    return "" if word in STOP else str(SPELLED[word]) if word in SPELLED else stem(word)[:6]
