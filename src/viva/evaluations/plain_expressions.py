"""Plain expressions, such as `'%02d:30' % (a // 60)`: their values, without a sandbox and without running them as Python.

An expression is plain if it consists of what the tables below name, and if everything that it computes is small. It can
reach nothing else, and it always ends. All others are for the sandbox, which gives plain ones the same value."""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

NamedValues = Mapping[str, Any]
Computation = Callable[[NamedValues], Any]

MAX_BITS = 2_000  # of a whole number
MAX_CHARACTERS = 2_000
MAX_ENTRIES = 1_000  # of a list; the whole expression has fewer characters
MAX_DIGITS = 20  # that a number is rounded to
FORMAT_PATTERN = re.compile(r"(?:[^%]|%0?\d{0,2}(?:\.\d{1,2})?[dsf]|%%)*")

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "float": float,
    "int": int,
    "len": len,
    "max": max,
    "min": min,
    "round": round,
    "sorted": sorted,
    "str": str,
}
METHODS = frozenset({"capitalize", "join", "lower", "title", "upper", "zfill"})  # of texts


class NotPlain(Exception):
    """The expression needs the sandbox."""


class PlainFailure(Exception):
    """The expression has no value; the message is that of Python."""


def evaluate_plain(expressions: Sequence[str], rows: Sequence[NamedValues]) -> list[list[Any]]:
    """The values of the expressions for each row; NotPlain if one of them is for the sandbox."""
    try:
        computations = [compile_plain(expression, frozenset(rows[0])) for expression in expressions]
        return [[compute(row) for compute in computations] for row in rows]
    except RecursionError:
        raise NotPlain from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise PlainFailure(f"{type(error).__name__}: {error}") from None


def compile_plain(expression: str, names: frozenset[str]) -> Computation:
    return make_computation(ast.parse(expression.strip(), mode="eval").body, names)


def make_computation(node: ast.expr, names: frozenset[str]) -> Computation:
    """A function that computes the node from values of these names."""
    maker = MAKERS.get(type(node))
    if maker is None:
        raise NotPlain
    return maker(node, names)


def check_size(value: Any) -> Any:
    """The value, if it is plain and small. So no operation gets large operands."""
    kind = type(value)
    if kind is int:
        is_small = value.bit_length() <= MAX_BITS
    elif kind is str:
        is_small = len(value) <= MAX_CHARACTERS
    elif kind in (list, tuple):
        is_small = len(value) <= MAX_ENTRIES
    elif kind is float:
        is_small = isfinite(value)
    else:
        is_small = kind in (bool, type(None))
    if not is_small:
        raise NotPlain
    return value


def make_constant(node: ast.Constant, names: frozenset[str]) -> Computation:
    value = check_size(node.value)
    return lambda values: value


def make_name(node: ast.Name, names: frozenset[str]) -> Computation:
    if node.id not in names:
        raise NotPlain
    return operator.itemgetter(node.id)


def make_list(node: ast.List | ast.Tuple, names: frozenset[str]) -> Computation:
    entries = [make_computation(entry, names) for entry in node.elts]
    make = tuple if isinstance(node, ast.Tuple) else list
    return lambda values: make([entry(values) for entry in entries])


def make_binary(node: ast.BinOp, names: frozenset[str]) -> Computation:
    left, right, kind = make_computation(node.left, names), make_computation(node.right, names), type(node.op)
    operate = BINARY.get(kind)
    if operate is None:
        raise NotPlain

    def compute(values: NamedValues) -> Any:
        one, two = left(values), right(values)
        check_operands(kind, one, two)
        return check_size(operate(one, two))

    return compute


def check_operands(kind: type[ast.operator], one: Any, two: Any) -> None:
    """Refuse what makes large results of small operands, before it is computed."""
    if kind is ast.Mod and isinstance(one, str):
        is_plain = FORMAT_PATTERN.fullmatch(one) is not None
    elif kind is ast.Mult:
        is_plain = not isinstance(one, str | list | tuple) and not isinstance(two, str | list | tuple)
    elif kind is ast.Pow and isinstance(one, int) and isinstance(two, int):
        is_plain = one.bit_length() * abs(two) <= MAX_BITS
    else:
        is_plain = True
    if not is_plain:
        raise NotPlain


def make_unary(node: ast.UnaryOp, names: frozenset[str]) -> Computation:
    operand, operate = make_computation(node.operand, names), UNARY.get(type(node.op))
    if operate is None:
        raise NotPlain
    return lambda values: operate(operand(values))


def make_choice(node: ast.IfExp, names: frozenset[str]) -> Computation:
    test, first, second = (make_computation(each, names) for each in (node.test, node.body, node.orelse))
    return lambda values: first(values) if test(values) else second(values)


def make_logic(node: ast.BoolOp, names: frozenset[str]) -> Computation:
    first, *others = (make_computation(value, names) for value in node.values)
    stops_at = isinstance(node.op, ast.Or)

    def compute(values: NamedValues) -> Any:
        value = first(values)
        for other in others:
            if bool(value) is stops_at:
                return value
            value = other(values)
        return value

    return compute


def make_comparison(node: ast.Compare, names: frozenset[str]) -> Computation:
    if len(node.ops) > 1 or type(node.ops[0]) not in COMPARISONS:
        raise NotPlain
    left, right = make_computation(node.left, names), make_computation(node.comparators[0], names)
    compare = COMPARISONS[type(node.ops[0])]
    return lambda values: compare(left(values), right(values))


def make_subscript(node: ast.Subscript, names: frozenset[str]) -> Computation:
    value = make_computation(node.value, names)
    if not isinstance(node.slice, ast.Slice):
        at = make_computation(node.slice, names)
        return lambda values: value(values)[at(values)]
    parts = [each and make_computation(each, names) for each in (node.slice.lower, node.slice.upper, node.slice.step)]
    return lambda values: value(values)[slice(*(part and part(values) for part in parts))]


def make_loop(node: ast.ListComp, names: frozenset[str]) -> Computation:
    """`[str(each) for each in many]`: one loop, and none inside it."""
    loop, target = node.generators[0], node.generators[0].target
    has_loops = any(isinstance(each, ast.ListComp) for part in (node.elt, loop.iter) for each in ast.walk(part))
    if has_loops or len(node.generators) > 1 or loop.ifs or not isinstance(target, ast.Name) or loop.is_async:
        raise NotPlain
    many, name = make_computation(loop.iter, names), target.id
    make = make_computation(node.elt, names | {name})
    return lambda values: [make({**values, name: each}) for each in check_size(list(many(values)))]


def make_call(node: ast.Call, names: frozenset[str]) -> Computation:
    arguments = [make_computation(argument, names) for argument in node.args]
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS and not node.keywords:
        return make_method(make_computation(node.func.value, names), node.func.attr, arguments)
    if not isinstance(node.func, ast.Name) or node.func.id in names or node.func.id not in FUNCTIONS:
        raise NotPlain
    name, function = node.func.id, FUNCTIONS[node.func.id]
    options = {keyword.arg: make_computation(keyword.value, names) for keyword in node.keywords}
    if options.keys() - ({"reverse"} if name == "sorted" else set()) or (name in ("int", "str") and len(arguments) > 1):
        raise NotPlain

    def call(values: NamedValues) -> Any:
        given = [argument(values) for argument in arguments]
        if name == "round" and len(given) > 1 and not (isinstance(given[1], int) and abs(given[1]) <= MAX_DIGITS):
            raise NotPlain
        return check_size(function(*given, **{str(key): option(values) for key, option in options.items()}))

    return call


def make_method(value: Computation, name: str, arguments: Sequence[Computation]) -> Computation:
    def call(values: NamedValues) -> Any:
        text, given = value(values), [argument(values) for argument in arguments]
        if not isinstance(text, str) or (name == "zfill" and not (given and 0 <= given[0] <= MAX_CHARACTERS)):
            raise NotPlain
        return check_size(getattr(text, name)(*given))

    return call


MAKERS: dict[type[ast.expr], Callable[[Any, frozenset[str]], Computation]] = {
    ast.BinOp: make_binary,
    ast.BoolOp: make_logic,
    ast.Call: make_call,
    ast.Compare: make_comparison,
    ast.Constant: make_constant,
    ast.IfExp: make_choice,
    ast.List: make_list,
    ast.ListComp: make_loop,
    ast.Name: make_name,
    ast.Subscript: make_subscript,
    ast.Tuple: make_list,
    ast.UnaryOp: make_unary,
}
