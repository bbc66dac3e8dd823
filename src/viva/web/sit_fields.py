"""The fields of an attempt on its page: what they show, and how a sent form is read into answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from viva.exams.writing import SavedPage, WrittenAnswer, stamp_of, text_of

SitFieldKind = Literal["choice", "choices", "line", "number", "text", "code", "secret"]
SentForm = Mapping[str, list[str]]


@dataclass(frozen=True)
class SitField:
    """One field. `id` is that of its answer on the hub; `name` is that of the field in the form."""

    id: str
    kind: SitFieldKind
    label: str
    hint: str = ""
    options: tuple[str, ...] = ()
    max_length: int | None = None
    is_saved: bool = True  # False: its text is never stored before it is handed in
    is_needed: bool = True  # whether the attempt is incomplete without it
    name: str = ""
    value: Any = ""  # a text, or a list of chosen options
    seen: str = ""  # the stamp of the answer that the hub has
    fault: str = ""
    other: Any = None  # the answer that was saved elsewhere meanwhile

    @property
    def is_empty(self) -> bool:
        return not (self.value.strip() if isinstance(self.value, str) else self.value)

    @property
    def other_text(self) -> str:
        return ", ".join(map(str, self.other)) if isinstance(self.other, list) else text_of(self.other)


@dataclass(frozen=True)
class SitPart:
    """A text of the exam, with its role in a conversation; or a field."""

    text: str = ""
    role: str = ""
    field: SitField | None = None
    items: tuple[str, ...] = ()  # a list of steps or words


@dataclass(frozen=True)
class SitItem:
    """A question, a probe, or a whole challenge."""

    title: str
    parts: tuple[SitPart, ...]
    points: float | None = None
    about: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a needed field of it is empty."""
        return any(part.field and part.field.is_needed and part.field.is_empty for part in self.parts)


@dataclass(frozen=True)
class SitForm:
    """The items of an attempt. `hand_in` is the label of the button that hands in."""

    items: tuple[SitItem, ...]
    hand_in: str = "Hand in"
    note: str = ""  # what a person should know before handing in

    @property
    def fields(self) -> Iterator[SitField]:
        return (part.field for item in self.items for part in item.parts if part.field)

    @property
    def open_items(self) -> list[tuple[int, SitItem]]:
        """The items without an answer, with their numbers."""
        return [(number, item) for number, item in enumerate(self.items, 1) if item.is_open]

    @property
    def answered_count(self) -> int:
        return len(self.items) - len(self.open_items)

    @property
    def has_saved_fields(self) -> bool:
        return any(each.is_saved for each in self.fields)

    @property
    def is_wrong(self) -> bool:
        return any(each.fault or each.other is not None for each in self.fields)

    def with_fields(self, by_id: Mapping[str, SitField]) -> "SitForm":
        """The form with these fields in the place of those with their ids."""
        items = [replace(item, parts=tuple(put_field(part, by_id) for part in item.parts)) for item in self.items]
        return replace(self, items=tuple(items))


def put_field(part: SitPart, by_id: Mapping[str, SitField]) -> SitPart:
    return replace(part, field=by_id.get(part.field.id, part.field)) if part.field else part


def fill_fields(form: SitForm, stored: Mapping[str, Any]) -> SitForm:
    """The form with a name for each field, and the answers that the hub has."""
    return form.with_fields(
        {
            each.id: replace(
                each,
                name=f"a-{number}",
                value=shown_value(each, stored.get(each.id)),
                seen=stamp_of(stored.get(each.id)),
            )
            for number, each in enumerate(form.fields)
        }
    )


def shown_value(shown: SitField, answer: Any) -> Any:
    if shown.kind == "choices":
        return [str(choice) for choice in answer] if isinstance(answer, list) else []
    return text_of(answer)


def read_form(form: SitForm, sent: SentForm) -> dict[str, WrittenAnswer]:
    """What the sent form has for the fields, by their ids. A field is sent if the stamp beside it is."""
    return {
        each.id: WrittenAnswer(read_field(each, sent), sent[f"seen-{each.name}"][0])
        for each in form.fields
        if f"seen-{each.name}" in sent
    }


def read_field(shown: SitField, sent: SentForm) -> Any:
    values = sent.get(shown.name, [])
    if shown.kind == "choices":
        return values
    text = values[0] if values else ""
    return text if shown.kind in ("text", "code", "choice") else text.strip()


def show_sent(form: SitForm, sent: SentForm, faults: Mapping[str, str]) -> SitForm:
    """The form as it was sent, when nothing of it was saved, with the faults of its fields."""
    fields = {each.id: each for each in form.fields}
    return form.with_fields(
        {
            id_: replace(fields[id_], value=each.answer, seen=each.seen, fault=faults.get(id_, ""))
            for id_, each in read_form(form, sent).items()
        }
    )


def show_written(form: SitForm, written: Mapping[str, WrittenAnswer], saved: SavedPage) -> SitForm:
    """The form as it was sent, with the faults of each field, and what was saved elsewhere."""
    fields = {each.id: each for each in form.fields}
    return form.with_fields(
        {
            id_: replace(
                fields[id_],
                value=each.answer,
                seen=stamp_of(saved.answers.get(id_)),
                fault=saved.faults[id_].message if id_ in saved.faults else "",
                other=saved.answers.get(id_, "") if id_ in saved.conflicts else None,
            )
            for id_, each in written.items()
            if id_ in saved.conflicts or id_ in saved.faults or not fields[id_].is_saved
        }
    )
