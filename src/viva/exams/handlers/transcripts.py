"""Transcripts of probes: each holds the unchanged messages of a probe and the candidate's answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from viva.evaluations.configs import Probe
from viva.kit import forms
from viva.kit.errors import Fault, Invalid

MAX_PROBE_ANSWER_BYTES = 32 * 1024  # of one answer
MAX_PROBE_MESSAGES = 200  # per probe, including the probe's own messages
MAX_TRANSCRIPT_FAULTS = 100  # in one error
MAX_PROBE_TEXT_CHARACTERS = 60_000  # per text for a marker; a probe may have many rows, each with its texts
ANSWER_TEXT_NAME = "answer"  # the name of the candidate's text on a sheet


class BadTranscript(Invalid):
    """The transcript does not answer every probe once, or it changes what a probe says."""


class ProbeReply(Struct, frozen=True, forbid_unknown_fields=True):
    role: Literal["system", "user", "assistant"]
    content: str


class AnsweredProbe(Struct, frozen=True, forbid_unknown_fields=True):
    """One answered probe; `response` is short for the probe's messages followed by one answer."""

    prompt_id: str = ""
    prompt_id_too: str = msgspec.field(default="", name="promptId")  # as the SIP spells it
    messages: Annotated[list[ProbeReply], Meta(max_length=MAX_PROBE_MESSAGES)] | None = None
    response: str | None = None

    @property
    def probe_id(self) -> str:
        return self.prompt_id or self.prompt_id_too

    def full_messages(self, probe: Probe) -> list[ProbeReply]:
        return self.messages or [*own_messages(probe), ProbeReply("assistant", self.response or "")]


class SpokenPart(NamedTuple):
    """One message, and whether it is the candidate's answer or part of the probe."""

    message: ProbeReply
    is_answer: bool


class ProbeConversation(NamedTuple):
    """One probe with its conversation."""

    id: str
    about: str | None  # the evaluation's description of the probe
    said: list[SpokenPart]
    left_out: int = 0  # messages that a page does not show


def read_transcript(given: Sequence[dict[str, Any]], probes: Sequence[Probe]) -> list[dict[str, Any]]:
    """The full conversation of each probe, in the order of the probes; or Invalid with every fault."""
    known = {probe.id: probe for probe in probes}
    answered = parse_answers(given)
    check_faults([*probe_faults(answered, known), *message_faults(answered, known)])

    conversations = {item.probe_id: item.full_messages(known[item.probe_id]) for item in answered}
    return [{"prompt_id": id_, "messages": msgspec.to_builtins(conversations[id_])} for id_ in known]


def check_faults(faults: Sequence[Fault]) -> None:
    if faults:
        raise BadTranscript(
            f"The transcript is not valid: {faults[0].message}", faults=tuple(faults[:MAX_TRANSCRIPT_FAULTS])
        )


def parse_answers(given: Iterable[dict[str, Any]]) -> list[AnsweredProbe]:
    answered, faults = [], []
    for at, item in enumerate(given):
        try:
            answered.append(msgspec.convert(item, AnsweredProbe))
        except msgspec.ValidationError as error:
            item_faults = forms.invalid(error, item, AnsweredProbe, "").faults
            faults += [fault._replace(field=f"transcript[{at}].{fault.field}".rstrip(".")) for fault in item_faults]
    check_faults(faults)
    return answered


def probe_faults(answered: Sequence[AnsweredProbe], known: Mapping[str, Probe]) -> Iterator[Fault]:
    """Faults unless every probe is answered once and there is nothing else."""
    times: Counter[str] = Counter()
    for at, item in enumerate(answered):
        times[item.probe_id] += 1
        field = f"transcript[{at}].prompt_id"
        if item.probe_id not in known:
            yield Fault(field, "unknown_probe", f"There is no probe {item.probe_id or 'without an id'}.")
        elif times[item.probe_id] > 1:
            yield Fault(field, "answered_twice", f"The probe {item.probe_id} is answered twice.")
    for id_ in known:
        if not times[id_]:
            yield Fault("transcript", "missing_probe", f"The probe {id_} is not answered.")


def message_faults(answered: Sequence[AnsweredProbe], known: Mapping[str, Probe]) -> Iterator[Fault]:
    for at, item in enumerate(answered):
        place = f"transcript[{at}]"
        if (item.messages is None) == (item.response is None):
            yield Fault(place, "no_answer", "Send either messages or response.")
        elif item.response is not None:
            yield from size_faults(item.response, f"{place}.response")
        elif item.probe_id in known:
            yield from conversation_faults(item.messages or [], known[item.probe_id], f"{place}.messages")


def conversation_faults(messages: Sequence[ProbeReply], probe: Probe, place: str) -> Iterator[Fault]:
    """Faults unless the probe's messages are complete and in order, with answers between and after them."""
    own = own_messages(probe)
    seen = 0  # messages of the probe so far
    is_answered = False
    for at, message in enumerate(messages):
        is_answered = not (seen < len(own) and message == own[seen])
        if not is_answered:
            seen += 1
        elif may_be_answer(message, own[:seen], own[seen:]):
            yield from size_faults(message.content, f"{place}[{at}].content")
        else:
            expected = f"message {seen + 1} of the probe {probe.id}"
            yield Fault(
                f"{place}[{at}]",
                "altered_probe",
                f"This is neither an answer by the assistant nor {expected} unchanged.",
            )
            return
    if seen < len(own):
        yield Fault(place, "altered_probe", f"Message {seen + 1} of the probe {probe.id} is missing.")
    elif not is_answered:
        yield Fault(place, "no_answer", f"The probe {probe.id} has no answer after its last message.")


def may_be_answer(message: ProbeReply, before: Sequence[ProbeReply], after: Sequence[ProbeReply]) -> bool:
    """An answer may follow the probe's last message, or a user message that the probe does not answer itself."""
    is_asked = bool(before) and before[-1].role == "user" and bool(after) and after[0].role != "assistant"
    return message.role == "assistant" and (not after or is_asked)


def size_faults(content: str, field: str) -> Iterator[Fault]:
    if len(content.encode(errors="replace")) > MAX_PROBE_ANSWER_BYTES:
        yield Fault(field, "too_long", f"An answer has at most {MAX_PROBE_ANSWER_BYTES:,} bytes.")


def own_messages(probe: Probe) -> list[ProbeReply]:
    return [ProbeReply(message.role, message.content) for message in probe.messages]


def split_speakers(probe: Probe, messages: Iterable[dict[str, str]]) -> list[SpokenPart]:
    """The messages of a submitted conversation; each that is not the probe's next message is an answer."""
    own = own_messages(probe)
    parts: list[SpokenPart] = []
    for message in msgspec.convert(list(messages), list[ProbeReply]):
        is_own = bool(own) and message == own[0]
        own = own[1:] if is_own else own
        parts.append(SpokenPart(message, not is_own))
    return parts


def marker_texts(probe: Probe, messages: Iterable[dict[str, str]]) -> dict[str, str]:
    """What a marker reads: the probe with its roles, and separately the candidate's answers."""
    numbered = list(number_messages(split_speakers(probe, messages)))
    asked = [f"{at}. {part.message.role}: {part.message.content}" for at, part in numbered if not part.is_answer]
    answers = [(f"(after message {at} of the probe)", part.message.content) for at, part in numbered if part.is_answer]
    texts = [content if len(answers) == 1 else f"{place}\n{content}" for place, content in answers]
    return {"conversation": shorten_middle("\n\n".join(asked)), ANSWER_TEXT_NAME: shorten_middle("\n\n".join(texts))}


def shorten_middle(text: str) -> str:
    """The beginning and the end of a long text."""
    if len(text) <= MAX_PROBE_TEXT_CHARACTERS:
        return text
    half = MAX_PROBE_TEXT_CHARACTERS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def number_messages(parts: Iterable[SpokenPart]) -> Iterator[tuple[int, SpokenPart]]:
    """Each part with the number of the probe's message that it is or follows."""
    number = 0
    for part in parts:
        number += not part.is_answer
        yield number, part
