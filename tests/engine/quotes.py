"""Quotations held against the trace: a quotation is words of a text that stands where its evidence points.

It is on one line, and ends with … where it was cut. Four texts stand in no trace as they are quoted: what an agent said in
one interaction in a row, its calls left out; a call, as `name(parameters) -> what came back`; and an answer without the marks
of its citations or without its thinking aloud.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from viva.engine.analysis import Analysis
from viva.engine.call_text import flat
from viva.engine.claims.support import CITATION
from viva.engine.evidence import Evidence
from viva.engine.model import Interaction, ToolCall, Trace, Turn
from viva.engine.outcome.closing import THINKING
from viva.engine.reading import interaction_text


def pieces(analysis: Analysis) -> list[Evidence]:
    """All evidence of an analysis, whatever rests on it."""
    return [msgspec.convert(found, Evidence) for found in evidence_in(msgspec.to_builtins(analysis))]


def evidence_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and {"why", "quote"} <= value.keys():
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from evidence_in(part)


def misplaced(trace: Trace, analysis: Analysis) -> list[Evidence]:
    """The evidence whose quotation does not stand at its place, or that has a quotation and no place."""
    return [piece for piece in pieces(analysis) if piece.quote and not stands(trace, piece)]


def stands(trace: Trace, piece: Evidence) -> bool:
    turn = next((turn for turn in trace.turns if turn.turn_index == piece.turn_index), None)
    if turn is None:
        return False
    words = on_one_line(piece.quote.removesuffix("…"))
    return any(words in on_one_line(text) for text in texts_at(trace, turn, piece.interaction_index))


def texts_at(trace: Trace, turn: Turn, part: int | None) -> Iterator[str]:
    """The texts of an interaction; or of a whole turn, with the task of the run in the first."""
    if part is not None:
        yield from texts(turn.agent_interactions[part])
        return
    yield from (
        turn.user_message or "",
        turn.knowledge or "",
        trace.initial_task or "" if turn is trace.turns[0] else "",
    )
    for interaction in turn.agent_interactions:
        yield from texts(interaction)


def texts(interaction: Interaction) -> Iterator[str]:
    answer = interaction.agent_response or ""
    yield from (interaction_text(interaction), CITATION.sub("", answer), THINKING.sub("", answer))
    for step in interaction.agent_steps:
        yield from (step.thought or "", step.action or "", step.observation or "")
        if step.tool_call is not None:
            yield from (step.tool_call.tool_name, flat(step.tool_call.result), step.tool_call.error or "")
            yield written(step.tool_call)


def written(call: ToolCall) -> str:
    back = call.error or flat(call.result)
    return f"{call.tool_name}({flat(call.parameters)})" + (f" -> {back}" if back else "")


def on_one_line(text: str) -> str:
    return " ".join(text.split())
