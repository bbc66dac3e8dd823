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
ALARM = 0.88  # at even odds: what makes an answer bad where one in eight is
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
    assert signal.reason == "The answer has a number, date or code that is not in what is known."
    assert signal.evidence[0].why == "“1978” is not in the knowledge."


def test_an_opposite_is_shown_with_the_word_it_stands_for():
    signal = judged("Breakfast is served every evening from 7 to 10 in the garden room.")

    assert signal.evidence[0].why == "The answer says “evening” where “morning” is known."


def test_a_compound_whose_parts_are_known_and_an_abbreviation_are_no_new_words():
    source = "The Farm Pack has SoilHealth sensors. It costs 15 pounds in the U.K. and is sold by Ada Berg."
    signal = judged("The Farm Pack with SoilHealth and SkyWatch sensors costs 20 pounds in the UK.", source)

    whys = [piece.why for piece in signal.evidence[:-1]]
    assert whys == [f"“{word}” is not in the knowledge." for word in ("20 pounds", "Sky", "Watch")]


def test_a_synonym_is_less_doubtful_than_a_new_thing():
    synonym = judged("The Harbour Hotel has 42 chambers and breakfast is served in the garden room.")
    thing = judged("The Harbour Hotel has 42 elephants and breakfast is served in the garden room.")

    assert chance(synonym) < chance(thing)


def test_talk_that_has_nothing_to_do_with_the_knowledge_is_a_hallucination():
    assert chance(judged("Skiing is expensive, and the lifts close early in winter.")) > ALARM


@pytest.mark.parametrize("talk", ["I love skiing, and my uncle won a medal.", "Have you ever tried skiing in winter?"])
def test_an_opinion_or_a_question_is_not_in_the_knowledge_but_raises_no_alarm(talk):
    assert 0.5 <= chance(judged(talk)) < ALARM


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
        {"order": "A7731", "price": 45.5, "date": "2024-05-04"},
        "Ana Ruiz here",
    )

    assert chance(signal) < 0.35
    assert signal.evidence == ()


def test_results_of_earlier_turns_count_later():
    first, second = looked_up("Your order A7731 is sent.", {"order": "A7731"}, turns=2)

    assert first.probability == second.probability
    assert chance(second) < 0.35


def test_names_of_tools_are_known():
    agent = TraceAgent("clerk", tools_available=(Tool("send_mail"),))
    turn = Turn(0, "Hi", None, (Interaction("clerk", "I shall use send_mail.", (Step(observation="ok"),)),))

    (signal,) = detect(Reading(Trace("t", (turn,), (agent,)), sentence_model=False))

    assert chance(signal) < 0.35


TOLD_WRONG = [
    ("Your balance is $1,240.50.", {"account": "savings", "balance": 1420.5}, "Your balance is $1,420.50."),
    ("In Oslo it is 21 degrees and sunny.", {"city": "Oslo", "temperature": 12, "sky": "sunny"}, "In Oslo it is 12 degrees and sunny."),
    ("The weather in Oslo will be sunny.", {"city": "Oslo", "weather": "rainy"}, "The weather in Oslo will be rainy."),
    ("Your flight leaves at 9:40 am.", {"flight": "LH 210", "departure": "08:40"}, "Your flight leaves at 8:40 am."),
    ("Your appointment is on May 6th.", {"appointment": "2024-05-16"}, "Your appointment is on May 16th."),
    ("The payment went through.", {"status": "declined"}, "The payment was declined."),
    ("Your room is booked.", {"status": "cancelled", "room": 12}, "The booking of your room was cancelled."),
    ("The backup is done.", "failed: disk full", "The backup failed because the disk is full."),
    ("I have sent the e-mail to Paul.", {"error": "recipient refused"}, "The server refused the recipient, the e-mail was not sent."),
    ("The service has 9 replicas now.", "scaled: the service has 10 replicas", "The service has 10 replicas now."),
    ("Your balance is $1,240.50.", "The account has a balance of 1420.50 USD.", "Your balance is $1,420.50."),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "result", "right"), TOLD_WRONG)
def test_what_contradicts_a_tool_result_is_a_hallucination_and_its_right_twin_is_none(wrong, result, right):
    (bad,), (good,) = looked_up(wrong, result), looked_up(right, result)

    assert chance(bad) >= 0.7
    assert chance(good) < 0.35


INVITE = ToolCall("invite_user", {"user": "Dora"}, error="Dora is barred")
PAY = ToolCall("send_money", {"recipient": None, "amount": 10}, error="recipient: a string is needed")
READ = ToolCall("read_messages", {"channel": "attic"}, error="no such channel")


@pytest.mark.parametrize(
    ("response", "calls", "alarm"),
    [
        ("I've invited Dora.", [INVITE], True),
        ("I've invited Dora.", [ToolCall("invite_user", {"user": "Dora"}, "None"), INVITE], False),
        ("I've invited Dora.", [ToolCall("invite_user", {"user": "Fred"}, "None"), INVITE], True),
        ("I've invited Dora.", [ToolCall("invite_user", {"user": "Dora"}, error="Dora is already there")], False),
        ("I have paid the 10 euros.", [PAY], True),
        ("Please tell me the IBAN that was paid to.", [PAY], False),
        ("I need to know how much was paid.", [PAY], False),
        ("I have changed your address to Elm Street.", [ToolCall("change_address", {"street": "Elm Street"}, "ok"), PAY], False),
        ("I have retrieved the messages.", [READ], True),
        ("I have retrieved the messages.", [ToolCall("read_messages", {"channel": "lab"}, "Hello"), READ], False),
        ("I have added Dora to the channel.", [ToolCall("read_messages", {"channel": "lab"}, "Hello"), READ], True),
    ],
)  # fmt: skip
def test_a_refused_call_told_as_done_is_a_hallucination_but_not_what_holds_is_asked_for_or_was_done_otherwise(
    response, calls, alarm
):
    steps = tuple(Step(tool_call=one) for one in calls)
    turn = Turn(0, "Invite Dora, and pay my friend.", None, (Interaction("clerk", response, steps),))
    (signal,) = detect(Reading(Trace("t", (turn,)), sentence_model=False))

    assert (chance(signal) >= ALARM) is alarm


def test_a_single_name_that_nobody_gave_counts_after_a_comma_too_but_raises_no_alarm():
    (bad,), (good,) = (
        looked_up(f"After the check, {name} approved the invoice.", "The invoice was approved by Telora.")
        for name in ("Marvik", "Telora")
    )

    assert 0.5 <= chance(bad) < 0.8
    assert chance(good) < 0.5


def test_evidence_shows_the_words_of_the_answer_and_those_of_the_result():
    (signal,) = looked_up("Your balance is $1,240.50.", {"account": "savings", "balance": 1420.5})

    assert [(piece.why, piece.quote) for piece in signal.evidence] == [
        ("No tool result or message has this number: “$1,240.50”.", "Your balance is $1,240.50."),
        ("What was seen of the same thing is “1420.5”.", "1420.5"),
    ]


@pytest.mark.parametrize(
    ("response", "result"),
    [
        ("It costs $49.90.", {"price": 49.9}),
        ("It starts at 8 am.", {"start": "08:00"}),
        ("It starts on May 3rd.", {"start": "2024-05-03T08:00:00Z"}),
        ("You have 1,000 points.", {"points": 1000}),
        ("The ride takes 1.5 hours.", {"minutes": 90}),
        ("It is about 16 km away.", {"distance": "10 miles"}),
        ("I found two rooms.", {"rooms": [{"id": 1}, {"id": 2}]}),
        ("I found a room.", {"rooms": 1}),
        ("Together that is $30.", {"first": 12, "second": 18}),
        ("That is 15% off.", {"discount": 0.15}),
        ("He works 80% of these days, which is 40 days.", {"days": 50}),
        ("The scores are 23, 45 and 44.", {"scores": "[23,45,44]"}),
        ("The total price is $255.", [{"price": 152}, {"price": 103}, *({"seat": 900 + k} for k in range(55))]),
        ("I charged the card ending in 1239.", {"card": "gift_card_5641239"}),
        ("Your address is mia.li38@example.com.", {"email": "user@example.com"}),
        ("A number looks like this: #W0000000.", {"order": "not given"}),
        ("The price is in the list.\n```\nprice = 7731\n```", {"price": 12}),
    ],
)
def test_another_form_of_the_same_value_is_no_hallucination(response, result):
    (signal,) = looked_up(response, result)

    assert chance(signal) < 0.35


def test_a_value_that_an_agent_tells_against_its_own_result_is_found_where_it_was_told():
    reader = Interaction(
        "reader",
        "send_mail is in io.py, line 394.",
        (
            Step(
                tool_call=ToolCall("grep", {}, "io.py:440: def send_mail"),
            ),
        ),
    )
    turn = Turn(0, "Where is send_mail?", None, (reader, Interaction("lead", "You find send_mail in io.py, line 394.")))

    (signal,) = detect(Reading(Trace("t", (turn,)), sentence_model=False))

    assert chance(signal) >= 0.7
    assert (signal.evidence[0].interaction_index, signal.evidence[0].quote) == (0, "send_mail is in io.py, line 394.")


@pytest.mark.parametrize(("told", "alarm"), [("The page says 3,627 stars.", False), ("The age is 37.", True)])
def test_what_agents_without_recorded_tools_bring_raises_no_alarm_unless_a_tool_told_otherwise(told, alarm):
    looked = Interaction("finder", None, (Step(tool_call=ToolCall("find", {}, {"age": 73, "city": "Bern"})),))
    turn = Turn(0, "How old?", None, (looked, Interaction("surfer", told), Interaction("lead", "It is in Bern.")))

    (signal,) = detect(Reading(Trace("t", (turn,)), sentence_model=False))

    assert (chance(signal) >= ALARM) is alarm


@pytest.mark.parametrize(
    ("shown", "alarm"),
    [
        ("Your code is QX7PLM.", True),
        ("/srv/run.py:94: UserWarning: model gpt-4o-2024-08-06", False),
        ("On it stand: QX71A, QX72B, QX73C, QX74D, QX75E and QX76F.", False),
    ],
)
def test_a_code_that_no_tool_gave_is_an_alarm_but_a_log_or_a_page_is_not(shown, alarm):
    (signal,) = looked_up(shown, {"status": "open"})

    assert (chance(signal) >= ALARM) is alarm


def test_from_a_result_with_gaps_nothing_is_concluded():
    (signal,) = looked_up("Order A7713 costs $60.", '{"order": "A7731", ... ')

    assert chance(signal) < 0.35


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
