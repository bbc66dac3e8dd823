"""What a candidate hands in for probes: each probe's own messages unaltered, with the candidate's answers among them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from viva.evaluations.configs import Probe
from viva.kit import forms
from viva.kit.errors import Fault, Invalid

MAX_PROBE_ANSWER_BYTES = 32 * 1024  # of one answer
MAX_PROBE_MESSAGES = 200  # of one probe, its own included
MAX_TRANSCRIPT_FAULTS = 100  # that are told
MAX_PROBE_TEXT_CHARACTERS = (
    60_000  # characters that a marker is given to read: a probe may have many rows, each with its texts
)
ANSWER_TEXT_NAME = "answer"  # what the marker is told the candidate's own words are


class BadTranscript(Invalid):
    """The transcript does not answer every probe once, or it changes what a probe says."""


class ProbeReply(Struct, frozen=True, forbid_unknown_fields=True):
    role: Literal["system", "user", "assistant"]
    content: str


class AnsweredProbe(Struct, frozen=True, forbid_unknown_fields=True):
    """One probe as it was answered; `response` is short for the probe's messages and this one answer after them."""

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
    """One message, and whether it is the candidate's answer or stands so in the probe."""

    message: ProbeReply
    is_answer: bool


class ProbeConversation(NamedTuple):
    """One probe with the conversation that came of it."""

    id: str
    about: str | None  # what the probe is, in the evaluation's words
    said: list[SpokenPart]
    left_out: int = 0  # messages that a page has no room for


def read_transcript(given: Sequence[dict[str, Any]], probes: Sequence[Probe]) -> list[dict[str, Any]]:
    """The whole conversation of each probe, in the order of the probes; or every fault with its place."""
    known = {probe.id: probe for probe in probes}
    answered = parse_answers(given)
    check_faults([*probe_faults(answered, known), *message_faults(answered, known)])

    whole = {one.probe_id: one.full_messages(known[one.probe_id]) for one in answered}
    return [{"prompt_id": id_, "messages": msgspec.to_builtins(whole[id_])} for id_ in known]


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
            told = forms.invalid(error, item, AnsweredProbe, "").faults
            faults += [fault._replace(field=f"transcript[{at}].{fault.field}".rstrip(".")) for fault in told]
    check_faults(faults)
    return answered


def probe_faults(answered: Sequence[AnsweredProbe], known: Mapping[str, Probe]) -> Iterator[Fault]:
    """Every probe is there, once, and nothing else is."""
    times: Counter[str] = Counter()
    for at, one in enumerate(answered):
        times[one.probe_id] += 1
        field = f"transcript[{at}].prompt_id"
        if one.probe_id not in known:
            yield Fault(field, "unknown_probe", f"There is no probe {one.probe_id or 'without an id'}.")
        elif times[one.probe_id] > 1:
            yield Fault(field, "answered_twice", f"The probe {one.probe_id} is answered twice.")
    for id_ in known:
        if not times[id_]:
            yield Fault("transcript", "missing_probe", f"The probe {id_} is not answered.")


def message_faults(answered: Sequence[AnsweredProbe], known: Mapping[str, Probe]) -> Iterator[Fault]:
    for at, one in enumerate(answered):
        place = f"transcript[{at}]"
        if (one.messages is None) == (one.response is None):
            yield Fault(place, "no_answer", "Send either messages or response.")
        elif one.response is not None:
            yield from size_faults(one.response, f"{place}.response")
        elif one.probe_id in known:
            yield from conversation_faults(one.messages or [], known[one.probe_id], f"{place}.messages")


def conversation_faults(messages: Sequence[ProbeReply], probe: Probe, place: str) -> Iterator[Fault]:
    """The probe's own messages are all there, in their order; what stands among them is answers; an answer is last."""
    own = own_messages(probe)
    said = 0  # how many of its own
    is_answered = False
    for at, message in enumerate(messages):
        is_answered = not (said < len(own) and message == own[said])
        if not is_answered:
            said += 1
        elif may_be_answer(message, own[:said], own[said:]):
            yield from size_faults(message.content, f"{place}[{at}].content")
        else:
            told = (
                f"This is neither an answer by the assistant nor message {said + 1} of the probe {probe.id} unaltered."
            )
            yield Fault(f"{place}[{at}]", "altered_probe", told)
            return
    if said < len(own):
        yield Fault(place, "altered_probe", f"ProbeReply {said + 1} of the probe {probe.id} is missing.")
    elif not is_answered:
        yield Fault(place, "no_answer", f"The probe {probe.id} has no answer after its last message.")


def may_be_answer(message: ProbeReply, before: Sequence[ProbeReply], after: Sequence[ProbeReply]) -> bool:
    """The candidate speaks after the last message of the probe, and after any user's that has no answer of its own."""
    is_asked = bool(before) and before[-1].role == "user" and bool(after) and after[0].role != "assistant"
    return message.role == "assistant" and (not after or is_asked)


def size_faults(content: str, field: str) -> Iterator[Fault]:
    if len(content.encode(errors="replace")) > MAX_PROBE_ANSWER_BYTES:
        yield Fault(field, "too_long", f"An answer has at most {MAX_PROBE_ANSWER_BYTES:,} bytes.")


def own_messages(probe: Probe) -> list[ProbeReply]:
    return [ProbeReply(message.role, message.content) for message in probe.messages]


def split_speakers(probe: Probe, messages: Iterable[dict[str, str]]) -> list[SpokenPart]:
    """A conversation that was handed in, told apart: what is not the probe's next message is an answer."""
    own = own_messages(probe)
    told: list[SpokenPart] = []
    for message in msgspec.convert(list(messages), list[ProbeReply]):
        is_own = bool(own) and message == own[0]
        own = own[1:] if is_own else own
        told.append(SpokenPart(message, not is_own))
    return told


def marker_texts(probe: Probe, messages: Iterable[dict[str, str]]) -> dict[str, str]:
    """What a marker reads: the probe with its roles, and apart from it the candidate's words."""
    told = list(number_messages(split_speakers(probe, messages)))
    asked = [f"{at}. {one.message.role}: {one.message.content}" for at, one in told if not one.is_answer]
    answers = [(f"(after message {at} of the probe)", one.message.content) for at, one in told if one.is_answer]
    words = [content if len(answers) == 1 else f"{place}\n{content}" for place, content in answers]
    return {"conversation": shorten_middle("\n\n".join(asked)), ANSWER_TEXT_NAME: shorten_middle("\n\n".join(words))}


def shorten_middle(text: str) -> str:
    """The beginning and the end of a long text."""
    if len(text) <= MAX_PROBE_TEXT_CHARACTERS:
        return text
    half = MAX_PROBE_TEXT_CHARACTERS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def number_messages(told: Iterable[SpokenPart]) -> Iterator[tuple[int, SpokenPart]]:
    """Each with the number of the probe's message that it is or follows."""
    number = 0
    for one in told:
        number += not one.is_answer
        yield number, one
