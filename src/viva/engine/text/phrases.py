"""Phrases looked for in a text, each from the beginning of a word, and those that ask for something."""

import re


class Phrases:
    """Any of some phrases, given as one expression.

    A gap before a word is found faster than its border, which would be looked for at every letter.
    """

    def __init__(self, expression: str) -> None:
        self._search = re.compile(rf"\W(?:{expression})").search

    def said_in(self, text: str) -> bool:
        return self._search(f" {text}") is not None

    def find(self, text: str) -> int:
        """Where the first of them begins; -1 where none is said."""
        found = self._search(f" {text}")
        return found.start() if found else -1


REQUEST = Phrases(
    r"(?:please (?:provide|share|specify|give|send|tell|clarify|confirm)|(?:could|can|would) you"
    r"|i(?:'ll| will)? need (?:the|your|more|to know)|what (?:is|are) the)\b"
)
