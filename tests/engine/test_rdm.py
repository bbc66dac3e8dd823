"""When a user's next message shows dissatisfaction with the answer, and when it only looks so."""

import pytest

from tests.engine.dialogue import dialogue
from tests.values import require
from viva.engine.detectors import rdm

DISSATISFIED = {
    "a correction with x not y": ("Play jazz in the kitchen.", "Playing rock in the kitchen.", "Jazz, not rock."),
    "a complaint": ("When does it open?", "It has 40 rooms.", "That's not what I asked."),
    "blame": ("Fix the typo.", "I rewrote the chapter.", "You changed everything, I only wanted the typo fixed!"),
    "a request repeated with impatience": ("Show orders of March.", "You have no orders.", "Show my orders of March!!"),
    "a constraint said again": ("A flight under $300.", "There is one for $640.", "I said under $300."),
    "a refused proposal": ("A bus to Bath?", "There is one at 6 am. Would you like it?", "No, that's too early."),
    "giving up": ("Cancel my plan.", "I cannot do that.", "Forget it."),
    "a retry after a failure": ("Book it for 7.", "Sorry, the booking failed.", "Please try again for 8."),
    "being asked for what was said": ("To Rome on the 3rd.", "On which date?", "The 3rd, as I already told you."),
}
SERVED = {
    "thanks": ("When does it open?", "At 9.", "Great, thank you!"),
    "indifference to the price": ("Find a hotel.", "What price range?", "I don't care about the price."),
    "no more wishes": ("Book it.", "Done. Anything else?", "No, that's all, thanks."),
    "no preference": ("Find a film.", "Which genre?", "No preference."),
    "the next detail": ("A table tonight.", "For how many people?", "Four of us, at eight."),
    "acceptance": ("A bus to Bath?", "There is one at 10. Shall I book it?", "Yes please, sounds good."),
    "the next request": ("Close ticket 12.", "Closed.", "And what is the weather in Bern?"),
}


@pytest.mark.parametrize("case", DISSATISFIED)
def test_dissatisfaction_is_rdm_with_evidence(case):
    signal = rdm.detect(dialogue(*DISSATISFIED[case]))[0]

    assert require(signal.probability) >= 0.5
    assert signal.evidence
    assert all(piece.quote for piece in signal.evidence)


@pytest.mark.parametrize("case", SERVED)
def test_a_user_who_goes_on_is_not_rdm(case):
    assert require(rdm.detect(dialogue(*SERVED[case]))[0].probability) < 0.5


def test_a_no_to_a_proposal_weighs_more_than_a_no_to_anything_else():
    proposal = rdm.detect(dialogue("A film?", "Do you want tickets for Cellar 9?", "No, not now."))[0]
    more = rdm.detect(dialogue("A film?", "Cellar 9. Is there anything else?", "No, not now."))[0]

    assert require(proposal.probability) > require(more.probability)


def test_without_a_next_message_or_an_answer_rdm_does_not_apply():
    assert [s.probability for s in rdm.detect(dialogue("Hello", "Hi"))] == [None]
    assert [s.probability for s in rdm.detect(dialogue("Hello", "", "That is wrong"))] == [None, None]
    assert [s.probability for s in rdm.detect(dialogue("Hello", "Hi", None, "Still there?"))] == [None, None]


def test_the_evidence_names_the_turn_of_the_next_message():
    signal = rdm.detect(dialogue("When does it open?", "It has 40 rooms.", "That's not what I asked."))[0]

    assert (signal.evidence[0].turn_index, signal.evidence[0].quote) == (1, "That's not what I asked.")


def test_long_and_strange_texts_are_read():
    signals = rdm.detect(dialogue("a " * 500_000, "😀 " * 500_000, "\u202eשלום" * 200_000, "", "?"))

    assert signals[0].probability is not None
