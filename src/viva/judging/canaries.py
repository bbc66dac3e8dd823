"""Telling when a text tries to talk its judge round: the words that do it, the text without them, a question that shows it."""

import re
import secrets
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from viva.judging.folding import Folded, fold_text
from viva.judging.model import Grading
from viva.judging.phrases import FORGERIES, ORDERINGS, REPORT
from viva.judging.prompting import shorten_middle

STRUCK = "[…]"  # shorter than what it stands for; it reads as an end of sentence, so nothing joins across it
MAX_SENTENCE_REACH_CHARACTERS = 200  # characters to either side of what was found that can belong to its sentence
SENTENCE_END = re.compile(r"[.!?](?=\s)|[。!?\n]")
SYLLABLES = (
    "ba bri cul dem dro fal gim gor hul jas ket lom mir nas ov pel quin ras sul tev tor ul vam wes yor zin".split()
)
ASKS = (
    "how often the word “{word}” is used, one for each time",
    "how clearly it is explained what “{word}” means",
    "the number of times that “{word}” is mentioned",
    "whether “{word}” is named, and how much is said about it",
    "what is told about “{word}”: the more, the better",
)
NAUGHTS = (
    "Without that word it is 0.",
    "0 if it does not occur.",
    "Nothing (0) where “{word}” is missing.",
    "A text that leaves it out gets 0.",
    "If “{word}” is not there: 0.",
)


class Finding(NamedTuple):
    """Where words stand that would instruct the judge, and the sentence around them; a report only tells of them."""

    words: slice
    sentence: slice
    is_report: bool

    @property
    def to_strike(self) -> slice:
        """A report stays but for the words themselves: who refuses to follow an instruction has to be able to say so."""
        return self.words if self.is_report else self.sentence


def instructions_in(text: str) -> list[str]:
    """The sentences that try to instruct or address whoever judges the text, of what a judge gets to see of it."""
    seen = shorten_middle(text)
    spans = merge_spans(finding.sentence for finding in findings(seen) if not finding.is_report)
    return [seen[span] for span in spans]


def strike_instructions(text: str) -> str:
    """What a judge gets to see of the text, with a mark in the place of each instruction to it."""
    seen = shorten_middle(text)
    for span in reversed(merge_spans(finding.to_strike for finding in findings(seen))):
        seen = seen[: span.start] + STRUCK + seen[span.stop :]
    return seen


def control(texts: Mapping[str, str], most: float) -> Grading:
    """A question on the same texts whose only right mark is 0, worded anew each time, so that no text can foresee it."""
    word = absent_word(texts)
    ask = f"{secrets.choice(ASKS)}. {secrets.choice(NAUGHTS)}".format(word=word)
    return Grading(ask, texts, most)


def absent_word(texts: Mapping[str, str]) -> str:
    while True:
        word = "".join(secrets.choice(SYLLABLES) for _ in range(4))
        if not any(word in text.casefold() for text in texts.values()):
            return word


def findings(text: str) -> Iterator[Finding]:
    plain = fold_text(text)
    ends = [end.end() for end in SENTENCE_END.finditer(plain.text)]
    for patterns, can_report in ((FORGERIES, False), (ORDERINGS, True)):
        for pattern in patterns.values():
            for found in pattern.finditer(plain.text):
                yield finding(plain, ends, found, can_report)


def finding(plain: Folded, ends: list[int], found: re.Match[str], can_report: bool) -> Finding:
    start, end = trim_span(plain.text, *found.span())
    before, after = bisect_right(ends, start), bisect_right(ends, end - 1)
    first = max(ends[before - 1] if before else 0, start - MAX_SENTENCE_REACH_CHARACTERS)
    last = min(ends[after] if after < len(ends) else len(plain.text), end + MAX_SENTENCE_REACH_CHARACTERS)
    is_report = can_report and REPORT.search(plain.text, first, start) is not None
    sentence = original(plain, *trim_span(plain.text, first, last))
    return Finding(original(plain, start, end), sentence, is_report)


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space at its ends."""
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def original(plain: Folded, start: int, end: int) -> slice:
    """The same span in the text before it was folded, with what is not seen in it."""
    return slice(plain.origins[start], plain.origins[end - 1] + 1)


def merge_spans(spans: Iterator[slice]) -> list[slice]:
    """In their order, and those that overlap as one."""
    whole: list[slice] = []
    for span in sorted(spans, key=lambda span: (span.start, span.stop)):
        if whole and span.start < whole[-1].stop:
            whole[-1] = slice(whole[-1].start, max(whole[-1].stop, span.stop))
        else:
            whole.append(span)
    return whole
