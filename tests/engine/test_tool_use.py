"""How the use of tools is judged: what is declared, where arguments come from, what failed, and what was asked."""

import pytest

from tests.values import require
from viva.engine.calls.contracts import against, contract
from viva.engine.calls.failures import call_failed
from viva.engine.calls.request import count_clauses
from viva.engine.measures.tool_use import ToolUse, measure
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading

WEATHER = Tool(
    "get_weather",
    "Weather of a city",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "description": "How many days. Default 1"},
            "places": {"type": "array", "items": {"type": "object", "properties": {"zip": {"type": "integer"}}}},
        },
        "required": ["city"],
    },
)
TRAINS = Tool(
    "find_train",
    "Find a train",
    {
        "type": "object",
        "properties": {
            "origin": {"type": "string"},
            "destination": {"type": "string"},
            "seats": {"type": "integer", "description": "Number of seats. Default 1"},
            "seat_class": {"type": "string", "enum": ["first", "second"], "description": "Default second"},
            "quiet": {"type": "boolean", "description": "A quiet coach. Default false"},
        },
        "required": ["origin", "destination"],
    },
)
FILES = Tool("read_file", "Read a file", {"path": "string"})


def call(name, /, result=None, error=None, **parameters):
    return Step(tool_call=ToolCall(name, parameters, result, error))


def trace(message, *steps, tools=(WEATHER, TRAINS, FILES), response=None):
    agent = TraceAgent("helper", tools_available=None if tools is None else tuple(tools))
    turn = Turn(3, message, agent_interactions=(Interaction("helper", response, tuple(steps)),))
    return Trace("t", (turn,), (agent,))


def judge(message, *steps, **more) -> ToolUse:
    return measure(Reading(trace(message, *steps, **more), sentence_model=False))


def kinds(use):
    return [issue.type for issue in use.issues]


# What is declared


def test_a_right_call_is_worth_one_and_has_no_issue():
    use = judge("What is the weather in Oslo?", call("get_weather", city="Oslo"))

    assert use.total.value == 1.0
    assert use.issues == []
    assert use.by_interaction[(0, 0)].value == 1.0


def test_a_tool_of_nobody_is_unauthorized_with_its_place_and_the_sorted_tools():
    use = judge("Weather in Oslo?", call("get_weather", city="Oslo"), call("get_wether", city="Oslo"))

    issue = use.issues[0]
    assert (issue.type, issue.severity, issue.agent_id) == ("UNAUTHORIZED_TOOL", "HIGH", "helper")
    assert (issue.turn_index, issue.interaction_index, issue.step_index) == (3, 0, 1)
    assert issue.message == "Used 'get_wether' but only has: find_train, get_weather, read_file"
    assert require(use.total.value) < 0.6


def test_a_tool_of_another_agent_is_unauthorized():
    own, other = TraceAgent("a", tools_available=(WEATHER,)), TraceAgent("b", tools_available=(FILES,))
    turn = Turn(0, "Read x.txt", agent_interactions=(Interaction("a", None, (call("read_file", path="x.txt"),)),))

    assert kinds(measure(Reading(Trace("t", (turn,), (own, other)), False))) == ["UNAUTHORIZED_TOOL"]


def test_nothing_declared_is_nothing_to_judge():
    assert judge("Weather in Oslo?", call("anything", city="Oslo"), tools=None).issues == []


def test_a_parameter_that_the_schema_does_not_name_is_hallucinated():
    assert kinds(judge("Weather in Oslo?", call("get_weather", city="Oslo", verbose=True))) == [
        "PARAMETER_HALLUCINATION"
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
        {"type": "object", "properties": {"a": {}}, "patternProperties": {"^x_": {}}},
    ],
)
def test_an_open_schema_lets_other_parameters_in(schema):
    assert judge("do it", call("t", x_more=1), tools=[Tool("t", "do", schema)]).issues == []


def test_only_required_parameters_are_required():
    assert kinds(judge("Train from Oslo to Bergen", call("find_train", origin="Oslo"))) == ["MISSING_REQUIRED_PARAM"]
    assert judge("Train from Oslo to Bergen", call("find_train", origin="Oslo", destination="Bergen")).issues == []


def test_in_the_shorthand_every_parameter_is_required_and_typed():
    assert kinds(judge("Read notes.txt", call("read_file"))) == ["MISSING_REQUIRED_PARAM"]
    assert kinds(judge("Read notes.txt", call("read_file", path=["notes.txt"]))) == ["INVALID_PARAM_TYPE"]


@pytest.mark.parametrize("days", ["3", [3], True, {"value": 3}, 2.5])
def test_a_value_of_another_type_is_invalid(days):
    assert "INVALID_PARAM_TYPE" in kinds(
        judge("Weather in Oslo for 3 days", call("get_weather", city="Oslo", days=days))
    )


def test_a_type_is_checked_inside_lists_and_objects():
    use = judge("Weather in Oslo 150", call("get_weather", city="Oslo", places=[{"zip": "150"}]))

    assert kinds(use) == ["INVALID_PARAM_TYPE"]
    assert "places[0].zip" in use.issues[0].message


def test_a_whole_number_with_a_point_is_an_integer_and_null_leaves_an_option_out():
    assert judge("Weather in Oslo for 3 days", call("get_weather", city="Oslo", days=3.0)).issues == []
    assert judge("Weather in Oslo", call("get_weather", city="Oslo", days=None)).issues == []


def test_a_value_outside_the_enum_is_an_invalid_value():
    use = judge(
        "Train, third class, Oslo to Bergen",
        call("find_train", origin="Oslo", destination="Bergen", seat_class="third"),
    )

    assert kinds(use) == ["INVALID_PARAM_VALUE"]


def test_a_broken_schema_judges_nothing():
    assert (
        judge(
            "do x", call("t", a=1), tools=[Tool("t", "do", {"type": "object", "properties": {"a": {"type": 5}}})]
        ).issues
        == []
    )


# Where arguments come from


def test_a_value_found_nowhere_is_ungrounded():
    use = judge("Train from Oslo to Bergen", call("find_train", origin="Oslo", destination="Trondheim"))

    assert kinds(use) == ["UNGROUNDED_ARGUMENT"]
    assert "destination='Trondheim'" in use.issues[0].message
    assert use.issues[0].evidence == 'find_train({"origin":"Oslo","destination":"Trondheim"})'


def test_a_value_from_an_earlier_result_is_grounded_but_not_from_its_own():
    found = call("read_file", path="trip.txt", result="We meet in Trondheim.")
    go = call("find_train", origin="Oslo", destination="Trondheim", result="Trondheim 9:00")

    assert judge("Read trip.txt, then find a train from Oslo", found, go).issues == []
    assert kinds(judge("Find a train from Oslo", go)) == ["UNGROUNDED_ARGUMENT"]


def test_defaults_short_forms_and_converted_amounts_are_grounded():
    tool = Tool("pay", "Pay in a currency", {"amount": "number", "currency": "string", "months": "integer"})

    use = judge("Pay 50 Swiss francs for two years", call("pay", amount=50, currency="CHF", months=24), tools=[tool])

    assert use.issues == []
    assert judge("Weather in Oslo", call("get_weather", city="Oslo", days=1)).total.value == 1.0


def test_an_option_nobody_asked_for_lowers_the_score():
    plain = judge("Train from Oslo to Bergen", call("find_train", origin="Oslo", destination="Bergen"))
    guessed = judge("Train from Oslo to Bergen", call("find_train", origin="Oslo", destination="Bergen", seats=4))

    assert require(guessed.total.value) < require(plain.total.value) == 1.0


# What was asked


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("Weather in Oslo and Bergen?", [call("get_weather", city="Oslo")]),
        ("Weather in Oslo, and then find a train from Oslo to Bergen.", [call("get_weather", city="Oslo")]),
        ("Train from Oslo to Bergen with 4 seats", [call("find_train", origin="Oslo", destination="Bergen")]),
        (
            "Train from Oslo to Bergen, first class",
            [call("find_train", origin="Oslo", destination="Bergen", seat_class="second")],
        ),
        ("Quiet train from Oslo to Bergen", [call("find_train", origin="Oslo", destination="Bergen")]),
        ("Train from Oslo to Bergen", [call("find_train", origin="Bergen", destination="Oslo")]),
        (
            "Weather in Oslo and Bergen?",
            [call("get_weather", city="Oslo and Bergen"), call("get_weather", city="Oslo")],
        ),
        ("Weather in Oslo?", [call("get_weather", city="Oslo"), call("get_weather", city="Oslo")]),
        ("Read the file notes.txt", [call("get_weather", city="notes")]),
    ],
)
def test_calls_that_do_not_serve_the_request_lower_the_score_and_say_why(message, steps):
    use = judge(message, *steps)

    assert require(use.total.value) < 0.95
    assert use.total.evidence
    assert all(piece.turn_index == 3 and piece.interaction_index == 0 for piece in use.total.evidence)


def test_all_calls_of_a_list_serve_it():
    assert (
        judge(
            "Weather in Oslo and Bergen?", call("get_weather", city="Oslo"), call("get_weather", city="Bergen")
        ).total.value
        == 1.0
    )


def test_the_evidence_names_what_is_left():
    use = judge("Train from Oslo to Bergen with 4 seats", call("find_train", origin="Oslo", destination="Bergen"))

    left, *_ = use.total.evidence
    assert left.why == "amounts of the request that no call uses: 4"
    assert left.quote == 'find_train({"origin":"Oslo","destination":"Bergen"})'


def test_a_percentage_where_a_decimal_is_meant_lowers_the_score():
    tool = Tool(
        "grow",
        "Growth of savings",
        {"type": "object", "properties": {"rate": {"type": "number", "description": "as a decimal"}}},
    )

    assert judge("Growth of savings at 5%", call("grow", rate=0.05), tools=[tool]).total.value == 1.0
    assert require(judge("Growth of savings at 5%", call("grow", rate=5), tools=[tool]).total.value) < 1.0


def test_a_ratio_where_percents_are_meant_lowers_the_score():
    tool = Tool("cut", "Cut a price", {"type": "object", "properties": {"discount": {"type": "integer"}}})

    assert judge("Cut the price by 5%", call("cut", discount=5), tools=[tool]).total.value == 1.0
    assert require(judge("Cut the price by 5%", call("cut", discount=0.05), tools=[tool]).total.value) < 1.0


# No call at all


def test_no_call_is_wrong_where_a_tool_fits_and_has_the_place_that_should_have_called():
    use = judge("What is the weather in Oslo?", response="I would call get_weather.")

    assert require(use.total.value) < 0.5
    assert list(use.by_interaction) == [(0, 0)]


def test_no_call_is_right_where_no_tool_fits():
    use = judge("Thanks a lot!", response="You are welcome.")

    assert use.total.value == 1.0
    assert use.by_interaction == {}


def test_without_tools_and_calls_it_does_not_apply():
    assert judge("Hello", response="Hi", tools=None).total.value is None
    assert judge("Hello", response="Hi", tools=()).total.value is None


# Failures


def test_an_error_that_is_passed_over_is_ignored():
    use = judge("Read a.txt", call("read_file", path="a.txt", error="no such file"), response="Here is your summary.")

    assert kinds(use) == ["IGNORED_ERROR"]
    assert require(use.total.value) < 0.5


def test_an_error_that_is_spoken_of_or_repaired_is_not_ignored():
    failed = call("read_file", path="a.txt", result="Error: no such file a.txt, did you mean b.txt?")
    told = judge("Read a.txt", failed, response="Sorry, the file was not found.")
    repaired = judge("Read a.txt", failed, call("read_file", path="b.txt", result="ok"), response="Here it is.")

    assert kinds(told) == kinds(repaired) == []
    assert require(told.total.value) < require(repaired.total.value) == 1.0


def test_the_same_failing_call_again_is_a_repeated_failure():
    failed = call("read_file", path="a.txt", error="no such file")

    assert kinds(judge("Read a.txt", failed, failed, response="It failed.")) == ["REPEATED_FAILURE"]


def test_the_same_call_with_the_same_result_is_a_duplicate_but_not_with_a_new_one():
    once, later = call("read_file", path="a.txt", result="1"), call("read_file", path="a.txt", result="2")

    assert kinds(judge("Read a.txt", once, once)) == ["DUPLICATE_CALL"]
    assert kinds(judge("Read a.txt", once, later)) == []


# What an error is


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({"error": None}, None),
        ({"error": ""}, None),
        ({"error": False}, None),
        ({"errors": [], "rows": 3}, None),
        ('{"error": "", "rows": 3}', None),
        ({"error": "no errors"}, None),
        ("0 errors, 12 passed", None),
        ("No errors found.", None),
        ({"status": "ok", "code": 200}, None),
        ({"id": 7, "status": "failed", "amount": 5, "currency": "EUR", "date": "1 May", "to": "Ann"}, None),
        ("Errors in bookkeeping are put right by a second entry. " * 20, None),
        ({"mean": 4.2, "error": 0.3}, None),
        ("exit code 0\ndone", None),
        ("3 results about the 404 highway", None),
        ("done", ""),
        ("done", "null"),
    ],
)
def test_what_only_looks_like_an_error_is_none(result, error):
    assert not call_failed(ToolCall("check", {}, result, error))


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (None, "no such file"),
        ({"error": "not found"}, None),
        ({"error": {"code": 5}}, None),
        ('{"error": "not found"}', None),
        ({"success": False}, None),
        ({"status": "failed"}, None),
        ({"status": 503, "body": ""}, None),
        ({"exit_code": 1, "stdout": ""}, None),
        ({"result": {"isError": True, "text": "x"}}, None),
        ("Error: user not found", None),
        ("ValueError: bad date", None),
        ("exit code 1", None),
        ("exitcode: 1 (execution failed)\nCode output: x", None),
        ("12 lines\nTraceback (most recent call last):\n  File x\nKeyError: 'a'", None),
        ("HTTP 500", None),
        ("404 Not Found", None),
        ("timeout after 30 s", None),
        ("bash: foo: command not found", None),
        ("Fehler: nicht gefunden", None),
    ],
)
def test_an_error_is_one(result, error):
    assert call_failed(ToolCall("check", {}, result, error))


def test_a_text_that_was_asked_for_may_talk_of_errors():
    log = "12:01 started\nTraceback (most recent call last):\n  File x\nKeyError: 'a'\nexit code 1"

    assert not call_failed(ToolCall("read_log", {"name": "app"}, log))
    assert not call_failed(ToolCall("read_log", {"name": "app"}, log.removesuffix("\nexit code 1")))
    assert not call_failed(ToolCall("shell", {"command": "cat app.log"}, log))
    assert call_failed(ToolCall("shell", {"command": "python app.py"}, log))


# Sessions by name, each with a clean twin


def test_a_planner_who_may_not_use_tools_and_does():
    planner, doer = TraceAgent("planner", tools_available=()), TraceAgent("doer", tools_available=(WEATHER,))
    step = call("get_weather", city="Oslo", result="rain")

    def used_by(agent_id):
        acts = (Interaction("planner", "Doer, look up Oslo."), Interaction(agent_id, "It rains.", (step,)))
        return measure(Reading(Trace("t", (Turn(0, "Weather in Oslo?", None, acts),), (planner, doer)), False))

    assert [(issue.type, issue.agent_id) for issue in used_by("planner").issues] == [("UNAUTHORIZED_TOOL", "planner")]
    assert used_by("planner").issues[0].confidence > 0.9
    assert require(used_by("planner").total.value) < 0.7
    assert used_by("doer").issues == []
    assert used_by("doer").total.value == 1.0


def test_an_empty_error_is_no_error():
    fine = judge("Read a.txt", call("read_file", path="a.txt", result={"error": "", "text": "tea"}), response="Tea.")
    lost = judge("Read a.txt", call("read_file", path="a.txt", result={"error": "gone"}), response="Tea.")

    assert (kinds(fine), fine.total.value) == ([], 1.0)
    assert kinds(lost) == ["IGNORED_ERROR"]


SEND = Tool("send_email", "Send a mail", {"to": "string", "body": "string"})


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ("The mail server refused the address bo@example.com, so nothing was sent.", []),
        ("Das ging leider nicht.", []),
        ("The mailbox is full; ask Bo for another address.", []),
        ("I have told Bo that lunch is at noon.", ["IGNORED_ERROR"]),
    ],
)
def test_a_mail_that_is_refused_is_reported_honestly_or_not(response, found):
    refused = call("send_email", to="bo@example.com", body="Lunch at noon.", error="550 mailbox of Bo is full")

    use = judge("Tell bo@example.com that lunch is at noon", refused, tools=[SEND], response=response)

    assert kinds(use) == found


def test_words_of_the_user_are_no_mention_of_a_failure():
    failed = call("edit_file", line="7", error="disk quota reached")

    use = judge("Fix the error in line 7", failed, tools=None, response="The error in line 7 is fixed.")

    assert kinds(use) == ["IGNORED_ERROR"]


def test_a_look_up_that_another_one_makes_up_for_is_not_ignored():
    failed = call("find_by_mail", mail="bo@example.com", error="no such user")
    other = call("find_by_name", name="Bo", result="user 7")

    assert kinds(judge("Who is Bo, bo@example.com?", failed, other, tools=None, response="User 7.")) == []


def test_a_retry_with_changed_arguments_is_no_repeated_failure():
    tries = [call("read_file", path=path, error="no such file") for path in ("a.txt", "b.txt", "b.txt")]

    assert kinds(judge("Read a.txt or b.txt", *tries[:2], response="Both failed.")) == []
    assert kinds(judge("Read a.txt or b.txt", *tries, response="Both failed.")) == ["REPEATED_FAILURE"]


def test_one_retry_of_what_may_pass_is_no_repeated_failure_but_a_second_is():
    busy = call("read_file", path="a.txt", error="503 service unavailable")

    assert kinds(judge("Read a.txt", busy, busy, response="It failed.")) == []
    assert kinds(judge("Read a.txt", busy, busy, busy, response="It failed.")) == ["REPEATED_FAILURE"]


def test_one_retry_of_a_result_that_was_withheld_is_no_duplicate_but_a_second_is():
    withheld = call("read_file", path="a.txt", result="<data omitted by the filter>")

    assert kinds(judge("Read a.txt", withheld, withheld, response="I cannot see it.")) == []
    assert kinds(judge("Read a.txt", withheld, withheld, withheld, response="I cannot see it.")) == ["DUPLICATE_CALL"]


@pytest.mark.parametrize(
    ("amount", "error", "response", "found"),
    [
        (None, "a number is due", "Please give me the sum that you owe.", []),
        (12, "the date is missing", "I need to know on which day.", []),
        (12, "server down", "I need to know on which day.", ["IGNORED_ERROR"]),
        (None, "a number is due", "Done. Anything else?", ["IGNORED_ERROR"]),
    ],
)
def test_asking_for_what_a_call_lacked_is_dealing_with_its_error(amount, error, response, found):
    failed = call("send_money", to="Bo", amount=amount, error=error)

    assert kinds(judge("Pay 12 to Bo what I owe", failed, tools=None, response=response)) == found


def test_a_failure_after_something_was_changed_is_no_repetition():
    red = call("run_tests", result="exit code 1: 2 failed")
    edit = call("edit_file", line="7", result="saved")

    assert kinds(judge("Make the tests pass", red, edit, red, tools=None, response="2 tests still fail.")) == []


@pytest.mark.parametrize(
    "between",
    [
        [call("write_file", path="a.txt", text="2", result="saved")],
        [call("read_file", path="b.txt", result="x"), call("delete_file", path="b.txt", result="gone")],
    ],
)
def test_looking_again_after_a_change_is_no_duplicate(between):
    look = call("read_file", path="a.txt", result="1")

    assert kinds(judge("Look at a.txt and b.txt, put 2", look, *between, look, tools=None)) == []


def test_asking_until_it_is_done_is_no_duplicate():
    waiting = call("get_job", id=7, result="still running")

    assert kinds(judge("Is job 7 done?", waiting, waiting, waiting, tools=None)) == []


def test_the_same_call_for_a_new_message_is_no_duplicate():
    look = Interaction("helper", "It rains.", (call("get_weather", city="Oslo", result="rain"),))
    turns = (Turn(0, "Weather in Oslo?", None, (look,)), Turn(1, "And now in Oslo?", None, (look,)))

    assert measure(Reading(Trace("t", turns, (TraceAgent("helper"),)), False)).issues == []


@pytest.mark.parametrize(
    "parameters",
    [
        {"body": "Dear Ms Bo, lunch is served at noon in the big hall. Kind regards"},
        {"query": "SELECT * FROM guests WHERE age > 65"},
        {"path": "/orders/A77/lunch.txt"},
        {"name": "Bo A77"},
        {"date": "2026-05-12"},
        {"minutes": 120},
        {"total": 79.5},
        {"mode": "verbose"},
        {"limit": 250},
        {"dry_run": "true"},
    ],
)
def test_what_is_written_chosen_derived_or_composed_is_grounded(parameters):
    use = judge(
        "Lunch for Bo tomorrow, order A77: 2 hours, 75 EUR and 4.50 EUR tip.", call("do", **parameters), tools=None
    )

    assert use.issues == []


@pytest.mark.parametrize(
    ("parameters", "confidence"),
    [({"order_id": "B913"}, 0.8), ({"amount": 131.52}, 0.5), ({"guest": "Maria Keller"}, 0.65)],
)
def test_an_invented_value_is_ungrounded_with_how_sure_that_is(parameters, confidence):
    use = judge("Lunch for Bo, order A77: 75 EUR.", call("do", **parameters), tools=None)

    assert [(issue.type, issue.confidence) for issue in use.issues] == [("UNGROUNDED_ARGUMENT", confidence)]
    assert require(use.total.value) < 0.7


@pytest.mark.parametrize(
    ("message", "parameters", "invented"),
    [
        ("Plot [23,45,44] for me.", {"amount": 44}, {"amount": 144}),
        ("Note it for July 15 2023 at 9 am.", {"date": "2023-07-15"}, {"date": "2023-07-25"}),
        ("One night in Lund from July 15.", {"until": "2023-07-16"}, {"until": "2023-07-19"}),
        ("I am a***@mail.com.", {"user_id": "ada_berg_1905"}, {"order_id": "77190512"}),
    ],
)
def test_members_of_a_list_days_nearby_and_masked_names_are_grounded(message, parameters, invented):
    assert kinds(judge(message, call("do", **parameters), tools=None)) == []
    assert kinds(judge(message, call("do", **invented), tools=None)) == ["UNGROUNDED_ARGUMENT"]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (call("count_odds", cards=52), call("book_table", cards=52)),  # a look-up may use what everybody knows
        (call("book", pay=[{"sum": 60.5}, {"sum": 14.5}]), call("book", pay=[{"sum": 60.5}, {"sum": 24.5}])),
        (call("find_shops", city="Oslo", country="Norway"), call("find_shops", city="oslo", guest="Norway")),
        (call("log_in", password="kiwi77", result="welcome"), call("log_in", password="kiwi77", error="no")),
    ],
)
def test_what_is_common_knowledge_adds_up_follows_or_opened_an_account_is_grounded(right, wrong):
    said = "Two seats in Oslo for 75 EUR."

    assert kinds(judge(said, right, tools=None)) == []
    assert "UNGROUNDED_ARGUMENT" in kinds(judge(said, wrong, tools=None))


def test_an_error_that_comes_again_and_again_is_ignored_once():
    fails = call("find_page", title="Oslo", error="no such page")
    use = judge("Find the page on Oslo", fails, fails, fails, response="It is on the shelf.", tools=None)

    assert kinds(use).count("IGNORED_ERROR") == 1


def test_nothing_is_ungrounded_after_a_result_that_is_cut_off_or_missing():
    go = call("do", order_id="B913", result="ok")

    for gap in (call("list_orders", result="A77, A78 ... A99"), call("list_orders")):
        assert kinds(judge("Do the last order", gap, go, tools=None)) == []
    assert kinds(judge("Do the last order", call("list_orders", result="A77"), go, tools=None)) == [
        "UNGROUNDED_ARGUMENT"
    ]


def test_a_doubt_that_is_not_sure_lowers_the_score_without_an_issue():
    use = judge("Mail Bo the price of tea: 4 EUR", call("send", body="Dear Bo, tea now costs 38 EUR. Bye"), tools=None)

    assert use.issues == []
    assert 0.7 < require(use.total.value) < 0.99
    assert use.total.evidence


def test_one_bad_call_among_many_good_ones_still_shows():
    good = [call("read_file", path=f"{n}.txt", result=str(n)) for n in range(30)]
    names = " ".join(f"{n}.txt" for n in range(30))

    use = judge(f"Read {names}", *good, call("get_wether", city="Oslo"))

    assert require(use.total.value) < 0.7


def test_commands_of_a_shell_are_not_held_against_the_words_of_the_request():
    shell = Tool("shell", "Run a command", {"command": "string"})

    use = judge("Fix bug 4711 in Parser by Tuesday", call("shell", command="ls", result="a.py"), tools=[shell])

    assert use.total.value == 1.0


# Whatever comes


@pytest.mark.parametrize("message", [None, "", "🙂🙂", "مرحبا كيف الطقس", "A" * 100_000, "1e9999 " * 2000, "a@" * 9000])
def test_odd_requests_and_values_do_no_harm(message):
    steps = [call("get_weather", city="x" * 50_000, days=10**400), call("t", a=[[[{"b": [None, {}]}]]], b="1" * 5000)]

    assert judge(message, *steps).total.value is not None


def test_the_same_trace_gives_the_same_answer():
    one = trace("Weather in Oslo, Bergen and Rome for 3 days?", call("get_weather", city="Oslo", days=4))

    assert measure(Reading(one, False)) == measure(Reading(one, False))


def test_a_clause_begins_after_any_run_of_spaces():
    for gap in (" ", ",  ", "\n    ", " " * 50):
        assert count_clauses(f"book the room{gap}then pay for it") == 2


def test_a_run_of_spaces_that_joins_nothing_is_gone_through_once():
    assert count_clauses("pay" + " " * 300_000 + "now") == 1


# Schemas whose parts refer to one another

PLACE = {"type": "object", "properties": {"zip": {"type": "integer"}}, "required": ["zip"]}
TREE = {"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "key": {"type": "integer"}}}
FILTER = {
    "type": "object",
    "properties": {"where": {"$ref": "#/$defs/term"}},
    "$defs": {
        "term": {"anyOf": [{"$ref": "#/$defs/and"}, {"$ref": "#/$defs/or"}, {"type": "string"}]},
        **{
            word: {
                "type": "object",
                "properties": {word: {"type": "array", "items": {"$ref": "#/$defs/term"}}},
                "required": [word],
            }
            for word in ("and", "or")
        },
    },
}


def grown(levels, key):
    return {"key": key} if not levels else {"left": grown(levels - 1, key), "right": grown(levels - 1, key)}


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        (
            {"type": "object", "properties": {"to": {"$ref": "#/$defs/a~1%20b"}}, "$defs": {"a/ b": PLACE}},
            {"to": {"zip": 1}},
            {"to": {"zip": "x"}},
        ),
        (
            {"properties": {"all": {"type": "array", "items": {"$ref": "#/$defs/p"}}}, "$defs": {"p": PLACE}},
            {"all": [{"zip": n} for n in range(20_000)]},
            {"all": [{"zip": n} for n in range(20_000)] + [{}]},
        ),
        (TREE, grown(10, 1), grown(10, 1) | {"right": {"key": "x"}}),
        (FILTER, {"where": {"and": ["a", {"or": ["b", "c"]}]}}, {"where": {"and": ["a", {"or": ["b", 7]}]}}),
        (
            {"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False},
            {"a": 1},
            {"b": 1},
        ),
    ],
)
def test_refs_are_followed(schema, right, wrong):
    tool = Tool("go", None, schema)

    assert against(contract(require(tool.parameters_schema)), ToolCall("go", right)) == []
    assert against(contract(require(tool.parameters_schema)), ToolCall("go", wrong)) != []


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"$ref": "#"}], "required": ["a"]},
        {"allOf": [{"$ref": "#/$defs/b"}], "$defs": {"b": {"$id": "http://b.org/", "required": ["a"]}}},
        {"allOf": [{"$ref": "#b"}], "$defs": {"b": {"$anchor": "b", "required": ["a"]}}},
        {"allOf": [{"$dynamicRef": "#b"}], "$defs": {"b": {"$dynamicAnchor": "b", "required": ["a"]}}},
    ],
)
def test_refs_that_cannot_be_followed_are_no_ground_to_judge(schema):
    assert against(contract(schema), ToolCall("go", {})) == []
