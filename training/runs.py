"""Makes traces of runs that are written as flat text, so that the features that read a trace are fitted on them.

Lines begin with a speaker ("user:", "assistant:", "agent:"), a call ("assistant: calls f({…})", "agent calls {…}",
"Action: f[…]") or what came back ("tool: result …", "result: …", "environment: …", "Observation: …").
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from viva.engine.model import Interaction, Step, ToolCall, Trace, TraceAgent, Turn

AGENT = "assistant"
MARK = re.compile(
    r"^(?:(user|they):|(?:assistant|agent|you)(?:: | )calls |(Thought):|(Action):|(?:tool: result|result:|environment: Observation:|Observation:)"
    r"|(assistant|agent|you):)[ \t]*",
    re.M,
)
CALL = re.compile(r"(?P<name>[\w.]+)\((?P<arguments>.*)\)\s*\Z", re.S)
ACTION = re.compile(r"(?P<name>\w+)\[(?P<query>.*)\]?\s*\Z", re.S)
PAIR = re.compile(r"(\w[\w.]*)=(.*?)(?=, \w[\w.]*=|\Z)", re.S)
TAG = re.compile(r"<(thought|execute|solution)>(.*?)(?:</\1>|(?=<(?:thought|execute|solution)>)|\Z)", re.S | re.I)
FEEDBACK = "Expert feedback:"
FINISH = "finish"


class FlatPart(NamedTuple):
    """One part of a flat text: `kind` is user, said, thought, call or result."""

    kind: str
    text: str


def split_text(text: str) -> Iterator[FlatPart]:
    """The parts of a flat text in their order."""
    marks = [*MARK.finditer(text)]
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        rest = text[mark.end() : after.start() if after else len(text)].strip()
        yield from split_part(mark, rest)


def split_part(mark: re.Match[str], rest: str) -> Iterator[FlatPart]:
    begun = mark[0].strip()
    if mark[1]:
        yield FlatPart("user", rest)
    elif "calls" in begun or mark[3]:
        yield FlatPart("call", rest)
    elif mark[2]:
        yield FlatPart("thought", rest)
    elif mark[4]:
        yield from split_tags(rest.removeprefix("Assistant:").strip())
    else:
        seen, _, feedback = rest.partition(FEEDBACK)
        yield FlatPart("result", seen.strip())
        if feedback:
            yield FlatPart("user", feedback.strip())


def split_tags(text: str) -> Iterator[FlatPart]:
    """What an agent says, thinks and executes, where it marks these with tags."""
    kinds = {"thought": "thought", "execute": "call", "solution": "said"}
    tags = [*TAG.finditer(text)]
    plain = TAG.sub("", text).strip()
    for tag in tags:
        body = tag[2].strip()
        yield FlatPart(
            kinds[tag[1].lower()], f"python({json.dumps({'code': body})})" if tag[1].lower() == "execute" else body
        )
    if plain and not any(tag[1].lower() == "solution" for tag in tags):
        yield FlatPart("said", plain)


def read_call(text: str) -> ToolCall:
    """A call in one of the forms in which sources write it."""
    if text.startswith("{") and (named := load_json(text)):
        name, arguments = next(iter(named.items()))
        return ToolCall(name, arguments if isinstance(arguments, dict) else {"value": arguments})
    if match := CALL.match(text):
        arguments = load_json(match["arguments"])
        pairs = dict(PAIR.findall(match["arguments"])) if arguments is None else arguments
        return ToolCall(match["name"], pairs)
    if match := ACTION.match(text):
        return ToolCall(match["name"], {"query": match["query"].removesuffix("]")})
    return ToolCall("call", {"text": text})


def load_json(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


class TurnDraft:
    """A turn while its parts come in."""

    def __init__(self, user: str | None) -> None:
        self.user = user
        self.steps: list[Step] = []
        self.said = ""
        self.acts: list[Interaction] = []

    def add(self, part: FlatPart) -> None:
        if self.said and part.kind in ("thought", "call"):
            self.close_act()  # work goes on after an answer
        if part.kind == "said":
            self.said = f"{self.said}\n{part.text}".strip()
        elif part.kind == "thought":
            self.steps.append(Step(thought=part.text))
        elif part.kind == "call":
            self.add_call(read_call(part.text))
        elif self.steps and (call := self.steps[-1].tool_call) is not None and call.result is None:
            self.steps[-1] = Step(tool_call=ToolCall(call.tool_name, call.parameters, part.text))
        elif part.text:
            self.steps.append(Step(observation=part.text))

    def add_call(self, call: ToolCall) -> None:
        if call.tool_name.lower() == FINISH:
            self.said = str(call.parameters.get("query", ""))
        else:
            self.steps.append(Step(tool_call=call))

    def close_act(self) -> None:
        if self.said or self.steps:
            self.acts.append(Interaction(AGENT, self.said or None, tuple(self.steps)))
        self.steps, self.said = [], ""

    def finish(self, number: int) -> Turn:
        self.close_act()
        return Turn(number, self.user, None, tuple(self.acts))


def make_trace(request: str, text: str, as_team: bool = False) -> Trace:
    """A trace of one flat text. As a team, programs are said by the agent and their outputs shown by a terminal."""
    parts = list(split_text(text))
    opened = bool(parts) and parts[0].kind == "user"
    drafts = [] if opened else [TurnDraft(request or None)]
    for part in parts:
        if part.kind == "user":
            drafts.append(TurnDraft(part.text))
        else:
            drafts[-1].add(part)
    turns = tuple(draft.finish(k) for k, draft in enumerate(drafts))
    turns = tuple(map(spread_out, turns)) if as_team else turns
    speakers = dict.fromkeys(act.agent_id for turn in turns for act in turn.agent_interactions)
    return Trace("run", turns, tuple(map(TraceAgent, speakers)), request or None)


def spread_out(turn: Turn) -> Turn:
    """A turn as a talk between an agent that writes programs and a terminal that runs them."""
    acts = [part for act in turn.agent_interactions for part in spread_act(act)]
    return Turn(turn.turn_index, turn.user_message, None, tuple(acts))


def spread_act(act: Interaction) -> Iterable[Interaction]:
    thought = ""
    for step in act.agent_steps:
        if step.tool_call is None:
            thought = f"{thought}\n{step.thought or step.observation or ''}".strip()
            continue
        code = step.tool_call.parameters.get("code", json.dumps(step.tool_call.parameters))
        yield Interaction(AGENT, f"{thought}\n```python\n{code}\n```".strip())
        yield Interaction("terminal", None, (Step(observation=str(step.tool_call.result or "")),))
        thought = ""
    if thought or act.agent_response:
        yield Interaction(AGENT, f"{thought}\n{act.agent_response or ''}".strip())
