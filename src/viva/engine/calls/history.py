"""The calls of a run in their order, each with what its agent had read before and what was said after it."""

from typing import NamedTuple

from viva.engine.calls.made import Made, read_call
from viva.engine.evidence import InteractionIndex
from viva.engine.model import Interaction, Tool, ToolCall, TraceAgent
from viva.engine.reading import MAX_TEXT_CHARACTERS, Reading, flat

REMEMBERED = 60  # texts an agent is taken to remember: the latest
SPOKEN = 2_000  # characters of what is said after a call


class Past(NamedTuple):
    """One call of the run: by whom, where, and what stands in it."""

    agent_id: str
    where: InteractionIndex
    step_index: int
    made: Made

    @property
    def call(self) -> ToolCall:
        return self.made.call


class History:
    """Every call of a trace. `after[k]` is what was said after call k, up to the next one."""

    def __init__(self, reading: Reading) -> None:
        self.calls: list[Past] = []
        self.after: list[str] = []
        self.tools = {agent.id: tools_of(agent) for agent in reading.trace.agents}
        self.known: list[str] = []
        for t, turn in enumerate(reading.trace.turns):
            self.hear(turn.user_message)
            self.hear(turn.knowledge)
            for i, act in enumerate(turn.agent_interactions):
                self.follow((t, i), act, reading.agents.get(act.agent_id))

    def follow(self, where: InteractionIndex, act: Interaction, agent: TraceAgent | None) -> None:
        """Take up one interaction."""
        if act.agent_steps and agent and agent.description:
            self.hear(agent.description)
        for k, step in enumerate(act.agent_steps):
            self.say(step.thought)
            self.say(step.action)
            if step.tool_call is not None:
                self.add(where, k, act.agent_id, step.tool_call)
            self.say(step.observation)
            self.hear(step.observation)
        self.say(act.agent_response)
        self.hear(act.agent_response)

    def add(self, where: InteractionIndex, step_index: int, agent_id: str, call: ToolCall) -> None:
        tool = self.tools.get(agent_id, {}).get(call.tool_name)
        self.calls.append(Past(agent_id, where, step_index, read_call(call, tool, tuple(self.known[-REMEMBERED:]))))
        self.after.append("")
        self.hear(call.result if isinstance(call.result, str) else flat(call.result))

    def hear(self, text: str | None) -> None:
        if text:
            self.known.append(text[:MAX_TEXT_CHARACTERS].lower())

    def say(self, text: str | None) -> None:
        if text and self.after and len(self.after[-1]) < SPOKEN:
            self.after[-1] += "\n" + text[:SPOKEN]


def tools_of(agent: TraceAgent) -> dict[str, Tool]:
    return {tool.name: tool for tool in agent.tools_available or ()}
