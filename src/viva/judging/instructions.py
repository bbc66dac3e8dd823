"""Finds instructions to the judge in a text, and strikes them out."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from viva.judging.folding import Folded, fold_text
from viva.judging.prompting import shorten_middle

STRUCK_MARK = "[…]"  # shorter than what it replaces, and it ends a sentence, so that the parts around it do not join
MAX_SENTENCE_REACH_CHARACTERS = 200  # to either side of a match that can belong to its sentence
SENTENCE_END = re.compile(r"[.!?](?=\s)|[。!?\n]")


class Finding(NamedTuple):
    """The span of an instruction to the judge, and of its sentence. A report only mentions an instruction."""

    words: slice
    sentence: slice
    is_report: bool

    @property
    def to_strike(self) -> slice:
        """In a report only the instruction is struck, so that an author can say that they refuse it."""
        return self.words if self.is_report else self.sentence


def instructions_in(text: str) -> list[str]:
    """The sentences that try to instruct the judge, in the part of the text that a judge sees."""
    seen = shorten_middle(text)
    spans = merge_spans(finding.sentence for finding in find_instructions(seen) if not finding.is_report)
    return [seen[span] for span in spans]


def strike_instructions(text: str) -> str:
    """The part of the text that a judge sees, with a mark instead of each instruction."""
    seen = shorten_middle(text)
    for span in reversed(merge_spans(finding.to_strike for finding in find_instructions(seen))):
        seen = seen[: span.start] + STRUCK_MARK + seen[span.stop :]
    return seen


def find_instructions(text: str) -> Iterator[Finding]:
    from viva.judging.phrases import FORGERIES, ORDERINGS, REPORT  # imported late: it compiles its patterns

    plain = fold_text(text)
    ends = [end.end() for end in SENTENCE_END.finditer(plain.text)]
    for patterns, report in ((FORGERIES, None), (ORDERINGS, REPORT)):
        for pattern in patterns.values():
            for match in pattern.finditer(plain.text):
                yield make_finding(plain, ends, match, report)


def make_finding(plain: Folded, ends: list[int], match: re.Match[str], report: re.Pattern[str] | None) -> Finding:
    start, end = trim_span(plain.text, *match.span())
    before, after = bisect_right(ends, start), bisect_right(ends, end - 1)
    first = max(ends[before - 1] if before else 0, start - MAX_SENTENCE_REACH_CHARACTERS)
    last = min(ends[after] if after < len(ends) else len(plain.text), end + MAX_SENTENCE_REACH_CHARACTERS)
    is_report = report is not None and report.search(plain.text, first, start) is not None
    sentence = original_span(plain, *trim_span(plain.text, first, last))
    return Finding(original_span(plain, start, end), sentence, is_report)


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space at its ends."""
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def original_span(plain: Folded, start: int, end: int) -> slice:
    """The same span in the original text, with its invisible characters."""
    return slice(plain.origins[start], plain.origins[end - 1] + 1)


def merge_spans(spans: Iterator[slice]) -> list[slice]:
    """The spans in order, with overlapping ones merged."""
    merged: list[slice] = []
    for span in sorted(spans, key=lambda span: (span.start, span.stop)):
        if merged and span.start < merged[-1].stop:
            merged[-1] = slice(merged[-1].start, max(merged[-1].stop, span.stop))
        else:
            merged.append(span)
    return merged
