"""A finished class: its members and messages, as text for markers."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

MAX_MARKED_MESSAGE_CHARACTERS = 2_000  # of one message
MAX_MARKER_TEXT_CHARACTERS = 12_000  # of one text; a judge gets no more


class ClassMessage(Struct, frozen=True):
    agent_id: str
    role: str
    content: str


class Classroom(Struct, frozen=True):
    """The members and messages of a finished class."""

    id: str
    names: dict[str, str]  # of everybody in the session, by agent id
    participants: list[str]  # agents who stayed, in the order in which they joined
    said: list[ClassMessage]
    left_out: int = 0  # messages in the middle of a very long class


def speaker_names(room: Classroom) -> dict[str, str]:
    """The name of each agent, numbered if several share a name, as deleted agents do."""
    all_names = list(room.names.values())
    return {
        agent_id: name if all_names.count(name) == 1 else f"{name} {number}"
        for number, (agent_id, name) in enumerate(room.names.items(), 1)
    }


def transcript(room: Classroom, names: Mapping[str, str]) -> str:
    lines = lines_of(room, names)
    middle = len(lines) // 2
    if room.left_out:
        lines.insert(middle, left_out_note(room.left_out))
    return fit_lines(lines)


def lines_of(room: Classroom, names: Mapping[str, str], agent_id: str | None = None) -> list[str]:
    """The messages of everybody, or of one agent, each with the speaker's name."""
    messages = [message for message in room.said if agent_id in (None, message.agent_id)]
    return [f"{names.get(message.agent_id, '')}: {indent_message(message.content)}" for message in messages]


def own_messages(room: Classroom, agent_id: str) -> str:
    return fit_lines([indent_message(message.content) for message in room.said if message.agent_id == agent_id])


def indent_message(content: str) -> str:
    """The message with its further lines indented, so that no line looks like the message of another agent."""
    if len(content) > MAX_MARKED_MESSAGE_CHARACTERS:
        content = f"{content[:MAX_MARKED_MESSAGE_CHARACTERS]} [cut off here]"
    return "\n    ".join(content.splitlines())


def fit_lines(lines: Sequence[str]) -> str:
    """The lines as one text. A long text keeps its beginning and end, with a note about the gap."""
    if sum(len(line) + 1 for line in lines) <= MAX_MARKER_TEXT_CHARACTERS:
        return "\n".join(lines)
    first = take_lines(lines, MAX_MARKER_TEXT_CHARACTERS // 2)
    last = take_lines(lines[::-1], MAX_MARKER_TEXT_CHARACTERS // 2)[::-1]
    return "\n".join([*first, left_out_note(len(lines) - len(first) - len(last)), *last])


def take_lines(lines: Iterable[str], characters: int) -> list[str]:
    taken = []
    for line in lines:
        characters -= len(line) + 1
        if characters < 0:
            break
        taken.append(line)
    return taken


def left_out_note(count: int) -> str:
    return f"[{count} messages left out]"
