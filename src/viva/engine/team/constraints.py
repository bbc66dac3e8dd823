"""Constraints: what a user says a task must keep to, and whether anything of it reaches those who do the work."""

import re
from collections import Counter
from typing import NamedTuple

from viva.engine.reading import Reading
from viva.engine.team.speech import NEGATION
from viva.engine.text.phrases import Phrases
from viva.engine.text.sentences import sentences

# Words by which somebody says what must hold, in English, German and Spanish, in small letters.
BINDING = Phrases(
    r"(?:only|must|has to|have to|never|always|budget|limit|at most|at least|maximum|minimum|max|min|under|below"
    r"|no more than|no less than|exactly|strictly|make sure|ensure|important|instead of|rather than"
    r"|nur|muss|müssen|immer|höchstens|mindestens|maximal|unbedingt|bis zu"
    r"|solo|sólo|solamente|debe\w*|siempre|máximo|mínimo|como mucho|presupuesto|importante)\b"
)
# Words that bind, and say themselves to what.
TRAIT = Phrases(
    r"(?:allerg\w+|alérgic\w+|intoleran\w+|diabetic|vegan\w*|vegetarian\w*|confidential|private|internal|vertraulich\w*)\b"
)
# Words that bind too, unless they open the message: there they say what the task is.
WISHING = Phrases(
    r"(?:should|want|prefer|needs?|use|keep|like|will|soll\w*|möchte\w*|brauche\w*|bitte|quiero|prefiero|necesito)\b"
)
IDLE = frozenset(
    "rush problem hurry worry need idea sure matter thank know long issue wonder eile problem prisa sicher".split()
)  # of which one says "no", and binds nobody
CLAUSE = re.compile(r"[,;:()]+\s|\s(?:but|and|aber|und|sondern|pero|y)\s")
MAX_SENTENCES = 40
MIN_LETTERS, MIN_DIGITS = 3, 2


class Constraint(NamedTuple):
    """One sentence with conditions: the words of what is wanted, and of what is not."""

    text: str
    wanted: frozenset[str]
    unwanted: frozenset[str]

    @property
    def signs(self) -> frozenset[str]:
        """The words of which one shows that the condition was heard: its numbers, if it has any."""
        numbers = filter(str.isdigit, self.wanted | self.unwanted)
        return frozenset(numbers) or self.wanted or self.unwanted


def constraints(reading: Reading, message: str) -> list[Constraint]:
    """The sentences of a message that say what must be kept to. Words that the rest of the message has too tell nothing, numbers do."""
    clauses = [
        (n, sentence, clause)
        for n, sentence in enumerate(sentences(message[:5_000], MAX_SENTENCES))
        for clause in CLAUSE.split(sentence)[:MAX_SENTENCES]
    ]
    counts = Counter(stem for *_, clause in clauses for stem in reading.stems(clause))
    denied = {sentence for _, sentence, clause in clauses if NEGATION.said_in(clause.lower())}
    wanted: dict[str, set[str]] = {}
    unwanted: dict[str, set[str]] = {}
    for n, sentence, clause in clauses:
        low = clause.lower()
        own = {stem for stem in telling_stems(reading, clause) if counts[stem] == 1 or stem.isdigit()}
        if NEGATION.said_in(low):
            unwanted.setdefault(sentence, set()).update(own - IDLE)
        elif sentence in denied or BINDING.said_in(low) or TRAIT.said_in(low) or (n > 0 and WISHING.said_in(low)):
            wanted.setdefault(sentence, set()).update(own)  # beside what is ruled out stands what is wanted
    found = [
        Constraint(sentence, frozenset(wanted.get(sentence, ())), frozenset(unwanted.get(sentence, ())))
        for sentence in dict.fromkeys((*wanted, *unwanted))
    ]
    return [one for one in found if one.wanted or one.unwanted]


def telling_stems(reading: Reading, clause: str) -> set[str]:
    """The words of a clause that say what is bound, without those that bind."""
    return {
        stem
        for stem in reading.content(clause)
        if len(stem) >= (MIN_DIGITS if stem.isdigit() else MIN_LETTERS)
        and not BINDING.said_in(stem)
        and not NEGATION.said_in(stem)
    }
