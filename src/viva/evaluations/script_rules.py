"""Faults in the script of a proctored evaluation: what it names exists, and every check can be carried out."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from viva.evaluations.configs import Script, ScriptCheck, ScriptCondition, ScriptPrompt
from viva.evaluations.patterns import pattern_error
from viva.kit.errors import Fault
from viva.kit.spelling import suggest_spelling

SCRIPT_FIELD = "config.script"


def script_faults(config: dict[str, Any]) -> Iterator[Fault]:
    """Every fault of the script. Faults of its form are told elsewhere, and then there is nothing to compare."""
    try:
        script = msgspec.convert(config.get("script"), Script | None)
    except msgspec.ValidationError:
        return
    if script is None:
        return
    criteria = criterion_ids(config)
    yield from prompt_faults(script.prompts)
    for at, check in enumerate(script.expect):
        yield from check_faults(f"{SCRIPT_FIELD}.expect[{at}]", check, script, criteria)
    for criterion in script.least:
        yield from unknown_id(f"{SCRIPT_FIELD}.least.{criterion}", "criterion", criterion, criteria)


def criterion_ids(config: dict[str, Any]) -> list[str]:
    rows = config.get("criteria")
    ids = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [id_ for id_ in ids if isinstance(id_, str)]


def prompt_faults(prompts: list[ScriptPrompt]) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, prompt in enumerate(prompts):
        field = f"{SCRIPT_FIELD}.prompts[{at}]"
        named = [(field, prompt.id)]
        for place, follow_up in enumerate(prompt.follow_ups):
            named.append((f"{field}.follow_ups[{place}]", follow_up.id))
            yield from condition_faults(f"{field}.follow_ups[{place}].when", follow_up.when)
        for where, id_ in named:
            if id_ in seen:
                yield Fault(f"{where}.id", "DUPLICATE_ID", f"Two messages of {SCRIPT_FIELD} have the id {id_}.")
            seen.add(id_)


def condition_faults(field: str, condition: ScriptCondition) -> Iterator[Fault]:
    given = [value for value in (condition.found, condition.missing, condition.detected) if value is not None]
    if len(given) != 1:
        message = f"{field} needs exactly one of found, missing and detected."
        yield Fault(field, "UNCLEAR_CONDITION", message)
    yield from pattern_faults(field, [pattern for pattern in (condition.found, condition.missing) if pattern])


def check_faults(field: str, check: ScriptCheck, script: Script, criteria: list[str]) -> Iterator[Fault]:
    yield from unknown_id(f"{field}.criterion", "criterion", check.criterion, criteria)
    for prompt in check.prompts:
        yield from unknown_id(f"{field}.prompts", "prompt", prompt, [each.id for each in script.prompts])
    if not check.found and not check.absent:
        message = f"{field} looks for nothing: give patterns that are found or absent."
        yield Fault(field, "EMPTY_CHECK", message)
    yield from pattern_faults(field, [*check.found, *check.absent])


def unknown_id(field: str, kind: str, id_: str, known: list[str]) -> Iterator[Fault]:
    if id_ not in known:
        message = f"{field}: no {kind} has the id {id_}."
        yield Fault(field, f"UNKNOWN_{kind.upper()}", message, suggest_spelling(id_, known))


def pattern_faults(field: str, patterns: Iterable[str]) -> Iterator[Fault]:
    for pattern in patterns:
        if reason := pattern_error(pattern):
            yield Fault(field, "UNUSABLE_PATTERN", f"{field}: the pattern {pattern} cannot be used: {reason}.")
