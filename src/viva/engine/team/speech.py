"""What a speaker does by speaking: asks, waits, promises, refuses.

The patterns are for texts in small letters: to look for either case takes three times as long.
"""

import re

from viva.engine.text.phrases import REQUEST, Phrases

TAIL = 400  # characters at the end of a message that tell what it leaves to the next speaker

NEGATION = Phrases(
    r"(?:not|no|never|without|nor|neither|cannot|avoid|kein\w*|nicht|nie|niemals|ohne|weder|sin|nunca|ni)\b|\w+n't\b"
)
QUESTION = re.compile(r"\?(?:\s|$)")
CODE = "```"
# How a terminal begins its report.
EXECUTED = re.compile(r"exit ?code: ?-?\d+[^\n]{0,40}|(?:code|execution) (?:output|result)s?:|^output:")
WAITS = Phrases(
    r"(?:still (?:nothing|no)|no (?:answer|reply|response|word)|warte\w*|esper\w+|wait(?:ing)? (?:for|on|until)|await(?:ing)?|once (?:you|i have|i receive|the|we have|they)|as soon as you"
    r"|until you|when you are ready|your turn|over to you|pending your|let me know when|hold on)\b"
)
PROMISE = Phrases(
    r"(?:(?:i will|i'll|i am going to|i'm going to|let me(?! know)|allow me to|i shall|i am about to)"
    r" (?:now |then |first |next |just |quickly |also |go ahead and |proceed (?:to|with)|start (?:by )?)*"
    r"(?:\w+)|(?:one moment|please hold|hold on|please wait|bear with me|just a (?:moment|second))\b)"
)
# A promise that waits for the user, is a courtesy, or speaks of what happens anyway, is no broken one.
CONDITION = Phrases(
    r"(?:if|once|when|after|as soon as|before|unless|should you|would you|do you|are you|let me know|confirm|whether"
    r"|need (?:your|the|you|some|a few)|may i|can i|be (?:happy|glad|able|here)|need to|have to|help you|assist you|which"
    r"|what|miss|try to (?:keep|remember)|remember|please|tell me|give me|rephrase|ask|hand over|conclude|end|close|terminate|be back|see you|talk|discuss|think|take that|say|tell you)\b"
)
REFUSAL = re.compile(
    r"\b(?:i|we)(?: am|'m| are|'re)? (?:can(?:'|no)?t|can not|won't|will not|unable to|not able to|(?:do not|don't) (?:want"
    r" to|wish to)|refuse to|decline to)\b"
    r"(?! (?:find|see|locate|wait|recall|remember|believe|imagine|say|think|tell|help but|agree))"
)
REASON = Phrases(
    r"(?:because|since|due to|as (?:it|the|this|that|you|your|per|i|there)|policy|policies|requires?|required|only"
    r"|lack\w*|(?:do|does)(?: not|n't) (?:have|exist|support|allow|include|contain)|(?:is|are)n't"
    r"|not (?:allowed|permitted|available|eligible|supported|authori[sz]ed|found|valid|exist)|access|no (?:\w+ )?(?:results?|match"
    r"|matching|access|record|flights?|options?|permission|availability)|without|until|however|instead|alternatively|but (?:i|we|you)"
    r" can|you (?:can|could|may|might)|could you|can you|would you|please|within|outside|already|so (?:i|we)|suggest|other"
    r"|fully booked|limit\w*|must|need\w*|safety|harm\w*|privacy|illegal|error|fail\w*|transfer\w*)\b"
)


def asks(text: str) -> bool:
    return QUESTION.search(text) is not None or REQUEST.said_in(text)


def waits(text: str) -> bool:
    """Whether a message leaves it to the other side to go on."""
    end = text[-TAIL:].lower()
    return asks(end) or WAITS.said_in(end)
