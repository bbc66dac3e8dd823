"""The contribution form: read the fields of a step into a proposal."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from viva.contributions.model import Proposal
from viva.contributions.templates import default_handler, starter_config
from viva.evaluations.sip_fields import BUILT_IN_HANDLERS, is_number
from viva.evaluations.sip_yaml import InvalidSip, guard_text, load, strange_values
from viva.kit.errors import Fault, Invalid
from viva.web.contribution_fields import MORE, FieldKind, fields_of, pattern_of
from viva.web.contribution_paths import build_tree
from viva.web.contribution_sections import join_body

OWN_HANDLER = "own"  # the choice on step 3: Python that the contributor writes
# Keys of a question or check that only some kinds have. The page hides the others, and they are not read.
KEYS_OF_KIND: dict[str, dict[str, set[str]]] = {
    "questions": {
        "choice": {"options", "answer"},
        "multiple_choice": {"options", "answers", "partial"},
        "exact": {"answers", "strict"},
        "numeric": {"answer", "tolerance"},
        "regex": {"pattern", "max_length"},
        "json_schema": {"schema"},
        "free_text": {"criteria"},
    },
    "checks": {
        "exact": {"answer", "strict"},
        "one_of": {"answers", "strict"},
        "numeric": {"answer", "tolerance"},
        "pattern": {"pattern"},
        "json_schema": {"schema"},
    },
}


class UnreadableFields(Invalid):
    """Some fields cannot be read, so nothing was saved."""


def read_step(fields: Mapping[str, str], proposal: Proposal, step: int) -> Proposal:
    """The proposal with the fields of one step. Texts that are no numbers are kept, so that validation can name them."""
    kinds = fields_of(step, proposal.type)
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    for path, text in fields.items():
        kind = kinds.get(pattern_of(path))
        if kind and (text.strip() or kind == "row"):
            try:
                values[path] = read_value(kind, text)
            except InvalidSip as error:
                faults += [fault._replace(field=path) for fault in error.faults]
    if faults:
        raise UnreadableFields(faults=tuple(faults))
    return STEP_READERS[step](build_tree(values), proposal)


def read_value(kind: FieldKind, text: str) -> Any:
    match kind:
        case "number":
            return read_number(text)
        case "yes_no":
            return text == "yes"
        case "lines":
            return [line.strip() for line in text.splitlines() if line.strip()]
        case "yaml":
            return read_data(text)
        case "mapping":
            return read_mapping(text)
        case "row":
            return {}
        case "text":
            return text.strip("\n")
    return text.strip()


def read_number(text: str) -> Any:
    """A number, or the text if it is none. Some browsers send a decimal comma as it was typed."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return text.strip()
    if not math.isfinite(value) or abs(value) >= 2**53:  # larger numbers lose digits
        return text.strip()
    return int(value) if value.is_integer() else value


def read_mapping(text: str) -> dict[str, Any]:
    """Keys and values in YAML. Anchors, tags and deep nesting are refused as in a SIP."""
    guard_text(text)
    value = load(text)
    faults = list(strange_values("", value))
    if value is not None and not isinstance(value, dict):
        faults.append(Fault("", "NOT_A_MAPPING", "Write keys and values, as in max_tries: 3."))
    if faults:
        raise InvalidSip(faults)
    return value or {}


def read_data(text: str) -> Any:
    """A JSON schema, or the text if it is none."""
    try:
        return read_mapping(text)
    except InvalidSip:
        return text


def read_basics(tree: dict[str, Any], proposal: Proposal) -> Proposal:
    texts = {key: tree.get(key, "") for key in ("name", "description", "type", "evaluation_id", "title")}
    changed = change(
        proposal,
        **texts,
        module=tree.get("module_own") or tree.get("module", ""),
        department=tree.get("department_own") or tree.get("department") or None,
        version=tree.get("version") or proposal.version,
        author=tree.get("author") or proposal.author,
    )
    return with_type(changed, proposal.type)


def with_type(proposal: Proposal, former_type: str) -> Proposal:
    """Start the configuration anew if the type changed. Its summary follows the description."""
    if proposal.type == former_type:
        config = proposal.config | ({"summary": proposal.description} if "summary" in proposal.config else {})
        return change(proposal, config=config)
    is_own = proposal.executable_handler and proposal.executable_handler not in BUILT_IN_HANDLERS
    handler = proposal.executable_handler if is_own else default_handler(proposal.type)
    return change(proposal, config=starter_config(proposal.type), executable_handler=handler)


def read_configuration(tree: dict[str, Any], proposal: Proposal) -> Proposal:
    given = tree.get("config")
    form = given if isinstance(given, dict) else {}
    config = merge_more({key: clean_rows(key, value) for key, value in form.items()})
    if "summary" in proposal.config:
        config.setdefault("summary", proposal.config["summary"])
    points = tree.get("points", 0)
    if not is_number(points):
        raise UnreadableFields(faults=(Fault("points", "invalid", "Points must be a number, 0 or more."),))
    sections = tree.get("body")
    return change(
        proposal, config=config, points=points, body=join_body(sections if isinstance(sections, dict) else {})
    )


def merge_more(node: dict[str, Any]) -> dict[str, Any]:
    """The keys of the fields, and those of the YAML field. A key with a field of its own is read from there."""
    more = node.get(MORE, {})
    fields = {key: value for key, value in node.items() if key != MORE}
    return fields | {key: value for key, value in more.items() if key not in fields}


def clean_rows(key: str, value: Any) -> Any:
    """The rows of a list, each with its further keys and without those of another kind."""
    if not isinstance(value, list):
        return value
    return [clean_row(KEYS_OF_KIND.get(key, {}), row) if isinstance(row, dict) else row for row in value]


def clean_row(keys_of_kind: dict[str, set[str]], row: dict[str, Any]) -> dict[str, Any]:
    allowed = keys_of_kind.get(str(row.get("kind")))
    if allowed is not None:
        others = set[str]().union(*keys_of_kind.values()) - allowed
        row = {key: value for key, value in row.items() if key not in others}
    if row.get("kind") == "numeric" and isinstance(row.get("answer"), str):
        row |= {"answer": read_number(row["answer"])}
    return merge_more(row)


def read_handler(tree: dict[str, Any], proposal: Proposal) -> Proposal:
    chosen = tree.get("handler", "")
    if chosen == OWN_HANDLER:
        name, code = tree.get("executable_handler", ""), tree.get("executable_code", "")
        return change(proposal, executable_handler=name, executable_code=code or None)
    handler = chosen or default_handler(proposal.type)
    return change(proposal, executable_handler=handler, executable_code=None)


def read_research(tree: dict[str, Any], proposal: Proposal) -> Proposal:
    named = tree.get("prerequisites")
    chosen = [*(named if isinstance(named, list) else []), *tree.get("prerequisites_other", [])]
    return change(
        proposal,
        research_basis=tree.get("research_basis") or None,
        research_mapping=tree.get("research_mapping", []),
        exemplars=tree.get("exemplars", []),
        prerequisites=list(dict.fromkeys(chosen)),
    )


def change(proposal: Proposal, **values: Any) -> Proposal:
    return msgspec.structs.replace(proposal, **values)


STEP_READERS: dict[int, Callable[[dict[str, Any], Proposal], Proposal]] = {
    1: read_basics,
    2: read_configuration,
    3: read_handler,
    4: read_research,
    5: lambda tree, proposal: proposal,
}
