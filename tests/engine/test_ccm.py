"""When a message asks again for what an earlier one asked, and when it asks for something else."""

import pytest

from tests.engine.dialogue import dialogue
from tests.values import require
from viva.engine.detectors import ccm

REPLY = "Here is something."
AGAIN = [
    ("How much does the premium plan cost?", "What's the price of the premium plan?"),
    ("How do I learn Spanish?", "What is the best way to learn Spanish?"),
    ("Can I get a refund for order 1182?", "Please refund order 1182, can I get that?"),
    ("What are the symptoms of diabetes?", "Which symptoms does diabetes have?"),
    ("Is the museum open on Sunday?", "is the museum open on sunday"),
    ("Was kostet das große Paket?", "Wie viel kostet das große Paket?"),
    ("Wo finde ich meine Rechnungen?", "An welcher Stelle finde ich meine Rechnungen?"),
]
OTHER = [
    ("Who won the cup in 2010?", "Who won the cup in 2014?"),
    ("Show flights on Monday.", "Show flights on Friday."),
    ("Turn on the bedroom light.", "Turn off the bedroom light."),
    ("Which region had the highest revenue?", "Which region had the lowest revenue?"),
    ("When did the factory open?", "Why did the factory close?"),
    ("Where was Einstein born?", "When was Einstein born?"),
    ("Find a hotel in the north.", "Does it have parking?"),
    ("What is the capital of Peru?", "How do I clean a pan?"),
    ("Refund order 5520, the kettle is broken.", "Then send me the confirmation, please."),
    ("Wann fährt der letzte Bus nach Ulm?", "Was kostet die Fahrkarte?"),
    ("Wie viele Kalorien hat ein Apfel?", "Wie viele Kalorien hat eine Banane?"),
    ("Stell den Wecker auf sieben Uhr.", "Stell den Wecker auf acht Uhr."),
    ("Where did he go to school?", "Where did he go to school after that?"),
    ("Anything else available?", "Anything else available?"),
]


@pytest.mark.parametrize(("first", "second"), AGAIN)
def test_the_same_request_in_other_words_is_ccm(first, second):
    signal = ccm.detect(dialogue(first, REPLY, second, sentence_model=True))[0]

    assert require(signal.probability) >= 0.5
    assert [piece.quote for piece in signal.evidence] == [first, second]


@pytest.mark.parametrize("sentence_model", [True, False])
@pytest.mark.parametrize(("first", "second"), OTHER)
def test_another_number_day_opposite_aspect_or_follow_up_is_not_ccm(first, second, sentence_model):
    assert require(ccm.detect(dialogue(first, REPLY, second, sentence_model=sentence_model))[0].probability) < 0.5


@pytest.mark.parametrize(
    ("reply", "second", "again"),
    [
        (
            "Sorry, there are none in that area.",
            "What about a different restaurant in another area, same price?",
            False,
        ),
        ("Here is the weather in Rome.", "What about a different restaurant in another area, same price?", True),
        (
            "Sorry, there are none in that area.",
            "Please find a restaurant in the same area, with the same price.",
            True,
        ),
    ],
)
def test_to_ask_for_another_where_nothing_was_found_is_not_ccm(reply, second, again):
    first = "Can you find a different restaurant in the same area, same price?"

    assert (require(ccm.detect(dialogue(first, reply, second))[0].probability) >= 0.5) is again


def test_courtesies_said_twice_ask_for_nothing():
    signals = ccm.detect(dialogue("Yes please.", "Done.", "Yes, please!", "Done.", "Thank you, great."))

    assert [signal.probability for signal in signals[:2]] == [0.02, 0.02]


def test_the_very_same_words_a_turn_later_are_ccm():
    signal = ccm.detect(dialogue("Open the gate.", "I cannot.", "What time is it?", "Noon.", "Please open the gate."))[
        0
    ]

    assert require(signal.probability) >= 0.5
    assert signal.evidence[1].turn_index == 2


def test_without_a_following_message_or_an_answer_ccm_does_not_apply():
    assert [s.probability for s in ccm.detect(dialogue("Open it", "Open."))] == [None]
    assert [s.probability for s in ccm.detect(dialogue("Open it", "", "Open it"))] == [None, None]


def test_a_language_that_is_not_covered_gets_no_guess():
    signal = ccm.detect(dialogue("Où est ma commande ?", "Elle est là.", "Où est ma commande ?"))[0]

    assert (signal.probability, signal.reason.startswith("The language of the user is not covered")) == (None, True)


def test_the_sentence_model_is_asked_only_in_doubt():
    reading = dialogue("What is the capital of Peru?", REPLY, "How do I clean a cast iron pan?", sentence_model=True)

    ccm.detect(reading)

    assert reading._sentence == {}
