"""How bad an answer was: from the user's reaction, from being asked again, from made-up facts, and from the answer itself."""

import pytest

from tests.engine.dialogue import dialogue
from tests.values import require
from viva.engine.analyze import analyze
from viva.engine.detectors import ccm, rdm
from viva.engine.evidence import Evidence, Signal
from viva.engine.reading import Reading
from viva.engine.response_failure import combine

SURE = Signal(0.9, "because", (Evidence("because", "words", 0),))
UNSURE = Signal(0.2)
FITS = [
    ("Hi there!", "Hello! How are you?"),
    ("Do you have any pets?", "Yes, I have a dog and two cats."),
    ("I love the sea.", "Me too, the sea is so calming. Do you swim?"),
]
BREAKS = [
    ("What do you think of my new dress?", "The stock market closed early on Friday."),
    ("Do you have any pets?", "Never trust a man with two hats."),
    ("I love the sea.", "Hello, nice to meet you."),
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
        found = judge("Book a table for two please.", "It is booked.", **{name: SURE})[0]
        assert (found.is_bad, found.evidence, found.confidence) == (True, SURE.evidence, found.bad_score)


def test_a_score_is_the_probability_where_one_answer_in_eight_is_bad():
    found = judge("Book a table for two please.", "It is booked.", rdm=SURE)[0]

    assert found.bad_score == pytest.approx(
        0.551, abs=0.001
    )  # 9 times as probable to be said of a bad answer: 9 * 12 / 88


def test_a_higher_base_rate_raises_the_score_and_a_weak_signal_then_counts():
    weak = Signal(0.6, "because", (Evidence("because", "words", 0),))
    rare, frequent = (
        combine(Reading(dialogue("Book a table.", "It is booked.").trace, False, rate), {"rdm": [weak]})[0]
        for rate in (0.12, 0.5)
    )

    assert (rare.is_bad, frequent.is_bad, frequent.bad_score) == (False, True, 0.6)


def test_without_any_evidence_the_score_is_the_base_rate_and_nothing_is_called_bad():
    found = [
        combine(Reading(dialogue("Book a table.", "Booked." * 99).trace, False, rate), {"rdm": [Signal()]})[0]
        for rate in (0.12, 0.7)
    ]

    assert [(one.bad_score, one.is_bad) for one in found] == [(0.12, False), (0.7, False)]


def test_in_an_errand_the_users_reaction_decides():
    served = dialogue("Find a table for two please.", "Luigi's at 7. Shall I book it?", "Yes please, great.")
    failed = dialogue(
        "Find a table for four please.", "Luigi's at 7, for two.", "That's wrong, I said for four, not two."
    )

    found = [combine(r, {"rdm": rdm.detect(r), "ccm": ccm.detect(r)})[0] for r in (served, failed)]

    assert [(one.is_bad, one.detection_type) for one in found] == [(False, "none"), (True, "rdm")]
    assert require(found[0].bad_score) < 0.1


def test_a_reply_that_does_not_fit_ranks_below_one_that_fits_and_raises_no_alarm():
    fits = [require(judge(said, reply)[0].bad_score) for said, reply in FITS]
    breaks = [judge("Hi!", "Hello, nice to meet you.", said, reply)[1] for said, reply in BREAKS]

    assert max(fits) < min(require(found.bad_score) for found in breaks)
    assert not any(found.is_bad for found in breaks)


def test_an_honest_report_that_something_is_impossible_is_not_bad():
    told = ("Book the 6 pm train.", "I'm sorry, the 6 pm train is sold out.", "Then the 7 pm one, please.", "Booked.")

    assert [turn.is_bad for turn in analyze(dialogue(*told).trace).turn_results] == [False, False]


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


WRONG = ("What is the capital of Australia?", "Sydney is the capital of Australia.")
RIGHT = ("Refund order 5520.", "Order 5520 is refunded, the reference is RF1.")


@pytest.mark.parametrize("sentence_model", [True, False])
@pytest.mark.parametrize(
    ("before", "said", "bad"),
    [
        (WRONG, "That's wrong.", True),
        (RIGHT, "Then send me the confirmation, please.", False),
        (RIGHT, "Thanks, and what is the weather like in Bern?", False),
        (RIGHT, "No thanks, that's all.", False),
        (RIGHT, "Sorry, my mistake, it is order 5521.", False),
        (RIGHT, "Also tell the warehouse about it.", False),
        (("Wann fährt der Zug?", "Der Zug ist rot."), "Das ist falsch, danach habe ich nicht gefragt.", True),
        (("Wann fährt der Zug?", "Um zehn."), "Dann schicken Sie mir bitte die Fahrkarte.", False),
        (("¿Cuándo sale el tren?", "El tren es rojo."), "Eso no es lo que pregunté.", True),
        (("¿Cuándo sale el tren?", "A las diez."), "Pues mándeme el billete, por favor.", False),
    ],
)
def test_what_the_user_says_next_tells_whether_the_answer_was_bad(before, said, bad, sentence_model):
    turn = analyze(dialogue(*before, said).trace, sentence_model=sentence_model).turn_results[0]

    assert turn.is_bad is bad


def test_the_analysis_says_that_a_language_is_not_covered():
    asked = ("Où est ma commande ?", "Elle est bleue.", "Ce n'est pas du tout ma question !")

    turn = analyze(dialogue(*asked).trace).turn_results[0]

    assert (turn.is_bad, turn.signals["rdm"], turn.signals["ccm"]) == (False, None, None)
    assert turn.reason.startswith("The language of the user is not covered")


def test_asking_the_same_again_in_other_words_is_found_and_the_next_question_is_not():
    asked = ("How can I reset my password?", "Passwords keep you safe.")

    again = analyze(dialogue(*asked, "What do I have to do to reset my password?").trace).turn_results[0]
    other = analyze(dialogue(*asked, "How long does it have to be?").trace).turn_results[0]

    assert (require(again.signals["ccm"]) >= 0.5, require(other.signals["ccm"]) >= 0.5) == (True, False)
    assert require(again.bad_score) > require(other.bad_score)


def test_asking_the_same_again_is_ccm_and_not_rdm():
    again = dialogue("How can I reset my password?", "Passwords keep you safe.", "How can I reset my password?").trace

    turn = analyze(again).turn_results[0]

    assert (turn.is_bad, turn.detection_type) == (True, "ccm")


@pytest.mark.parametrize(
    ("reply", "bad"), [("Please repeat your order, so that I have it right.", False), ("Lattes are hot.", True)]
)
def test_to_repeat_what_the_agent_asked_for_is_no_complaint(reply, bad):
    order = "Can I have a latte with almond milk and caramel sauce"

    assert judge(order, reply, order, ccm=SURE)[0].is_bad is bad


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
