"""Replies: does an answer fit what was said to it, as named features from 0 to 1."""

import re
from collections.abc import Container
from typing import NamedTuple

from viva.engine.dialogue import cues
from viva.engine.dialogue.asking import topic, word_set
from viva.engine.dialogue.cues import pattern, phrases
from viva.engine.reading import Reading, answer
from viva.engine.text.phrases import Phrases

LOOKED_AT = 1_000  # characters of a message or reply in which it shows whether they fit
MEMORY = 6  # turns back that count as what is being talked about

YES_NO = re.compile(
    r"(?:^|[.!,;?]\s*|\b(?:and|so|but|well|ok|okay)\s)(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|am|may"
    r"|isn't|aren't|don't|doesn't|didn't|won't|can't)\s[^.!?]*\?|,\s*(?:right|no|isn't it|aren't you|don't you|didn't they)\?"
)
OPEN_QUESTION = re.compile(
    r"\b(?:what|which|who|whose|where|when|why|how)\b[^.!]*\?|^(?:what|which|who|where|when|why|how)\b"
)
SMALL_QUESTION = re.compile(
    YES_NO.pattern + r"|how (?:are|is|was|do) (?:you|it|things)|what'?s up|how's|you okay|\breally\?"
)
EXPECTED = {  # what a question of a kind wants to hear
    "when": (
        re.compile(r"\b(?:when|what time|how long|what year|what day)\b"),
        phrases(
            r"\d+|morning|evening|night|noon|today|tomorrow|yesterday|week\w*|months?|years?|days?|hours?|minutes?|ago|since|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|always|never|soon|now|later|long"
        ),
    ),
    "where": (
        re.compile(r"\b(?:where)\b"),
        phrases(r"in|at|on|near|by|from|to|here|there|home|everywhere|nowhere|around|behind|next"),
    ),
    "why": (re.compile(r"\b(?:why|how come)\b"), phrases(r"because|since|so|to|as|it'?s|i|they|he|she|due|cause")),
    "how_many": (
        re.compile(r"\bhow (?:many|much|old|often|big|far)\b"),
        phrases(
            r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|many|few|lots?|some|none|no|once|twice|every|all|much|hundreds?|thousands?|several|a"
        ),
    ),
}
YES_OR_NO = pattern(
    r"yes|yeah|yep|yup|no|nope|nah|not|of course|sure|sometimes|maybe|i do|i am|i did|i have|i can|i don't|i'm|never|always|probably|absolutely|definitely|sadly|certainly|indeed"
)
GREETING = pattern(r"hi|hello|hey|good (?:morning|evening|afternoon|night)|nice to meet you|howdy|greetings|welcome")
EVASIVE = phrases(
    r"i (?:do not|don't|dont) (?:know|understand|get)|no idea|can(?:not|'t| not) (?:answer|say|tell)|(?:let's|let us|shall we) (?:talk|discuss|change)|change the (?:topic|subject)"
    r"|something else|not sure|i'm not following|no comment|a secret|next question|instead"
)
FILLER = frozenset(
    "yes yeah yep no nope ok okay sure fine well really right exactly what nothing oh thanks thank you hmm cool good great i see it so".split()
)
COARSE = phrases(
    r"fuck\w*|shit\w*|ass(?:hole)?|bitch\w*|bastard|damn|hell|crap|idiot|stupid|shut up|kill\w*|pervert|whore|dick|sex\w*|suck\w*|ashamed|dumb"
)
OPEN_END = ("...", "…", "--", ",")
TWICE = Phrases(r"(\w++) \1\b")
OF_ANSWER = {f"answer_{name}": name for name in cues.ANSWERS}


class ReplyContext(NamedTuple):
    """A message, the reply to it, and what was said before, newest first."""

    said: str
    reply: str
    earlier_said: list[str]
    earlier_replies: list[str]


def replies(reading: Reading) -> list[ReplyContext | None]:
    """The reply of each turn; None where the user said nothing or nobody answered."""
    asked = [(turn.user_message or "")[:LOOKED_AT] for turn in reading.trace.turns]
    answers = [answer(turn)[:LOOKED_AT] for turn in reading.trace.turns]
    return [
        ReplyContext(asked[t], answers[t], asked[max(0, t - MEMORY) : t][::-1], answers[max(0, t - MEMORY) : t][::-1])
        if asked[t].strip() and answers[t].strip()
        else None
        for t in range(len(asked))
    ]


def features(reply: ReplyContext, wanted: Container[str] = OF_ANSWER) -> dict[str, float]:
    """How the reply fits; all but likenesses of meaning, which are taken for all replies at once.

    Of what the answer does, only what is wanted is looked for.
    """
    shows = cues.cue_reader(reply.reply, "answers")
    said, given = reply.said.lower().replace("’", "'"), reply.reply.lower().replace("’", "'")
    return {
        **answers_question(said, given),
        **stays_on_topic(reply, said, given),
        **own_faults(reply, given),
        **{feature: shows(name) for feature, name in OF_ANSWER.items() if feature in wanted},
    }


def answers_question(said: str, given: str) -> dict[str, float]:
    """Whether a question gets the kind of answer it asks for."""
    yes_no, wide = "?" in said and bool(YES_NO.search(said)), bool(OPEN_QUESTION.search(said))
    answered_yes_no, asks_back = bool(YES_OR_NO.match(given)), given.rstrip().endswith("?")
    wanted = [hears.said_in(given) for asks, hears in EXPECTED.values() if asks.search(said)]
    return {
        "yes_no_answered": float(yes_no and not wide and answered_yes_no),
        "yes_no_missed": float(yes_no and not wide and not answered_yes_no),
        "yes_no_to_open": float(wide and not yes_no and bool(re.match(r"(?:yes|no|yeah|nope|ok|okay)\b", given))),
        "wanted_kind": float(bool(wanted) and all(wanted)),
        "other_kind": float(bool(wanted) and not any(wanted)),
        "question_for_question": float((yes_no or wide) and asks_back and "." not in given.rstrip(".")),
        "asks_back": float(asks_back),
        "greets_back": float(bool(GREETING.match(said)) and bool(GREETING.match(given))),
        "greets_late": float(bool(GREETING.match(given)) and not GREETING.match(said)),
    }


def stays_on_topic(reply: ReplyContext, said: str, given: str) -> dict[str, float]:
    """What the reply takes up of the talk, and whether it says anything."""
    about, answered = set(topic(reply.said)), set(topic(reply.reply))
    before = {word for text in reply.earlier_said[:2] + reply.earlier_replies[:2] for word in topic(text)}
    filler, vague = word_set(reply.reply) <= FILLER, not answered and "?" not in given
    small = (filler or vague) and bool(SMALL_QUESTION.search(said))
    return {
        "takes_up": len(about & answered) / len(answered) if answered else 0.0,
        "takes_up_before": len(before & answered) / len(answered) if answered else 0.0,
        "only_filler": float(not small and filler),
        "vague": float(not small and vague),
        "parrots": float(bool(answered) and answered == about),
    }


def own_faults(reply: ReplyContext, given: str) -> dict[str, float]:
    """Faults that show in the reply alone or beside what was said before."""
    content = word_set(reply.reply)
    weight = 1.0 if len(content) > 2 else 0.5  # a "yes" said twice is hardly a repetition
    return {
        "repeats_itself": weight
        * max((overlap(content, word_set(text)) for text in reply.earlier_replies), default=0.0),
        "repeats_user": weight * max(overlap(content, word_set(text)) for text in [reply.said, *reply.earlier_said]),
        "evades": float(EVASIVE.said_in(given)),
        "coarse": float(COARSE.said_in(given)),
        "broken": float(reply.reply.rstrip().endswith(OPEN_END) or TWICE.said_in(reply.reply)),
        "late": min(len(reply.earlier_replies), MEMORY) / MEMORY,
    }


def overlap(one: frozenset[str], two: frozenset[str]) -> float:
    """Common words by all words."""
    return len(one & two) / len(one | two) if one and two else 0.0
