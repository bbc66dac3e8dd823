"""What is worked out for a word, remembered for the next time: texts repeat their words."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
LONGEST = 64  # characters of a word that is remembered; a longer one is a key that seldom comes again


class Remembered(dict[str, T]):
    """What a function makes of each word. Once as many words are in it as may be, it begins anew."""

    __slots__ = ("_make", "_most")

    def __init__(self, make: Callable[[str], T], most: int) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, word: str) -> T:
        made = self._make(word)
        if len(word) > LONGEST:
            return made
        if len(self) >= self._most:
            self.clear()
        self[word] = made
        return made


def remember(most: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """A function of a word that does its work once for each. To look up what is known takes half as long as in an `lru_cache`."""

    def remembering(make: Callable[[str], T]) -> Callable[[str], T]:
        return Remembered(make, most).__getitem__

    return remembering
