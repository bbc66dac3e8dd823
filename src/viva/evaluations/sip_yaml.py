"""The text of a SIP: front matter in YAML and a body. It is untrusted, so everything beyond plain data is refused."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import yaml

from viva.kit.errors import Fault, Invalid

MAX_SIP_BYTES = 1024 * 1024
MAX_YAML_DEPTH = 50  # far more than a config needs, far less than the interpreter's stack allows
MAX_YAML_INTEGER = 2**63  # other JSON parsers lose digits of larger numbers
LINE_BREAK = re.compile("[\n\r\x85\u2028\u2029]")  # every line break of YAML 1.1
SIP_DOCUMENT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)(.*)\Z", re.DOTALL | re.MULTILINE)


class InvalidSip(Invalid):
    """This SIP is not valid."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        more = f" There are {len(faults)} faults in total." if len(faults) > 1 else ""
        super().__init__(f"This SIP is not valid: {faults[0].message}{more}", faults=tuple(faults))


class Document(NamedTuple):
    front: dict[str, Any]
    body: str


def read(text: str) -> Document:
    """Split a text into front matter and body. The body stays unchanged."""
    guard_text(text)
    parts = SIP_DOCUMENT.match(text)
    if parts is None:
        raise invalid_sip("NO_FRONT_MATTER", "The text does not begin with front matter between two --- lines.")
    front = load(parts[1])
    if not isinstance(front, dict):
        raise invalid_sip("NOT_A_MAPPING", "The front matter is not a mapping of keys to values.")
    if faults := list(strange_values("", front)):
        raise InvalidSip(faults)
    return Document(front, parts[2])


def invalid_sip(code: str, reason: str) -> InvalidSip:
    return InvalidSip([Fault("text", code, reason)])


def guard_text(text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise invalid_sip("NOT_UNICODE", "The text has half a character (a lone surrogate).") from None
    if size > MAX_SIP_BYTES:
        raise invalid_sip("TOO_LARGE", "The text is larger than 1 MiB.")
    if "\0" in text:
        raise invalid_sip("NUL_CHARACTER", "The text has a NUL character.")


def load(front: str) -> Any:
    try:
        guard_events(front)
        return yaml.load(front, Loader=SipLoader)  # noqa: S506 - SipLoader is a SafeLoader
    except yaml.MarkedYAMLError as error:
        # The mark counts from 0 and begins after the opening ---.
        at = f" (line {error.problem_mark.line + 2})" if error.problem_mark else ""
        raise invalid_sip("INVALID_YAML", f"The front matter is not YAML: {error.problem}{at}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise invalid_sip("INVALID_YAML", f"The front matter is not YAML: {reason}.") from error


def guard_events(front: str) -> None:
    """Refuse YAML beyond plain data before any object is built."""
    depth = 0
    for event in yaml.parse(front, Loader=SipLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_YAML_DEPTH:
            raise invalid_sip("TOO_DEEP", f"The front matter is nested more than {MAX_YAML_DEPTH} deep.")
        if getattr(event, "anchor", None) is not None:
            raise invalid_sip("YAML_ALIAS", "The front matter uses YAML anchors (&) or aliases (*).")
        if getattr(event, "tag", None) is not None:
            raise invalid_sip("YAML_TAG", "The front matter uses YAML tags (!).")


def strange_values(path: str, value: Any) -> Iterator[Fault]:
    """Faults for values that YAML can express, but JSON or a database cannot store."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from strange_values(path, key)
            yield from strange_values(f"{path}.{key}" if path else key, item)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from strange_values(f"{path}[{at}]", item)
    elif isinstance(value, str) and re.search("[\0\ud800-\udfff]", value):
        yield Fault(path, "NUL_CHARACTER", f"{path} has a NUL character or a lone surrogate.")
    elif isinstance(value, int | float) and not abs(value) < (MAX_YAML_INTEGER if isinstance(value, int) else math.inf):
        yield Fault(path, "NUMBER_OUT_OF_RANGE", f"{path} must be a finite number of at most 64 bits.")


SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class SipLoader(SafeLoader):  # type: ignore[misc]
    """Reads text, numbers, true, false and null. Dates, yes and no stay text. Keys are text and unique."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(problem="a key is not text", problem_mark=key.start_mark)
            if key.value in mapping:
                problem = f"the key {key.value} appears twice"
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=key.start_mark)
            mapping[key.value] = self.construct_object(value, deep=deep)
        return mapping


# Each accepts less than YAML 1.1 does. SipDumper follows all of 1.1, so it quotes everything that needs quotes.
PLAIN_VALUES = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    "float": (
        r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?|\.[0-9]+(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+0123456789."),
    ),
}
for name, (pattern, first) in PLAIN_VALUES.items():
    SipLoader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(f"^(?:{pattern})$"), first)


def write(document: Document) -> str:
    """The canonical text. read() gives back the same front matter and body."""
    return f"---\n{write_mapping(document.front)}---\n{document.body}"


def write_mapping(mapping: dict[str, Any]) -> str:
    """The mapping as YAML."""
    text: str = yaml.dump(mapping, Dumper=SipDumper, sort_keys=False, allow_unicode=True, width=math.inf)
    return text


class SipDumper(yaml.SafeDumper):
    """Writes block style, with lists indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Write several lines as a literal block if YAML preserves them, else in double quotes."""
    style = None if not LINE_BREAK.search(text) else "|" if fits_a_block(text) else '"'
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def fits_a_block(text: str) -> bool:
    breaks_only_by_newline = set(LINE_BREAK.findall(text)) == {"\n"}
    lines_end_clean = all(line == line.rstrip(" ") for line in text.split("\n"))
    return breaks_only_by_newline and lines_end_clean and not text[0].isspace() and not text.endswith("\n\n")


SipDumper.add_representer(str, write_text)
