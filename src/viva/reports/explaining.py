"""What scores rest on, for a terminal: each piece of evidence once, however many scores rest on it."""

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from viva.engine.analysis import Analysis, InteractionResult
from viva.engine.evidence import Evidence
from viva.reports.cells import MAX_ROWS_SHOWN, score_cell
from viva.reports.words import AGENT_SCORES, place, printable


class Explaining:
    """Tells the evidence of one trace, and keeps what was told already."""

    def __init__(self) -> None:
        self.told: set[Evidence] = set()

    def new(self, pieces: Iterable[Evidence]) -> list[Evidence]:
        """Those that were not told before; from now on they are."""
        found = [piece for piece in dict.fromkeys(pieces) if piece not in self.told]
        self.told.update(found)
        return found

    def scores(self, evidence: dict[str, tuple[Evidence, ...]]) -> Iterator[RenderableType]:
        """The names of scores, each with what it rests on."""
        for name, pieces in evidence.items():
            if found := self.new(pieces):
                yield Text(f"  {printable(name)}", "dim")
                yield from below(found)

    def parts(self, analysis: Analysis) -> RenderableType | None:
        """The parts of agents in turns, the lowest scores first, as far as there is more to tell of them."""
        numbered = [
            (turn.turn_index, k, part) for turn in analysis.turn_results for k, part in enumerate(turn.interactions)
        ]
        numbered.sort(key=lambda row: 1.0 if row[2].score is None else row[2].score)
        told = [
            Group(evidence_heading(turn_index, k, part, name), *below(found))
            for turn_index, k, part in numbered
            for name, pieces in part.evidence.items()
            if (found := self.new(pieces))
        ]
        rest = (
            [Text(f"and {len(told) - MAX_ROWS_SHOWN} more scores of parts", "dim")]
            if len(told) > MAX_ROWS_SHOWN
            else []
        )
        return Group(*told[:MAX_ROWS_SHOWN], *rest) if told else None


def evidence_heading(turn_index: int, k: int, part: InteractionResult, name: str) -> Text:
    where = f"turn {turn_index + 1}, part {k + 1}: {printable(part.agent_id)}, {AGENT_SCORES[name]} "
    return Text.assemble((where, "dim"), score_cell(getattr(part, name)))


def below(pieces: list[Evidence]) -> Iterator[RenderableType]:
    return (Padding(because(piece), (0, 0, 0, 4)) for piece in pieces)


def because(evidence: Evidence) -> Text:
    quote = f" “{printable(evidence.quote)}”" if evidence.quote else ""
    at = place(evidence)
    return Text.assemble((f"{at}: " if at else "", "dim"), printable(evidence.why), (quote, "italic"))
