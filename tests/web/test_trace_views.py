"""What the page of a run shows, computed from a trace and its analysis alone."""

from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.refund import refund
from viva.engine.analysis import Analysis
from viva.engine.analyze import analyze
from viva.engine.intake import native
from viva.engine.model import Trace
from viva.reports.answers import answer_questions
from viva.web.run_view import RunView, view_run
from viva.web.trace_words import FOLDED_TEXT_CHARACTERS, MAX_TEXT_CHARACTERS_SHOWN, Quotation, TextBudget, mark_text


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyze(refund(), sentence_model=False)


@pytest.fixture(scope="module")
def run(analysis: Analysis) -> RunView:
    return view_run(refund(), analysis, "/traces/t", {})


def marks_in(text: Any) -> list[tuple[str, tuple[int, ...]]]:
    return [(part.text, part.findings) for part in text.segments if part.findings]


# Words


def mark(text: str, *quotations: tuple[str, int]) -> Any:
    return mark_text(text, [Quotation(*one) for one in quotations], TextBudget())


def test_words_are_marked_whatever_white_space_is_between_them():
    marked = mark("He said:\n  No,\tthat is   wrong. Sorry.", ("No, that is wrong.", 4))

    assert marks_in(marked) == [("No,\tthat is   wrong.", (4,))]
    assert "".join(part.text for part in marked.segments) == "He said:\n  No,\tthat is   wrong. Sorry."


def test_a_quotation_that_was_cut_marks_what_there_is_of_it():
    assert marks_in(mark("one two three four", ("two three…", 1))) == [("two three", (1,))]


def test_quotations_may_overlap():
    marked = mark("one two three four", ("one two", 1), ("two three", 2))

    assert marks_in(marked) == [("one ", (1,)), ("two", (1, 2)), (" three", (2,))]


def test_words_that_are_not_there_are_not_marked():
    assert marks_in(mark("one two", ("three", 1), ("…", 2), ("", 3))) == []


def test_a_long_text_is_folded_unless_words_of_it_are_marked():
    long = "word " * FOLDED_TEXT_CHARACTERS

    assert mark(long).beginning
    assert not mark(long, ("word word", 1)).beginning
    assert not mark("short").beginning


def test_one_page_shows_a_bounded_number_of_characters():
    budget = TextBudget(30_000)

    marked = [mark_text("x" * 50_000, [], budget) for _ in range(10)]

    assert marked[0].left_out == 50_000 - MAX_TEXT_CHARACTERS_SHOWN
    assert sum(text.length - text.left_out for text in marked) < 35_000
    assert all(text.length > text.left_out for text in marked)


# The three questions


def test_the_first_screen_says_which_agent_which_turn_and_what_to_change(analysis):
    answers = answer_questions(analysis)

    assert answers.agent
    assert (answers.agent.agent_id, answers.agent.stands_out) == ("executor", True)
    assert not answers.agent.is_only
    assert answers.turn
    assert answers.turn.turn_index == 2
    assert answers.change
    assert "Executor" in answers.change.text


def test_the_agent_of_the_decisive_mistake_is_called_by_its_name_once(analysis):
    turn = answer_questions(analysis).turn

    assert turn
    assert turn.agent_id == "planner"
    assert turn.reason.startswith("did not pass on")


def test_an_unlikely_mistake_comes_after_an_answer_that_surely_failed(analysis):
    blamed = analysis.failure_attribution
    unlikely = replace(analysis, failure_attribution=replace(blamed, confidence=0.06))

    turn = answer_questions(unlikely).turn
    likely = answer_questions(replace(analysis, failure_attribution=replace(blamed, confidence=0.6))).turn

    assert likely
    assert likely.is_mistake
    assert turn
    assert (turn.turn_index, turn.is_mistake, turn.confidence) == (2, False, analysis.turn_results[2].confidence)


def test_a_good_run_blames_nobody():
    good = native.read(
        {"turns": [{"user_message": "Hello", "agent_interactions": [{"agent_id": "ada", "agent_response": "Hello!"}]}]}
    )

    answers = answer_questions(analyze(good, sentence_model=False))

    assert answers.agent
    assert (answers.agent.stands_out, answers.agent.is_only) == (False, True)
    assert (answers.turn, answers.change) == (None, None)


# The picture


def test_the_picture_has_a_card_for_each_turn_with_the_score_of_each_agent(run):
    cards = [(card.message, [part.agent_id for part in card.turn.interactions]) for card in run.cards]

    assert cards[:3] == [
        ("Process refund for order #12345", ["planner", "executor"]),
        ("Is it valid?", ["planner", "executor"]),
        ("Send email", ["planner", "executor"]),
    ]
    assert [card.turn.is_bad for card in run.cards] == [False, False, True, False]


def test_the_tree_leads_from_the_session_to_agents_and_their_turns(run):
    tree = {branch.agent_id: [(leaf.number, leaf.href, leaf.is_bad) for leaf in branch.turns] for branch in run.tree}

    assert tree["executor"] == [
        (1, "#turn-1-executor", False),
        (2, "#turn-2-executor", False),
        (3, "#turn-3-executor", True),
    ]
    assert [is_bad for _, _, is_bad in tree["planner"]] == [False, False, False]  # it did not give the failed answer
    assert list(tree) == ["planner", "executor"]


def test_parts_of_one_agent_in_one_turn_are_told_apart_in_the_tree():
    spoken = [{"agent_id": name, "agent_response": "Well."} for name in ("ada", "bob", "ada")]
    trace = native.read({"turns": [{"user_message": "Hello", "agent_interactions": spoken}]})

    tree = view_run(trace, analyze(trace, sentence_model=False), "/traces/t", {}).tree

    assert {branch.agent_id: [leaf.part_number for leaf in branch.turns] for branch in tree} == {
        "ada": [1, 3],
        "bob": [None],
    }


# Findings beside the words


def test_a_correction_stands_beside_the_words_of_the_user(run):
    failed = next(finding for finding in run.findings if finding.group == "answers")

    assert run.turns[2].finding == failed
    assert run.turns[3].notes == [failed]
    assert marks_in(run.turns[3].message)[0][1] == (failed.number,)


def test_an_issue_stands_beside_its_call_and_marks_it(run):
    executor = run.turns[2].parts[1]
    kinds = {note.number: note.kind for note in executor.notes}

    (words, numbers), *_ = marks_in(executor.steps[0].text)
    assert set(kinds.values()) >= {"PARAMETER_HALLUCINATION", "UNGROUNDED_ARGUMENT"}
    assert words.startswith("send_email(")
    assert set(numbers) <= set(kinds)


def test_a_turn_with_findings_is_not_called_faultless(run):
    assert [turn.found_in_parts for turn in run.turns] == [False, False, True, False]


def test_of_two_equal_calls_only_the_one_at_fault_is_marked():
    call = {"tool_call": {"tool_name": "move", "parameters": {"day": "Thursday"}, "error": "no such day"}}
    document = {
        "agents": [{"id": "desk", "tools_available": [{"name": "move"}]}],
        "turns": [
            {"user_message": "Move it", "agent_interactions": [{"agent_id": "desk", "agent_steps": [call, call]}]}
        ],
    }
    trace = native.read(document)
    run = view_run(trace, analyze(trace, sentence_model=False), "/t", {})
    repeated = next(finding for finding in run.findings if finding.kind == "REPEATED_FAILURE")

    first, second = ({n for _, found in marks_in(step.text) for n in found} for step in run.turns[0].parts[0].steps)

    assert repeated.number not in first
    assert repeated.number in second


def test_findings_are_listed_by_severity_with_their_doubts(run):
    titles = [group.title for group in run.groups]

    assert titles[:3] == ["The decisive mistake", "Answers that failed the user", "Issues of medium severity"]
    assert run.findings[0].is_unsure
    assert [finding.number for finding in run.findings] == list(range(1, len(run.findings) + 1))


# Time and handoffs


def test_the_waterfall_puts_one_part_after_the_other(run):
    bars = [row.bar for turn in run.timeline.turns for row in turn.rows]

    assert run.timeline.total_ms == 4980
    assert all(abs(first.x + first.width - second.x) < 0.5 for first, second in pairwise(bars))
    assert [call.label for call in run.timeline.turns[0].rows[1].calls] == ["db_query", "issue_refund"]


def test_a_trace_without_times_has_no_waterfall():
    silent = native.read({"turns": [{"user_message": "Hi", "agent_response": "Hello."}]})

    assert view_run(silent, analyze(silent, sentence_model=False), "/t", {}).timeline is None


def test_handoffs_are_counted_and_drawn(run):
    (arrow,) = run.graph.arrows

    assert (arrow.handoffs.giver, arrow.handoffs.receiver, arrow.handoffs.times) == ("planner", "executor", 3)
    assert {node.agent_id for node in run.graph.nodes} == {"planner", "executor"}


# Long runs


def long_run(turns: int, agents: int) -> Trace:
    document = {
        "turns": [
            {
                "user_message": f"Question {turn}",
                "agent_interactions": [
                    {"agent_id": f"agent-{(turn + part) % agents}", "agent_response": f"Answer {turn}."}
                    for part in range(3)
                ],
            }
            for turn in range(turns)
        ]
    }
    return native.read(document)


@pytest.fixture(scope="module")
def long() -> tuple[Trace, Analysis]:
    trace = long_run(90, 50)
    return trace, analyze(trace, sentence_model=False)


def test_a_long_run_is_shown_window_by_window_and_none_is_left_out(long):
    trace, analysis = long
    shown: list[int] = []
    number = 1
    while True:
        run = view_run(trace, analysis, "/t", {}, number)
        shown += [turn.number for turn in run.turns]
        assert len(run.turns) <= 20
        if not run.window.has_later:
            break
        number = run.turns[-1].number + 1

    assert shown == list(range(1, 91))


def test_a_link_to_a_turn_opens_its_window(long):
    trace, analysis = long
    run = view_run(trace, analysis, "/traces/t", {"share": "x"}, 43)

    assert 43 in [turn.number for turn in run.turns]
    assert run.links.turn(88) == "/traces/t?share=x&turn=89#turn-89"
    assert run.links.turn(0, 1) == "/traces/t?share=x&turn=1#turn-1-agent-1"


def test_only_the_busiest_agents_are_drawn(long):
    trace, analysis = long
    run = view_run(trace, analysis, "/t", {})

    assert run.graph
    assert len(run.graph.nodes) == 12
    assert run.graph.hidden_agents == 38


def test_an_agent_that_acts_twice_in_a_turn_has_two_anchors():
    twice = native.read(
        {
            "turns": [
                {
                    "user_message": "Hi",
                    "agent_interactions": [
                        {"agent_id": "Ann <b>", "agent_response": "One."},
                        {"agent_id": "bob", "agent_response": "Two."},
                        {"agent_id": "Ann <b>", "agent_response": "Three."},
                    ],
                }
            ]
        }
    )

    (turn,) = view_run(twice, analyze(twice, sentence_model=False), "/t", {}).turns

    assert [part.anchor for part in turn.parts] == ["turn-1-Ann-b", "turn-1-bob", "turn-1-Ann-b-2"]
