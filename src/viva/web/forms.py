"""What the fields of a form hold; whatever else was sent holds nothing."""

from urllib.parse import parse_qs

from viva.kit.errors import Invalid

MAX_FORM_FIELDS = 5_000  # of a form
NOT_A_NUMBER = float("nan")  # stands for what is none, so that one rule refuses both


class UnreadableForm(Invalid):
    """This form cannot be read; it is larger than any that this page sends."""


def texts_in(form: bytes) -> dict[str, str]:
    """The fields as they were written, with one kind of line break."""
    try:
        found = parse_qs(form.decode(errors="replace"), max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        raise UnreadableForm() from None
    # Databases keep no null characters.
    return {name: values[0].replace("\0", "").replace("\r\n", "\n") for name, values in found.items()}


def fields_in(form: bytes) -> dict[str, str]:
    """The fields without the space around what was written."""
    return {name: text.strip() for name, text in texts_in(form).items()}


def number(text: str) -> float:
    """Also with a decimal comma, which some browsers leave as it was typed."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return NOT_A_NUMBER
