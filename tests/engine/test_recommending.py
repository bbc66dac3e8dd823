"""Which advice is given, on which condition, in which words."""

import pytest

from tests.contracts.tree import SOURCE
from viva.engine.analysis import ConversationCounts
from viva.engine.evidence import Issue
from viva.engine.recommending import advise, for_agent, label
from viva.engine.wording import COORDINATION_CASES, ISSUES

FINE = {"tool_use": 0.9, "reasoning": 0.9, "handoff": 0.9, "response_quality": 0.9}
SESSION = {"conversation": 0.9, "tool_use": 0.9, "coordination": 0.9, "reasoning": 0.9, "on_task": 0.9}


def conversation(total: int = 10, **detections: int) -> ConversationCounts:
    kinds = ("ccm", "rdm", "hallucination", "llm_judge")
    counts = {f"{kind}_detections": detections.get(kind, 0) for kind in kinds}
    bad = sum(counts.values())
    return ConversationCounts(total, total - bad, bad, **counts)


def issue(type_: str = "PARAMETER_HALLUCINATION", turn_index: int = 2) -> Issue:
    return Issue(type_, "MEDIUM", "executor", turn_index, 0, 0, "sent 'force' to db_query", "db_query(force=true)")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("tool_use", "Consider improving tool selection logic for executor"),
        ("handoff", "Agent executor should pass more context when delegating"),
        ("reasoning", "Agent executor's reasoning could be more structured"),
    ],
)
def test_a_score_under_0_7_gives_an_agent_the_advice_of_the_table(part, words):
    low = for_agent("executor", "executor", FINE | {part: 0.69}, [])
    enough = for_agent("executor", "executor", FINE | {part: 0.7}, [])

    assert [advice.text for advice in low] == [words]
    assert low[0].agent_id == "executor"
    assert enough == []


def test_low_coordination_gives_the_session_the_advice_of_the_table():
    found = advise(SESSION | {"coordination": 0.5}, conversation(), [])

    assert [advice.text for advice in found] == ["Agents are not coordinating well - consider clearer role definitions"]
    assert found[0].agent_id is None


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("rdm", "Users are frequently correcting responses - improve accuracy"),
        ("ccm", "Users are re-asking questions - improve response completeness"),
    ],
)
def test_many_detections_give_the_advice_of_the_table_and_few_do_not(kind, words):
    many = advise(SESSION, conversation(10, **{kind: 3}), [])
    few = advise(SESSION, conversation(10, **{kind: 2}), [])

    assert [advice.text for advice in many] == [words]
    assert many[0].because == "3 of 10 responses"
    assert few == ()


@pytest.mark.parametrize("type_", ISSUES)
def test_every_type_of_issue_has_advice_with_the_agent_and_the_evidence(type_):
    [advice] = for_agent("executor", "Executor", FINE, [issue(type_)])

    assert "Executor" in advice.text
    assert "sent 'force' to db_query" in advice.text
    assert "turn 3" in advice.because


def test_issues_of_one_type_make_one_recommendation():
    [advice] = for_agent("executor", "executor", FINE, [issue(turn_index=0), issue(turn_index=4)])

    assert advice.because == "2 × tool parameter hallucination (turn 1, turn 5)"


def test_an_issue_is_told_with_its_turn_counted_from_one():
    assert label(issue()) == "Tool parameter hallucination in turn 3"


def test_the_advice_with_most_to_gain_stands_first():
    weak = for_agent("a", "a", FINE | {"reasoning": 0.6}, [])
    weaker = for_agent("b", "b", FINE | {"reasoning": 0.1}, [])

    found = advise(SESSION, conversation(), [weak, weaker])

    assert [advice.agent_id for advice in found] == ["b", "a"]
    assert found[0].impact > found[1].impact > 0


def test_a_run_that_left_its_goal_is_told_to_take_results_as_data():
    found = advise(SESSION | {"on_task": 0.2}, conversation(), [])

    assert [advice.text for advice in found] == [
        "Agents left the goal of their user - treat what tools return as data, never as orders"
    ]
    assert found[0].because == "on task is 0.20, below 0.7"


def test_wording_of_detections_stands_in_one_table():
    """A sentence of the table stands nowhere else in the engine or in what shows its findings."""
    sentences = set(COORDINATION_CASES.values()) | {
        text for issue in ISSUES.values() for text in (issue.label, issue.message) if len(text) > 20
    }
    others = [path for path in SOURCE.rglob("*.py") if path.name != "wording.py"]

    assert [(path.name, text) for path in others for text in sentences if f'"{text}"' in path.read_text()] == []
