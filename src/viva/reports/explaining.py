"""The evidence for scores, for a terminal. Each piece of evidence is shown once, even if several scores use it."""

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from viva.engine.analysis import Analysis, InteractionResult
from viva.engine.evidence import Evidence
from viva.reports.cells import MAX_ROWS_SHOWN, score_cell
from viva.reports.words import AGENT_SCORES, place, printable


class EvidenceRenderer:
    """Renders the evidence of one trace and remembers what was shown."""

    def __init__(self) -> None:
        self.seen: set[Evidence] = set()

    def take_new(self, pieces: Iterable[Evidence]) -> list[Evidence]:
        """The pieces that were not shown before. From now on they count as shown."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self.seen]
        self.seen.update(new)
        return new

    def render_scores(self, evidence: dict[str, tuple[Evidence, ...]]) -> Iterator[RenderableType]:
        """Each name of a score with its evidence."""
        for name, pieces in evidence.items():
            if new := self.take_new(pieces):
                yield Text(f"  {printable(name)}", "dim")
                yield from render_pieces(new)

    def render_parts(self, analysis: Analysis) -> RenderableType | None:
        """The remaining evidence of single interactions, the lowest scores first."""
        numbered = [
            (turn.turn_index, index, part)
            for turn in analysis.turn_results
            for index, part in enumerate(turn.interactions)
        ]
        numbered.sort(key=lambda row: 1.0 if row[2].score is None else row[2].score)
        groups = [
            Group(evidence_heading(turn_index, index, part, name), *render_pieces(new))
            for turn_index, index, part in numbered
            for name, pieces in part.evidence.items()
            if (new := self.take_new(pieces))
        ]
        rest = len(groups) - MAX_ROWS_SHOWN
        note = [Text(f"and {rest} more scores of parts", "dim")] if rest > 0 else []
        return Group(*groups[:MAX_ROWS_SHOWN], *note) if groups else None


def evidence_heading(turn_index: int, index: int, part: InteractionResult, name: str) -> Text:
    heading = f"turn {turn_index + 1}, part {index + 1}: {printable(part.agent_id)}, {AGENT_SCORES[name]} "
    return Text.assemble((heading, "dim"), score_cell(getattr(part, name)))


def render_pieces(pieces: list[Evidence]) -> Iterator[RenderableType]:
    return (Padding(render_evidence(piece), (0, 0, 0, 4)) for piece in pieces)


def render_evidence(evidence: Evidence) -> Text:
    quote = f" “{printable(evidence.quote)}”" if evidence.quote else ""
    position = place(evidence)
    return Text.assemble((f"{position}: " if position else "", "dim"), printable(evidence.why), (quote, "italic"))
