"""When a run counts as having reached its goal, and on which evidence."""

from typing import Any

import pytest

from viva.engine.calls.actions import changes
from viva.engine.intake import native
from viva.engine.measures.completion import Completion, measure
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.outcome.arithmetic import answer_in, evaluate, false_equations
from viva.engine.outcome.tries import tries
from viva.engine.outcome.work import ordered_changes
from viva.engine.reading import Reading

TOOLS = (Tool("find_parcel"), Tool("send_parcel"))


def call(name: str, result: object = "ok", error: str | None = None, **parameters: object) -> Step:
    return Step(tool_call=ToolCall(name, parameters, result, error))


def errand(task: str, response: str | None, *steps: Step) -> Completion:
    turn = Turn(0, task, None, (Interaction("clerk", response, steps),))
    return measure(Reading(Trace("run", (turn,), (TraceAgent("clerk", tools_available=TOOLS),)), sentence_model=False))


def talk(*exchanges: tuple[str, str, tuple[Step, ...]]) -> Completion:
    turns = tuple(
        Turn(10 + t, user, None, (Interaction("clerk", said, steps),))
        for t, (user, said, steps) in enumerate(exchanges)
    )
    return measure(Reading(Trace("talk", turns), sentence_model=False))


def discuss(task: str, *messages: str) -> Completion:
    acts = tuple(Interaction(f"agent_{n % 2}", message) for n, message in enumerate(messages))
    return measure(Reading(Trace("discussion", (Turn(0, task, None, acts),), initial_task=task), sentence_model=False))


def one_call(result: object) -> Reading:
    turn = Turn(0, "Send it.", None, (Interaction("clerk", "Sent.", (call("send", result),)),))
    return Reading(Trace("run", (turn,)), sentence_model=False)


def value(completion: Completion) -> float:
    assert completion.score.value is not None
    return completion.score.value


def reasons(completion: Completion) -> list[str]:
    return [evidence.why for evidence in completion.score.evidence]


# The trace as a whole


def test_a_long_run_says_how_long_it_is():
    looked = [call("find_parcel", "Parcel of 12 May, 3 kg, " * 20, number=number) for number in range(9)]

    assert "Longer runs fail more often: 4442 characters" in reasons(
        errand("Find my parcel.", "It is in Bern.", *looked)
    )


def test_no_run_is_called_failed_because_it_is_long():
    doubts = "I apologize, there was a mistake: I made an assumption."
    ledger = "The ledger lists the payments of every month. " * 200

    short, long = (discuss("What is the balance?", doubts + text, "It is 40.") for text in ("", ledger))

    assert short.task_completion is long.task_completion is True
    assert 0.5 < value(long) < value(short)


@pytest.mark.parametrize("success", [True, False])
def test_what_the_trace_says_about_its_own_success_is_believed(success):
    trace = Trace("run", (Turn(0, "Send it.", None, (Interaction("a", "I cannot."),)),), success=success)

    found = measure(Reading(trace, sentence_model=False))

    assert (found.task_completion, found.score.value) == (success, float(success))
    said = "The trace states that it succeeded" if success else "The trace states that it failed"
    assert [(piece.why, piece.turn_index) for piece in found.score.evidence] == [(said, 0)]


@pytest.mark.parametrize(
    "turns",
    [(), (Turn(0, "Hello?"),), (Turn(0, None, None, (Interaction("a", "Good morning."),)),)],
    ids=["no turn", "nobody there", "nothing asked"],
)
def test_without_a_request_or_an_agent_there_is_nothing_to_judge(turns):
    found = measure(Reading(Trace("run", turns), sentence_model=False))

    assert (found.task_completion, found.score.value) == (None, None)


def test_a_record_of_calls_alone_does_not_tell_what_became_of_them():
    assert errand("Send the parcel.", None, call("send_parcel", None)) == Completion()
    assert value(errand("Send the parcel.", None, call("send_parcel", "sent"))) > 0.5


def test_silence_reaches_no_goal():
    found = errand("Send the parcel.", None)

    assert (found.task_completion, found.score.value) == (False, 0.0)
    assert reasons(found) == ["No agent answered or did anything"]


def test_a_score_without_any_sign_of_failure_still_says_what_it_rests_on():
    found = errand("Send the parcel.", "The parcel has been sent.", call("send_parcel"))

    assert 0.5 < value(found) < 1
    assert found.score.evidence[0].quote == "The parcel has been sent."


# Errands


def test_an_ordered_change_that_was_made_and_reported_is_complete():
    found = errand(
        "Please send parcel P-4711 to Lucia.",
        "I have sent parcel P-4711 to Lucia.",
        call("find_parcel", "P-4711 is in the store", id="P-4711"),
        call("send_parcel", "done", id="P-4711", to="Lucia"),
    )

    assert found.task_completion is True
    assert value(found) > 0.75


def test_an_ordered_change_that_was_only_claimed_is_not_complete():
    found = errand(
        "Please send parcel P-4711 to Lucia.",
        "I have sent parcel P-4711 to Lucia.",
        call("find_parcel", "P-4711 is in the store", id="P-4711"),
    )

    assert found.task_completion is False
    assert "The task orders a change, but no call changed anything" in reasons(found)


def test_a_change_whose_call_failed_was_not_made():
    found = errand(
        "Please send parcel P-4711 to Lucia.",
        "I have sent parcel P-4711 to Lucia.",
        call("send_parcel", None, "ValueError: no such parcel", id="P-4711", to="Lucia"),
    )

    assert found.task_completion is False
    broken = next(
        evidence for evidence in found.score.evidence if evidence.why == "The last thing that was tried failed"
    )
    assert (broken.turn_index, broken.interaction_index, broken.step_index) == (0, 0, 0)
    assert "no such parcel" in broken.quote


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ("Could you please tell me the address?", "The answer asks the user back"),
        ("I was unable to reach the post office.", "The answer says that it could not be done"),
    ],
)
def test_an_answer_that_does_not_deliver_speaks_against_success(response, why):
    found = errand("Send parcel P-4711.", response, call("find_parcel", "found", id="P-4711"))

    assert found.task_completion is False
    assert why in reasons(found)


def test_a_run_that_stops_after_looking_something_up_gave_no_answer():
    looked = call("find_parcel", "P-4711: in Lyon", id="P-4711")
    stopped = errand("Where is parcel P-4711?", None, looked)
    stopped_later = talk(("Where is it?", "Which parcel?", ()), ("P-4711.", "", (looked,)))
    answered = errand("Where is parcel P-4711?", "It is in Lyon.", looked)

    assert "There is no answer" in reasons(stopped)
    assert "There is no answer" in reasons(stopped_later)
    assert "There is no answer" not in reasons(answered)


def test_an_offer_of_further_help_is_not_a_question_back():
    done = call("send_parcel", "done", id="P-4711")

    plain = errand("Send parcel P-4711.", "The parcel has been sent.", done)
    polite = errand("Send parcel P-4711.", "The parcel has been sent. Is there anything else I can help with?", done)

    assert value(polite) == value(plain)


def test_a_tool_that_holds_its_data_back_speaks_against_success():
    open_hand = errand("What is in the store?", "In the store is a parcel.", call("find_parcel", "one parcel"))
    closed = errand("What is in the store?", "In the store is a parcel.", call("find_parcel", "Access denied."))

    assert value(closed) < value(open_hand)


# Conversations


def test_last_words_that_the_problem_is_still_there_speak_against_success():
    glad = talk(("My printer is dead.", "Please restart it.", ()), ("Thank you, it prints!", "", ()))
    angry = talk(("My printer is dead.", "Please restart it.", ()), ("It still doesn't print, no luck.", "", ()))

    assert glad.task_completion is True
    assert angry.task_completion is False


def test_declining_for_a_stated_rule_settles_a_request():
    look = (call("find_order", "bought in March"),)
    declined = talk(
        ("Return order 7 for me.", "Unfortunately, orders cannot be returned after 30 days.", look),
        ("Could you make an exception?", "I'm sorry, our policy does not allow exceptions.", ()),
        ("That is disappointing. All right.", "", ()),
    )
    left = talk(
        ("Return order 7 for me.", "Unfortunately I could not do it.", look),
        ("Could you try again?", "I'm sorry, there was a problem.", ()),
        ("That is disappointing. All right.", "", ()),
    )

    assert declined.task_completion is True
    assert left.task_completion is False


def test_a_refusal_told_as_done_is_not_complete_and_its_twin_is():
    order = "Please send parcel P-4711 to Lucia."
    said = "I have sent parcel P-4711 to Lucia."
    denied = errand(order, said, call("send_parcel", "denied: the account is locked", id="P-4711"))
    done = errand(order, said, call("send_parcel", "on its way", id="P-4711"))

    assert denied.task_completion is False
    assert "A tool did not do it, and the answer does not say so" in reasons(denied)
    assert done.task_completion is True


def test_a_refusal_that_is_reported_honestly_is_not_complete_but_no_lie():
    honest = errand(
        "Please send parcel P-4711 to Lucia.",
        "I could not send it: the account is locked.",
        call("send_parcel", "denied: the account is locked", id="P-4711"),
    )

    assert honest.task_completion is False
    assert "A tool did not do it, and the answer does not say so" not in reasons(honest)


# Discussions


def test_a_plain_discussion_with_one_answer_is_complete():
    found = discuss("Tom has 5 boxes of 12 eggs. How many eggs has he?", "5 * 12 = 60", "I agree. The answer is 60.")

    assert found.task_completion is True


def test_an_equation_that_does_not_hold_is_shown():
    found = discuss("Tom has 5 boxes of 12 eggs. How many eggs has he?", "5 * 12 = 70", "I agree. The answer is 70.")

    shown = next(evidence for evidence in found.score.evidence if evidence.why.startswith("An equation"))
    assert shown.why == "An equation does not hold: 5 * 12 = 70"
    assert (shown.quote, shown.interaction_index) == ("5 * 12 = 70", 0)


def test_an_assumption_lowers_the_odds():
    task = "Ada buys 5 pens. How much change does she get from 20 dollars?"
    told = discuss(task, "A pen costs 2.", "The answer is 10.")
    invented = discuss(task, "I assume that a pen costs 2.", "The answer is 10.")

    assert value(invented) < value(told)
    assert "The solution rests on an assumption" in reasons(invented)


def test_half_a_person_is_an_odd_answer():
    task = "30 children share 4 buses. How many children sit in each bus?"

    assert value(discuss(task, "30 / 4", "The answer is 7.5")) < value(discuss(task, "30 / 4", "The answer is 7"))


def test_a_measure_may_have_a_fraction():
    task = "They walk 43 miles in two days. How many miles is that in a day?"
    odd = "The answer is no possible count: negative, none, or a fraction of a thing"

    assert odd not in reasons(discuss(task, "43 / 2", "The answer is 21.5"))
    assert odd in reasons(discuss(task.replace("miles is", "children is"), "43 / 2", "The answer is 21.5"))


def test_a_question_for_yes_or_no_is_more_probably_answered_right():
    assert value(discuss("Is the pool open?", "It is open.")) > value(discuss("When is the pool open?", "It is open."))


# What they are made of


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("2 + 3 * 4", 14.0),
        ("(2 + 3) * 4", 20.0),
        ("10 - 4 - 3", 3.0),
        ("1,200 / 4", 300.0),
        ("20% * 50", 10.0),
        ("-3 + 5", 2.0),
        ("4 / 0", None),
        ("(2 + 3", None),
        ("2 +", None),
    ],
)
def test_expressions_are_worked_out_by_the_rules_of_arithmetic(expression, result):
    assert evaluate(expression) == result


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("So 3 * 4 = 12 and 7 + 5 = 13.", ["7 + 5 = 13"]),
        ("\\(6 \\times 7 = 41\\)", ["6 * 7 = 41"]),
        ("100 / 3 = 33.33", []),
        ("x + 3 + 4 = 20", []),
        ("2x = 3 + 4 = 7", []),
        ("3 + 4 = 2y", []),
    ],
)
def test_only_equations_between_plain_numbers_can_be_false(text, false):
    assert list(false_equations(text)) == false


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("We get \\boxed{1,250} in all.", 1250.0),
        ("\\boxed{\\frac{3}{4}}", 0.75),
        ("The answer is therefore 17 apples.", 17.0),
        ("I am not sure about 17.", None),
    ],
)
def test_the_stated_answer_is_what_is_boxed_or_called_so(text, number):
    assert answer_in(text) == number


@pytest.mark.parametrize(
    ("task", "verbs"),
    [
        ("Please send the report to Ann and delete the draft.", ["send", "delete"]),
        ("Can you book a table?", ["book"]),
        ("1. Read the list. 2. Update the plan.", ["update"]),
        ("How many emails did I send last week?", []),
        ("Do I have a message from Ann?", []),
        ("What was the order of the update?", []),
    ],
)
def test_orders_are_verbs_of_change_at_the_head_of_a_clause(task, verbs):
    assert ordered_changes(task) == verbs


@pytest.mark.parametrize(
    ("tool", "changing"),
    [("send_mail", True), ("getOrder", False), ("search_and_book", False), ("cancelOrder", True), ("weather", False)],
)
def test_the_first_telling_word_of_a_tools_name_says_whether_it_changes_something(tool, changing):
    assert (changes(tool) == 1) is changing


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        ("Error: no such user", True),
        ({"error": "late"}, True),
        ({"error": None}, False),
        ("Sent.", False),
        ({"status": "failed"}, True),
    ],
)
def test_a_call_has_failed_when_its_result_begins_as_an_error(result, failed):
    assert tries(one_call(result))[0].failed is failed


def test_a_user_who_plainly_rejects_the_last_answer_speaks_against_success():
    trace = native.read(
        {
            "turns": [
                {"user_message": "Send me the report as an email.", "agent_response": "It is on the shared drive."},
                {"user_message": "No, that's wrong! I asked for an email.", "agent_response": "Sorry about that."},
            ]
        }
    )

    found = measure(Reading(trace, sentence_model=False))

    assert found.task_completion is False
    assert "The user's last words do not accept the answer, and nothing was done about it" in reasons(found)


def test_last_words_that_deny_the_deed_speak_against_success_and_thanks_do_not():
    claimed = ("Cancel my booking at the Fjord hotel.", "Yes, it is cancelled, free of charge.", ())
    why = "The user's last words do not accept the answer, and nothing was done about it"

    assert why in reasons(talk(claimed, ("The hotel says it was never cancelled. You did not do it.", "", ())))
    assert why not in reasons(talk(claimed, ("Thanks, that is all.", "", ())))


def test_a_text_that_was_ordered_is_itself_the_deed():
    trace = native.read(
        {"turns": [{"user_message": "Write a poem on rain.", "agent_response": "Rain falls, rain sings."}]}
    )

    assert measure(Reading(trace, sentence_model=False)).task_completion is True


def test_a_negation_is_no_giving_up():
    look = call("find_door", "door 4 is shut, it does not open on Sundays")
    told = errand("Which door is shut?", "Door 4. It does not open on Sundays, and you can't use it then.", look)
    lost = errand("Which door is shut?", "I could not find any door.", look)

    assert "The answer says that it could not be done" not in reasons(told)
    assert "The answer says that it could not be done" in reasons(lost)


def test_a_question_that_the_answer_quotes_does_not_ask_back():
    look = call("find_faq", "Is parking free? Yes.")
    quoted = errand(
        "What does the FAQ say on parking?", 'It asks "Is parking free?" The answer given there is yes.', look
    )
    asking = errand("What does the FAQ say on parking?", "There are two of them. Which one do you mean?", look)

    assert "The answer asks the user back" not in reasons(quoted)
    assert "The answer asks the user back" in reasons(asking)


def test_a_refusal_that_is_reported_is_not_told_as_done():
    refused = call("send_email", "declined: recipient unknown")
    honest = errand(
        "Send the plan to Ida by e-mail.", "The e-mail was declined because the recipient is unknown.", refused
    )
    hidden = errand("Send the plan to Ida by e-mail.", "The plan is on its way to Ida.", refused)

    assert "A tool did not do it, and the answer does not say so" not in reasons(honest)
    assert "A tool did not do it, and the answer does not say so" in reasons(hidden)


def test_an_offer_of_more_help_does_not_ask_back():
    look = call("find_balance", "12.40")
    told = errand("What is my balance?", "It is 12.40. How else can I assist you today?", look)
    offering = errand("What is my balance?", "It is 12.40. Would you like me to show the last payments?", look)
    asking = errand("What is my balance?", "How many accounts do you have with us?", look)

    assert "The answer asks the user back" not in (*reasons(told), *reasons(offering))
    assert "The answer asks the user back" in reasons(asking)


def test_a_request_that_also_thanks_is_answered_by_its_own_answer():
    bags: dict[str, Any] = {"tool_call": {"tool_name": "add_bags", "parameters": {"bags": 2}, "result": "added"}}
    turns: list[dict[str, Any]] = [
        {"user_message": "Upgrade me to first class.", "agent_response": "Unfortunately I could not do that."},
        {
            "user_message": "Then just add two bags, thank you!",
            "agent_response": "Two bags were added.",
            "agent_steps": [bags],
        },
    ]
    done = measure(Reading(native.read({"turns": turns}), sentence_model=False))
    idle = measure(Reading(native.read({"turns": [turns[0], {**turns[1], "agent_steps": []}]}), sentence_model=False))

    assert "The answer says that it could not be done" not in reasons(done)
    assert "The answer says that it could not be done" in reasons(idle)
