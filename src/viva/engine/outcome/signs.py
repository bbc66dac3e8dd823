"""Signs of success or failure: a named number read from a trace, and the words it was read from."""

from typing import NamedTuple

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, cut
from viva.engine.logistic import LogisticModel
from viva.engine.outcome.changes import ToolAction
from viva.engine.reading import call_text

FAINT = 0.05  # a sign that moves the odds by less is not worth a reader's time


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


def shown_by(name: str, deed: ToolAction | None, value: float = 1.0) -> Sign:
    """A sign that a deed shows, with its place; without a deed it is not there."""
    return Sign(name, value, call_text(deed.call), deed.turn, deed.interaction, deed.step) if deed else Sign(name, 0.0)


def probability(head: LogisticModel, signs: list[Sign]) -> float:
    return head.probability({sign.name: sign.value for sign in signs})


def against(head: LogisticModel, signs: list[Sign], why: dict[str, str], turns: list[int]) -> tuple[Evidence, ...]:
    """What speaks most against success, the heaviest first. `turns` are the indices that the trace gives its turns.

    What is true of the whole run is placed at its end, where it came out.
    """
    pulls = sorted(((head.weights.get(sign.name, 0.0) * sign.value, sign) for sign in signs), key=lambda pull: pull[0])
    return tuple(
        Evidence(
            f"{why[sign.name]}: {cut(sign.told)}" if sign.told else why[sign.name],
            cut(sign.quote),
            turns[-1 if sign.turn is None else sign.turn],
            sign.interaction,
            sign.step,
        )
        for pull, sign in pulls[:MAX_EVIDENCE_PIECES]
        if pull < -FAINT
    )
