"""When an answer counts as made up: against knowledge, and against what tools gave back."""

import pytest

from viva.engine.detectors.hallucination import detect
from viva.engine.evidence import Signal
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading

HOTEL = (
    "The Harbour Hotel opened in 1987 and has 42 rooms. Breakfast is served every morning from 7 to 10 in the garden room."
    " Guests may bring dogs, but cats are not allowed. The manager, Ingrid Solberg, moved to Bergen from Oslo last spring."
)
GOOD = "The Harbour Hotel has 42 rooms, and breakfast is served in the garden room every morning."


def judged(response: str | None, knowledge: str | None = HOTEL, asked: str = "Tell me about the hotel.") -> Signal:
    turn = Turn(4, asked, knowledge, (Interaction("guide", response),))
    return detect(Reading(Trace("t", (turn,)), sentence_model=False))[0]


def looked_up(response: str, result: object, asked: str = "Where is my order?", turns: int = 1) -> list[Signal]:
    first = Turn(0, asked, None, (Interaction("clerk", response, (Step(tool_call=ToolCall("find", {}, result)),)),))
    later = tuple(Turn(k, "And again?", None, (Interaction("clerk", response),)) for k in range(1, turns))
    return detect(Reading(Trace("t", (first, *later)), sentence_model=False))


def chance(signal: Signal) -> float:
    assert signal.probability is not None
    return signal.probability


def test_an_answer_that_the_knowledge_bears_out_is_no_hallucination():
    assert chance(judged(GOOD)) < 0.5


@pytest.mark.parametrize(
    ("changed", "to", "told"),
    [
        ("42", "58", "58"),
        ("morning", "evening", "evening"),
        ("is served", "is never served", "never"),
        ("garden", "Napoleon", "Napoleon"),
    ],
)
def test_one_wrong_word_in_a_good_answer_is_a_hallucination_that_names_the_word(changed, to, told):
    signal = judged(GOOD.replace(changed, to))

    assert chance(signal) > chance(judged(GOOD)) + 0.15
    assert f"“{told}”" in signal.evidence[0].why


def test_a_wrong_number_is_a_hallucination():
    signal = judged("The Harbour Hotel opened in 1978 and has 42 rooms.")

    assert chance(signal) >= 0.5
    assert signal.reason == "“1978” is not in the knowledge."


def test_an_opposite_is_shown_with_the_word_it_stands_for():
    signal = judged("Breakfast is served every evening from 7 to 10 in the garden room.")

    assert signal.evidence[0].why == "The answer says “evening” where the knowledge has “morning”."


def test_a_synonym_is_less_doubtful_than_a_new_thing():
    synonym = judged("The Harbour Hotel has 42 chambers and breakfast is served in the garden room.")
    thing = judged("The Harbour Hotel has 42 elephants and breakfast is served in the garden room.")

    assert chance(synonym) < chance(thing)


def test_talk_that_has_nothing_to_do_with_the_knowledge_is_a_hallucination():
    assert chance(judged("I love skiing and my uncle won a medal, did you ever try it?")) > 0.8


def test_citation_marks_are_no_numbers_of_the_claim():
    assert judged(GOOD.replace("rooms", "rooms [17]")).probability == judged(GOOD).probability


def test_numbers_the_user_gave_weigh_less():
    asked = judged("For 350 guests the hotel has 42 rooms.", asked="We are 350 guests, how many rooms are there?")

    assert chance(asked) < chance(judged("For 350 guests the hotel has 42 rooms."))


def test_evidence_has_the_claim_and_the_nearest_sentence_with_their_place():
    signal = judged("The manager, Ingrid Solberg, moved to Bergen from Stockholm last spring.")

    assert [(piece.turn_index, piece.interaction_index) for piece in signal.evidence] == [(4, 0), (4, None)]
    assert "Stockholm" in signal.evidence[0].quote
    assert signal.evidence[-1].quote.endswith("moved to Bergen from Oslo last spring.")


def test_a_number_far_down_in_a_long_text_is_found():
    far = "Nothing happens here. " * 1500 + "The code is 7751."

    assert "7751" not in judged("The code is 7751.", far).reason


@pytest.mark.parametrize(("response", "knowledge"), [(None, HOTEL), ("", HOTEL), ("Yes.", None), ("Yes.", "  ")])
def test_without_an_answer_or_anything_to_hold_it_against_there_is_no_probability(response, knowledge):
    assert judged(response, knowledge).probability is None


def test_a_code_no_tool_gave_is_a_hallucination():
    (signal,) = looked_up("Your order A7713 is on its way.", {"order": "A7731", "state": "sent"})

    assert chance(signal) >= 0.5
    assert signal.evidence[0].why == "No tool result or message has this code: “A7713”."


def test_facts_that_tools_or_the_user_gave_are_borne_out():
    (signal,) = looked_up(
        "Order A7731 of May 4th for Ana Ruiz costs $45.50, for two 91.",
        {"order": "A7731", "price": 45.5},
        "Ana Ruiz here",
    )

    assert chance(signal) < 0.1
    assert signal.evidence == ()


def test_results_of_earlier_turns_count_later():
    first, second = looked_up("Your order A7731 is sent.", {"order": "A7731"}, turns=2)

    assert first.probability == second.probability
    assert chance(second) < 0.1


def test_names_of_tools_are_known():
    agent = TraceAgent("clerk", tools_available=(Tool("send_mail"),))
    turn = Turn(0, "Hi", None, (Interaction("clerk", "I shall use send_mail.", (Step(observation="ok"),)),))

    (signal,) = detect(Reading(Trace("t", (turn,), (agent,)), sentence_model=False))

    assert chance(signal) < 0.1


@pytest.mark.parametrize("text", ["", " ", "...", "😀 مرحبا שלום", "a" * 300_000, "9" * 5_000, "Aa 1.5 " * 20_000])
def test_strange_texts_are_survived(text):
    judged(text, text)
    judged(text)
    judged(GOOD, text)
    looked_up(text, text)


@pytest.mark.parametrize(
    ("knowledge", "answer"),
    [
        ("Pets are not allowed in the hotel.", "Yes, pets are allowed in the hotel."),
        ("Pets are allowed in the hotel.", "Pets are not allowed in the hotel."),
    ],
)
def test_a_claim_that_flips_its_source_is_a_hallucination_whichever_way(knowledge: str, answer: str):
    turn = Turn(0, "Are pets allowed?", knowledge, (Interaction("clerk", answer),))

    [signal] = detect(Reading(Trace("t", (turn,)), sentence_model=False))

    assert chance(signal) >= 0.5
