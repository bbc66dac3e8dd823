"""Cues: small tables of what people say when they are served and when they are not, by meaning."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from viva.engine.text.phrases import Phrases

LOOKED_AT = 2_000  # characters of a message in which its tone shows; what follows is material


def pattern(*phrases: str) -> re.Pattern[str]:
    """One expression for many phrases, at word borders."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)")


def phrases(*some: str) -> Phrases:
    """The same where it only matters whether one of them is there."""
    return Phrases(rf"(?:{'|'.join(some)})(?!\w)")


def cue(*phrases: str, start: bool = False) -> re.Pattern[str]:
    """The same for a text with a space before it; with `start`, only where the message or a sentence begins.

    A gap is found faster than a border, which is looked for at every letter.
    """
    body = "|".join(phrases)
    return re.compile(rf"(?:^ |[.!?,;]\s*)(?:{body})\b" if start else rf"\W(?:{body})(?!\w)")


# What a user says about the answer before.
REACTIONS: Mapping[str, re.Pattern[str]] = {
    "complaint": cue(
        r"wrong(?:ly)?|incorrect|false|mistakes?|useless|ridiculous|unacceptable|terrible|awful|bad|boring|stupid|rude|silly",
        r"insensitive|annoying|frustrat\w+|disappoint\w+|confus\w+|nonsense|crazy|weird|strange|random|impossible|(?<!can't )complain\w*",
        r"not (?:right(?! now)|correct|true|helpful|helping|good|working|suitable|an answer|useful|funny|related|relevant|acceptable)",
        r"(?:isn't|wasn't|aren't) (?:right|correct|true|helpful|good|working|useful|funny|an answer)",
        r"(?:doesn't|does not|didn't|did not|don't|won't) (?:help|work|make (?:any )?sense|answer|match|look right|run|listen)",
        r"no sense|what are you talking|what do you mean|are you (?:even|kidding|serious|sure|listening|joking|ok|okay|crazy)",
        r"seriously|can't be|cannot be|too (?:long|short|expensive|early|late|far|complicated|vague|many|much|slow)",
        r"way (?:over|too|off)|over my budget|huh|pardon|come on|what the \w+|oh no|lost me|off topic|unrelated",
        r"changing the subject|no idea what|i don't (?:understand|get it|follow)|i do not (?:understand|follow)",
    ),
    "blames": cue(
        r"(?:that's|that is|this is|it's|it is) not what|not what i|you (?:didn't|did not|don't|do not|never|aren't|are not|keep|kept|already"
        r"|just (?:said|told|asked)|said|told|forgot|missed|ignored|misunderst\w+|misread|repeat\w*|only|stated|gave|skipped|changed|deleted|removed)",
        r"you(?:'re| are) (?:not|repeating|wrong|useless|still)|your (?:mistake|fault|error)|did you (?:not|even|actually)|stop|human|manager|real person",
    ),
    "corrects": cue(
        r"i (?:said|meant|mean|asked|told|wanted|specified|mentioned|requested|was asking|was looking|am asking|only|already|just)",
        r"i'm asking|as i (?:said|told|mentioned|wrote)|like i (?:said|asked)|as (?:said|requested|mentioned)|wie gesagt",
        r"instead of|rather than|should (?:be|have)|supposed to|not the \w+|only the|just the|without|revert|undo|put it back|restore|roll it back",
        r"(?:it's|it is|its) (?:called|in the|actually)|must be|needs to be|has to be",
    ),
    "again": cue(
        r"again|already|still|once more|one more time|try|retry|repeat\w*|double.?check|re-?check|keep (?:looking|trying|searching)|before|earlier",
        r"continue to|at all|any (?:at all|way)|isn't there|aren't there|is there any|are there any|there must be|surely|actually search",
    ),
    "alternatives": cue(
        r"another|others?|else|different|instead|alternatives?|rather|options?|more choices|changed? my mind|what about|how about|cheaper|later|earlier"
        r"|nearer|closer|else(?:where)?|better|simpler|shorter|smaller|larger|then",
    ),
    "gives_up": cue(
        r"never ?mind|forget (?:it|about it|that)|leave it|let it be|look elsewhere|i guess|another time|figure (?:it|something) out|i'll (?:just )?do it myself"
        r"|no point|give up|will have to do|not (?:helpful|happening)|skip (?:it|that)|don't bother|a pity|too bad|thanks for trying",
    ),
    "refuses": cue(
        r"no(?! (?:problem|worries|rush))|nope|nah|not (?:now|yet|right now|really|interested|today|just yet|at the moment|at this time|currently)|none",
        r"(?:i )?(?:don't|do not|dont) (?:want|need|think so|like|wish)|i(?:'d| would) rather|i(?:'m| am) not|not",
        start=True,
    ),
    "closes": cue(
        r"that(?:'s| is|s|'ll be| will be| was) (?:all|it|everything)|nothing(?: else| more)?|bye|goodbye|good ?night|i(?:'m| am) (?:done|good|all set)",
        r"all set|all i (?:need\w*|want\w*)|have a (?:nice|good|great)|no more|everything i need\w*|that (?:will|would) be (?:all|it|everything)",
    ),
    "indifferent": cue(
        r"no preferences?|(?:don't|do not|doesn't|does not|dont) (?:really )?(?:care|matter|mind)|any (?:is|will|would|one)|anything is|whatever|not important"
        r"|isn't important|up to you|no particular|doesnt matter|any \w+ (?:is|will|would) (?:fine|do|be)",
    ),
    "thanks": cue(r"thanks?|thank you|thx|ty|appreciate\w*|cheers|grateful|gracias|danke|merci|obrigad[oa]"),
    "accepts": cue(
        r"yes|yep|yeah|yup|sure|ok|okay|alright|great|perfect|excellent|awesome|wonderful|fantastic|lovely|brilliant|amazing|cool|nice|good|fine|super|lgtm",
        r"sounds? \w+|works?|correct|right|exactly|agreed|deal|go ahead|go with|do it|book (?:it|that)|take (?:it|that)|i(?:'ll| will) take|please do|of course|love|like",
        r"got it|i see|makes sense|that (?:will|would|'ll) (?:do|work|be)|suits?|great work|well done|interesting|haha|lol|delicious|fun|👍|🙏|😀|😊",
    ),
    "asks": re.compile(
        r"\?|(?:^ |[.!,]\s*)(?:what|which|who|where|when|why|how|is|are|do|does|did|can|could|will|would|may)\b"
    ),
    "orders": cue(
        r"(?:please |now |then |and |also |just )*(?:find|get|give|show|tell|book|make|add|send|look|search|check|pull|set|play|buy|reserve|write|fix|run|use|put"
        r"|change|create|open|list|let me know|let's|i need|i want|i would like|i'd like|i am looking|i'm looking|help|try|pick|recommend|explain)",
        start=True,
    ),
    "loud": re.compile(r"!!|\?\?|\?!|!\?|\b[A-Z]{3,}\b[^.?]*!|^\s*[?.!]+\s*$|\.\.\.\s*$"),
}

# What an answer does.
ANSWERS: Mapping[str, re.Pattern[str]] = {
    "fails": cue(
        r"unfortunately|afraid|apolog\w+|cannot|can't|could not|couldn't|can not|unable|not (?:able|possible|available|successful)|unavailable|unsuccessful\w*",
        r"fail(?:s|ed|ure)?|did(?:n't| not) (?:go|work|find|succeed|understand)|no (?:results?|matches|match|luck|record)|not found|error|nothing|went wrong|fully booked|full on|taken",
        r"there (?:is|are|were|was) no(?:t|ne| other)?|i (?:have|found|see|find) no|don't have|do not have|don't know|do not know|not sure|don't understand|no longer",
        r"wasn't able|was not able|weren't able|didn't|not understand|still (?:cannot|can't|no)",
    ),
    "lacks": cue(
        r"(?:does|do|did|is|are|was|were|has|have|will|would)(?:n't| not) \w+|no \w+ (?:is|are|was|were)|sold out"
    ),
    "sorry": cue(r"sorry|apolog\w+|unfortunately|regret|my mistake|i'm afraid|i am afraid|so sorry"),
    "denies": cue(r"no|not|none|neither|nope|(?:do|does|did|is|are|was|were)n't", start=True),
    "offers": cue(
        r"would you (?:like|prefer|care)|do you (?:want|wish|need|like)|shall i|should i|may i|can i|could i|how about|what about|want me to|interested in|i can (?:help|book|offer|get)"
        r"|would you|will (?:that|this|it) (?:work|do|be)|does (?:that|this|it) (?:work|suit|sound)|i (?:suggest|recommend)|ready to|are you|let me know",
    ),
    "anything_else": cue(
        r"(?:any|some)thing (?:else|more|further)|what else|how else|else (?:can|may|could|should) (?:i|we)|(?:further|more|other) (?:assist\w*|help|questions?|information)|assist you further"
        r"|help (?:you )?(?:further|with)|another (?:task|thing|matter)|need (?:my help|anything)|still need|assist (?:you )?with",
    ),
    "asks_slot": re.compile(r"\b(?:what|which|when|where|who|how (?:many|much|long))\b[^?.]{0,120}\?"),
    "asks": re.compile(r"\?"),
    "confirms": cue(r"confirm\w*|correct|right|is that (?:right|correct|okay|ok)|just to|you want|you would like"),
    "delivers": cue(
        r"booked|reserved|confirmed|success\w*|done|purchased|scheduled|reference|added|sent|here (?:is|are|you)|found|changed|fixed|updated|ordered|saved|closed|located|address|number is|it is|yes",
    ),
}


class Shown(dict[str, float]):
    """Whether a text shows each meaning of a table: 1.0 or 0.0. It is looked for when it is first asked for."""

    __slots__ = ("_cues", "_plain", "_written")

    def __init__(self, text: str, cues: Mapping[str, re.Pattern[str]]) -> None:
        super().__init__()
        self._cues = cues
        self._written = " " + text[:LOOKED_AT].replace("’", "'")
        self._plain = self._written.lower()

    def __missing__(self, name: str) -> float:
        text = self._written if name == "loud" else self._plain
        found = self[name] = 1.0 if self._cues[name].search(text) else 0.0
        return found


@lru_cache(maxsize=128)
def cue_reader(text: str, table: str) -> Callable[[str], float]:
    """Tells of each meaning of a table whether a text shows it."""
    return Shown(text, REACTIONS if table == "reactions" else ANSWERS).__getitem__
