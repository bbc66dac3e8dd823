"""The conversation of a run: each turn with its parts and steps, and the findings beside the words that caused them."""

from collections.abc import Iterator
from typing import NamedTuple

from viva.engine.analysis import Analysis, InteractionResult, TurnResult
from viva.engine.call_text import came_back, flat
from viva.engine.evidence import Evidence
from viva.engine.model import Interaction, Step, Trace, Turn
from viva.reports.words import AGENT_SCORES
from viva.web.trace_findings import RunFinding
from viva.web.trace_links import part_anchor
from viva.web.trace_windows import PARTS_PER_WINDOW, TurnWindow
from viva.web.trace_words import MarkedText, Quotation, TextBudget, mark_text

MAX_STEPS_SHOWN = 30  # of one part
MAX_NOTES_SHOWN = 12  # beside one text; all are in the list of findings


class ShownStep(NamedTuple):
    """A thought, an action, an observation, or a call with what came back."""

    kind: str
    text: MarkedText
    is_error: bool = False
    latency_ms: float | None = None


class ScoreReason(NamedTuple):
    """What one score of a part rests on: its own words, which stand above, and words elsewhere."""

    label: str
    score: float | None
    own: list[Evidence]
    elsewhere: list[Evidence]


class ShownPart(NamedTuple):
    """One agent's part in a turn."""

    anchor: str
    agent_id: str
    result: InteractionResult | None
    steps: list[ShownStep]
    more_steps: int
    response: MarkedText | None
    latency_ms: float | None
    reasons: list[ScoreReason]
    notes: list[RunFinding]


class ShownTurn(NamedTuple):
    """One turn. Its notes stand beside the user's message."""

    number: int
    result: TurnResult
    finding: RunFinding | None  # that the answer failed
    message: MarkedText | None
    knowledge: MarkedText | None
    parts: list[ShownPart]
    more_parts: int
    notes: list[RunFinding]

    @property
    def found_in_parts(self) -> bool:
        return any(part.notes for part in self.parts)


TextPlace = tuple[int | None, int | None]  # the index of a turn, the position of an interaction in it


class FindingIndex:
    """The findings by where their words stand."""

    def __init__(self, findings: list[RunFinding]) -> None:
        self.failed = {finding.about.turn_index: finding for finding in findings if finding.group == "answers"}
        self.notes: dict[TextPlace, list[RunFinding]] = {}
        self.quotations: dict[TextPlace, list[Quotation]] = {}
        for finding in findings:
            if finding.place:
                at = (finding.place.turn_index, finding.place.interaction_index)
                self.notes.setdefault(at, []).append(finding)
            for piece in finding.evidence:
                if piece.quote:
                    at = (piece.turn_index, piece.interaction_index)
                    self.quotations.setdefault(at, []).append(Quotation(piece.quote, finding.number, piece.step_index))

    def notes_at(self, turn: Turn, part: int | None) -> list[RunFinding]:
        return self.notes.get((turn.turn_index, part), [])[:MAX_NOTES_SHOWN]

    def quotations_in(self, turn: Turn, part: int | None) -> list[Quotation]:
        """What is quoted from this part; a quotation of a whole turn may stand in any of its texts."""
        whole = self.quotations.get((turn.turn_index, None), [])
        return whole if part is None else [*self.quotations.get((turn.turn_index, part), []), *whole]


def show_turns(trace: Trace, analysis: Analysis, findings: list[RunFinding], window: TurnWindow) -> list[ShownTurn]:
    index, budget = FindingIndex(findings), TextBudget()
    results = {result.turn_index: result for result in analysis.turn_results}
    return [show_turn(turn, results[turn.turn_index], index, budget) for turn in trace.turns[window.start : window.end]]


def show_turn(turn: Turn, result: TurnResult, index: FindingIndex, budget: TextBudget) -> ShownTurn:
    quotations = index.quotations_in(turn, None)
    acts = turn.agent_interactions[:PARTS_PER_WINDOW]
    return ShownTurn(
        number=turn.turn_index + 1,
        result=result,
        finding=index.failed.get(turn.turn_index),
        message=mark_text(turn.user_message, quotations, budget) if turn.user_message else None,
        knowledge=mark_text(turn.knowledge, quotations, budget) if turn.knowledge else None,
        parts=[show_part(turn, part, result, index, budget) for part in range(len(acts))],
        more_parts=len(turn.agent_interactions) - len(acts),
        notes=index.notes_at(turn, None),
    )


def show_part(turn: Turn, part: int, result: TurnResult, index: FindingIndex, budget: TextBudget) -> ShownPart:
    act: Interaction = turn.agent_interactions[part]
    quotations = index.quotations_in(turn, part)
    steps = list(show_steps(act.agent_steps[:MAX_STEPS_SHOWN], quotations, budget))
    scores = result.interactions[part] if part < len(result.interactions) else None
    return ShownPart(
        anchor=part_anchor(turn, part),
        agent_id=act.agent_id,
        result=scores,
        steps=steps,
        more_steps=max(0, len(act.agent_steps) - MAX_STEPS_SHOWN),
        response=mark_text(act.agent_response, quotations, budget) if act.agent_response else None,
        latency_ms=act.latency_ms,
        reasons=explain_scores(scores, (turn.turn_index, part)) if scores else [],
        notes=index.notes_at(turn, part),
    )


def explain_scores(scores: InteractionResult, place: TextPlace) -> list[ScoreReason]:
    return [
        ScoreReason(
            label=AGENT_SCORES[name],
            score=getattr(scores, name),
            own=[piece for piece in pieces if (piece.turn_index, piece.interaction_index) == place],
            elsewhere=[piece for piece in pieces if (piece.turn_index, piece.interaction_index) != place],
        )
        for name, pieces in scores.evidence.items()
    ]


def show_steps(steps: tuple[Step, ...], quotations: list[Quotation], budget: TextBudget) -> Iterator[ShownStep]:
    for position, step in enumerate(steps):
        own = [one for one in quotations if one.step in (None, position)]
        for kind, text in (("Thought", step.thought), ("Action", step.action), ("Observation", step.observation)):
            if text:
                yield ShownStep(kind, mark_text(text, own, budget))
        call = step.tool_call
        if call:
            back = came_back(call)
            # On lines of their own; the engine quotes both as `name(parameters) -> what came back`.
            written = f"{call.tool_name}({flat(call.parameters)})" + (f"\n-> {back}" if back else "")
            yield ShownStep("Call", mark_text(written, own, budget), call.error is not None, call.latency_ms)
