"""The calls of a run in their order, each with its doubtful arguments and what was said after it."""

import re
from typing import Any, NamedTuple

from viva.engine.call_text import came_back, flat
from viva.engine.calls.actions import changes
from viva.engine.calls.contracts import contract
from viva.engine.calls.failures import call_failed
from viva.engine.calls.grounding import Argument, ArgumentDoubt, find_doubts, list_arguments
from viva.engine.calls.knowledge import MAX_READ_CHARACTERS, Knowledge
from viva.engine.evidence import InteractionIndex
from viva.engine.model import Interaction, Tool, ToolCall
from viva.engine.reading import Reading, calls

CUT_OFF = re.compile(r"\.\.\.|…|truncated|omitted", re.I)
MAX_SAID_CHARACTERS = 4_000  # of what is said after a call


class Past(NamedTuple):
    """One call of the run: by whom, where, what stands in it, and what became of it."""

    agent_id: str
    where: InteractionIndex
    step_index: int
    call: ToolCall
    tool: Tool | None
    arguments: list[Argument]
    doubts: list[ArgumentDoubt]
    failed: bool
    deed: float  # how likely the tool changes something
    has_gaps: bool  # what the agent had read before is not all recorded: a result is missing or cut off
    properties: dict[str, Any]  # the parameters that the tool declares


class History:
    """Every call of a trace. `after[k]` is what was said after call k, up to the next one."""

    def __init__(self, reading: Reading) -> None:
        self.calls: list[Past] = []
        self.after: list[str] = []
        agents = reading.trace.agents
        self.tools = {agent.id: {tool.name: tool for tool in agent.tools_available or ()} for agent in agents}
        self.known = Knowledge()
        self.unheard: list[str] = []  # what is said after the last call need not be known
        self.has_gaps = False
        if not any(True for place in reading.places for _ in calls(place.interaction)):
            return
        self.hear(reading.trace.initial_task)
        for agent in agents:
            self.hear(agent.description)
        for t, turn in enumerate(reading.trace.turns):
            self.hear(turn.user_message)
            self.hear(turn.knowledge)
            for i, act in enumerate(turn.agent_interactions):
                self.follow((t, i), act)

    def follow(self, where: InteractionIndex, act: Interaction) -> None:
        """Take up one interaction."""
        for k, step in enumerate(act.agent_steps):
            self.say(step.thought)
            self.say(step.action)
            if step.tool_call is not None:
                self.add(where, k, act.agent_id, step.tool_call)
            self.read(step.observation)
        self.say(act.agent_response)
        self.hear(act.agent_response)

    def add(self, where: InteractionIndex, step_index: int, agent_id: str, call: ToolCall) -> None:
        tool = self.tools.get(agent_id, {}).get(call.tool_name)
        terms = contract(tool.parameters_schema) if tool and tool.parameters_schema else None
        properties = terms.properties if terms else {}
        arguments = list_arguments(call.parameters, properties, terms.required if terms else frozenset())
        for text in self.unheard:
            self.known.hear(text)
        self.unheard.clear()
        doubts = find_doubts(arguments, self.known)
        deed = changes(call.tool_name, (tool.description if tool else None) or "")
        has_gaps = self.has_gaps or self.known.is_full
        failed = call_failed(call)
        past = Past(agent_id, where, step_index, call, tool, arguments, doubts, failed, deed, has_gaps, properties)
        self.calls.append(past)
        self.after.append("")
        self.hear(flat(call.parameters))  # a value that was doubted once is not doubted again
        self.read(came_back(call))
        self.has_gaps |= call.result is None and not call.error

    def hear(self, text: str | None) -> None:
        if text:
            self.unheard.append(text)

    def read(self, output: str | None) -> None:
        """Hear an output, and note whether something of it is missing."""
        self.hear(output)
        if output:
            self.has_gaps |= len(output) > MAX_READ_CHARACTERS or bool(CUT_OFF.search(output))

    def say(self, text: str | None) -> None:
        if text and self.after and len(self.after[-1]) < MAX_SAID_CHARACTERS:
            self.after[-1] += "\n" + text[:MAX_SAID_CHARACTERS]
