"""Cuts texts into the parts that the sentence model knows, as BERT does: small letters without accents, then the longest parts."""

import re
import unicodedata
from bisect import bisect

from viva.engine.text.remembering import Remembered
from viva.engine.vocabulary import LETTERS, SENTENCE_PARTS, read_parts

CONTINUED = "##"  # before a part that does not begin a word
LONGEST_WORD = 100  # a longer one is unknown
WORDS_KEPT = 20_000  # some 4 MB
LETTERS_KEPT = 10_000  # some 1 MB


class WordPieces:
    """A vocabulary from which each word takes the longest part it begins with, then goes on with the rest."""

    def __init__(self) -> None:
        self.numbers = read_parts(SENTENCE_PARTS)
        self._begin, self._end, self._unknown = (self.numbers[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        self._named = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")  # means itself, also inside a text
        self._longest = max(map(len, self.numbers))
        self._letters = Letters()
        self._words = Remembered(self._cut_word, WORDS_KEPT)

    def cut(self, text: str, most: int) -> list[int]:
        """The numbers of the parts between those of begin and end, at most so many in all."""
        found = [self._begin]
        for place, piece in enumerate(self._named.split(text)):
            if place % 2:
                found.append(self.numbers[piece])
                continue
            for word in piece.translate(self._letters).split():
                found += self._words[word]
                if len(found) >= most:
                    break
        return [*found[: most - 1], self._end]

    def _cut_word(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        found, start, prefix = [], 0, ""
        while start < len(word):
            for stop in range(min(len(word), start + self._longest), start, -1):
                number = self.numbers.get(prefix + word[start:stop])
                if number is not None:
                    break
            else:
                return [self._unknown]
            found.append(number)
            start, prefix = stop, CONTINUED
        return found


class Letters(dict[int, str]):
    """What a character becomes, as `str.translate` asks: nothing, a space, a word by itself, or small letters without accents."""

    def __init__(self) -> None:
        super().__init__()
        lines = [line.split() for line in LETTERS.read_text().splitlines()]
        self._starts = [int(start, 16) for start, _ in lines]
        self._kinds = [kind for _, kind in lines]

    def kind(self, code: int) -> str:
        return self._kinds[bisect(self._starts, code) - 1]

    def __missing__(self, code: int) -> str:
        if len(self) >= LETTERS_KEPT:
            self.clear()
        self[code] = made = self._make(code)
        return made

    def _make(self, code: int) -> str:
        kind = self.kind(code)
        if kind == "removed":
            return ""
        if kind == "space":
            return " "
        plain = "".join(
            each.lower() for each in unicodedata.normalize("NFD", chr(code)) if self.kind(ord(each)) != "removed"
        )
        return f" {plain} " if kind == "alone" else plain
