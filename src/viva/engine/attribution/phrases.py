"""Phrases by which an agent gives itself away: it makes data up, gives up, claims a deed, presents."""

import re

FIRST_LETTERS = re.compile(r"[a-z]+(?![?*+])")


def pattern(*phrases: str) -> re.Pattern[str]:
    """Any of some phrases in a text of small letters.

    That a phrase begins a word is looked at after its first letters, since letters are found faster than boundaries.
    """
    bounded = (FIRST_LETTERS.sub(r"\g<0>(?<!\\w\g<0>)", phrase, count=1) for phrase in phrases)
    return re.compile(rf"(?:{'|'.join(bounded)})\b")


MADE_UP = pattern(
    r"simulat\w+", "mock", "dummy", "placeholders?", r"sample (?:data\w*|of)", r"hypothetical\w*", "synthetic", "fictional",
    "made-up", "fabricated", "example data", r"assum(?:e|ing|ption)\w*", "suppose", "imagine",
    "for (?:demonstration|illustration|the sake of)",
)  # fmt: skip
GIVES_UP = pattern(
    "cannot", "can't", "unable", "couldn't", "could not", "not able", "wasn't able", "isn't able", "impossible",
    "don't have", "do not have", "didn't have", "did not have", "no access", "without access", "unfortunately",
    "not available", "unavailable", "not possible", "not feasible", r"manual\w*",
)  # fmt: skip
FOUND = (
    r"(?:'ve| have)? (?:\w+ )?(?:reviewed|checked|verified|retrieved|accessed|visited|found|confirmed|examined|watched"
    r"|looked|identified|gathered|analy[sz]ed|inspected|located)"
)
LOOKING = r" (?:\w+ )?(?:review|inspect|examin|visit|check|verif|manual|confirm)\w*"
CLAIMS_DEED = pattern("i" + FOUND, "we" + FOUND, "upon" + LOOKING, "after" + LOOKING, "having" + LOOKING)
PRESENTS = re.compile(r"\b(?:here (?:is|are)\b|the following (?:is|are)\b|as follows\b|(?:are|is):)")
