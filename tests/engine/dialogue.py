"""Dialogues for tests: a user's message and its answer in turns."""

from viva.engine.model import Interaction, Trace, Turn
from viva.engine.reading import Reading


def dialogue(*lines: str | None, sentence_model: bool = False) -> Reading:
    """Lines of user and agent in turns; a last line without an answer is the user's."""
    turns = [
        Turn(k // 2, lines[k], None, (Interaction("agent", lines[k + 1]),) if lines[k + 1 :] else ())
        for k in range(0, len(lines), 2)
    ]
    return Reading(Trace("t", tuple(turns)), sentence_model)
