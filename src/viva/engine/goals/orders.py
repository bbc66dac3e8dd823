"""Orders in a text: sentences that tell the reader to do something, as they arrive inside tool results."""

import re
from typing import NamedTuple

from viva.engine.text.names import QUOTED
from viva.engine.text.phrases import Phrases
from viva.engine.text.polarity import kinds
from viva.engine.text.remembering import remember
from viva.engine.text.words import KEPT, stem

MAX_RESULT_CHARACTERS = 20_000  # characters of one result that are looked at
MAX_ORDERS_PER_TEXT = 40  # a manual or a recipe has hundreds, and none of them is meant for the agent

NOUNS_TOO = frozenset(  # verbs of orders that are mostly nouns elsewhere
    "access alert append archive audit block book browse broadcast clear clone comment complete concatenate contact copy deactivate"
    " delete disable download edit email e-mail encode end exchange flag format forward import issue list load log login logout"
    " mail message monitor order output overwrite parse paste place post preview process rank rate rebook record redirect refund"
    " reschedule reset review revoke sort state store sum text track trigger tweet type unblock unfollow uninstall unsubscribe"
    " update upload view wire".split()
)
NO_DEEDS = frozenset(
    "be is are was were been being have has had do does did am can could may might must shall should will would not get"
    " like want need know think note see mean seem become happen exist contain include regard consider".split()
)
UNFOLD = re.compile(
    r"\n(?:(?<=[^\s>|]\n) {2,}(?!-\s|[\w-]+:\s|\s*\n)(?=\S)|(?<=[a-z,]\n)(?=[a-z]+[ ,.]))| \n(?<=[a-z,] \n)(?=[a-z]+[ ,.])"
)  # lines a printer wrapped
BREAK = re.compile(
    r"\n+|(?<=[.!?;:])(?:[\"'”’)\]]*\s+|(?<=[a-z][.!?])(?=[A-Z][a-z]))|(?<=[\"}\]>])(?:\s*[,:}\]]\s*|\s+(?=[A-Z]))"
)  # ends of sentences, of lines, and of values in JSON and in markup
LEAD = re.compile(
    r"(?:[\W\d_]+|(?:please|kindly|then|now|also|finally|first|next|and|so|just|simply|immediately|afterwards|instead"
    r"|always|todo|note|important|urgent|task|reminder|step|action|\w+ly)\b)*+",
    re.I,
)
ASKING = (  # in small letters
    r"(?:please|kindly|(?:can|could|would)\s+you|you\s+(?:will|can|may|must|should|need to|have to|are to)|must|should|shall|ought to|(?:need|ha(?:s|ve)|want|would like)s? to"
    r"|make sure(?: to| you)?|be sure to|remember to|forget to|(?:want|need|ask|would like|require)s? you to)\s+"
    r"(?:(?:also|then|now|first|immediately|just|\w+ly)\s+)*(\w[\w-]*)"
)
ASKS, ASKED_FOR = Phrases(ASKING), re.compile(rf"\b{ASKING}")
CALLED = re.compile(r"(?:dear\s+)?\w+,\s+", re.I)
CONDITION = re.compile(
    r"(?:before|after|once|when|if|as soon as|to|while|in order to)\b[^,]{0,80},\s*(?:please\s+|then\s+)?", re.I
)
ADDRESSES = ("please", "kindly", "you")  # words of an order after which any word may be the deed
WORD = re.compile(r"[A-Za-z][\w-]*")
NOUN_FOLLOWS = re.compile(r"\s*(?:is|are|was|were|of|has|had|will|for|at|by)\b|\s*['\"]?\s*[:=,|]|\s+\w+\(", re.I)
MIN_TITLES = 2  # and one more: as many quoted words in a row are a list
LIST_MEMBERS = re.compile(r"\W*[^',]*', ['\"]")  # a list begins with a whole title; a sentence with words of its own
MARK = re.compile(  # what must be copied exactly: addresses, links, codes, file names, numbers
    r"[\w.+-]+@[\w-]+\.[\w.]*\w|(?:https?://|www\.)[^\s\"'<>)]*[\w/]|\b[\w-]+\.[a-z]{2,4}\b(?:/[\w./-]*\w)?"
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]{2,}\b|\b\w+_\w+\b|\b\d{4,}\b"
)
NAMED = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*")


class FoundOrder(NamedTuple):
    """One sentence that asks for a deed, from the verb on."""

    text: str
    start: int
    end: int


def join_wrapped_lines(text: str) -> str:
    """The text with the lines that a printer had wrapped made one again."""
    return UNFOLD.sub(" ", text[:MAX_RESULT_CHARACTERS])


def orders(text: str) -> list[FoundOrder]:
    """The orders in a text (already unfolded), in their order. What an order announces with a colon belongs to it.

    So does what goes on in small letters: "Close the gate. by using the remote control".
    """
    found: list[FoundOrder] = []
    asking = ASKS.said_in(text.lower())
    start, before, going_on = 0, -1, False
    for gap in [*BREAK.finditer(text), None]:
        end = gap.start() if gap else len(text)
        at = order_at(text[start:end], asking) if end - start > 8 and not is_title_list(text[start:end]) else None
        small = bool(found) and at is None and found[-1].end == before and text[start : start + 1].islower()
        if going_on or small:
            found[-1] = FoundOrder(text[found[-1].start : end].strip(), found[-1].start, end)
        elif at is not None:
            found.append(FoundOrder(text[start + at : end].strip(), start + at, end))
        going_on = (going_on or at is not None) and text[end - 1] == ":"
        if len(found) == MAX_ORDERS_PER_TEXT:
            break
        start, before = gap.end() if gap else end, end
    return found


def is_title_list(sentence: str) -> bool:
    """Whether this is a list of titles, and not a sentence with quoted words in it."""
    return sentence.count("', ") >= MIN_TITLES and LIST_MEMBERS.match(sentence) is not None


def order_at(sentence: str, asking: bool = True) -> int | None:
    """Where in a sentence the order begins: a deed at its head, or after words that ask (where there are any)."""
    lead = LEAD.match(sentence)
    starts = [lead.end() if lead else 0]
    if "," in sentence[:40] and (called := CALLED.match(sentence, starts[0])):
        starts.append(called.end())
    if "," in sentence and (condition := CONDITION.match(sentence, starts[0])):
        starts.append(condition.end())
    for start in starts:
        head = WORD.match(sentence, start)
        if head and is_deed(head[0].lower()) and not NOUN_FOLLOWS.match(sentence, head.end()):
            return start
    asked = ASKED_FOR.search(sentence.lower()) if asking else None
    if asked is None or asked[1] in NO_DEEDS:
        return None
    return asked.start(1) if is_deed(asked[1]) or asked[0].startswith(ADDRESSES) else None


@remember(KEPT)
def is_deed(word: str) -> bool:
    """Whether a word in small letters is a verb as orders have it."""
    if word in NO_DEEDS or word.endswith(("ing", "ed", "ly")):
        return False
    is_third_person = word.endswith("s") and not word.endswith("ss")
    return word in NOUNS_TOO or (kinds().get(stem(word)) == "v" and not is_third_person)


def marks(text: str) -> set[str]:
    """What a text names exactly: identifiers, quoted words and names, in lower case."""
    found = {match.lower() for match in MARK.findall(text)} | {match.lower() for match in NAMED.findall(text)}
    return found | {next(filter(None, match.groups())).lower() for match in QUOTED.finditer(text)}
