"""Tool calls against what is declared: the agent's own tools and the schemas of their parameters."""

from functools import lru_cache
from typing import Any, NamedTuple

import jsonschema_rs
import msgspec

from viva.engine.calls.effort import can_multiply, is_bounded
from viva.engine.evidence import cut
from viva.engine.model import Tool, ToolCall, TraceAgent
from viva.engine.wording import ISSUES, SCHEMA_BREACH

Schema = dict[str, Any]
# Names that makers of tools write for JSON Schema's types; "any" and what is not known leave the value open.
TYPES = {
    **dict.fromkeys(("string", "str", "text", "char"), "string"),
    **dict.fromkeys(("integer", "int", "long"), "integer"),
    **dict.fromkeys(("number", "float", "double", "decimal"), "number"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list", "tuple", "set"), "array"),
    **dict.fromkeys(("object", "dict", "map", "hashmap"), "object"),
    "null": "null",
}
SHAPES = ("properties", "$ref", "allOf", "anyOf", "oneOf", "patternProperties", "additionalProperties", "$schema")
# Words of a schema that say themselves which other parameters may come; without them those named are all there are.
OPENING = ("additionalProperties", "unevaluatedProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf")
BREACHES = {
    "required": "MISSING_REQUIRED_PARAM",
    "additionalProperties": "PARAMETER_HALLUCINATION",
    "unevaluatedProperties": "PARAMETER_HALLUCINATION",
    "type": "INVALID_PARAM_TYPE",
    "anyOf": "INVALID_PARAM_TYPE",
    "oneOf": "INVALID_PARAM_TYPE",
}
OTHER_BREACH = "INVALID_PARAM_VALUE"  # of the right type, but outside the enum, range or pattern
MAX_NAMES_LISTED = 40  # names in a message; an agent may declare thousands of tools
MAX_NAME_CHARACTERS = 80  # characters of a name in a message
MAX_BREACHES_PER_CALL = 100  # each is written out, and a schema may demand thousands of parameters


class Breach(NamedTuple):
    """What is wrong with one call."""

    type: str
    message: str
    evidence: str
    confidence: float


class Contract(NamedTuple):
    """A schema made ready: the parameters it names, those it demands, and whether it lets others in."""

    validator: jsonschema_rs.Validator | None
    properties: Schema
    required: frozenset[str]
    open: bool
    linked: Schema | None = None  # the schema itself, where its parts may multiply the work


def breaches(agent: TraceAgent, tools: dict[str, Tool], call: ToolCall) -> list[Breach]:
    """Everything that the declarations forbid about a call. Nothing declared, nothing to judge."""
    if agent.tools_available is None:
        return []
    tool = tools.get(call.tool_name)
    if tool is None:
        return [make_breach("UNAUTHORIZED_TOOL", call, quote(call), names=list_names(sorted(tools)))]
    if tool.parameters_schema is None:
        return []
    return against(contract(tool.parameters_schema), call)


def list_names(names: list[str]) -> str:
    return ", ".join([*map(short, names[:MAX_NAMES_LISTED]), *["…"] * (len(names) > MAX_NAMES_LISTED)]) or "no tools"


def against(terms: Contract, call: ToolCall) -> list[Breach]:
    """The breaches of a call against its tool's contract. A null for an optional parameter means it is not given."""
    optional = terms.properties.keys() - terms.required
    given = {name: value for name, value in call.parameters.items() if value is not None or name not in optional}
    unknown = [] if terms.open else [name for name in given if name not in terms.properties]
    found = [make_breach("PARAMETER_HALLUCINATION", call, quote(call), name=short(name)) for name in unknown]
    # A few refs that branch would keep the validator busy for years.
    can_end = terms.linked is None or is_bounded(terms.linked, given, len(msgspec.json.encode(given)))
    if terms.validator is not None and can_end and not terms.validator.is_valid(given):
        found += [schema_breach(error, call) for error in terms.validator.iter_errors(given)]
    return list(dict.fromkeys(found))[:MAX_BREACHES_PER_CALL]


def schema_breach(error: jsonschema_rs.ValidationError, call: ToolCall) -> Breach:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path).lstrip(".")
    why = cut(f"{where}: {error.message}" if where else error.message)
    kind = BREACHES.get(error.kind.name, OTHER_BREACH)
    message = SCHEMA_BREACH.format(tool=short(call.tool_name), why=why)
    return Breach(kind, message, quote(call), ISSUES[kind].confidence)


def make_breach(type_: str, call: ToolCall, evidence: str, confidence: float | None = None, **values: object) -> Breach:
    kind = ISSUES[type_]
    message = kind.message.format(tool=short(call.tool_name), **values)
    return Breach(type_, message, evidence, kind.confidence if confidence is None else confidence)


def short(name: str) -> str:
    return cut(name, MAX_NAME_CHARACTERS)


def quote(call: ToolCall) -> str:
    return cut(f"{call.tool_name}({msgspec.json.encode(call.parameters)[:1000].decode(errors='ignore')})")


def contract(schema: Schema) -> Contract:
    """The contract of a schema, made once for all tools that share it."""
    return parse_contract(msgspec.json.encode(schema))


@lru_cache(maxsize=4_096)
def parse_contract(text: bytes) -> Contract:
    schema = plain(full(msgspec.json.decode(text)))
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    needed = schema.get("required")
    required = frozenset(name for name in needed if isinstance(name, str)) if isinstance(needed, list) else frozenset()
    is_open = not properties or any(word in schema for word in OPENING)
    return Contract(validator(schema), properties, required, is_open, schema if can_multiply(text) else None)


def validator(schema: Schema) -> jsonschema_rs.Validator | None:
    """None where the schema itself is broken: then a call cannot be judged by it."""
    try:
        return jsonschema_rs.validator_for(schema, offline=True)
    except (ValueError, TypeError):
        return None


def full(schema: Schema) -> Schema:
    """A JSON Schema; the shorthand `{"path": "string"}` names each parameter's type and demands all of them."""
    if any(isinstance(schema.get(word), dict | list) for word in SHAPES) or schema.get("type") == "object":
        return schema
    if "$ref" in schema or "$defs" in schema:  # no parameter is called so
        return schema
    if not schema:
        return {"type": "object"}
    properties = {name: value if isinstance(value, dict) else {"type": value} for name, value in schema.items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def plain(schema: Any) -> Any:
    """A schema with the types' names as JSON Schema spells them."""
    if isinstance(schema, list):
        return [plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {word: plain(part) for word, part in schema.items()}
    if isinstance(schema.get("type"), str):
        copy.pop("type")
        known = TYPES.get(schema["type"].strip().lower())
        copy |= {"type": known} if known else {}
    return copy
