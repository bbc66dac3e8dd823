"""Responses to learn from: labelled ones, and sentences whose evidence is withheld."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from training.labelled import labelled
from viva.engine.claims.source import ClaimSource, telling, tokens
from viva.engine.detectors.hallucination import align_claims, word_features
from viva.engine.model import Turn
from viva.engine.reading import answer
from viva.engine.text.sentences import sentences

EVIDENCE = 6  # sentences that are taken away, or left, when evidence is withheld
LONG = 8  # sentences of a text from which some can be taken away
TAKEN = 4  # sentences of one summary, so that none counts for many
WORDS = 6  # of a sentence that claims something


class Example:
    """A response, what it is held against, and whether it is unsupported."""

    def __init__(self, kind: str, group: str, wrong: bool, response: str, knowledge: str, asked: str = "") -> None:
        self.kind, self.group, self.wrong, self.response = kind, group, wrong, response
        self.source = ClaimSource(knowledge)
        self.claims = align_claims(response, self.source)
        self.asked = {token.stem for token in tokens(asked)}
        self.domain = f"begin {knowledge_kind(knowledge)}" if kind == "begin" else knowledge_kind(knowledge)
        self.words = np.array([[*word_features(m).values()] for claim in self.claims for m in claim.matches], float)
        self.apart = [0.0, 0.0]  # by the static model, by the sentence model


def knowledge_kind(text: str) -> str:
    """A rough domain of a text, to hold whole domains out."""
    opening = text[:3000]
    if opening.startswith("Subject:"):
        return "mail"
    if opening.count(" . ") > 3 and opening.count(": ") > 3:
        return "chat"
    spoken = sum(opening.lower().count(f" {word} ") for word in ("i", "you", "we", "my", "so"))
    return "sentence" if len(text.split()) < 60 else "talk" if spoken * 120 > len(opening.split()) * 5 else "article"


def examples(folder: Path) -> list[Example]:
    """The labelled responses of a folder."""
    return [example(one.trace.turns[0], one.label) for one in labelled(folder, "hallucination")]


def example(turn: Turn, label: dict[str, Any]) -> Example:
    wrong, knowledge, asked = label["unsupported"], turn.knowledge or "", turn.user_message or ""
    return Example(label["set"], label["group"], wrong, answer(turn), knowledge, asked)


def withheld(given: list[Example]) -> list[Example]:
    """Sentences of good summaries, with their evidence and without it."""
    made, taken = [], Counter[str]()
    for one in given:
        if one.kind != "summedits" or one.wrong or len(one.source.sentences) < LONG:
            continue
        for sentence in sentences(one.response):
            ranked = rank(sentence, one.source)
            if taken[one.group] < TAKEN and len(sentence.split()) >= WORDS and len(ranked) > EVIDENCE:
                taken[one.group] += 1
                made += variants(sentence, one, ranked)
    for one in made:
        one.domain = next(other.domain for other in given if other.group == one.group)
    return made


def rank(sentence: str, source: ClaimSource) -> list[int]:
    """All sentences of a source that share a word with a claim, best first."""
    votes: Counter[int] = Counter()
    for root in sorted({token.stem for token in telling(sentence)}):
        places = source.where.get(root, [])
        votes.update(dict.fromkeys(places, 1 / len(places) ** 0.5 if places else 0))
    return [k for k, _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))]


def variants(sentence: str, of: Example, ranked: list[int]) -> list[Example]:
    """A sentence held against its text, against its evidence alone, and twice against a text without its best evidence."""
    best, lines = set(ranked[:EVIDENCE]), of.source.sentences
    texts = {
        "\n".join(lines): False,
        " ".join(lines[k] for k in sorted(best)): False,
        "\n".join(line for k, line in enumerate(lines) if k not in best): True,
        " ".join(lines[k] for k in sorted(ranked[4:12])): True,
    }
    return [Example("withheld", of.group, wrong, sentence, text) for text, wrong in texts.items()]
