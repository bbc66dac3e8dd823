"""What is lost between two agents, and what the sender is blamed for."""

import pytest

from tests.engine.refund import refund
from tests.values import require
from viva.engine.evidence import Score
from viva.engine.measures import handoff
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading
from viva.engine.team.constraints import constraints

LOOKUP = ToolCall("find_booking", {"name": "Osei"}, {"code": "QX7710", "seat": "14C"})
AGENTS = (
    TraceAgent("desk", role="planner", tools_available=(Tool("find_booking"),)),
    TraceAgent("gate", role="executor", tools_available=(Tool("change_seat"), Tool("find_booking"))),
)


def measured(*interactions: Interaction, user: str = "Move Mr Osei to a window seat", agents=AGENTS) -> dict:
    return handoff.measure(Reading(Trace("t", (Turn(0, user, None, interactions),), agents), sentence_model=False))


def change(code: str) -> Interaction:
    return Interaction("gate", "The seat is changed.", (Step(tool_call=ToolCall("change_seat", {"code": code})),))


def desk(message: str) -> Interaction:
    return Interaction("desk", message, (Step(tool_call=LOOKUP),))


def why(score: Score) -> str:
    return score.evidence[0].why


def test_a_fact_that_was_needed_and_told_is_a_whole_handoff():
    assert measured(desk("Change the seat of booking QX7710."), change("QX7710"))[0, 0] == Score(1.0)


def test_a_fact_known_to_the_sender_alone_and_not_told_is_lost():
    score = measured(desk("Change the seat of the booking."), change("QX7710"))[0, 0]

    assert score.value == pytest.approx(1 / 3, abs=0.01)
    assert why(score) == "“QX7710” was known to the sender alone and needed next, but not passed on."
    assert (score.evidence[0].turn_index, score.evidence[0].interaction_index) == (0, 0)


def test_a_fact_that_the_receiver_had_to_look_up_again_is_lost():
    again = Interaction("gate", "Booking QX7710 has a window seat.", (Step(tool_call=LOOKUP),))

    assert "had to look it up again" in why(measured(desk("Change the seat."), again)[0, 0])


def test_a_fact_that_the_receiver_made_up_in_place_of_the_known_one_is_lost():
    assert "used another that nobody had said" in why(measured(desk("Change the seat."), change("ZZ9911"))[0, 0])


def test_a_detail_of_the_user_that_no_agent_ever_speaks_of_is_lost():
    user = "Move Mr Osei to a window seat. The window seat may cost at most 40 euros."
    score = measured(desk("Move Mr Osei to a window seat."), change("QX7710"), user=user)[0, 0]

    assert any("at most 40 euros" in piece.why for piece in score.evidence)
    told = desk("Move Mr Osei to a window seat, booking QX7710, for 40 euros at most.")
    assert measured(told, change("QX7710"), user=user)[0, 0] == Score(1.0)


def test_work_for_an_agent_that_does_not_exist_is_a_fault():
    score = measured(Interaction("desk", "NEXT SPEAKER: pilot"), Interaction("gate", "Fine."))[0, 0]

    assert (score.value, why(score)) == (0.5, "There is no agent called pilot.")


def test_the_user_is_nobody_who_is_missing():
    assert measured(Interaction("desk", "NEXT SPEAKER: Agent_User"), Interaction("gate", "Fine.")) == {}


def test_a_transfer_to_a_person_is_no_fault():
    transfer = Interaction("desk", "", (Step(tool_call=ToolCall("transfer_to_human_agents", {})),))

    assert measured(transfer, Interaction("gate", "Fine.")) == {}


def test_work_that_needs_a_tool_the_receiver_does_not_have_is_a_fault():
    agents = (*AGENTS, TraceAgent("crew", tools_available=(Tool("call_cabin"),)))
    score = measured(Interaction("desk", "Use change_seat now."), Interaction("crew", "Fine."), agents=agents)[0, 0]

    assert why(score) == "Asks for change_seat, which crew does not have."


def test_a_report_of_ones_own_calls_asks_nobody_for_a_tool():
    done = Interaction("gate", "I used change_seat, and it worked.")

    assert measured(done, Interaction("desk", "Fine.")) == {}


def test_nothing_needed_is_no_score():
    assert measured(Interaction("desk", "Good morning."), Interaction("gate", "Good morning.")) == {}


def test_a_single_agent_and_the_last_agent_of_a_turn_hand_nothing_over():
    assert measured(desk("QX7710"), desk("QX7710")) == {}
    assert set(handoff.measure(Reading(refund(), sentence_model=False))) == {(0, 0), (1, 0), (2, 0)}


def test_the_refund_lost_the_address_in_turn_three():
    scores = handoff.measure(Reading(refund(), sentence_model=False))

    assert [scores[turn, 0].value for turn in (0, 1)] == [1.0, 1.0]
    assert require(scores[2, 0].value) < 0.5
    assert "ana@example.com" in why(scores[2, 0])


ALLERGY = "Please book a table for four on 12 June. My daughter is allergic to peanuts."
HOUSE = (
    TraceAgent("concierge", role="concierge", tools_available=()),
    TraceAgent("waiter", role="reservations", tools_available=(Tool("book_table"),)),
)


def table(message: str, **arguments: str) -> dict:
    call = ToolCall("book_table", {"guests": "4", "date": "12 June", **arguments}, "T-5512 booked")
    booked = Interaction("waiter", "Table T-5512 is booked.", (Step(tool_call=call),))
    return measured(Interaction("concierge", message), booked, user=ALLERGY, agents=HOUSE)


def test_a_handoff_that_drops_the_users_allergy_is_lost():
    score = table("Please book a table for four on 12 June.")[0, 0]

    assert require(score.value) < 0.7
    assert why(score) == (
        "“My daughter is allergic to peanuts.”, said by the user, was not passed on, and nobody heeded it."
    )


def test_a_handoff_that_passes_the_allergy_on_is_whole():
    told = "Please book a table for four on 12 June; one guest must not eat peanuts."

    assert table(told, note="no peanuts")[0, 0] == Score(1.0)


def test_what_the_user_ruled_out_and_is_done_all_the_same_is_lost():
    user = "Please send the parcel on 3 May. I want it by rail, not by air."
    agents = (TraceAgent("desk"), TraceAgent("dock", tools_available=(Tool("send_parcel"),)))

    def sent(message: str, way: str) -> dict:
        call = ToolCall("send_parcel", {"date": "3 May", "way": way}, "ok")
        act = Interaction("dock", "The parcel is sent.", (Step(tool_call=call),))
        return measured(Interaction("desk", message), act, user=user, agents=agents)

    lost = sent("Send the parcel on 3 May.", "air")[0, 0]
    assert require(lost.value) < 0.4
    assert "goes against it" in why(lost)
    assert sent("Send the parcel on 3 May by rail.", "rail")[0, 0] == Score(1.0)


def test_a_receiver_who_must_ask_for_what_the_sender_knew_was_told_too_little():
    ask, again = Interaction("gate", "Which booking is it?"), desk("Booking QX7710, please.")
    score = measured(desk("Please change the seat."), ask, again, change("QX7710"))[0, 0]

    assert require(score.value) < 0.5
    assert why(score) == "“QX7710” was known but not passed on, and the receiver had to ask for it."


def test_each_loss_is_a_fault_of_the_sender_with_its_place_and_words():
    trace = Trace("t", (Turn(0, "Move Mr Osei", None, (desk("Change the seat."), change("ZZ9911"))),), AGENTS)
    (fault,) = handoff.find_faults(Reading(trace, sentence_model=False))

    assert fault[:5] == ("context_lost", "desk", 0, 0, 0.9)
    assert fault.evidence.quote == "Change the seat."


def test_a_number_that_the_user_repeats_is_what_shows_that_a_condition_was_heard():
    message = "Spin sample 12 at 534 rpm. It must be 534 rpm, or it breaks."
    found = constraints(Reading(Trace("t", ()), sentence_model=False), message)

    assert found[-1].signs == {"534"}


def test_a_number_beyond_which_the_user_rules_out_shows_that_a_condition_was_heard():
    found = constraints(Reading(Trace("t", ()), sentence_model=False), "Not a bit faster than 534 rpm, it is fragile.")

    assert [one.signs for one in found] == [{"534"}]
