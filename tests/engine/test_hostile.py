"""Traces nobody would write by hand: each gives an analysis whose numbers are ratios, in bounded time, and none a crash."""

import json
import math
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viva.engine.analysis import Analysis, InteractionResult
from viva.engine.analyze import analyze
from viva.engine.evidence import MAX_EVIDENCE_PIECES, MAX_QUOTE_CHARACTERS
from viva.engine.scoring import AGENT_WEIGHTS

pytestmark = pytest.mark.slow
RATIOS = ("overall_score", "conversation_score", "tool_use_score", "coordination_score", "reasoning_score")
LOWER = ("intent_drift_score", "task_completion_score")


def act(agent_id: str = "ada", response: str | None = "Done.", *steps: dict[str, Any]) -> dict[str, Any]:
    return {"agent_id": agent_id, "agent_response": response, "agent_steps": list(steps)}


def call(name: str = "look", result: Any = None, **parameters: Any) -> dict[str, Any]:
    return {"tool_call": {"tool_name": name, "parameters": parameters, "result": result}}


def turn(user: str | None, *acts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"user_message": user, "agent_interactions": list(acts), **more}


def deep(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = [value]
    return value


def declared(schema: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """One call of a tool with this schema."""
    tool = {"name": "look", "parameters_schema": schema}
    return {
        "agents": [{"id": "ada", "tools_available": [tool]}],
        "turns": [turn("Look", act("ada", "Seen.", call(**parameters)))],
    }


def doubling(levels: int) -> dict[str, Any]:
    """A schema of a few lines that a validator goes through 2 ** levels times."""
    parts = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(levels)}
    return {"allOf": [{"$ref": "#/$defs/a0"}], "$defs": {**parts, f"a{levels}": {"type": "object"}}}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


SELF = {"$ref": "#"}
THREEFOLD = {
    "properties": {"a": {"anyOf": [SELF, *({"allOf": [SELF, {"required": [name]}]} for name in "yz")]}},
    "required": ["q"],
}
UNEVALUATED: dict[str, Any] = {"properties": {"a": True}}
for _ in range(28):
    UNEVALUATED = {"anyOf": [UNEVALUATED], "unevaluatedProperties": False}
HOSTILE: dict[str, dict[str, Any]] = {
    "silence": {"turns": [turn(None)]},
    "empty turns": {"turns": [turn("", act("ada", ""), act("ada", None)) for _ in range(50)]},
    "megabyte messages": {"turns": [turn("word " * 200_000, act("ada", "reply " * 170_000)) for _ in range(3)]},
    "one endless word": {"turns": [turn("a" * 1_000_000, act("ada", "A" * 1_000_000), knowledge="b" * 1_000_000)]},
    "endless punctuation": {"turns": [turn("?!" * 300_000, act("ada", '"' * 300_000), knowledge="'.\n" * 200_000)]},
    "numbers only": {"turns": [turn("1,2,3." * 50_000, act("ada", "12:30 " * 50_000), knowledge="1.5e9 " * 50_000)]},
    "five thousand agents": {"turns": [turn("Go", *(act(f"agent {n}", f"I am number {n}.") for n in range(5_000)))]},
    "handoffs in a circle": {
        "turns": [turn("Fix it", *(act("abc"[n % 3], f"@{'abc'[(n + 1) % 3]} please fix it.") for n in range(600)))]
    },
    "the same call again and again": {"turns": [turn("Look", act("ada", "", *(call(result="busy") for _ in range(2_000))))]},
    "emoji": {"turns": [turn("😀👩‍👩‍👧‍👦🏳️‍🌈" * 500, act("🤖", "💥" * 500)), turn("👎", act("🤖", "🙏"))]},
    "right to left": {"turns": [turn("متى يفتح المسبح؟", act("وكيل", "\u202eيفتح في الثامنة\u202c")), turn("لا، هذا خطأ")]},
    "control characters": {"turns": [turn("\x00\x07\x1b[2J\ufeff", act("\x00", "\x00" * 100), knowledge="\x00")]},
    "deep results": {"turns": [turn("Look", act("ada", "Seen.", call(result=deep(40), where=deep(40))))]},
    "wide results": {"turns": [turn("Look", act("ada", "Seen.", call(result={f"k{n}": n for n in range(20_000)})))]},
    "strange schemas": {
        "agents": [{"id": "ada", "tools_available": [{"name": "look", "parameters_schema": schema}]}
                   for schema in ({"type": 7, "properties": {"a": {"$ref": "#/nowhere"}}},)],
        "turns": [turn("Look", act("ada", "Seen.", call(a=1, b=None)))],
    },
    "huge numbers": {"turns": [turn("Pay 1e308", act("ada", "Paid.", call(amount=1e308, count=10**30)))]},
    "numbers beyond any float": {
        "turns": [turn("Pay " + "9" * 400, act("ada", f"Paid {'8' * 400} and {'7' * 305} billion.", call(result="1")))]
    },
    "a number grouped in two ways": {"turns": [turn("Look up 64,959,915 164.", act("ada", "Seen.", call(a=1, b=2)))]},
    "a schema that doubles": declared(doubling(80), {}),
    "a schema that triples with depth": declared(THREEFOLD, nested(40)),
    "a schema that looks again": declared(UNEVALUATED, {"a": 1}),
    "empty lines": {
        "turns": [turn("Pay 12" + "\n " * 30_000, act("ada", "The pool is open."), knowledge="The pool" + "\n " * 30_000 + "shut.")]
    },
    "numbered lines without numbers": {"turns": [turn("\n" * 3_000 + "1) " * 1_000, act("ada", "Seen.", call(a=1, b=2)))]},
    "commas": {"turns": [turn("1," * 3_000, act("ada", "Seen.", *(call(a=1, b=n) for n in range(300))))]},
    "many turns": {"turns": [turn(f"Question {n}?", act("ada", f"Answer {n}.")) for n in range(1_500)]},
}  # fmt: skip


def check(analysis: Analysis) -> None:
    """What a reader relies on, whatever the trace."""
    for name in RATIOS + LOWER:
        value = getattr(analysis, name)
        assert value is None or (math.isfinite(value) and 0 <= value <= 1), (name, value)
    for name in RATIOS[1:]:
        value = getattr(analysis, name)
        assert value is None or value == 1 or analysis.evidence[name], name
    for turn_result in analysis.turn_results:
        assert not turn_result.is_bad or turn_result.evidence
        for part in turn_result.interactions:
            check_interaction(part)
        assert all(value is None or 0 <= value <= 1 for value in turn_result.signals.values())
    for agent in analysis.per_agent_scores.values():
        for name in ("tool_use", "reasoning", "handoff", "response_quality", "self_correction"):
            value = getattr(agent, name)
            assert value is None or value == 1 or (0 <= value < 1 and agent.evidence[name]), name
    json.loads(msgspec.json.encode(analysis))


def check_interaction(part: InteractionResult) -> None:
    """Every score below 1 has a few pieces of evidence, of which one at least says in which interaction; no other has any."""
    scores = {name: getattr(part, name) for name in AGENT_WEIGHTS}
    assert part.evidence.keys() == {name for name, value in scores.items() if value is not None and value < 1}
    for pieces in part.evidence.values():
        assert len(pieces) <= MAX_EVIDENCE_PIECES
        assert all(
            len(piece.quote) <= MAX_QUOTE_CHARACTERS and len(piece.why) <= 2 * MAX_QUOTE_CHARACTERS for piece in pieces
        )
        assert any(piece.turn_index is not None and piece.interaction_index is not None for piece in pieces)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_trace_gives_an_analysis(name):
    check(analyze(HOSTILE[name], sentence_model=False))


def test_names_are_cut_in_every_message():
    tools = [{"name": f"{n}" + "x" * 900} for n in range(40)]
    calls = [call("y" * 900, result="Error: down") for _ in range(50)]
    analysis = analyze(
        {"agents": [{"id": "ada", "tools_available": tools}], "turns": [turn("Go", act("ada", "", *calls))]}
    )

    issues = analysis.issues

    assert {issue.type for issue in issues} >= {"UNAUTHORIZED_TOOL", "REPEATED_FAILURE"}
    assert max(len(issue.message) for issue in issues) < 4_000


def test_a_schema_that_demands_thousands_gives_a_bounded_list():
    analysis = analyze(declared({"type": "object", "required": [f"p{n}" for n in range(5_000)]}, {}))

    assert len(analysis.issues) <= 100


LONG_ID = "o" * 900
FOREIGN = [{"name": f"{n}" + "x" * 900} for n in range(40)]
GROWING: dict[str, Callable[[int], dict[str, Any]]] = {
    "facts lost at every handoff": lambda size: {
        "turns": [turn("Go", *(act("ab"[n % 2], "Take it.", call(result=codes(n), given=codes(n - 1))) for n in range(size)))]
    },
    "calls of tools of others": lambda size: {
        "agents": [{"id": "ada", "tools_available": FOREIGN}],
        "turns": [turn("Go", *(act("ada", "", call("y", a=n)) for n in range(size)))],
    },
    "work for one that nobody knows": lambda size: {
        "agents": [{"id": "tax"}, {"id": LONG_ID}, {"id": "sea"}],
        "turns": [turn("Go", *(act(("tax", LONG_ID)[n % 2], f"Take it {n}.", {"action": "hand over to dock"}) for n in range(size)))],
    },
    "answers that are refused": lambda size: {"turns": [turn("No, wrong!", act("ada", "no")) for _ in range(size)]},
}  # fmt: skip


def codes(n: int) -> str:
    return " ".join(f"{letter}{n}-{n}77" for letter in "ABCDEFG")


@pytest.mark.parametrize("name", GROWING)
def test_an_analysis_grows_no_faster_than_its_trace(name):
    small, large = (analyze(GROWING[name](size), sentence_model=False) for size in (100, 800))

    check(large)
    assert any(part.evidence for turn_result in large.turn_results for part in turn_result.interactions)
    assert len(msgspec.json.encode(large)) <= 8.5 * len(msgspec.json.encode(small))


WORDS = st.sampled_from(
    "yes no not thanks wrong 12 12345 $89.50 Paris order #12345 ana@example.com the pool opens at 8 sorry error"
    " I will send it now @ada please again why? Error: failed \n {} 😀 متى".split(" ")
)
TEXTS = st.one_of(st.none(), st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=40))
AGENTS = st.sampled_from(["ada", "paul", "pia"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(
    lambda name, parameters, result, error: {
        "tool_name": name, "parameters": parameters, "result": result, "error": error
    },
    st.sampled_from(["look", "pay", "send_mail", ""]), st.dictionaries(WORDS, VALUES, max_size=3), VALUES,
    st.none() | st.just("timed out"),
)  # fmt: skip
STEPS = st.fixed_dictionaries(
    {}, optional={"thought": TEXTS, "action": TEXTS, "observation": TEXTS, "tool_call": st.none() | CALLS}
)
ACTS = st.builds(lambda agent, text, steps: act(agent, text, *steps), AGENTS, TEXTS, st.lists(STEPS, max_size=3))
TURNS = st.builds(
    lambda user, acts, knowledge: turn(user, *acts, knowledge=knowledge), TEXTS, st.lists(ACTS, max_size=4), TEXTS
)
TOOLS = st.builds(
    lambda name, schema: {"name": name, "parameters_schema": schema},
    st.sampled_from(["look", "pay"]),
    st.one_of(st.none(), st.just({"amount": "number"}), st.dictionaries(WORDS, VALUES, max_size=2)),
)
TRACES = st.fixed_dictionaries(
    {"turns": st.lists(TURNS, min_size=1, max_size=5)},
    optional={
        "initial_task": TEXTS,
        "success": st.none() | st.booleans(),
        "agents": st.lists(TOOLS, max_size=2).map(
            lambda tools: [{"id": "ada", "role": "payer", "tools_available": tools}]
        ),
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TRACES)
def test_any_trace_gives_an_analysis_and_the_same_one_again(trace):
    first = analyze(trace, sentence_model=False)

    check(first)
    assert msgspec.json.encode(first) == msgspec.json.encode(analyze(trace, sentence_model=False))
