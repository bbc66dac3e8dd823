"""The private companion of a SIP, `SIP-7.keys.yaml`: answers, rubrics, exemplars and sections that its public file leaves out.

A sync reads it beside the SIP, or under the same name in another folder of the hub. No page and no export has it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from viva.evaluations import sip as sips
from viva.evaluations import sip_fields, sip_yaml
from viva.evaluations.private_sections import are_sections, merge_body, split_body
from viva.evaluations.sip import Sip
from viva.evaluations.sip_yaml import MAX_SIP_BYTES, Document, InvalidSip
from viva.kit.errors import Fault

COMPANION_ENDING = ".keys.yaml"
# Keys of a config that hold answers, or tell a marker what a good answer is.
PRIVATE_KEYS = frozenset(
    {
        "rubric",
        "should",
        "answer",
        "answers",
        "expression",
        "pattern",
        "schema",
        "tolerance",
        "checks",
        "guidance",
        "script",
        "expect",
    }
)
PRIVATE_FRONT = ("exemplars",)
COMPANION_KEYS = frozenset({"id", "config", "sections", *PRIVATE_FRONT})
Mapping = dict[str, Any]


class SplitSip(NamedTuple):
    """A SIP without what candidates must not know, and that as the content of its companion; None if there is none."""

    front: Mapping
    body: str
    keys: Mapping | None


def companion_name(sip_path: Path) -> str:
    return f"{sip_path.stem}{COMPANION_ENDING}"


def parse_with_companion(path: Path, text: str, folders: Iterable[Path] = ()) -> Sip:
    """Parse a SIP file together with its companion, if there is one."""
    document = merge_companion(path, sip_yaml.read(text), folders)
    if faults := list(sip_fields.faults(document.front)):
        raise InvalidSip(faults)
    return sips.build(document)


def merge_companion(path: Path, document: Document, folders: Iterable[Path] = ()) -> Document:
    """The document with the keys of its companion. One with another id belongs to another SIP."""
    for folder in dict.fromkeys((path.parent, *folders)):
        keys = read_companion(folder / companion_name(path))
        if keys is not None and keys.get("id", document.front.get("id")) == document.front.get("id"):
            return merge(document, keys)
    return document


def merge(document: Document, keys: Mapping) -> Document:
    own = {key: value for key, value in keys.items() if key not in ("id", "sections")}
    body, left = merge_body(document.body, keys.get("sections", []))
    if left:
        raise unusable(f"The section {left[0]['heading']} of the companion has no empty place in the SIP.")
    return Document(merge_keys(document.front, own), body)


def read_companion(path: Path) -> Mapping | None:
    """The content of a companion; None if there is no such file."""
    if not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8") as file:
            keys = sip_yaml.read(f"---\n{file.read(MAX_SIP_BYTES + 1)}\n---\n").front
    except (OSError, UnicodeDecodeError) as error:
        raise unusable(f"{path.name} cannot be read.") from error
    if keys.keys() - COMPANION_KEYS:
        raise unusable(f"{path.name} may have the keys id, config, exemplars and sections, and no others.")
    if not are_sections(keys.get("sections", [])):
        raise unusable(f"The sections of {path.name} must be a list of rows with heading and text.")
    return keys


def unusable(message: str) -> InvalidSip:
    return InvalidSip([Fault("companion", "UNUSABLE_COMPANION", message)])


def merge_keys(public: Mapping, keys: Mapping, field: str = "") -> Mapping:
    """The mapping with the keys. Rows of a list are found by their ids. Nothing public is ever replaced."""
    merged = dict(public)
    for key, value in keys.items():
        place = f"{field}.{key}".lstrip(".")
        if key not in merged:
            merged[key] = value
        elif isinstance(merged[key], dict) and isinstance(value, dict):
            merged[key] = merge_keys(merged[key], value, place)
        elif isinstance(merged[key], list) and isinstance(value, list):
            merged[key] = merge_rows(merged[key], value, place)
        else:
            raise unusable(f"{place} stands in the SIP and in its companion. It must stand in one of them.")
    return merged


def merge_rows(rows: list[Any], keys: list[Any], field: str) -> list[Any]:
    by_id = {row.get("id"): row for row in keys if isinstance(row, dict)}
    known = {row.get("id") for row in rows if isinstance(row, dict)}
    if len(by_id) < len(keys) or None in by_id or by_id.keys() - known:
        raise unusable(f"{field} of the companion has a row that the SIP does not have.")
    return [merge_row(row, by_id, field) for row in rows]


def merge_row(row: Any, by_id: dict[Any, Mapping], field: str) -> Any:
    if not isinstance(row, dict) or row.get("id") not in by_id:
        return row
    own = {key: value for key, value in by_id[row["id"]].items() if key != "id"}
    return merge_keys(row, own, f"{field}[{row['id']}]")


def split_keys(sip: Sip) -> SplitSip:
    """The public front matter and body of a SIP, and its private part."""
    front = sips.front_of(sip)
    public, private = split_mapping(front["config"])
    if sip.type == "simple_pass_fail" and "parameters" in public:  # of contributed code, which may compare with them
        private["parameters"] = public.pop("parameters")
    body, sections = split_body(sip.type, sip.body)
    keys = ({"config": private} if private else {}) | {key: front[key] for key in PRIVATE_FRONT if front.get(key)}
    keys |= {"sections": sections} if sections else {}
    shown = {key: value for key, value in front.items() if key not in PRIVATE_FRONT} | {"config": public}
    return SplitSip(shown, body, {"id": sip.id, **keys} if keys else None)


def split_mapping(mapping: Mapping) -> tuple[Mapping, Mapping]:
    public: Mapping = {}
    private: Mapping = {}
    for key, value in mapping.items():
        if is_private(key, value):
            private[key] = value
        elif isinstance(value, list):
            public[key], hidden = split_rows(value)
            private |= {key: hidden} if hidden else {}
        else:
            public[key] = value
    return public, private


def is_private(key: str, value: Any) -> bool:
    """`criteria` is a list that everybody may read, or the text by which a free answer is marked."""
    return key in PRIVATE_KEYS or (key == "criteria" and isinstance(value, str))


def split_rows(rows: list[Any]) -> tuple[list[Any], list[Mapping]]:
    public, private = [], []
    for row in rows:
        shown, hidden = split_mapping(row) if isinstance(row, dict) and "id" in row else (row, {})
        public.append(shown)
        private += [{"id": row["id"], **hidden}] if hidden else []
    return public, private


def merge_missing(document: Document, keys: Mapping) -> Document:
    """The document with those of the keys that it has not. What it has may have been changed since they were written."""
    own = {key: value for key, value in keys.items() if key not in ("id", "sections")}
    body, _ = merge_body(document.body, keys.get("sections", []))
    return Document(merge_keys(document.front, without_known(own, document.front)), body)


def without_known(keys: Mapping, public: Mapping) -> Mapping:
    """The keys without those that the public mapping has already, and without rows that it has no more."""
    kept: Mapping = {}
    for key, value in keys.items():
        known = public.get(key)
        if key not in public:
            kept[key] = value
        elif isinstance(known, dict) and isinstance(value, dict):
            kept[key] = without_known(value, known)
        elif isinstance(known, list) and isinstance(value, list):
            rows = {row.get("id"): row for row in known if isinstance(row, dict)}
            present = [row for row in value if isinstance(row, dict) and row.get("id") in rows]
            kept[key] = [{"id": row["id"]} | without_known(row, rows[row["id"]]) for row in present]
    return kept


def render_public(sip: Sip) -> str:
    """The text of a SIP without its keys."""
    split = split_keys(sip)
    return sip_yaml.write(Document(split.front, split.body))


def render_keys(sip: Sip) -> str | None:
    """The text of its companion; None if it has nothing to keep back."""
    keys = split_keys(sip).keys
    return None if keys is None else sip_yaml.write_mapping(keys)
