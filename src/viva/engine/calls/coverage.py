"""What the request speaks of and no call uses: amounts, names, quotations, whole clauses, members of lists, options."""

from collections.abc import Sequence
from typing import Any

from viva.engine.calls.asked import Amount, Request, next_in_list
from viva.engine.calls.grounding import Found, abbreviates
from viva.engine.calls.lexicon import CODES, VERBS
from viva.engine.calls.made import Made, Used, digits_in, round_number, stems_of, telling
from viva.engine.calls.offers import default_of, said_of
from viva.engine.reading import flat
from viva.engine.text.words import STOP, stem

MAX_DESCRIPTION_CHARACTERS = 1_000  # characters of a tool's description
MAX_RESULTS_SEARCHED = 100  # calls whose results are looked at
BACK = 5_000  # characters of a result in which a thing asked for may turn up


def coverage(request: Request, have: Used, calls: Sequence[Made]) -> Found:
    """What is left of the request after the calls and what they brought back."""
    served = have.stems | known_by(calls)
    back = "\n".join(
        flat(one.call.result)[:BACK] for one in calls[:MAX_RESULTS_SEARCHED] if one.call.result is not None
    ).lower()
    found = have.text.lower() + back
    amounts = [one for one in amounts_left(request, have, default_numbers(calls)) if f"{one.value:g}" not in back]
    names = [name for name in request.names if not is_served(name[0], served, have) and name[0] not in back]
    left = [amount.at for amount in amounts] + [at for _, at in names]
    facts = [amount.at for amount in request.amounts] + [at for _, at in request.names]
    return {
        "amounts_left": [f"{amount.value:g}" for amount in amounts],
        "names_left": list(dict.fromkeys(name for name, _ in names)),
        "identifiers_left": [one for one in request.identifiers if one not in found and not telling(one) <= served],
        "quotes_left": [
            quote for quote in request.quotes if not telling(quote) <= served and quote.lower() not in back
        ],
        "clauses_left": [
            request.text[start:end] for start, end in request.clauses if is_unserved(start, end, facts, left)
        ],
        "siblings_left": siblings(request, have, served, len(calls) == 1),
        "options_left": [name for one in calls for name, schema in one.left_out() if is_asked(name, schema, request)],
    }


def amounts_left(request: Request, have: Used, defaults: frozenset[float]) -> list[Amount]:
    """Amounts that no argument uses. Another unit counts only for arguments that are no amount of the request as such."""
    spare = have.numbers - request.numbers
    converted = {round_number(number * factor) for number in spare for factor in request.factors}
    converted |= {round_number(number - 12) for number in spare if "pm" in request.words}
    have_all = have.numbers | converted | defaults
    return [amount for amount in request.amounts if amount.value and not is_used(amount, have_all)]


def is_used(amount: Amount, numbers: frozenset[float]) -> bool:
    return round_number(amount.value) in numbers or (amount.percent and round_number(amount.value / 100) in numbers)


def default_numbers(calls: Sequence[Made]) -> frozenset[float]:
    """The numbers that the tools take by themselves when a parameter is left out."""
    texts = [f"{schema.get('default')} {schema.get('description')}" for one in calls for _, schema in one.left_out()]
    return frozenset(round_number(number) for text in texts for number in digits_in(text[:500]))


def known_by(calls: Sequence[Made]) -> frozenset[str]:
    """The words by which the called tools and their parameters are known, and the defaults of those left out."""
    parts = [stems_of(one.call.tool_name) for one in calls]
    for one in calls:
        parts += [stems_of((one.tool.description or "")[:MAX_DESCRIPTION_CHARACTERS]) if one.tool else frozenset()]
        parts += [stems_of(" ".join(one.terms.properties)) if one.terms else frozenset()]
        parts += [stems_of(default_of(schema)) for _, schema in one.left_out()]
    return frozenset().union(*parts)


def is_served(name: str, served: frozenset[str], have: Used) -> bool:
    """Whether a name is used, perhaps as a code: "AAPL" for Apple, "US" for United States."""
    if stem(name) in served or any(code in served for code in CODES.get(name, ())):
        return True
    root = name[:5]  # "German" meets "Germany"
    return any(abbreviates(code, name) for code in have.codes) or any(
        word.startswith(root) for word in served if len(root) == 5
    )


def is_unserved(start: int, end: int, facts: list[int], left: list[int]) -> bool:
    """Whether a clause has facts and most of them are used nowhere."""
    inside = sum(start <= at < end for at in facts)
    return inside > 0 and sum(start <= at < end for at in left) > inside / 2


def siblings(request: Request, have: Used, served: frozenset[str], single: bool) -> list[str]:
    """Members of a list in the request that no call serves although one serves the member before.

    A word in lower case after "and" is as often a verb: it counts only where a single call was made.
    """
    found = []
    for value in dict.fromkeys(have.text.lower().split("\n")):
        at = request.lowered.find(value) if 1 < len(value) < 60 else -1
        word = next_in_list(request, at + len(value)) if at >= 0 else ""
        if (
            word
            and (single or word[0].isupper())
            and alike(word, request.text[at])
            and is_left(word.lower(), served, have)
        ):
            found.append(word)
    return found


def is_left(word: str, served: frozenset[str], have: Used) -> bool:
    return not (word.isdecimal() or word in VERBS or word in STOP or is_served(word, served, have))


def alike(word: str, first: str) -> bool:
    """Whether a word may stand in one list with another; "NY" after a city is its state."""
    return word[0].isupper() == first.isupper() and not (word.isupper() and len(word) == 2)


def is_asked(name: str, schema: dict[str, Any], request: Request) -> bool:
    """Whether the request speaks of what a parameter left out would say: one of its values, or its flag."""
    if schema.get("type") == "boolean":
        words = telling(name)
        return bool(words) and words <= request.stems
    default = default_of(schema).lower()
    return any(value not in default for value in said_of(schema, request))
