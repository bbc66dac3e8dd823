"""An analysis has the fields of the specification's session analysis response, by their names and types."""

import msgspec
from jsonschema_rs import validator_for

from tests.engine.refund import refund
from viva.engine.analyze import analyze

RATIO = {"type": "number", "minimum": 0, "maximum": 1}
RATIO_OR_NULL = {"anyOf": [RATIO, {"type": "null"}]}
COUNT = {"type": "integer", "minimum": 0}
TEXTS = {"type": "array", "items": {"type": "string"}}
COUNTS = (
    "total_responses",
    "good_responses",
    "bad_responses",
    "ccm_detections",
    "rdm_detections",
    "hallucination_detections",
)


def an_object(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


AGENT = an_object(
    overall=RATIO_OR_NULL,
    tool_use=RATIO_OR_NULL,
    reasoning=RATIO_OR_NULL,
    handoff=RATIO_OR_NULL,
    interactions_count=COUNT,
    issues=TEXTS,
    recommendations=TEXTS,
)
TURN = an_object(
    turn_index=COUNT,
    is_bad={"type": "boolean"},
    detection_type={"enum": ["ccm", "rdm", "hallucination", "llm_judge", "none"]},
    confidence=RATIO,
    interactions={"type": "array", "items": an_object(agent_id={"type": "string"}, score=RATIO_OR_NULL)},
)
INTERACTION = an_object(
    agent_id={"type": "string"},
    tool_use_score=RATIO_OR_NULL,
    reasoning_score=RATIO_OR_NULL,
    handoff_score=RATIO_OR_NULL,
    response_quality=RATIO_OR_NULL,
)
ISSUE = an_object(type={"type": "string"}, severity={"enum": ["HIGH", "MEDIUM", "LOW"]}, message={"type": "string"})
SESSION_ANALYSIS = an_object(
    overall_score=RATIO_OR_NULL,
    coordination_score=RATIO_OR_NULL,
    intent_drift_score=RATIO_OR_NULL,
    task_completion={"type": ["boolean", "null"]},
    per_agent_scores={"type": "object", "additionalProperties": AGENT},
    turn_results={"type": "array", "items": TURN},
    interaction_results={"type": "array", "items": INTERACTION},
    issues={"type": "array", "items": ISSUE},
    conversation=an_object(**dict.fromkeys(COUNTS, COUNT)),
)


def test_the_refund_session_has_the_fields_of_the_specification():
    analysis = msgspec.to_builtins(analyze(refund(), sentence_model=False))

    faults = [fault.message for fault in validator_for(SESSION_ANALYSIS).iter_errors(analysis)]

    assert faults == []
    assert list(analysis["per_agent_scores"]) == ["planner", "executor"]
    assert [turn["turn_index"] for turn in analysis["turn_results"]] == [0, 1, 2, 3]
    assert analysis["turn_results"][2]["detection_type"] == "rdm"


def test_each_interaction_has_its_scores_in_one_list():
    analysis = analyze(refund(), sentence_model=False)

    found = analysis.interaction_results

    assert [(one.turn_index, one.agent_id) for one in found][:3] == [(0, "planner"), (0, "executor"), (1, "planner")]
    assert [one.score for one in found] == [one.score for turn in analysis.turn_results for one in turn.interactions]
    mailed = next(one for one in found if one.turn_index == 2 and one.agent_id == "executor")
    assert "PARAMETER_HALLUCINATION" in mailed.issues
    assert found[0].latency_ms == 520.0
