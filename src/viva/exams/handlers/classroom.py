"""A class when it is over: who was there and what was said, as text for whoever marks."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

MAX_MARKED_MESSAGE_CHARACTERS = 2_000  # characters of one message that are marked
MAX_MARKER_TEXT_CHARACTERS = 12_000  # characters of a text that a marker reads: as much as a judge is given


class ClassMessage(Struct, frozen=True):
    agent_id: str
    role: str
    content: str


class Classroom(Struct, frozen=True):
    """What there is of a class when it is over."""

    id: str
    names: dict[str, str]  # of everybody who was in the session, by agent
    participants: list[str]  # agents who stayed, in the order in which they joined
    said: list[ClassMessage]
    left_out: int = 0  # messages in the middle of a very long class


def speaker_names(room: Classroom) -> dict[str, str]:
    """A name for everybody, numbered where several have the same, as deleted agents do."""
    given = list(room.names.values())
    return {
        agent_id: name if given.count(name) == 1 else f"{name} {number}"
        for number, (agent_id, name) in enumerate(room.names.items(), 1)
    }


def transcript(room: Classroom, named: Mapping[str, str]) -> str:
    lines = lines_of(room, named)
    middle = len(lines) // 2
    if room.left_out:
        lines.insert(middle, left_out_note(room.left_out))
    return fit_lines(lines)


def lines_of(room: Classroom, named: Mapping[str, str], agent_id: str | None = None) -> list[str]:
    """What everybody said, or one agent, with the speaker's name."""
    heard = [said for said in room.said if agent_id in (None, said.agent_id)]
    return [f"{named.get(said.agent_id, '')}: {indent_message(said.content)}" for said in heard]


def own_messages(room: Classroom, agent_id: str) -> str:
    return fit_lines([indent_message(said.content) for said in room.said if said.agent_id == agent_id])


def indent_message(content: str) -> str:
    """One message as one entry: its further lines are set in, so that none of them can pass for another's message."""
    if len(content) > MAX_MARKED_MESSAGE_CHARACTERS:
        content = f"{content[:MAX_MARKED_MESSAGE_CHARACTERS]} [cut off here]"
    return "\n    ".join(content.splitlines())


def fit_lines(lines: Sequence[str]) -> str:
    """The lines as one text; of a long one the beginning and the end, with a note of what is missing between them."""
    if sum(len(line) + 1 for line in lines) <= MAX_MARKER_TEXT_CHARACTERS:
        return "\n".join(lines)
    first = take_lines(lines, MAX_MARKER_TEXT_CHARACTERS // 2)
    last = take_lines(lines[::-1], MAX_MARKER_TEXT_CHARACTERS // 2)[::-1]
    return "\n".join([*first, left_out_note(len(lines) - len(first) - len(last)), *last])


def take_lines(lines: Iterable[str], room: int) -> list[str]:
    taken = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        taken.append(line)
    return taken


def left_out_note(count: int) -> str:
    return f"[{count} messages left out]"
