"""Adds up what the calls of models in a run cost, where their spans say it."""

from typing import Any

from viva.engine.intake.playing import Player
from viva.engine.intake.span import Span

COST_KEYS = ("gen_ai.usage.cost", "operation.cost", "llm.cost.total", "usage.cost")
TOKEN_KEYS = {
    "input_tokens": ("gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.prompt_tokens"),
    "output_tokens": ("gen_ai.usage.output_tokens", "llm.token_count.completion", "gen_ai.usage.completion_tokens"),
}  # the conventions, OpenInference, and the conventions before version 1.27
MAX_USAGE = 1e15  # more is no number of tokens and no price


def cost_by_agent(run: Player) -> dict[str, float]:
    costs: dict[str, float] = {}
    for span in run.models():
        cost = amount(span, COST_KEYS)
        if cost:
            name = run.speaker(span)
            costs[name] = costs.get(name, 0.0) + cost
    return costs


def total_tokens(run: Player) -> dict[str, Any]:
    """The tokens of all calls of models, by their kind; empty if no span says it."""
    sums = {name: sum(amount(span, keys) for span in run.models()) for name, keys in TOKEN_KEYS.items()}
    return {name: int(count) for name, count in sums.items() if count}


def amount(span: Span, keys: tuple[str, ...]) -> float:
    found = span.first(keys)
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if is_number and 0 <= found < MAX_USAGE else 0.0
