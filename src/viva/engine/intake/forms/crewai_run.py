"""What a run of CrewAI holds, however it was recorded."""

from typing import Any

from viva.engine.intake.messages import IntakeMessage, as_text


class CrewRun:
    """The tasks that were given, what the agents did in order, their instructions, and how long all took."""

    def __init__(self) -> None:
        self.asked: dict[str, None] = {}
        self.messages: list[IntakeMessage] = []
        self.prompts: dict[str, str] = {}
        self.total_ms: float | None = None

    def give(self, description: object) -> None:
        """Add a task. It may be written more than once."""
        if isinstance(description, str) and description:
            self.asked.setdefault(description)


def output_text(output: Any) -> str | None:
    """The answer of a task: a text, or the raw text of an output."""
    raw = output.get("raw") if isinstance(output, dict) else output
    return raw if raw is None or isinstance(raw, str) else as_text(raw)
