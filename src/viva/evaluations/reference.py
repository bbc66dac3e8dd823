"""The reference page of SIPs: every key and every rule, made from the types and tables that Viva itself uses."""

import inspect
import json
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
from msgspec import structs

from viva.evaluations.configs import CONFIGS, CommonConfig
from viva.evaluations.sip_fields import FIELD_RULES, OPTIONAL_FIELDS
from viva.evaluations.validation import RULES, RuleSeverity
from viva.kit.expectations import describe
from viva.kit.faults import alternatives, is_struct

INTRODUCTION = """\
# The SIP format

This page is made from the code; do not edit it. `viva sip new --type TYPE` gives a document to start from, `viva validate FILE`
checks it, and `viva sip schema` writes the JSON Schema of every `config`. [Add an evaluation](howto/add-an-evaluation.md) shows the
way.

A SIP is a Markdown file called `SIP-<number>.md`. It begins with front matter: YAML between two lines of `---`. The text follows.
"""
FIELD_MEANINGS = {
    "sip": "The number; 0 while it has none. Numbers below 100 belong to Viva.",
    "id": "Lowercase letters, digits and hyphens. It is part of addresses.",
    "name": "The name as people read it.",
    "title": "A longer name.",
    "module": "The subject, such as core, safety or advanced.",
    "department": "Who is responsible, such as Admissions or Safety.",
    "type": f"One of {', '.join(CONFIGS)}. An evaluation keeps its type.",
    "status": "`draft` (only maintainers see it, and whose contribution it was), `active` or `retired`.",
    "version": "Three numbers, such as 1.0.0. Changed grading needs a higher one.",
    "points": "What a passed attempt earns.",
    "prerequisites": "Ids of evaluations that have to be passed before.",
    "author": "A name. It gives no access.",
    "created_at": "A date or a time.",
    "updated_at": "A date or a time.",
    "config": "What is asked and how it is graded; see below for each type.",
    "executable": "`handler` names who decides. `script_path` says where a handler of your own is.",
    "research_basis": "The research or theory that the evaluation rests on. Not graded.",
    "research_mapping": "A list of `research` and `probe`: which item rests on which research. Not graded.",
    "exemplars": "A list of `probe`, `pass` and `fail`: an answer that passes and one that fails. Only maintainers, markers and "
    "contributors see them. Not graded.",
}


def render_reference() -> str:
    parts = [INTRODUCTION, *front_matter_part(), *config_parts(), *rules_part()]
    return "\n".join(parts).rstrip() + "\n"


def front_matter_part() -> Iterator[str]:
    yield "## Front matter\n"
    yield "Required keys of a contribution are more than those of a file: see [the rules](#rules).\n"
    yield "| key | required in a file | meaning |\n|---|---|---|"
    for field in FIELD_RULES:
        yield f"| `{field}` | {'no' if field in OPTIONAL_FIELDS else 'yes'} | {FIELD_MEANINGS[field]} |"
    yield ""


def config_parts() -> Iterator[str]:
    inner: dict[str, Any] = {}
    yield "## Config of every type\n"
    yield from struct_part(CommonConfig, inner, ())
    common = CommonConfig.__struct_fields__
    for type_, struct in CONFIGS.items():
        yield f"## Config of {type_}\n"
        yield from struct_part(struct, inner, common)
    yield "## Parts of configs\n"
    named: set[str] = set()
    while new := {name: struct for name, struct in inner.items() if name not in named}:
        for name, struct in new.items():
            named.add(name)
            yield f"### {heading_of(name)}\n"
            yield from struct_part(struct, inner, ())


def heading_of(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip().capitalize()


def struct_part(struct: Any, inner: dict[str, Any], known_fields: tuple[str, ...]) -> Iterator[str]:
    """The docstring and the further keys of a struct. Structs in its fields are added to `inner`."""
    yield f"{inspect.cleandoc(struct.__doc__ or '')}\n"
    yield "| key | value | default |\n|---|---|---|"
    config = struct.__struct_config__
    if config.tag_field:
        yield f"| `{config.tag_field}` | {config.tag} | required |"
    for field in (field for field in structs.fields(struct) if field.name not in known_fields):
        parts = [part for part in structs_in(field.type) if part is not struct]
        inner |= {part.__name__: part for part in parts}
        links = ", ".join(link_to(part.__name__) for part in parts)
        value = describe(field.type).replace("|", "\\|") + (f": {links}" if links else "")
        yield f"| `{field.encode_name}` | {value} | {default_of(field)} |"
    yield ""


def link_to(name: str) -> str:
    return f"[{heading_of(name).lower()}](#{heading_of(name).lower().replace(' ', '-')})"


def structs_in(kind: Any) -> Iterator[Any]:
    for option in alternatives(kind):
        if is_struct(option):
            yield option
        elif option is not kind or get_args(option):
            for part in get_args(option):
                yield from structs_in(part)


def default_of(field: Any) -> str:
    if field.required:
        return "required"
    if field.default_factory is not msgspec.NODEFAULT:
        return json.dumps(field.default_factory())
    return "none" if field.default is None else json.dumps(field.default)


def rules_part() -> Iterator[str]:
    yield "## Rules\n"
    yield (
        "A contribution is checked strictly: by the form, the API and `viva validate`. A file of a hub, read by `viva sync` or\n"
        "`viva sip import`, loads if it can be used; what a contribution could not have is a warning. An import repairs errors\n"
        "where it can. Each fault has a field, a code, a message and, where one can be given, a suggestion.\n"
    )
    yield "| rule | codes | contribution | file |\n|---|---|---|---|"
    for rule in RULES:
        sentence = " ".join((rule.find.__doc__ or "").split())
        codes = ", ".join(f"`{code}`" for code in rule.codes)
        yield f"| {sentence} | {codes} | {severity_word(rule.contribution)} | {severity_word(rule.imported)} |"


def severity_word(severity: RuleSeverity | None) -> str:
    return severity or "—"
