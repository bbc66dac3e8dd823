"""Rules for the content of a certification: probes and rubric."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

from viva.evaluations import criteria_form
from viva.evaluations.config_rules import rows_of
from viva.evaluations.known_catalogue import KnownCatalogue
from viva.evaluations.sip_fields import is_number
from viva.evaluations.sip_yaml import Document
from viva.kit.errors import Fault

TOTAL_WEIGHT = 100
MAX_WEIGHT = 1_000_000  # of one row; the type of a rubric row refuses more
MAX_QUOTED_CHARACTERS = 80  # of a criterion in a message


def config_of(document: Document) -> dict[str, Any]:
    config = document.front.get("config")
    return config if isinstance(config, dict) else {}


def probes_of(document: Document) -> list[dict[str, Any]]:
    return rows_of(config_of(document), "prompts") if document.front.get("type") == "agent_certification" else []


def rubric_of(document: Document) -> list[dict[str, Any]]:
    return rows_of(config_of(document), "rubric") if document.front.get("type") == "agent_certification" else []


def is_blank(value: Any) -> bool:
    return value in (None, [], {}) or (isinstance(value, str) and not value.strip())


def missing_keys(field: str, row: dict[str, Any], keys: tuple[str, ...]) -> Iterator[Fault]:
    for key in keys:
        if is_blank(row.get(key)):
            yield Fault(f"{field}.{key}", "MISSING_FIELD", f"{field}.{key} is missing.")


def find_unfinished_probes(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Each probe has an id, a category, a description and messages."""
    for at, probe in enumerate(probes_of(document)):
        yield from missing_keys(f"config.prompts[{at}]", probe, ("id", "category", "description", "messages"))


def find_probes_not_ending_on_user(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The messages of a probe end on a user turn, which the agent answers."""
    for at, probe in enumerate(probes_of(document)):
        turns = turns_of(probe)
        if rows_of(probe, "messages") and (not turns or turns[-1] != "user"):
            message = f"The messages of {name_of(probe, at)} do not end on a user turn."
            suggestion = "Add the user's message that the agent has to answer, or take the last one away."
            yield Fault(f"config.prompts[{at}].messages", "PROBE_NOT_ENDING_ON_USER", message, suggestion)


def find_probes_without_turns(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """A probe of several turns is a full conversation: user and assistant alternate."""
    for at, probe in enumerate(probes_of(document)):
        pairs = set(pairwise(turns_of(probe)))
        for twice, between in (("user", "assistant"), ("assistant", "user")):
            if (twice, twice) in pairs:
                message = (
                    f"The messages of {name_of(probe, at)} have {twice} turns with no {between} turn between them."
                )
                code = f"PROBE_WITHOUT_{between.upper()}_TURN"
                suggestion = f"Write the {between}'s message between them, or join the two messages."
                yield Fault(f"config.prompts[{at}].messages", code, message, suggestion)


def turns_of(probe: dict[str, Any]) -> list[Any]:
    roles = [message.get("role") for message in rows_of(probe, "messages")]
    return [role for role in roles if role != "system"]


def name_of(probe: dict[str, Any], at: int) -> str:
    return str(probe.get("id") or f"config.prompts[{at}]")


def find_malformed_criteria(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Each should-criterion has an action, a condition and a negative check."""
    for at, probe in enumerate(probes_of(document)):
        criteria = probe.get("should")
        for number, criterion in enumerate(criteria if isinstance(criteria, list) else []):
            missing = criteria_form.missing_parts(criterion) if isinstance(criterion, str) else []
            if missing:
                field = f"config.prompts[{at}].should[{number}]"
                message = f'"{criterion[:MAX_QUOTED_CHARACTERS]}" has no {" and no ".join(missing)}.'
                yield Fault(field, "INVALID_FORMAT", message, criteria_form.suggest_form(missing))


def find_unfinished_rows(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Each row of the rubric has a probe, criteria, a weight, a highest mark and a rationale."""
    for at, row in enumerate(rubric_of(document)):
        yield from missing_keys(
            f"config.rubric[{at}]", row, ("promptId", "criteria", "weight", "maxScore", "rationale")
        )


def find_wrong_sum(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The weights of the rubric sum to exactly 100."""
    rows = rubric_of(document)
    weights, marks = numbers_in(rows, "weight"), numbers_in(rows, "maxScore")
    if weights and sum(weights) != TOTAL_WEIGHT:
        if sum(marks) == TOTAL_WEIGHT and len(set(weights)) == 1:
            suggestion = "The values of maxScore sum to 100: use them as the weights."
        else:
            rest = TOTAL_WEIGHT - sum(weights)
            suggestion = f"{'Add' if rest > 0 else 'Take away'} {abs(rest):f}."
        message = f"The weights sum to {sum(weights):f}; they must sum to exactly {TOTAL_WEIGHT}."
        yield Fault("config.rubric", "RUBRIC_SUM_NOT_100", message, suggestion)


def numbers_in(rows: list[dict[str, Any]], key: str) -> list[Decimal]:
    """The numbers under the key as they are written, without those that no rubric can have."""
    values: list[Any] = [row.get(key) for row in rows]
    return [Decimal(str(value)) for value in values if is_number(value) and abs(value) <= MAX_WEIGHT]
