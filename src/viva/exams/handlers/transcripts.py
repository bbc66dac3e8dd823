"""What a candidate hands in for probes: each probe's own messages unaltered, with the candidate's answers among them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from viva.evaluations.configs import Probe
from viva.kit import forms
from viva.kit.errors import Fault, Invalid

MOST_BYTES = 32 * 1024  # of one answer
MOST_MESSAGES = 200  # of one probe, its own included
MOST_FAULTS = 100  # that are told
LONGEST_TEXT = 60_000  # characters that a marker is given to read: a probe may have many rows, each with its texts
ANSWER = "answer"  # what the marker is told the candidate's own words are


class BadTranscript(Invalid):
    """The transcript does not answer every probe once, or it changes what a probe says."""


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    role: Literal["system", "user", "assistant"]
    content: str


class Answered(Struct, frozen=True, forbid_unknown_fields=True):
    """One probe as it was answered; `response` is short for the probe's messages and this one answer after them."""

    prompt_id: str = ""
    prompt_id_too: str = msgspec.field(default="", name="promptId")  # as the SIP spells it
    messages: Annotated[list[Message], Meta(max_length=MOST_MESSAGES)] | None = None
    response: str | None = None

    @property
    def probe_id(self) -> str:
        return self.prompt_id or self.prompt_id_too

    def whole(self, probe: Probe) -> list[Message]:
        return self.messages or [*own_messages(probe), Message("assistant", self.response or "")]


class Spoken(NamedTuple):
    """One message, and whether it is the candidate's answer or stands so in the probe."""

    message: Message
    is_answer: bool


class ProbeConversation(NamedTuple):
    """One probe with the conversation that came of it."""

    id: str
    about: str | None  # what the probe is, in the evaluation's words
    said: list[Spoken]
    left_out: int = 0  # messages that a page has no room for


def read(given: Sequence[dict[str, Any]], probes: Sequence[Probe]) -> list[dict[str, Any]]:
    """The whole conversation of each probe, in the order of the probes; or every fault with its place."""
    known = {probe.id: probe for probe in probes}
    answered = formed(given)
    check([*probe_faults(answered, known), *message_faults(answered, known)])

    whole = {one.probe_id: one.whole(known[one.probe_id]) for one in answered}
    return [{"prompt_id": id_, "messages": msgspec.to_builtins(whole[id_])} for id_ in known]


def check(faults: Sequence[Fault]) -> None:
    if faults:
        raise BadTranscript(f"The transcript is not valid: {faults[0].message}", faults=tuple(faults[:MOST_FAULTS]))


def formed(given: Iterable[dict[str, Any]]) -> list[Answered]:
    answered, faults = [], []
    for at, item in enumerate(given):
        try:
            answered.append(msgspec.convert(item, Answered))
        except msgspec.ValidationError as error:
            told = forms.invalid(error, item, Answered, "").faults
            faults += [fault._replace(field=f"transcript[{at}].{fault.field}".rstrip(".")) for fault in told]
    check(faults)
    return answered


def probe_faults(answered: Sequence[Answered], known: Mapping[str, Probe]) -> Iterator[Fault]:
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


def message_faults(answered: Sequence[Answered], known: Mapping[str, Probe]) -> Iterator[Fault]:
    for at, one in enumerate(answered):
        place = f"transcript[{at}]"
        if (one.messages is None) == (one.response is None):
            yield Fault(place, "no_answer", "Send either messages or response.")
        elif one.response is not None:
            yield from size_faults(one.response, f"{place}.response")
        elif one.probe_id in known:
            yield from conversation_faults(one.messages or [], known[one.probe_id], f"{place}.messages")


def conversation_faults(messages: Sequence[Message], probe: Probe, place: str) -> Iterator[Fault]:
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
        yield Fault(place, "altered_probe", f"Message {said + 1} of the probe {probe.id} is missing.")
    elif not is_answered:
        yield Fault(place, "no_answer", f"The probe {probe.id} has no answer after its last message.")


def may_be_answer(message: Message, before: Sequence[Message], after: Sequence[Message]) -> bool:
    """The candidate speaks after the last message of the probe, and after any user's that has no answer of its own."""
    is_asked = bool(before) and before[-1].role == "user" and bool(after) and after[0].role != "assistant"
    return message.role == "assistant" and (not after or is_asked)


def size_faults(content: str, field: str) -> Iterator[Fault]:
    if len(content.encode(errors="replace")) > MOST_BYTES:
        yield Fault(field, "too_long", f"An answer has at most {MOST_BYTES:,} bytes.")


def own_messages(probe: Probe) -> list[Message]:
    return [Message(message.role, message.content) for message in probe.messages]


def spoken(probe: Probe, messages: Iterable[dict[str, str]]) -> list[Spoken]:
    """A conversation that was handed in, told apart: what is not the probe's next message is an answer."""
    own = own_messages(probe)
    told: list[Spoken] = []
    for message in msgspec.convert(list(messages), list[Message]):
        is_own = bool(own) and message == own[0]
        own = own[1:] if is_own else own
        told.append(Spoken(message, not is_own))
    return told


def texts(probe: Probe, messages: Iterable[dict[str, str]]) -> dict[str, str]:
    """What a marker reads: the probe with its roles, and apart from it the candidate's words."""
    told = list(numbered(spoken(probe, messages)))
    asked = [f"{at}. {one.message.role}: {one.message.content}" for at, one in told if not one.is_answer]
    answers = [(f"(after message {at} of the probe)", one.message.content) for at, one in told if one.is_answer]
    words = [content if len(answers) == 1 else f"{place}\n{content}" for place, content in answers]
    return {"conversation": shortened("\n\n".join(asked)), ANSWER: shortened("\n\n".join(words))}


def shortened(text: str) -> str:
    """The beginning and the end of a long text."""
    if len(text) <= LONGEST_TEXT:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def numbered(told: Iterable[Spoken]) -> Iterator[tuple[int, Spoken]]:
    """Each with the number of the probe's message that it is or follows."""
    number = 0
    for one in told:
        number += not one.is_answer
        yield number, one
