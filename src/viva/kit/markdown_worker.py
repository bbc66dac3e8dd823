"""The process that renders costly Markdown, so that it does not delay the process that answers requests.

Started as `python -m viva.kit.markdown_worker`. It reads and writes one JSON value per line."""

import os
import sys

import msgspec
from markupsafe import Markup

from viva.kit.markdown import StepBudget, TooCostly, render_document, render_plain, render_utterance

MAX_STEPS = 500_000  # about a second; a longer text stays plain
NICENESS = 10  # gives requests priority when processors are few


class RenderOrder(msgspec.Struct, frozen=True):
    """A text to render. `level` is that of a document's first heading, or None for a message."""

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
    for line in sys.stdin.buffer:  # ends when the parent process ends
        sys.stdout.buffer.write(msgspec.json.encode(str(render_or_plain(decoder.decode(line)))) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
