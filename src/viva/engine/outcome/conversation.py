"""Signs of a conversation: a user and agents over several turns, and how it ended."""

import math
import re
from typing import NamedTuple

from viva.engine.detectors import ccm, rdm
from viva.engine.outcome.changes import ToolAction, deeds, find_unrepaired, has_changed
from viva.engine.outcome.signs import Sign, flag, shown_by
from viva.engine.reading import Reading, answer, flat
from viva.engine.text.phrases import Phrases
from viva.engine.text.sentences import sentences

WHY = {
    "listed": "Much was listed for the user to follow or to choose from",
    "large_change": "One change set many values, each of which can be wrong",
    "lacking": "The user did not have what was asked for",
    "failed": "Calls failed",
    "unrepaired": "A call failed and was not repaired",
    "unconfirmed": "Something was changed without the user's yes in that turn",
    "upheld": "A request was declined for a stated rule, and nothing was changed",
    "dropped": "Nothing was changed and no rule was named: the conversation ended with the request open",
    "postponed": "The user left to come back later",
    "persists": "The user's last words say that the problem is still there",
    "thanks": "The user closed with thanks",
    "handed_over": "The agent handed over to a person, naming no rule",
    "rejected": "The user's last words reject the answer before, or ask again",
    "unanswered": "The user's last words got no answer",
}
MAX_MESSAGE_CHARACTERS = 4_000  # characters of one message that are looked at
LISTED = re.compile(r"^[^\S\n]*(?:\d+[.)]|[-*•])", re.M)
VALUE = re.compile(r"[\w.@-]+")
PLAIN = 0.9  # a displeasure above this can be read in no other way
SMALL = 6  # names and values in the arguments of a simple change: three pairs
USERS = frozenset(("customer", "user", "client", "caller", "human"))
# The patterns are for texts in small letters: to look for either case takes three times as long.
LACKS = Phrases(r"(?:(?:do not|don'?t|didn'?t) (?:have|remember|know|recall)|not sure|can'?t (?:remember|find))\b")
YES = Phrases(r"(?:yes|yeah|yep|sure|ok|okay|confirm\w*|proceed|go ahead|please do|sounds good|that works|correct)\b")
DECLINES = Phrases(
    r"(?:unfortunately|unable to|cannot|can'?t|can not|not (?:able|possible|eligible|allowed|permitted)"
    r"|i(?:'m| am) sorry|regret|does(?: not|n't)|no options?)\b"
)
RULE = Phrases(
    r"(?:polic(?:y|ies)|rules?|terms|(?:in)?eligib\w+|permitted|allow(?:ed)?|non-?\w+able|restrict\w+"
    r"|(?:can(?:not|'t| not)|can only|may not|must) be \w+(?:ed|en|t)\b|only (?:if|when|within)|regardless|exceptions?"
    r"|conditions?|does(?: not|n't) (?:cover|include|apply))"
)
INSISTS = Phrases(
    r"(?:exceptions?|special|flexib\w+|really (?:need|hop\w+|want)|at least|any (?:possibility|way|chance|other)"
    r"|is there (?:any|some)|i was told|i read|supposed to|should|loyal|supervisor|manager|escalat\w*|someone else"
    r"|(?:speak|talk) (?:to|with)|human|fair|compromise|partial|instead|even if|emergency|but)\b"
)
LATER = Phrases(
    r"(?:(?:get|come) back|later|another time|hold off|think about|reach out|contact you|once i (?:have|find|get)"
    r"|try (?:again|to find)|gather|look for)\b"
)
PERSISTS = Phrases(
    r"(?:still (?:not|no|isn'?t|doesn'?t|can'?t|won'?t|having|get|getting|broken|the same)|(?:doesn'?t|not|isn'?t|didn'?t) work\w*"
    r"|no luck|useless|waste of|give up|not (?:what i|helpful|satisfied|happy)|disappoint\w*|unacceptable|frustrat\w*)\b"
)
THANKS = Phrases(r"(?:thanks?|thank you|appreciate\w*|perfect|great|wonderful|excellent|awesome)\b")


class TurnTexts(NamedTuple):
    """What one turn holds for these signs: the user's words, the answer, and the rule it declined for, if any."""

    user: str
    answer: str
    rule: str


def signs(reading: Reading) -> list[Sign]:
    """What a conversation says about its end."""
    exchanges = [exchange(turn.user_message or "", answer(turn)) for turn in reading.trace.turns]
    done = deeds(reading)
    return [
        *burden_signs(exchanges, done),
        *call_signs(reading, exchanges, done),
        *refusal_signs(exchanges, done),
        *last_words_signs(exchanges),
        *last_reaction_signs(reading, exchanges),
    ]


def exchange(user: str, response: str) -> TurnTexts:
    response = response[:MAX_MESSAGE_CHARACTERS]
    return TurnTexts(
        user[:MAX_MESSAGE_CHARACTERS], response, declined_for(response) if DECLINES.said_in(response.lower()) else ""
    )


def declined_for(response: str) -> str:
    """The sentence in which an answer declines and names a rule, or nothing."""
    lines = ((line, line.lower()) for line in sentences(response))
    return next((line for line, low in lines if DECLINES.said_in(low) and RULE.said_in(low)), "")


def burden_signs(exchanges: list[TurnTexts], done: list[ToolAction]) -> list[Sign]:
    """How much had to go right."""
    lines = sum(len(LISTED.findall(one.answer)) for one in exchanges)
    lacking = [t for t, one in enumerate(exchanges) if LACKS.said_in(one.user.lower())]
    sizes = [
        (len(VALUE.findall(flat(one.call.parameters)[:MAX_MESSAGE_CHARACTERS])), n)
        for n, one in enumerate(done)
        if has_changed(one)
    ]
    size, largest = max(sizes, default=(0, 0))
    return [
        Sign("listed", math.log1p(lines)),
        Sign("lacking", math.log1p(len(lacking)), *((exchanges[lacking[0]].user, lacking[0]) if lacking else ())),
        shown_by("large_change", done[largest] if sizes else None, math.log(max(1.0, size / SMALL))),
    ]


def call_signs(reading: Reading, exchanges: list[TurnTexts], done: list[ToolAction]) -> list[Sign]:
    """Calls that failed, and changes the user had not agreed to."""
    failures = [one for one in done if one.failed]
    hasty = next((one for one in done if has_changed(one) and not user_agreed(reading, exchanges, one)), None)
    return [
        shown_by("failed", failures[-1] if failures else None, math.log1p(len(failures))),
        shown_by("unrepaired", find_unrepaired(done)),
        shown_by("unconfirmed", hasty),
    ]


def user_agreed(reading: Reading, exchanges: list[TurnTexts], deed: ToolAction) -> bool:
    """Whether the user said yes in the turn of a change, or the user made it."""
    actor = reading.trace.turns[deed.turn].agent_interactions[deed.interaction].agent_id
    agent = reading.agents.get(actor)
    own = actor.lower() in USERS or (agent is not None and (agent.role or "").lower() in USERS)
    return own or YES.said_in(exchanges[deed.turn].user.lower())


def refusal_signs(exchanges: list[TurnTexts], done: list[ToolAction]) -> list[Sign]:
    """A request against the rules is settled by declining it, the more so when the user insists in vain."""
    kept = not any(has_changed(one) for one in done)
    rules = [t for t, one in enumerate(exchanges) if one.rule]
    insisted = any(INSISTS.said_in(exchanges[t + 1].user.lower()) for t in rules if t + 1 < len(exchanges))
    handed = next((one for one in done if one.handing), None) if not rules else None
    return [
        Sign("upheld", (1.0 if insisted else 0.5) if kept and rules else 0.0),
        flag("dropped", bool(done) and kept and not rules, exchanges[-1].user, len(exchanges) - 1),
        shown_by("handed_over", handed),
    ]


def last_words_signs(exchanges: list[TurnTexts]) -> list[Sign]:
    """What the user said at the end."""
    end = len(exchanges) - 1
    user = exchanges[end].user
    low = user.lower()
    return [
        flag(name, phrases.said_in(low), user, end)
        for name, phrases in (("postponed", LATER), ("persists", PERSISTS), ("thanks", THANKS))
    ]


def last_reaction_signs(reading: Reading, exchanges: list[TurnTexts]) -> list[Sign]:
    """How the user took the answer before the last words, and whether these were answered.

    Who was declined for a rule is displeased with the rule; that the request came to nothing is told by other signs.
    """
    end = len(exchanges) - 1
    user = exchanges[end].user
    heard = [reading.once(detect)[end - 1].probability or 0.0 for detect in (rdm.detect, ccm.detect)]
    displeased = 0.0 if any(one.rule for one in exchanges) else max(0.0, (max(heard) - PLAIN) / (1 - PLAIN))
    acts = reading.trace.turns[end].agent_interactions
    silent = bool(acts) and not exchanges[end].answer and not any(act.agent_steps for act in acts)
    waits = bool(user.strip()) and not THANKS.said_in(user.lower())
    return [Sign("rejected", displeased, user, end), flag("unanswered", silent and waits, user, end)]
