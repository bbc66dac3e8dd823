"""Arithmetic in what agents write: the figures, the answer they state, and equations that do not hold."""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

FIGURE = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
FRACTION = re.compile(r"\\[dt]?frac\s*\{(-?[\d.]+)\}\s*\{([\d.]+)\}|(?<![\d/.])(-?\d+)\s*/\s*(\d+)(?![\d/.])")
STATED = ("answer", "solution")
LEFT = re.compile(r"(?:[$(]*\d[\d,.]*%?\)*[ \t]*[-+*/][ \t]*)+[$(]*\d[\d,.]*%?\)*[ \t]*$")
RIGHT = re.compile(r"\s*\$?(-?\d[\d,]*+(?:\.\d+)?+)(?![\w%/*^(]|\.\d|\\[a-z]|\s*[-+*/(^])")
PER_CENT = re.compile(r"(\d+(?:\.\d+)?)%")
OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
SIGNS = (("×", "*"), ("÷", "/"), ("−", "-"))
LATEX = (
    ("\\times", "*"), ("\\cdot", "*"), ("\\div", "/"), ("\\$", "$"), ("\\%", "%"), ("\\,", ""), ("\\(", "  "), ("\\)", "  ")
)  # fmt: skip
END = 1_000  # characters at the end of a text in which its answer stands, when it is not boxed
NEAR = 100  # characters between the word "answer" and the number
SIDE = 80  # characters of one side of an equation
DIGIT_ENDS = tuple("0123456789)%")
ATTACHING = tuple(".)}_")  # what ties an expression to a name or number before it
OPERATORS = tuple("+-*/^(")
EQUATIONS = 200  # equals signs of one text that are looked at


def value(written: str) -> float | None:
    """A figure as a number: "1,200" is 1200."""
    try:
        number = float(written.replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def figures(text: str) -> list[float]:
    """The figures of a text as numbers, in their order."""
    return [number for written in FIGURE.findall(text) if (number := value(written)) is not None]


def answer_in(text: str) -> float | None:
    """The number a text states as its answer: what it boxes, else what it calls so."""
    for boxed in reversed(BOXED.findall(text) if "\\boxed" in text else ()):
        if (number := quantity(boxed)) is not None:
            return number
    at = max(text.rfind(word, max(0, len(text) - END)) for word in STATED)
    stated = FIGURE.search(text, at, at + NEAR) if at >= 0 else None
    return value(stated[0]) if stated else None


def quantity(written: str) -> float | None:
    """The number in a short piece of writing; a fraction counts as its value."""
    fraction = FRACTION.search(written)
    if fraction:
        above, below = (value(part) for part in fraction.groups() if part)
        return above / below if above is not None and below else None
    found = figures(written.replace("\\!", ""))
    return found[-1] if found else None


def false_equations(text: str) -> Iterator[str]:
    """Equations between plain numbers that do not hold, as they are written; rounding is not an error."""
    for sign, plain in (LATEX if "\\" in text else ()) + (() if text.isascii() else SIGNS):
        text = text.replace(sign, plain)
    pieces = text.split("=", EQUATIONS)
    for before, after in pairwise(pieces):
        left, right = whole_left(before[-SIDE:]), RIGHT.match(after[:SIDE])
        if left and right and not holds(left, right[1]):
            yield f"{left} = {right[1]}"


def whole_left(before: str) -> str:
    """The expression at the end of a text, unless it is only the rest of a longer one."""
    match = LEFT.search(before) if before.rstrip().endswith(DIGIT_ENDS) else None
    if match is None or (match.start() == 0 and len(before) == SIDE):
        return ""
    ahead = before[: match.start()]
    attached = ahead[-1:].isalnum() or ahead.endswith(ATTACHING) or ahead.rstrip().endswith(OPERATORS)
    return "" if attached else match[0].strip()


def holds(left: str, right: str) -> bool:
    """Whether a written equation is true up to rounding; one that cannot be worked out is believed."""
    computed, stated = evaluate(left), value(right)
    if computed is None or stated is None:
        return True
    return abs(computed - stated) <= max(0.02 * abs(computed), 0.5 if "/" in left or "%" in left else 0.01)


def evaluate(expression: str) -> float | None:
    """The value of an expression of + - * / % and brackets, or None when it is not one."""
    plain = PER_CENT.sub(r"(\1/100)", expression.replace(",", "").replace("$", "").strip())
    try:
        total = compute(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return total if math.isfinite(total) else None


def compute(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](compute(node.left), compute(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -compute(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    raise ValueError(node)
