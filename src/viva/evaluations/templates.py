"""Finished example documents, one for each type, to start a new evaluation from."""

import re
from pathlib import Path

from viva.evaluations.sip_fields import EVALUATION_TYPES

TEMPLATE_FOLDER = Path(__file__).parent / "templates"
# What an author has to fill in. Until then the strict rules refuse exactly these places.
MARKED_PLACES = {
    "id": "TODO  # lowercase letters, digits and hyphens",
    "name": "''  # TODO: the name as people read it",
    "author": "''  # TODO: your name",
}
MARKED_HEADING = (
    "# Fill in what is marked with TODO. All else is an example that passes `viva validate`: make it yours.\n"
)


def load_template(type_: str) -> str:
    """The finished example of this type."""
    if type_ not in EVALUATION_TYPES:
        raise ValueError(f"There is no type {type_}.")
    return (TEMPLATE_FOLDER / f"{type_}.md").read_text("utf-8")


def mark_template(type_: str, today: str) -> str:
    """The example as the beginning of a new document, with the places to fill in marked."""
    text = load_template(type_)
    for key, place in MARKED_PLACES.items():
        text = re.sub(rf"^{key}: .*$", f"{key}: {place}", text, count=1, flags=re.MULTILINE)
    for key in ("created_at", "updated_at"):
        text = re.sub(rf"^{key}: .*$", f"{key}: '{today}'", text, count=1, flags=re.MULTILINE)
    return text.replace("---\n", f"---\n{MARKED_HEADING}", 1)
