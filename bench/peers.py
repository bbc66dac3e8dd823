"""Part of the analysis by two other libraries, on the same traces. It runs in a Python that has them and prints traces/s.

Both compare the calls of a run with a reference. There is no reference here, so each run is compared with itself,
which is as much work as a correct run.
"""

import json
import os
import sys
from time import perf_counter
from typing import Any

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", DEEPEVAL_DISABLE_PROGRESS_BAR="YES", OPENAI_API_KEY="none")


def trajectory_match(traces: list[dict[str, Any]]) -> None:
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    evaluate = create_trajectory_match_evaluator(trajectory_match_mode="strict")
    for trace in traces:
        messages = as_messages(trace)
        evaluate(outputs=messages, reference_outputs=messages)


def tool_correctness(traces: list[dict[str, Any]]) -> None:
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

    metric = ToolCorrectnessMetric(evaluation_params=[ToolCallParams.INPUT_PARAMETERS], async_mode=False)
    for trace in traces:
        tools = [ToolCall(name=call["tool_name"], input_parameters=call.get("parameters")) for call in calls(trace)]
        request = str(trace["turns"][0].get("user_message") or "")
        case = LLMTestCase(input=request, actual_output="", tools_called=tools, expected_tools=tools)
        metric.measure(case, _show_indicator=False)


def as_messages(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The run as chat messages."""
    messages: list[dict[str, Any]] = []
    for turn in trace["turns"]:
        messages.append({"role": "user", "content": turn.get("user_message") or ""})
        for act in turn["agent_interactions"]:
            tool_calls = [
                {"function": {"name": call["tool_name"], "arguments": json.dumps(call.get("parameters"))}}
                for call in calls_of(act)
            ]
            messages.append({"role": "assistant", "content": act.get("agent_response") or "", "tool_calls": tool_calls})
    return messages


def calls(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for turn in trace["turns"] for act in turn["agent_interactions"] for call in calls_of(act)]


def calls_of(act: dict[str, Any]) -> list[dict[str, Any]]:
    return [step["tool_call"] for step in act.get("agent_steps") or [] if step.get("tool_call")]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.readlines()
    for work in (trajectory_match, tool_correctness):
        work([json.loads(line) for line in lines[:5]])  # so that imports are not measured
        started = perf_counter()
        work([json.loads(line) for line in lines])
        print(work.__name__, len(lines) / (perf_counter() - started))
