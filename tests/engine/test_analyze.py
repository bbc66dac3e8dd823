"""The whole analysis of the refund session: the picture of turns and agents, its issues and its advice."""

import msgspec
import pytest

import viva
from tests.engine.refund import EXECUTOR, MAIL, refund
from tests.values import require
from viva.engine.analyze import analyze
from viva.engine.intake.formats import read
from viva.engine.model import Interaction, Step, ToolCall, Trace, Turn
from viva.engine.scoring import AGENT_WEIGHTS, SESSION_WEIGHTS, weighted_mean


@pytest.fixture(scope="module")
def analysis():
    return analyze(refund())


def called(tool_name: str, **parameters: object) -> list[tuple[str, str]]:
    """The types and severities of the issues of one call by the executor."""
    step = Step(tool_call=ToolCall(tool_name, parameters))
    turn = Turn(0, "Tell ana@example.com it is done", None, (Interaction("executor", "Done.", (step,)),))
    found = analyze(Trace("t", (turn,), (EXECUTOR,))).issues
    return [(issue.type, issue.severity) for issue in found if issue.type != "UNGROUNDED_ARGUMENT"]


def test_each_turn_says_whether_its_answer_failed_and_how(analysis):
    found = [(turn.turn_index, turn.is_bad, turn.detection_type) for turn in analysis.turn_results]

    assert found == [(0, False, "none"), (1, False, "none"), (2, True, "rdm"), (3, False, "none")]
    assert "anna@example.org" in analysis.turn_results[2].evidence[0].quote
    assert analysis.conversation.total_responses == 3
    assert (analysis.conversation.good_responses, analysis.conversation.rdm_detections) == (2, 1)
    assert analysis.conversation_score == pytest.approx(2 / 3, abs=1e-4)


def test_each_interaction_has_the_score_of_its_agent_in_that_turn(analysis):
    third = {one.agent_id: one for one in analysis.turn_results[2].interactions}

    assert [one.agent_id for one in analysis.turn_results[0].interactions] == ["planner", "executor"]
    assert third["executor"].score < third["planner"].score < 1
    assert (third["planner"].tool_use, third["executor"].handoff) == (None, None)


def test_each_agent_has_its_scores_issues_and_recommendations(analysis):
    planner, executor = analysis.per_agent_scores["planner"], analysis.per_agent_scores["executor"]

    assert executor.overall < planner.overall < 1
    assert (planner.tool_use, executor.reasoning, executor.handoff) == (None, None, None)
    assert (planner.interactions_count, executor.interactions_count) == (3, 3)
    assert "Tool parameter hallucination in turn 3" in executor.issues
    assert any("priority" in advice for advice in executor.recommendations)
    assert planner.issues == ()


def test_the_scores_are_the_weighted_averages_of_their_parts(analysis):
    executor = analysis.per_agent_scores["executor"]
    agent = {name: getattr(executor, name) for name in AGENT_WEIGHTS}
    session = {
        "conversation": analysis.conversation_score,
        "tool_use": analysis.tool_use_score,
        "coordination": analysis.coordination_score,
        "reasoning": analysis.reasoning_score,
        "on_task": 1 - analysis.intent_drift_score,
    }

    assert executor.overall == pytest.approx(weighted_mean(agent, AGENT_WEIGHTS), abs=2e-4)
    assert analysis.overall_score == pytest.approx(weighted_mean(session, SESSION_WEIGHTS), abs=2e-4)


def test_the_mistake_is_the_address_that_was_not_passed_on(analysis):
    found = analysis.failure_attribution

    assert (found.agent_id, found.turn_index, found.interaction_index) == ("planner", 2, 0)


def test_the_latency_is_that_of_the_record(analysis):
    assert analysis.latency.total_ms == 4_980
    assert set(analysis.latency.by_tool) == {"db_query", "issue_refund", "send_email"}
    assert analysis.cost.total == 0.042


def test_a_tool_that_the_agent_does_not_have_is_a_high_issue():
    assert called("drop_table", name="orders") == [("UNAUTHORIZED_TOOL", "HIGH")]


def test_a_parameter_that_the_schema_does_not_have_is_a_medium_issue():
    found = called("send_email", to="ana@example.com", body="It is done.", priority="high")

    assert found == [("PARAMETER_HALLUCINATION", "MEDIUM")]


def test_a_required_parameter_that_is_missing_is_a_medium_issue():
    assert "subject" not in require(MAIL.parameters_schema)["required"]
    assert called("send_email", to="ana@example.com") == [("MISSING_REQUIRED_PARAM", "MEDIUM")]
    assert called("send_email", to="ana@example.com", body="It is done.") == []


def test_a_trace_and_its_document_give_the_same_analysis(analysis):
    document = msgspec.json.decode(msgspec.json.encode(refund()))

    assert msgspec.json.encode(viva.analyze(document)) == msgspec.json.encode(analysis)


def test_a_run_that_says_it_succeeded_blames_nobody():
    done = analyze(msgspec.structs.replace(refund(), success=True))

    assert done.task_completion is True
    assert done.failure_attribution is None


def test_an_analysis_says_what_was_read_of_the_input(analysis):
    assert (analysis.intake.form, analysis.intake.agents, analysis.intake.turns) == ("native", 2, 4)
    assert (analysis.intake.interactions, analysis.intake.calls) == (6, 4)


def test_an_analysis_names_the_format_of_a_chat():
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi!"}]

    assert analyze(read({"messages": messages})).intake.form == "chat"
