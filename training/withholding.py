"""Claims made unsupported: their evidence is withheld, or one fault is put into them. Each has a twin that is supported."""

import random
import re
from pathlib import Path

from training.sources import SEED, Pair, read_pairs
from training.tellings import change_number
from viva.engine.text.names import names
from viva.engine.text.words import content

SOURCES = ("dstc9_rag", "fever_rte", "halueval_qa")
POOL = 3_500  # pairs of a source among whose passages the nearest are sought
CLAIMS = 200
PASSAGES = 4
VERB = re.compile(r"\b(is|are|was|were|has|have|can|will|does|did|do)\b(?! not\b)(?!n't)")
NOT = re.compile(r"(?: not\b|n't\b)")


def withheld(folder: Path, most: int = CLAIMS) -> list[Pair]:
    """Two pairs for each of some supported claims."""
    chance, made = random.Random(SEED), []
    for source in SOURCES:
        pairs = read_pairs(folder, source, POOL)
        passages = list(dict.fromkeys(pair.text_a for pair in pairs))
        bags = [frozenset(content(passage)) for passage in passages]
        for pair in [pair for pair in pairs if int(pair.label) == 1][:most]:
            near = nearest(pair, passages, bags)
            whole = [*near[:-1], pair.text_a]
            chance.shuffle(whole)
            name = f"withheld {source}"
            made.append(pair._replace(source=name, text_a="\n".join(whole)))
            made.append(pair._replace(source=name, text_a="\n".join(near), label=0))
    return made


def nearest(pair: Pair, passages: list[str], bags: list[frozenset[str]]) -> list[str]:
    """The passages that share most with a claim, apart from those that hold its own."""
    words = frozenset(content(pair.text_b))
    ranked = sorted(range(len(passages)), key=lambda k: -len(words & bags[k]) / (len(bags[k]) + 8) ** 0.5)
    others = (passages[k] for k in ranked if pair.text_a not in passages[k] and passages[k] not in pair.text_a)
    return [next(others) for _ in range(PASSAGES)]


def faulty(folder: Path, most: int = CLAIMS) -> list[Pair]:
    """Supported claims, and the same with one fault: a negation, another number or another name."""
    chance, made = random.Random(SEED), []
    for source in SOURCES:
        pairs = [pair for pair in read_pairs(folder, source, POOL) if int(pair.label) == 1]
        others = [name for pair in pairs for name in names(pair.text_b) if " " in name]
        for pair in pairs[:most]:
            fault = plant(pair.text_b, others, chance)
            if fault:
                made.append(pair._replace(source=f"faulty {source}"))
                made.append(pair._replace(source=f"faulty {source}", text_b=fault, label=0))
    return made


def plant(claim: str, others: list[str], chance: random.Random) -> str | None:
    """A claim with one fault, of those that it can have."""
    named = [name for name in names(claim) if " " in name]
    found = [negate(claim), change_number(claim, chance)]
    found += [claim.replace(chance.choice(named), chance.choice(others))] if named else []
    possible = [fault for fault in found if fault and fault != claim]
    return chance.choice(possible) if possible else None


def negate(claim: str) -> str:
    """A claim with a "not" more, or one less."""
    return NOT.sub("", claim, count=1) if NOT.search(claim) else VERB.sub(r"\1 not", claim, count=1)
