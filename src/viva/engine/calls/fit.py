"""Whether calls fit the request they serve: features with a meaning each, before any weight."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from viva.engine.calls.asked import Request
from viva.engine.calls.choice import choice
from viva.engine.calls.coverage import coverage
from viva.engine.calls.due import due, repeated_calls
from viva.engine.calls.forms import forms
from viva.engine.calls.grounding import Found, grounds
from viva.engine.calls.made import Made, used_values
from viva.engine.model import Tool

# What each feature says when it speaks against the calls.
MEANINGS = {
    "amounts_left": "amounts of the request that no call uses",
    "names_left": "names of the request that no call uses",
    "quotes_left": "quoted words of the request that no call uses",
    "clauses_left": "a part of the request that no call serves",
    "siblings_left": "members of a list of which another is served",
    "options_left": "parameters that the request speaks of are not set",
    "links_one_call": "the request strings several wishes together, one call was made",
    "links_more": "the request strings more wishes together than calls were made",
    "counted_more": "the request counts more things than calls were made",
    "uneven": "calls of one tool set different parameters",
    "counted_one_call": "the request counts several things, one call was made",
    "more_calls_than_asked": "more calls than the one thing asked for",
    "repeated": "the same call more than once",
    "list_split": "one call for each member of what the tool takes as a list",
    "same_to_two_tools": "two tools were asked the same thing",
    "required_ungrounded": "values found nowhere in what the agent could know",
    "optional_ungrounded": "optional values that nobody asked for",
    "flag_unasked": "switches set that nobody asked for",
    "blank": "arguments without content",
    "both_at_once": "two things in one argument",
    "rate_differs": "a percentage in another form than the schema describes",
    "shape_differs": "a value in another form than the schema describes",
    "stray_marks": "quotation marks inside a value",
    "order_swapped": "start and end the other way round than in the request",
    "name_cut": "a name that goes on in the request",
    "identifiers_left": "addresses, files or codes of the request that no call uses",
    "option_chosen": "optional values chosen that nobody asked for",
    "other_value_said": "the request speaks of another value that the parameter may take",
    "unit_mismatch": "an amount that the request gives in another unit",
    "tool_foreign": "the tool has no word in common with the request",
    "named_uncalled": "tools that the request names and nobody called",
    "no_call": "no tool was called",
    "uncalled_alike": "a tool that the request speaks of was not called",
    "other_tool_closer": "another tool is closer to the request",
}
# Several numbers can rest on the same words.
RESTS_ON = {"amounts_left_share": "amounts_left", "names_left_share": "names_left", "quotes_left_share": "quotes_left"}


class CallFit(NamedTuple):
    """The features of the calls for one request, and the words each rests on."""

    features: dict[str, float]
    found: Found


def fit(request: Request, calls: Sequence[Made], tools: Sequence[Tool]) -> CallFit:
    """How the calls made for one request fit it; every feature is 0 where nothing speaks against them."""
    have = used_values(calls)
    chosen = choice(request, tools, {one.call.tool_name for one in calls})
    found = {
        **coverage(request, have, calls),
        **due(request, have, calls),
        **grounds(request, calls),
        **forms(request, have, calls),
        "named_uncalled": chosen.named,
        "tool_foreign": chosen.foreign,
    }
    features = {
        "no_call": float(not calls and bool(chosen.alike or chosen.named)),
        "uncalled_alike": chosen.alike,
        "other_tool_closer": chosen.closer,
    }
    rests = {"uncalled_alike": [chosen.best], "other_tool_closer": [chosen.best]}
    return CallFit(features | numbers(found, request), found | rests)


def fit_in_dialogue(
    request: Request, calls: Sequence[Made], later: Sequence[Made], said: Callable[[], Request]
) -> CallFit:
    """The same for one turn of several: `later` calls may still serve it, and `said` is all the user has said so far.

    How many calls are due, and of which tool, cannot be told from one turn: it asks, the next confirms.
    """
    have = used_values([*calls, *later])
    found = {
        **coverage(request, have, calls),
        **grounds(request, calls, said),
        **forms(request, have, calls),
        "repeated": repeated_calls(calls),
    }
    return CallFit(numbers(found, request), found)


def numbers(found: Found, request: Request) -> dict[str, float]:
    """Each kind as a number from 0 to 1: three of a kind are as bad as ten."""
    return {kind: min(len(some), 3) / 3 for kind, some in found.items()} | shares(found, request)


def shares(found: Found, request: Request) -> dict[str, float]:
    """How much of what the request names is left, not only how many."""
    wholes = {
        "amounts_left": len(request.amounts),
        "names_left": len(request.names),
        "quotes_left": len(request.quotes),
    }
    return {name: min(1.0, len(found[kind]) / max(wholes[kind], 1)) for name, kind in RESTS_ON.items()}


def reasons(one: CallFit, weights: Mapping[str, float]) -> list[tuple[str, str]]:
    """What speaks against the calls, the weightiest first: the meaning of a feature, and the words it rests on."""
    order = sorted(
        (name for name, value in one.features.items() if value), key=lambda name: -weight(one, name, weights)
    )
    kinds = dict.fromkeys(RESTS_ON.get(name, name) for name in order if weight(one, name, weights) > 0)
    return [(MEANINGS[kind], ", ".join(dict.fromkeys(one.found.get(kind, ())))) for kind in kinds]


def weight(one: CallFit, name: str, weights: Mapping[str, float]) -> float:
    return weights.get(name, 0.0) * one.features[name]
