"""Read the fields of a form."""

from urllib.parse import parse_qs

from viva.kit.errors import Invalid, VivaError

MAX_FORM_FIELDS = 5_000
NOT_A_NUMBER = float("nan")  # the range check of a score or mark refuses it


class UnreadableForm(Invalid):
    """This form has too many fields and cannot be read."""


def texts_in(form: bytes) -> dict[str, str]:
    """The fields as they were written. Line breaks are normalized."""
    return {name: values[0] for name, values in all_texts_in(form).items()}


def values_in(form: bytes, name: str) -> list[str]:
    """All values of a field that comes several times, such as ticked boxes."""
    return all_texts_in(form).get(name, [])


def all_texts_in(form: bytes) -> dict[str, list[str]]:
    """The fields as they were written, each with all its values. Fields without a text are left out."""
    try:
        found = parse_qs(form.decode(errors="replace"), max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        raise UnreadableForm() from None
    # PostgreSQL cannot store null characters.
    return {name: [value.replace("\0", "").replace("\r\n", "\n") for value in values] for name, values in found.items()}


def fields_in(form: bytes) -> dict[str, str]:
    """The fields without white space around their texts."""
    return {name: text.strip() for name, text in texts_in(form).items()}


def refusal_text(error: VivaError) -> str:
    """Why a form was refused: the error and its faults, each sentence once."""
    said = str(error)
    return " ".join(dict.fromkeys([said, *(fault.message for fault in error.faults if fault.message not in said)]))


def number(text: str) -> float:
    """Parse a number. Some browsers send a decimal comma as it was typed."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return NOT_A_NUMBER
