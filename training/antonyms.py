"""Makes the tables of opposites, of word kinds and of irregular forms in engine/text from the WordNet 3.0 database files.

Run as `python -m training.antonyms DICT` with the folder of data.noun, index.noun, cntlist.rev and so on.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from viva.engine.text.words import strip_ending

TABLES = Path(__file__).parent.parent / "src/viva/engine/text"
KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
PARTS = ("noun", "verb", "adj", "adv")
SEEN = 2  # rarer words of the counted texts are left out: their counts say little
PLAIN = re.compile(r"[a-z]{2,}")
FEATHERS = frozenset("man men woman girl boy".split())  # opposites to WordNet that a text may well name side by side


def counts(folder: Path) -> dict[str, Counter[str]]:
    """How often each word was used as noun, verb, adjective or adverb in the texts WordNet's makers read."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in (folder / "cntlist.rev").read_text().splitlines():
        key, _, count = line.split()
        word, _, sense = key.partition("%")
        if PLAIN.fullmatch(word):
            found[word][KINDS[sense[0]]] += int(count)
    return found


def opposites(folder: Path) -> set[tuple[str, str]]:
    """Pairs of words that WordNet calls antonyms of each other."""
    pairs = set()
    for part in PARTS:
        synsets = {row[0]: row for row in map(synset, rows(folder / f"data.{part}"))}
        for words, pointers in ((row[1], row[2]) for row in synsets.values()):
            for target, here, there in pointers:
                if target in synsets:
                    pairs.add((words[here - 1], synsets[target][1][there - 1]))
    return {(one, two) for one, two in pairs if one < two and PLAIN.fullmatch(one) and PLAIN.fullmatch(two)}


def irregular(folder: Path, known: dict[str, int]) -> dict[str, str]:
    """Forms of known words that no rule for endings leads back to their base."""
    forms: dict[str, str] = {}
    for part in ("noun", "verb"):
        for line in (folder / f"{part}.exc").read_text().splitlines():
            form, base, *_ = line.split()
            usual = known.get(base, 0) > 2 * known.get(form, 0)  # "found" is rather "find" than "to found"
            if usual and PLAIN.fullmatch(form) and strip_ending(form) != strip_ending(base):
                forms[form] = base
    return forms


def rows(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith("  ")]


def synset(line: str) -> tuple[str, list[str], list[tuple[str, int, int]]]:
    """The offset of a synset, its words, and its antonym pointers as (offset, word here, word there)."""
    field = line.split(" | ")[0].split()
    size = int(field[3], 16)
    words = [re.sub(r"\(.*\)", "", field[4 + 2 * k]).lower() for k in range(size)]
    at = 4 + 2 * size
    pointers = [field[at + 1 + 4 * k : at + 5 + 4 * k] for k in range(int(field[at]))]
    return field[0], words, [(p[1], int(p[3][:2], 16), int(p[3][2:], 16)) for p in pointers if p[0] == "!"]


def main(folder: Path) -> None:
    used = counts(folder)
    kinds = {word: count for word, count in used.items() if count.total() >= SEEN}
    lines = [f"{word}\t{count.most_common(1)[0][0]}\t{count.total()}" for word, count in sorted(kinds.items())]
    (TABLES / "kinds.tsv").write_text("\n".join(lines) + "\n")
    forms = irregular(folder, {word: count.total() for word, count in kinds.items()})
    (TABLES / "irregular.tsv").write_text("".join(f"{form}\t{base}\n" for form, base in sorted(forms.items())))
    pairs = sorted(pair for pair in opposites(folder) if not FEATHERS & set(pair))
    (TABLES / "antonyms.tsv").write_text("".join(f"{one}\t{two}\n" for one, two in pairs))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
