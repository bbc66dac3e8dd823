"""The process that renders costly Markdown, so that it takes no time from the process that answers requests.

Started as `python -m viva.kit.markdown_worker`. It reads one JSON order a line and writes one JSON answer a line."""

import os
import sys

import msgspec
from markupsafe import Markup

from viva.kit.markdown import StepBudget, TooCostly, render_document, render_plain, render_utterance

MAX_STEPS = 500_000  # about a second; a text that needs more stays plain
NICENESS = 10  # requests go first where processors are few


class RenderOrder(msgspec.Struct, frozen=True):
    """A text, and the level of its first heading if it is a document; None stands for what somebody said."""

    text: str
    level: int | None = None

    def render(self, budget: StepBudget) -> Markup:
        if self.level is None:
            return render_utterance(self.text, budget)
        return render_document(self.text, self.level, budget)


def render_or_plain(order: RenderOrder) -> Markup:
    try:
        return order.render(StepBudget(MAX_STEPS))
    except TooCostly:
        return render_plain(order.text)


def main() -> None:
    os.nice(NICENESS)
    decoder = msgspec.json.Decoder(RenderOrder)
    for line in sys.stdin.buffer:  # which ends with the process that ordered
        sys.stdout.buffer.write(msgspec.json.encode(str(render_or_plain(decoder.decode(line)))) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
