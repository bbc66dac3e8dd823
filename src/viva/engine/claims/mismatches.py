"""What an agent tells against what it saw and was told: values that differ, words that were swapped, states that clash."""

import re
from typing import NamedTuple

from viva.engine.claims.outcomes import OutcomeClash
from viva.engine.claims.record import Leaf, Record, SeenFact, told
from viva.engine.claims.word_vectors import vectors
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.text.polarity import NONE, opposites, rivals
from viva.engine.text.sentences import sentences
from viva.engine.text.values import Value, agree
from viva.engine.text.words import content, stem, telling, words

MAX_SENTENCES = 40
MAX_NEW_VALUES = 12
MAX_NEW_WORDS = 40
MAX_LEAVES = 100
ROOT_CHARACTERS = 4  # of a word: "moderately" is not new to who read "moderate"
LONG_LINE = 30  # words of a line that may speak of many things
SAME_KEY = 0.5  # share of the words before a value that must be told for it to be of the same thing
SWAPPED = 0.4  # likeness from which one word is told for another
ENUMERATION = re.compile(r"^\W*\d{1,2}[.)]\s")
EXAMPLE = re.compile(r"\b(?:for example|e\.g\.|for instance|something like|format)", re.I)

RESULT_TABLE: FeatureTable = (
    Feature("outcome", "The answer tells as done what a tool refused or failed to do.", 1),
    Feature("unseen", "The answer has a value that no tool result or message has.", 1),
    Feature("contradicted", "The answer has another value than what it was told of the same thing.", 1),
    Feature("names", "The answer has a name that no tool result or message has.", 1),
    Feature("swapped", "The answer has another word than the tool result in the same place.", 1),
)


class Mismatch(NamedTuple):
    """A value that nothing bears out, its sentence, what was seen in its place, and how surely that is the same thing."""

    value: Value
    sentence: str
    instead: SeenFact | None
    likeness: float


class SwappedWord(NamedTuple):
    """A word that nobody used, its likeness to one of a result that is not told, and that one."""

    word: str
    likeness: float
    leaf: Leaf


class Comparison(NamedTuple):
    """All that an answer tells otherwise than it was told."""

    mismatches: list[Mismatch]
    swapped: SwappedWord | None
    outcome: OutcomeClash | None

    @property
    def features(self) -> dict[str, float]:
        names = [one for one in self.mismatches if one.value.kind == "name"]
        plain = [one for one in self.mismatches if one.value.kind != "name"]
        return {
            "outcome": float(self.outcome is not None),
            "unseen": min(2.0, len(plain)),
            "contradicted": max((one.likeness for one in plain), default=0.0),
            "names": min(2.0, sum(1.0 if " " in one.value.text else 0.5 for one in names)),
            "swapped": max(0.0, self.swapped.likeness) if self.swapped else 0.0,
        }


def compare(response: str, record: Record, outcome: OutcomeClash | None = None) -> Comparison:
    """An answer held against the record. From a record with gaps nothing can be concluded but a clash of outcomes."""
    record.read()
    if not record.whole:
        return Comparison([], None, outcome)
    return Comparison(find_mismatches(response, record), find_swapped(response, record), outcome)


def find_mismatches(response: str, record: Record) -> list[Mismatch]:
    """The values of a response that nothing bears out."""
    spoken = [ENUMERATION.sub("", sentence) for sentence in sentences(response, MAX_SENTENCES)]
    found = [(sentence, value) for sentence in spoken if not EXAMPLE.search(sentence) for value in told(sentence)]
    new = [pair for pair in found if pair[1].kind != "state" and not record.bears_out(pair[1])][:MAX_NEW_VALUES]
    said = [value for _, value in found]
    made = [mismatch(value, sentence, said, record) for sentence, value in new]
    return [one for one in made if one.likeness >= SAME_KEY or not record.computes(one.value)]


def mismatch(value: Value, sentence: str, said: list[Value], record: Record) -> Mismatch:
    around = frozenset(content(sentence)) - frozenset(content(value.text))
    rivals = [fact for fact in record.facts if fact.value.kind == value.kind and same_unit(fact.value, value)]
    untold = [fact for fact in rivals if not any(agree(fact.value, other) for other in said)]
    measure = same_key if record.computes(value) else likeness
    best = max(untold, key=lambda fact: measure(around, fact), default=None)
    return Mismatch(value, sentence, best, measure(around, best) if best else 0.0)


def same_unit(one: Value, two: Value) -> bool:
    return one.kind != "amount" or len({one.readings[0].unit, two.readings[0].unit} - {""}) < 2


def likeness(around: frozenset[str], fact: SeenFact) -> float:
    """How much the words around a value and those of a fact are about the same thing."""
    shared = len(around & fact.line) / max(1, len(around)) if len(fact.line) <= LONG_LINE else 0.0
    return max(same_key(around, fact), shared)


def same_key(around: frozenset[str], fact: SeenFact) -> float:
    """How much of what stands before a fact, such as its key, stands around a value."""
    return len(around & fact.before) / max(1, len(fact.before))


def find_swapped(response: str, record: Record) -> SwappedWord | None:
    """The word that nobody used which is most like a word of a result that the response does not tell."""
    said = frozenset(content(response))
    untold = [leaf for leaf in record.leaves if said.isdisjoint(content(leaf.words))][-MAX_LEAVES:]
    plain = [word for word in dict.fromkeys(words(response)) if word.isalpha() and telling(word)]
    new = [word for word in plain if not record.mentions(telling(word)[:ROOT_CHARACTERS])][:MAX_NEW_WORDS]
    if not untold or not new:
        return None
    alike = vectors(new) @ vectors([leaf.words for leaf in untold]).T
    for row, word in enumerate(new):
        others = opposites().get(stem(word), NONE) | rivals().get(stem(word), NONE)
        alike[row, [k for k, leaf in enumerate(untold) if stem(leaf.words) in others]] = 1.0
    row, column = divmod(int(alike.argmax()), len(untold))
    return SwappedWord(new[row], float(alike[row, column]), untold[column])
