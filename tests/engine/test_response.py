"""When a response serves, and what is wrong with one that does not."""

import pytest

from tests.engine.refund import refund
from tests.values import require
from viva.engine.evidence import Score
from viva.engine.measures import response
from viva.engine.model import Interaction, Step, ToolCall, Trace, Turn
from viva.engine.reading import Reading

USER = "Please cancel the hotel booking in Lisbon for next week"


def measured(text: str | None, *steps: Step, user: str = USER) -> Score:
    return score_of(Turn(0, user, None, (Interaction("agent", text, steps),)))[0, 0]


def score_of(*turns: Turn) -> dict:
    return response.measure(Reading(Trace("t", turns), sentence_model=False))


@pytest.mark.parametrize(
    "text",
    [
        "Your hotel booking in Lisbon is cancelled.",
        "Could you tell me the name of the guest?",
        "I can't cancel it because the booking was made by another company.",
        "I will cancel the Lisbon booking once you confirm the fee.",
    ],
)
def test_a_response_that_serves_is_whole(text):
    assert measured(text) == Score(1.0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "The agent says and does nothing."),
        ("I cannot do that.", "A refusal that gives neither a reason nor another way."),
        ("Sure. I will now cancel your booking in Lisbon.", "Promises a deed, and nothing follows."),
        (
            "The cheapest fertilisers hold nitrogen, phosphorus, potassium.",
            "The answer hardly takes up what was asked.",
        ),
        ("Here is what I have for you on that.", "The answer hardly takes up what was asked."),
    ],
)
def test_a_response_that_does_not_serve_tells_why(text, why):
    score = measured(text)

    assert require(score.value) < 1
    assert why in [piece.why for piece in score.evidence]


def test_a_promise_with_its_deed_is_kept():
    done = Step(tool_call=ToolCall("cancel_booking", {"city": "Lisbon"}, "ok"))

    assert measured("I will now cancel your booking in Lisbon.", done).value == 1.0


def test_code_in_the_answer_is_a_deed():
    assert (
        measured("```python\ncancel('Lisbon hotel booking')\n```\nI will now cancel the Lisbon booking.").value == 1.0
    )


def test_a_promise_that_the_agent_comes_back_to_is_kept():
    first, second = Interaction("a", "I will check the Lisbon booking."), Interaction("b", "Fine.")
    back = Interaction("a", "The hotel booking in Lisbon is cancelled.")
    alone = score_of(Turn(0, USER, None, (first, second)))[0, 0]

    assert alone.value == 0.5
    assert score_of(Turn(0, USER, None, (first, second, back)))[0, 0].value == 1.0


def test_a_call_or_an_observation_alone_is_not_empty():
    assert measured(None, Step(tool_call=ToolCall("cancel_booking", {}, "ok"))) == Score(1.0)
    assert measured("", Step(observation="exitcode: 1")) == Score(1.0)


def test_a_failed_call_with_no_word_about_it_is_judged_by_that():
    score = measured(None, Step(tool_call=ToolCall("cancel_booking", {}, error="no such booking")))

    assert (score.value, score.evidence[0].quote) == (0.4, "no such booking")


def test_every_interaction_has_a_score_and_every_score_below_one_its_evidence():
    scores = score_of(*refund().turns)

    assert len(scores) == 6
    assert all(score.value == 1 or score.evidence for score in scores.values())
