"""Orders in a text: sentences that tell the reader to do something, as they arrive inside tool results."""

import re
from typing import NamedTuple

from viva.engine.text.names import QUOTED
from viva.engine.text.phrases import Phrases

MAX_RESULT_CHARACTERS = 20_000  # characters of one result that are looked at
MAX_ORDERS_PER_TEXT = (
    40  # orders of one text; a manual or a recipe has hundreds, and none of them is meant for the agent
)

DEEDS = frozenset(
    "accept activate add alert allow announce answer append apply approve archive arrange ask assign attach authorize"
    " block book browse buy call cancel change clear click clone close commit compile complete compose concatenate"
    " confirm connect contact copy create deactivate delete deliver deploy deposit disable discard display disregard"
    " donate download draft drop edit email e-mail enable encode end enroll ensure erase exchange execute export fill"
    " find finish flag follow forget format forward gather get give go grant hide ignore import include inform initiate"
    " insert install invite issue join keep leave list load locate lock log look mail make mark merge message modify"
    " move notify obtain omit open order output overwrite paste pay perform pick place post print proceed prepare process"
    " promote provide publish purchase push put raise read rebook recommend record redirect refer refund register"
    " reject release remove rename reply report request reschedule reserve reset respond retrieve return reveal review"
    " revoke run save say schedule search select sell send set share show sign sort start state stop store submit"
    " subscribe substitute sum summarize suggest switch take tell terminate text track transfer translate transmit trigger"
    " turn type unblock uninstall unlock unsubscribe update upgrade upload use verify visit wire withdraw write".split()
)
UNFOLD = re.compile(
    r"\n(?:(?<=[^\s>|]\n) {2,}(?!-\s|[\w-]+:\s|\s*\n)(?=\S)|(?<=[a-z,]\n)(?=[a-z]+[ ,.]))| \n(?<=[a-z,] \n)(?=[a-z]+[ ,.])"
)  # lines a printer wrapped
BREAK = re.compile(r"\n+|(?<=[.!?;:])(?:[\"'”’)\]]*\s+|(?<=[a-z][.!?])(?=[A-Z][a-z]))")
LEAD = re.compile(
    r"(?:[\W\d_]+|(?:please|kindly|then|now|also|finally|first|next|and|so|just|simply|immediately|afterwards|instead"
    r"|always|todo|note|important|urgent|task|reminder|step|action)\b)*",
    re.I,
)
ASKING = (  # in small letters
    r"(?:please|kindly|you\s+(?:will|can|may|are to)|must|should|shall|ought to|(?:need|ha(?:s|ve)|want|would like)s? to"
    r"|make sure(?: to| you)?|be sure to|remember to|forget to|(?:want|need|ask|would like|require)s? you to)\s+"
    r"(?:(?:also|then|now|first|immediately|just|\w+ly)\s+)*(\w[\w-]*)"
)
ASKS, ASKED_FOR = Phrases(ASKING), re.compile(rf"\b{ASKING}")
CALLED = re.compile(r"(?:dear\s+)?\w+,\s+", re.I)
WORD = re.compile(r"[A-Za-z][\w-]*")
NOUN_FOLLOWS = re.compile(r"\s*(?:is|are|was|were|of|has|had|will|for|at|by)\b|\s*['\"]?\s*[:=,|]", re.I)
MARK = re.compile(  # what must be copied exactly: addresses, links, codes, file names, numbers
    r"[\w.+-]+@[\w-]+\.[\w.]*\w|(?:https?://|www\.)[^\s\"'<>)]*[\w/]|\b[\w-]+\.[a-z]{2,4}\b(?:/[\w./-]*\w)?"
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]{2,}\b|\b\w+_\w+\b|\b\d{4,}\b"
)
NAMED = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*")


class FoundOrder(NamedTuple):
    """One sentence that asks for a deed, from the verb on."""

    text: str
    start: int


def join_wrapped_lines(text: str) -> str:
    """The text with the lines that a printer had wrapped made one again."""
    return UNFOLD.sub(" ", text[:MAX_RESULT_CHARACTERS])


def orders(text: str) -> list[FoundOrder]:
    """The orders in a text (already unfolded), in their order; what an order announces with a colon belongs to it."""
    found: list[FoundOrder] = []
    asking = ASKS.said_in(text.lower())
    start, going_on = 0, False
    for gap in [*BREAK.finditer(text), None]:
        end = gap.start() if gap else len(text)
        at = order_at(text[start:end], asking) if end - start > 8 else None
        if going_on:
            found[-1] = FoundOrder(text[found[-1].start : end].strip(), found[-1].start)
        elif at is not None:
            found.append(FoundOrder(text[start + at : end].strip(), start + at))
        going_on = (going_on or at is not None) and text[end - 1] == ":"
        if len(found) == MAX_ORDERS_PER_TEXT:
            break
        start = gap.end() if gap else end
    return found


def order_at(sentence: str, asking: bool = True) -> int | None:
    """Where in a sentence the order begins: a deed at its head, or after words that ask (where there are any)."""
    lead = LEAD.match(sentence)
    starts = [lead.end() if lead else 0]
    if "," in sentence[:40] and (called := CALLED.match(sentence, starts[0])):
        starts.append(called.end())
    for start in starts:
        head = WORD.match(sentence, start)
        if head and head[0].lower() in DEEDS and not NOUN_FOLLOWS.match(sentence, head.end()):
            return start
    asked = ASKED_FOR.search(sentence.lower()) if asking else None
    return asked.start(1) if asked and asked[1] in DEEDS else None


def marks(text: str) -> set[str]:
    """What a text names exactly: identifiers, quoted words and names, in lower case."""
    found = {match.lower() for match in MARK.findall(text)} | {match.lower() for match in NAMED.findall(text)}
    return found | {next(filter(None, match.groups())).lower() for match in QUOTED.finditer(text)}
