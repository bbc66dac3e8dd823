"""Signs of success or failure: a named number read from a trace, and the words it was read from."""

from typing import NamedTuple

from viva.engine.evidence import Evidence, cut
from viva.engine.outcome.tries import Try
from viva.engine.reading import Reading


class Sign(NamedTuple):
    """One named feature. `turn` and `interaction` are positions; an empty quote points at no words.

    `told` is what was worked out from the words and stands nowhere as it is: a sum, a list.
    """

    name: str
    value: float
    quote: str = ""
    turn: int | None = None
    interaction: int | None = None
    step: int | None = None
    told: str = ""


def flag(name: str, found: bool, quote: str = "", turn: int | None = None, interaction: int | None = None) -> Sign:
    """A sign that is there or not; its place only counts when it is there."""
    return Sign(name, 1.0, quote, turn, interaction) if found else Sign(name, 0.0)


def shown_by(name: str, one: Try | None, value: float = 1.0) -> Sign:
    """A sign that a try shows, with its place; without a try it is not there."""
    return Sign(name, value, one.text, one.turn, one.interaction, one.step) if one else Sign(name, 0.0)


def sign_evidence(sign: Sign, meaning: str, reading: Reading) -> Evidence:
    """A sign as evidence. What is true of the whole run is placed at its end, where it came out."""
    turn = reading.turn_index(-1 if sign.turn is None else sign.turn)
    why = f"{meaning}: {cut(sign.told)}" if sign.told else meaning
    return Evidence(why, cut(sign.quote), turn, sign.interaction, sign.step)
