"""What a piece of work costs, counted instead of timed."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_steps(work: Callable[[], object]) -> int:
    """How many lines of Python run for this work; a loop counts each round."""
    steps = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace

    before = sys.gettrace()  # a coverage tool may listen
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps
