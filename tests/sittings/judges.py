"""A judge for sittings: it gives full marks, and is not misled."""

import re
from typing import Any

from tests.judging.endpoint import Reply, graded


def give_full_marks(asked: dict[str, Any]) -> Reply:
    """0 for its control question, which names a word in curly quotes."""
    orders = asked["messages"][0]["content"]
    found = re.search(r"a number from 0 to ([\d.]+)", orders)
    is_control = "\N{LEFT DOUBLE QUOTATION MARK}" in orders
    return graded(0 if is_control or not found else float(found[1].rstrip(".")))
