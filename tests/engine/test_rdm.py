"""When a user's next message shows dissatisfaction with the answer, and when it only looks so."""

import pytest

from tests.engine.dialogue import dialogue
from tests.values import require
from viva.engine.detectors import rdm
from viva.engine.dialogue.reactions import OF_USER, REACTION_TABLE
from viva.engine.logistic import load_model

DISSATISFIED = {
    "a correction with x not y": ("Play jazz in the kitchen.", "Playing rock in the kitchen.", "Jazz, not rock."),
    "a complaint": ("When does it open?", "It has 40 rooms.", "That's not what I asked."),
    "plainly wrong": ("When does it open?", "At 9.", "That's wrong."),
    "blame": ("Fix the typo.", "I rewrote the chapter.", "You didn't fix the typo, you changed everything else!"),
    "a constraint said again": ("A flight under $300.", "There is one for $640.", "I said under $300."),
    "giving up": ("Cancel my plan.", "I cannot do that.", "Forget it."),
    "being asked for what was said": ("To Rome on the 3rd.", "On which date?", "The 3rd, as I already told you."),
    "a stated mistake": ("What is due?", "412 euros are due.", "It is wrong, the bill says 142."),
    "blame without a question": ("Sum it up.", "It is long.", "You are not reading it."),
    "scorn as a question": ("Which train?", "The museum opens at ten.", "What are you talking about?"),
    "being told to repeat": ("The pool on Monday?", "Could you tell me the day?", "I literally just said Monday."),
    "in German": ("Wann öffnet das Bad?", "Es hat drei Becken.", "Das habe ich nicht gefragt."),
    "in Spanish": ("¿Cuándo abre la piscina?", "Tiene tres vasos.", "No te he preguntado eso."),
}
SERVED = {
    "thanks": ("When does it open?", "At 9.", "Great, thank you!"),
    "indifference to the price": ("Find a hotel.", "What price range?", "I don't care about the price."),
    "no more wishes": ("Book it.", "Done. Anything else?", "No, that's all, thanks."),
    "no preference": ("Find a film.", "Which genre?", "No preference."),
    "the next detail": ("A table tonight.", "For how many people?", "Four of us, at eight."),
    "acceptance": ("A bus to Bath?", "There is one at 10. Shall I book it?", "Yes please, sounds good."),
    "the next request": ("Close ticket 12.", "Closed.", "And what is the weather in Bern?"),
    "the next step": ("Refund order 5.", "Order 5 is refunded.", "Then send me the confirmation, please."),
    "the user's own slip": ("A taxi.", "From where?", "That was incorrect, I meant to say from the college."),
    "a question about the answerer": ("Machines do lie.", "Some do.", "But you are not like them, right?"),
    "anger at the world": (
        "My bag is lost.",
        "What does it look like?",
        "It is red, and I am furious with the airline.",
    ),
    "a constraint more": ("Find a flat in Vale.", "There are six.", "Only those with a balcony, please."),
    "a question about what is wrong": ("What is a deed?", "A contract.", "Is it wrong to sign one unread?"),
    "a question of a question": ("Who reads them?", "An editor.", "What if my question was wrongfully marked?"),
    "being asked to go on": ("Mark row 11.", "It is marked.", "Can you keep going until the end?"),
    "being glad to have asked": ("The code?", "It is QX7.", "I'm glad I asked for it."),
    "in German": ("Wann öffnet das Bad?", "Um neun.", "Und was kostet der Eintritt?"),
    "in Spanish": ("¿Cuándo abre la piscina?", "A las nueve.", "¿Y cuánto cuesta la entrada?"),
}


@pytest.mark.parametrize("case", DISSATISFIED)
def test_dissatisfaction_is_rdm_with_a_reason_and_its_words(case):
    signal = rdm.detect(dialogue(*DISSATISFIED[case]))[0]

    assert require(signal.probability) >= 0.5
    assert signal.reason in [feature.meaning for feature in REACTION_TABLE if feature.name in OF_USER]
    assert {piece.quote for piece in signal.evidence} == {DISSATISFIED[case][2]}


@pytest.mark.parametrize("case", SERVED)
def test_a_user_who_goes_on_is_not_rdm(case):
    signal = rdm.detect(dialogue(*SERVED[case]))[0]

    assert require(signal.probability) < 0.5
    assert signal.evidence == ()


def test_a_failure_that_the_user_takes_calmly_is_not_rdm():
    signal = rdm.detect(dialogue("A room on Friday.", "I'm sorry, Friday is fully booked.", "And on Saturday?"))[0]

    assert require(signal.probability) < 0.5


def test_a_no_to_a_proposal_weighs_more_than_a_no_to_anything_else():
    proposal = rdm.detect(dialogue("A film?", "Do you want tickets for Cellar 9?", "No, not now."))[0]
    more = rdm.detect(dialogue("A film?", "Cellar 9. Is there anything else?", "No, not now."))[0]

    assert require(proposal.probability) > require(more.probability)


@pytest.mark.parametrize(
    ("reply", "said", "alarm"),
    [
        ("Until the 9th?", "That's not right, until the 12th.", False),
        ("Please confirm: until the 9th.", "It's not correct, until the 12th.", False),
        ("It is yours until the 9th.", "That's not right, until the 12th.", True),
    ],
)
def test_to_put_a_guess_right_is_no_reason_to_call_the_answer_bad(reply, said, alarm):
    signal = rdm.detect(dialogue("A car in Porto.", reply, said))[0]

    assert (require(signal.probability) >= 0.88) is alarm


def test_without_a_next_message_or_an_answer_rdm_does_not_apply():
    assert [s.probability for s in rdm.detect(dialogue("Hello", "Hi"))] == [None]
    assert [s.probability for s in rdm.detect(dialogue("Hello", "", "That is wrong"))] == [None, None]
    assert [s.probability for s in rdm.detect(dialogue("Hello", "Hi", None, "Still there?"))] == [None, None]
    assert [s.probability for s in rdm.detect(dialogue("Hello", "Hi", "   "))] == [None, None]


def test_the_evidence_names_the_turn_of_the_next_message():
    signal = rdm.detect(dialogue("When does it open?", "It has 40 rooms.", "That's not what I asked."))[0]

    assert (signal.evidence[0].turn_index, signal.evidence[0].quote) == (1, "That's not what I asked.")


def test_long_and_strange_texts_are_read():
    signals = rdm.detect(dialogue("a " * 500_000, "😀 " * 500_000, "what? " * 200_000, "", "?"))

    assert signals[0].probability is not None


def test_a_language_that_is_not_covered_gets_no_guess():
    signal = rdm.detect(dialogue("Quelle heure est-il à Paris ?", "Il fait beau.", "Ce n'est pas ma question !"))[0]

    assert signal.probability is None
    assert (
        signal.reason == "The language of the user is not covered: only English, German and Spanish reactions are read."
    )


def test_the_weights_are_of_features_that_the_table_names():
    assert load_model("rdm").weights.keys() <= {feature.name for feature in REACTION_TABLE}
