"""Reads a step that an agent wrote as text: thought, tool, input and output, as ReAct agents do in one message."""

from typing import Any

STEP_LABELS = (
    ("Thought:", "Function Name:", "Function Input:", "Function Output:"),
    ("Thought:", "Action:", "Action Input:", "Observation:"),
)


def read_step(text: str) -> list[dict[str, Any]] | None:
    """The parts of a step; None if this is another text. Only a step with its output was taken."""
    for thought_label, *labels in STEP_LABELS:
        pieces: list[str] = []
        rest = text
        for label in labels:
            before, found, rest = rest.partition(f"\n{label}")
            pieces += [before.strip()] if found else []
        if len(pieces) == len(labels):
            thought, name, given = pieces
            call = {"type": "tool_call", "name": name, "arguments": given, "result": rest.strip()}
            return [{"type": "thinking", "thinking": thought.removeprefix(thought_label).strip()}, call]
    return None
