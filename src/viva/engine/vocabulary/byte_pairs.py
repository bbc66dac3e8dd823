"""Cuts words into the parts that have vectors, by byte-pair encoding.

It begins with single characters. Of all neighbours that form a part together, those of the lowest order are joined, from
left to right, until none are left. A character without a part becomes the parts of its UTF-8 bytes.
"""

from heapq import heapify, heappop, heappush
from itertools import pairwise

from viva.engine.vocabulary import WORD_PARTS, read_parts

BEGIN = "▁"  # what parts have before the first letter of a word
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
NEVER_JOINED = {"<unk>", "<s>", "</s>", *BYTES}


class BytePairs:
    """A vocabulary whose parts are joined in the order of their numbers, with runs of BEGIN last."""

    def __init__(self) -> None:
        self.numbers = read_parts(WORD_PARTS)
        last = len(self.numbers)
        self._order = {
            part: number + last * (part == BEGIN * len(part))
            for part, number in self.numbers.items()
            if part not in NEVER_JOINED
        }
        self._characters = frozenset(part for part in self._order if len(part) == 1)

    def cut(self, text: str) -> list[int]:
        """The numbers of the parts. Takes n·log n, since each join adds two pairs to a heap at most."""
        find, numbers = self._order.get, self.numbers
        parts = list(text) if self._characters.issuperset(text) else self._with_bytes(text)
        end = len(parts)
        pairs = [(order, at) for at, (one, two) in enumerate(pairwise(parts)) if (order := find(one + two))]
        if not pairs:
            return [numbers[part] for part in parts]
        before, after = list(range(-1, end - 1)), list(range(1, end + 1))
        heapify(pairs)
        while pairs:
            order, at = heappop(pairs)
            right = after[at]
            if right == end or not parts[at] or find(whole := parts[at] + parts[right]) != order:
                continue  # one of the two has been joined with another
            parts[at], parts[right] = whole, ""
            following = after[at] = after[right]
            if following < end:
                before[following] = at
                if joined := find(whole + parts[following]):
                    heappush(pairs, (joined, at))
            if at:
                left = before[at]
                if joined := find(parts[left] + whole):
                    heappush(pairs, (joined, left))
        return [numbers[part] for part in parts if part]

    def _with_bytes(self, text: str) -> list[str]:
        found: list[str] = []
        for character in text:
            if character in self._characters:
                found.append(character)
            else:
                found += [BYTES[byte] for byte in character.encode(errors="surrogatepass")]
        return found
