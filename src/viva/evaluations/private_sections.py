"""The sections of a SIP's body that its public file leaves out, and their return from the private companion."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from viva.evaluations.public_text import hidden_sections

KEPT_BACK = "*This section stands in the private companion.*"


class BodyPart(NamedTuple):
    """A heading with its line break, and what stands below it. The text before the first heading has none."""

    heading: str
    text: str

    @property
    def name(self) -> str:
        return self.heading.lstrip("#").strip()


class PublicBody(NamedTuple):
    """A body without its private sections, and those as rows of `heading` and `text`."""

    body: str
    sections: list[dict[str, str]]


def split_body(type_: str, body: str) -> PublicBody:
    """Leave out what pages hide from candidates. The headings stay, so that the companion says where a text belongs."""
    hidden, public, sections = hidden_sections(type_), "", list[dict[str, str]]()
    for part in list_parts(body):
        text = part.text.strip()
        if text and hidden.match(part.heading):
            sections.append({"heading": part.name, "text": text})
            part = part._replace(text=part.text.replace(text, KEPT_BACK, 1))
        public += part.heading + part.text
    return PublicBody(public, sections)


def merge_body(body: str, sections: list[dict[str, str]]) -> tuple[str, list[dict[str, str]]]:
    """The body with these sections, and those for which it has no place. A place is empty or says that it is kept back."""
    left, merged = list(sections), ""
    for part in list_parts(body):
        own = next((row for row in left if row["heading"] == part.name), None) if part.heading else None
        if own and part.text.strip() in ("", KEPT_BACK):
            left.remove(own)
            text = part.text.replace(KEPT_BACK, own["text"], 1) if part.text.strip() else f"\n{own['text']}\n\n"
            part = BodyPart(part.heading.rstrip("\r\n") + "\n" if not part.text else part.heading, text)
        merged += part.heading + part.text
    return merged, left


def list_parts(body: str) -> Iterator[BodyPart]:
    """The parts of a body at headings of the first two levels. Lines of a fenced block are no headings."""
    heading, text, fenced = "", "", False
    for line in body.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if line.startswith(("# ", "## ")) and not fenced:
            yield BodyPart(heading, text)
            heading, text = line, ""
        else:
            text += line
    yield BodyPart(heading, text)


def are_sections(value: Any) -> bool:
    """Whether a companion may have this under `sections`."""
    return isinstance(value, list) and all(
        isinstance(row, dict)
        and row.keys() == {"heading", "text"}
        and all(isinstance(each, str) for each in row.values())
        for row in value
    )
