"""What an agent tells against what it saw and was told: values that differ, words that were swapped, states that clash."""

import re
from typing import NamedTuple

from viva.engine import meaning
from viva.engine.claims.outcomes import OutcomeClash
from viva.engine.claims.record import (
    ROOT_CHARACTERS,
    SMALL_NUMBERS,
    Record,
    ResultLeaf,
    SeenFact,
    find_facts,
    word_after,
)
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.text.polarity import NONE, contraries
from viva.engine.text.sentences import sentences
from viva.engine.text.values import Value, agree
from viva.engine.text.words import content, stem, telling, words

MAX_SENTENCES = 40
MAX_NEW_VALUES = 12
MAX_NEW_WORDS = 40
MAX_SLIPS = 5  # new values of an answer that is wrong; more are a page or a log that it shows
LONG_LINE = 30  # words of a line that may speak of many things
SAME_THING = 0.5  # likeness from which two values are of the same thing
SWAPPED = 0.4  # likeness from which one word is told for another
OPPOSED = 1.0  # the same for opposites and rivals
CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|<(execute|[\w-]{0,20}code[\w-]{0,20})>.*?(?:</\1>|\Z)", re.S)  # not spoken
BESIDE = re.compile(
    r"\b(?:for example|e\.g\.|for instance|something like|like this|such as|format|suppose|assum\w+|let's say|traceback)"
    r"|^\W*[#*]|[:*]$|\\[a-z]|\$\$|\w\s*=\s*\S|^\s*\"[^\"]{1,60}\"\s*:|^\s*file \"|\.\w{1,4}:\d+:"
)  # examples, titles, formulas, fields and logs; in small letters
UNDERIVABLE = ("code", "date", "time", "weekday")  # what nobody works out

RESULT_TABLE: FeatureTable = (
    Feature("outcome", "The answer tells as done what a tool refused or failed to do.", 1),
    Feature("unseen", "The answer has a value that no tool result or message has.", 1),
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
    leaf: ResultLeaf


class Comparison(NamedTuple):
    """All that an answer tells otherwise than it was told."""

    mismatches: list[Mismatch]
    swapped: SwappedWord | None
    outcome: OutcomeClash | None
    informed: bool = False  # whether any tool gave anything

    @property
    def features(self) -> dict[str, float]:
        names = [one for one in self.mismatches if one.value.kind == "name"]
        plain = [one for one in self.mismatches if one.value.kind != "name"]
        return {
            "outcome": float(self.outcome is not None),
            "unseen": min(2.0, len(plain)),
            "names": min(2.0, sum(1.0 if " " in one.value.text else 0.5 for one in names)),
            "swapped": max(0.0, self.swapped.likeness) if self.swapped else 0.0,
        }

    @property
    def tells_otherwise(self) -> bool:
        """Whether a tool told something else of the same thing, or the opposite. Two names may be of two things."""
        opposed = self.swapped is not None and self.swapped.likeness >= OPPOSED
        rivals = [one for one in self.mismatches if one.value.kind != "name" and one.likeness >= SAME_THING]
        return bool(self.outcome or opposed) or any(one.instead and one.instead.by_tool for one in rivals)

    @property
    def is_made_up(self) -> bool:
        """Whether there is a value that could only be copied, and that nobody gave. Who brings many has a source unseen here."""
        copied = any(one.value.kind in UNDERIVABLE for one in self.mismatches)
        return self.informed and copied and len(self.mismatches) <= MAX_SLIPS


def compare(response: str, record: Record, outcome: OutcomeClash | None = None) -> Comparison:
    """An answer held against the record. From a record with gaps nothing can be concluded but a clash of outcomes."""
    if record.whole:
        record.skim()
    if not record.whole:
        return Comparison([], None, outcome)
    return Comparison(find_mismatches(response, record), find_swapped(response, record), outcome, record.results)


def find_mismatches(response: str, record: Record) -> list[Mismatch]:
    """The values of a response that nothing bears out."""
    spoken = sentences(CODE_BLOCK.sub("\n", response), MAX_SENTENCES)
    found = [
        (sentence, value)
        for sentence in spoken
        if not BESIDE.search(sentence.lower())
        for value in find_facts(sentence)
    ]
    said = [value for _, value in found]
    strange = [pair for pair in found if pair[1].kind != "state" and not record.has(pair[1])]
    if strange:
        record.read()
    new = [(sentence, value) for sentence, value in strange if not record.bears_out(value)]
    if not new:
        return []
    untold = untold_facts(record, said, {value.kind for _, value in new})
    made = [mismatch(value, sentence, untold) for sentence, value in new[:MAX_NEW_VALUES]]
    return [one for one in made if speaks(one, record, said)]


def speaks(one: Mismatch, record: Record, said: list[Value]) -> bool:
    """Whether a mismatch says anything. What can be worked out does not; a name or a small count does if a tool gave another."""
    fact, amount = one.instead, one.value.readings[0] if one.value.kind == "amount" else None
    if one.value.kind == "name" or (amount and amount.unit == "second"):  # how long something takes, people guess
        return one.likeness >= SAME_THING
    if not record.computes(one.value, said):
        return True
    if fact is None or amount is None or amount.number not in SMALL_NUMBERS:
        return False
    same_noun = word_after(fact.line.text, fact.value) == word_after(one.sentence, one.value) != ""
    return same_noun and fact.by_tool and one.likeness >= SAME_THING


def untold_facts(record: Record, said: list[Value], kinds: set[str]) -> list[SeenFact]:
    """The facts of some kinds that a response does not tell. A name that no tool gave is none."""
    fitting = [
        fact for fact in record.facts if fact.value.kind in kinds and (fact.by_tool or fact.value.kind != "name")
    ]
    untold = {
        fact.value[:2]: not any(agree(fact.value, other) for other in said)
        for fact in {fact.value[:2]: fact for fact in fitting}.values()
    }
    return [fact for fact in fitting if untold[fact.value[:2]]]


def mismatch(value: Value, sentence: str, untold: list[SeenFact]) -> Mismatch:
    around = frozenset(content(sentence)) - frozenset(content(value.text))
    rivals = [fact for fact in untold if fact.value.kind == value.kind and same_unit(fact.value, value)]
    best = max(rivals, key=lambda fact: likeness(around, fact), default=None)
    return Mismatch(value, sentence, best, likeness(around, best) if best else 0.0)


def same_unit(one: Value, two: Value) -> bool:
    return one.kind != "amount" or len({one.readings[0].unit, two.readings[0].unit} - {""}) < 2


def likeness(around: frozenset[str], fact: SeenFact) -> float:
    """How much the words around a value and those of a fact are about the same thing."""
    before, line = fact.before, fact.around
    same_key = len(around & before) / max(1, len(before))
    shared = len(around & line) / max(1, len(around)) if len(line) <= LONG_LINE else 0.0
    return max(same_key, shared)


def find_swapped(response: str, record: Record) -> SwappedWord | None:
    """The word that nobody used which is most like a word that a tool gave for something that the response names."""
    said = frozenset(content(response))
    untold = [leaf for leaf in record.leaves if said.isdisjoint(leaf.stems)]
    plain = [word for word in dict.fromkeys(words(response)) if word.isalpha() and telling(word)] if untold else []
    known = record.roots if plain else NONE
    new = [word for word in plain if word[:ROOT_CHARACTERS] not in known][:MAX_NEW_WORDS]
    opposed = [
        SwappedWord(word, OPPOSED, leaf)
        for word in new
        for leaf in untold
        if not leaf.stems.isdisjoint(contraries(stem(word)))
    ]
    named = [leaf for leaf in untold if not said.isdisjoint(leaf.key)]
    if opposed or not new or not named:
        return opposed[0] if opposed else None
    alike = meaning.static().of_words(new) @ meaning.static().of_words([leaf.words for leaf in named]).T
    row, column = divmod(int(alike.argmax()), len(named))
    return SwappedWord(new[row], float(alike[row, column]), named[column])
