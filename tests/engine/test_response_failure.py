"""How bad an answer was: from the user's reaction, from being asked again, from made-up facts, and from the answer itself."""

import pytest

from tests.engine.dialogue import dialogue
from tests.values import require
from viva.engine.analyze import analyze
from viva.engine.detectors import ccm, rdm
from viva.engine.evidence import Evidence, Signal
from viva.engine.model import Interaction, Step, ToolCall, Trace, Turn
from viva.engine.response_failure import combine

SURE = Signal(0.9, "because", (Evidence("because", "words", 0),))
UNSURE = Signal(0.2)
FITS = [
    ("Hi there!", "Hello! How are you?"),
    ("Do you have any pets?", "Yes, I have a dog and two cats."),
    ("I love the sea.", "Me too, the sea is so calming. Do you swim?"),
]
BREAKS = [
    ("How many languages do you speak?", "Yes."),
    ("What do you think of my new dress?", "The stock market closed early on Friday."),
    ("I love the sea.", "I love the sea."),
    ("Where do you live?", "Why?"),
]


def judge(*lines, sentence_model=True, **signals):
    reading = dialogue(*lines, sentence_model=sentence_model)
    return combine(reading, {name: [signal] * len(reading.trace.turns) for name, signal in signals.items()})


def test_rdm_comes_before_ccm_and_ccm_before_hallucination():
    found = judge("Book a table for two please.", "Done.", rdm=SURE, ccm=SURE, hallucination=SURE)[0]
    assert (found.is_bad, found.detection_type, found.reason) == (True, "rdm", "because")

    assert judge("Book a table please.", "Done.", rdm=UNSURE, ccm=SURE, hallucination=SURE)[0].detection_type == "ccm"
    assert judge("Book a table please.", "Done.", rdm=UNSURE, hallucination=SURE)[0].detection_type == "hallucination"


def test_each_detector_alone_makes_an_answer_bad():
    for name in ("rdm", "ccm", "hallucination"):
        found = judge("Book a table for two please.", "It is booked.", **{"rdm": UNSURE, name: SURE})[0]
        assert (found.is_bad, found.evidence) == (True, SURE.evidence)


def test_in_an_errand_the_users_reaction_decides():
    served = dialogue("Find a table for two please.", "Luigi's at 7. Shall I book it?", "Yes please, great.")
    failed = dialogue("Find a table for two please.", "Luigi's at 7. Shall I book it?", "No, I said for four, not two.")

    scores = [combine(r, {"rdm": rdm.detect(r), "ccm": ccm.detect(r)})[0].bad_score for r in (served, failed)]

    assert require(scores[0]) < 0.3
    assert require(scores[1]) > 0.7


@pytest.mark.parametrize(("said", "reply"), FITS)
def test_a_reply_that_fits_is_not_bad(said, reply):
    assert judge(said, reply)[0].bad_score < 0.5


@pytest.mark.parametrize(("said", "reply"), BREAKS)
def test_a_reply_that_does_not_fit_is_bad_without_any_reaction(said, reply):
    found = judge("Hi!", "Hello, nice to meet you.", said, reply)[1]

    assert (found.is_bad, found.detection_type) == (True, "none")
    assert found.evidence[0].quote == reply


def test_a_failure_report_is_worse_than_a_result_even_if_nothing_follows():
    failed = judge("Book the 6 pm train to Leeds please.", "I'm sorry, I was unable to book it.", rdm=Signal())[0]
    served = judge("Book the 6 pm train to Leeds please.", "Booked: the 6 pm train to Leeds, seat 14.", rdm=Signal())[0]

    assert failed.bad_score > 0.5 > served.bad_score


def test_where_nobody_answered_there_is_no_score():
    assert judge("Hello?", rdm=Signal())[0].bad_score is None
    assert combine(dialogue(), {}) == []


def test_strange_texts_are_judged():
    found = judge("😀" * 100_000, "\u202eשלום " * 100_000, rdm=Signal(), sentence_model=False)

    assert 0 <= found[0].bad_score <= 1


@pytest.mark.parametrize("closing", ["Thanks!", "Great, thank you!", "Bye!", "That is all, goodbye."])
@pytest.mark.parametrize("reply", ["You are welcome.", "Welcome!", "Bye!", "Have a nice day."])
def test_nearly_any_answer_serves_a_farewell(closing: str, reply: str):
    turns = analyze(dialogue("When does the pool open?", "The pool opens at 8.", closing, reply).trace).turn_results

    assert [turn.is_bad for turn in turns] == [False, False]


@pytest.mark.parametrize("reaction", ["No, not right now.", "No problem, thanks!", "I can't complain, thank you."])
def test_a_polite_no_is_no_complaint(reaction: str):
    asked = ("Book a table for two.", "It is booked. Would you like a taxi too?", reaction)

    assert not analyze(dialogue(*asked).trace).turn_results[0].is_bad


def test_asking_the_same_again_is_ccm_and_not_rdm():
    again = dialogue("How can I reset my password?", "Passwords keep you safe.", "How can I reset my password?").trace

    turn = analyze(again).turn_results[0]

    assert (turn.is_bad, turn.detection_type) == (True, "ccm")


def test_what_the_tools_do_not_bear_out_is_bad_once_it_is_more_likely_than_not():
    call = ToolCall("weather", {"city": "Paris"}, {"sky": "rainy", "code": "W-17"})
    step = Interaction("agent", "It is rainy in Paris, code X-9981, sensor ZK-404.", (Step(tool_call=call),))

    turn = analyze(Trace("t", (Turn(0, "How is the weather in Paris?", None, (step,)),))).turn_results[0]

    assert (turn.is_bad, turn.detection_type) == (True, "hallucination")
    assert require(turn.bad_score) >= require(turn.signals["hallucination"]) >= 0.5


def test_an_answer_that_serves_says_what_still_speaks_against_it():
    served = analyze(dialogue("When does the pool open?", "The pool opens at 8.").trace).turn_results[0]

    assert (served.is_bad, served.reason) == (False, "the answer served")
    assert served.evidence[0].quote == "The pool opens at 8."


def test_agents_who_leave_a_user_without_a_word_are_bad():
    silent = analyze(dialogue("Cancel order 55.", "").trace).turn_results[0]

    assert (silent.bad_score, silent.is_bad, silent.reason) == (1.0, True, "nobody answered")


WOODS = "amber birch cedar daisy ember fjord grove heath islet jetty knoll larch".split()


def chat(turns: int) -> list[str]:
    """Small talk in which every text is another one."""
    named = [f"{WOODS[n % 12]} {WOODS[n // 12 % 12]} {WOODS[n // 144 % 12]}" for n in range(turns)]
    return [
        line
        for name in named
        for line in (f"I love the {name}. Do you like it too?", f"Me too, the {name} is so calming. I have two cats.")
    ]


def test_a_long_talk_is_judged_by_the_table_without_the_sentence_model():
    lines = chat(1_100)  # more texts than the sentence model takes of one trace

    with_model, without = judge(*lines, sentence_model=True), judge(*lines, sentence_model=False)

    assert [found.bad_score for found in with_model] == [found.bad_score for found in without]
