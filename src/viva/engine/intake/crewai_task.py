"""A task of a CrewAI crew: who did it, what was asked, what was done, and the answer."""

from collections.abc import Iterator
from typing import Any

import msgspec

from viva.engine.intake.messages import IntakeMessage, UnreadPart, as_text


class CrewTask(msgspec.Struct):
    """One task. `thought` is what the agent said before its answer, `prompt` its instructions."""

    agent: str = ""
    description: str = ""
    output: str | None = None
    steps: list[IntakeMessage] = []
    thought: str | None = None
    prompt: str | None = None
    began_at: Any = None  # the time as it is recorded
    latency_ms: float | None = None
    unread: tuple[UnreadPart, ...] = ()

    def messages(self) -> Iterator[IntakeMessage]:
        """What the agent did, and its answer."""
        yield from self.steps
        in_tools = sum(result.latency_ms or 0 for step in self.steps for result in step.results)
        own_ms = None if self.latency_ms is None else max(0, self.latency_ms - in_tools)
        yield IntakeMessage("assistant", self.output, self.agent, self.thought, latency_ms=own_ms, unread=self.unread)


def output_text(output: Any) -> str | None:
    """The answer of a task: a text, or the raw text of an output."""
    raw = output.get("raw") if isinstance(output, dict) else output
    return raw if raw is None or isinstance(raw, str) else as_text(raw)
