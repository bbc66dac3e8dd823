"""How many calls a request asks for, against how many were made."""

from collections import Counter
from collections.abc import Sequence

from viva.engine.calls.asked import Request
from viva.engine.calls.grounding import Found
from viva.engine.calls.made import Made, Used, stems_of
from viva.engine.model import ToolCall
from viva.engine.reading import flat

WORDLESS = ""  # a wish that counts, though no word of the request stands for it alone


def due(request: Request, have: Used, calls: Sequence[Made]) -> Found:
    """Signs that fewer or more calls were made than the request asks for."""
    count = len(calls)
    together = max((at_once(one.call) for one in calls), default=0) if request.counts else 0
    counted = [str(n) for n in request.counts if n > max(count, together) and float(n) not in have.numbers]
    return {
        "links_one_call": [WORDLESS] * request.links if count == 1 else [],
        "links_more": [WORDLESS] * (request.links - count) if count > 1 else [],
        "counted_one_call": counted if count == 1 else [],
        "counted_more": counted if count > 1 else [],
        "more_calls_than_asked": [one.call.tool_name for one in calls[1:]]
        if is_single(request) and at_one_go(calls)
        else [],
        "repeated": repeated_calls(calls),
        "uneven": uneven(calls),
        "list_split": list_split(calls),
        "same_to_two_tools": same_to_two_tools(request, calls),
    }


def at_once(call: ToolCall) -> int:
    """How many things one call takes at once: members of a list, or parameters that share a word (city_1, city_2)."""
    shared = Counter(word for name in call.parameters for word in stems_of(name))
    lists = [len(value) for value in call.parameters.values() if isinstance(value, list)]
    return max([*shared.values(), *lists], default=0)


def at_one_go(calls: Sequence[Made]) -> bool:
    """Whether all calls were made before anything came back; later ones may follow from what was found."""
    return all(one.call.result is None and one.call.error is None for one in calls[:-1])


def is_single(request: Request) -> bool:
    """Whether a request asks for one thing: one clause, no list, no word that joins another."""
    joins = " and " in request.text or "," in request.text or " or " in request.text
    return request.links == 0 and len(request.clauses) == 1 and not joins


def repeated_calls(calls: Sequence[Made]) -> list[str]:
    if len(calls) < 2:
        return []
    seen = Counter((one.call.tool_name, flat(one.call.parameters)) for one in calls)
    return [name for (name, _), times in seen.items() if times > 1]


def uneven(calls: Sequence[Made]) -> list[str]:
    """Tools called several times, with parameters set here and left out there."""
    shapes: dict[str, set[frozenset[str]]] = {}
    for one in calls:
        shapes.setdefault(one.call.tool_name, set()).add(frozenset(one.call.parameters))
    return [name for name, some in shapes.items() if len(some) > 1]


def list_split(calls: Sequence[Made]) -> list[str]:
    """Tools called once for each member of what they take as a list: the rest of the arguments is the same."""
    rests = Counter(
        (one.call.tool_name, name, flat({k: v for k, v in one.call.parameters.items() if k != name}))
        for one in calls
        for name, value in one.call.parameters.items()
        if isinstance(value, list) and len(value) == 1
    )
    return [f"{tool}.{name}" for (tool, name, _), times in rests.items() if times > 1]


def same_to_two_tools(request: Request, calls: Sequence[Made]) -> list[str]:
    """Different tools asked with exactly the same values, for a request that does not ask twice."""
    if len(calls) < 2 or request.links or len(request.clauses) > 1:
        return []
    tools: dict[str, dict[str, frozenset[str]]] = {}
    for one in calls:
        words = stems_of(f"{one.call.tool_name} {(one.tool.description or '')[:1000] if one.tool else ''}")
        tools.setdefault(flat(sorted(str(leaf.value) for leaf in one.leaves)), {})[one.call.tool_name] = words
    groups = [some for some in tools.values() if len(some) > 1]
    return [name for some in groups for name in some if not is_meant(some[name], some, request)]


def is_meant(words: frozenset[str], others: dict[str, frozenset[str]], request: Request) -> bool:
    """Whether the request speaks of what tells one tool from others that were asked the same."""
    return bool((words - frozenset.intersection(*others.values())) & request.stems)
