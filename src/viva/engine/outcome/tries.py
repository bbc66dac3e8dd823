"""What the agents of a run tried: tool calls and programs, what came back, and whether it failed or was refused."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from viva.engine.call_text import came_back, flat
from viva.engine.calls.actions import changes
from viva.engine.calls.failures import call_failed
from viva.engine.model import Step, ToolCall
from viva.engine.reading import Place, Reading, once

HANDING = re.compile(r"human|escalat|hand_?off|supervisor|live_?agent", re.I)
REFUSED = re.compile(  # in small letters
    r"\b(?:failed|failure|denied|rejected|refused|declined|forbidden|unauthori[sz]ed|not (?:permitted|allowed|possible|authori[sz]ed)|blocked|withheld"
    r"|redacted|insufficient|cannot be|could not be|was not|nothing (?:was )?(?:changed|happens|done))\b"
)
PROGRAM_FAILED = re.compile(r"exit ?code:? ?[1-9]|execution failed|traceback|(?:error|exception):")  # in small letters
OUTPUT = re.compile(r"\s*exit ?code:? ?\d", re.I)  # how a terminal that speaks as an agent begins
CODE = re.compile(r"```[\w+-]*\n(.*?)(?:```|\Z)", re.S)
MAX_RESULT_CHARACTERS = 3_000  # of a result or program that is looked at
RESULT_HEAD = 200  # characters in which a result says that nothing was done
MAX_TRIES = 2_000


class Try(NamedTuple):
    """One call or program with its place (positions), what came back as text, and what it was for."""

    turn: int
    interaction: int
    step: int | None
    tool: str
    asked: str
    result: str
    failed: bool
    changing: bool
    handing: bool

    @property
    def text(self) -> str:
        """How it is quoted: a call as calls are written, else its first line."""
        if not self.tool:
            return self.asked.strip().partition("\n")[0]
        return f"{self.tool}({self.asked})" + (f" -> {self.result}" if self.result else "")


@once
def tries(reading: Reading) -> list[Try]:
    found: list[Try] = []
    for k, place in enumerate(reading.places):
        after = reading.places[k + 1] if k + 1 < len(reading.places) else None
        found += (*steps_of(place), *programs_of(place, output_of(after)))
        if len(found) > MAX_TRIES:
            break
    return found


def steps_of(place: Place) -> Iterator[Try]:
    """The calls, and the actions that are written as text with the observation of their step."""
    for k, step in enumerate(place.interaction.agent_steps):
        if step.tool_call is not None:
            yield try_call(place, k, step.tool_call)
        elif step.action and step.observation:
            yield written_try(place, k, step.action, step.observation)


def try_call(place: Place, k: int, call: ToolCall) -> Try:
    handing = HANDING.search(call.tool_name) is not None
    changing = changes(call.tool_name) == 1 and not handing
    result = came_back(call)[:MAX_RESULT_CHARACTERS]
    failed = call_failed(call) or (changing and REFUSED.search(result[:RESULT_HEAD].lower()) is not None)
    asked = flat(call.parameters)[:MAX_RESULT_CHARACTERS]
    return Try(place.turn, place.part, k, call.tool_name, asked, result, failed, changing, handing)


def programs_of(place: Place, output: str) -> Iterator[Try]:
    """The programs in what an agent says, with the output that the next one shows."""
    said = place.interaction.agent_response or ""
    if "```" in said and (program := "\n".join(CODE.findall(said[: 2 * MAX_RESULT_CHARACTERS]))):
        yield written_try(place, None, program, output)


def written_try(place: Place, step: int | None, asked: str, result: str) -> Try:
    result = result[:MAX_RESULT_CHARACTERS]
    failed = PROGRAM_FAILED.search(result.lower()) is not None
    return Try(place.turn, place.part, step, "", asked[:MAX_RESULT_CHARACTERS], result, failed, False, False)


def output_of(place: Place | None) -> str:
    """What an interaction shows if it shows only an output, as that of an agent that executes what others write."""
    if place is None:
        return ""
    said = place.interaction.agent_response or ""
    if OUTPUT.match(said):
        return said
    shows = not said and all(step == Step(observation=step.observation) for step in place.interaction.agent_steps)
    return "\n".join(step.observation or "" for step in place.interaction.agent_steps) if shows else ""


def only_looks(tool: str) -> bool:
    """Whether a tool's name says that it changes nothing. A shell may do anything."""
    return changes(tool) == 0


def find_unrepaired(done: list[Try]) -> Try | None:
    """The last try that failed and whose tool never worked afterwards."""
    worked: set[str] = set()
    for one in reversed(done):
        if one.failed and one.tool not in worked:
            return one
        if not one.failed:
            worked.add(one.tool)
    return None
