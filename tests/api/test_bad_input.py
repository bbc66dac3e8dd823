"""Input that is wrong in every way: it is refused in words, and nothing is written."""

import base64
import json
import socket
from typing import Any
from urllib.parse import quote

import pytest

from tests.api.exam import ROOT, Exam
from tests.api.problem import problem
from tests.hub import Hub

AS_JSON = {"Content-Type": "application/json"}
# What is refused while it is read never comes to a database, so one kind is enough.
ON_ONE_DATABASE = pytest.mark.parametrize("hub", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def exam(hub: Hub) -> Exam:
    return Exam.begin(hub)


# Every route that takes a body, with one that it would take.
TAKE_A_BODY: dict[str, dict[str, Any]] = {
    "POST /agents/register": {"name": "a name nobody has"},
    "PATCH /agents/me": {"description": "changed"},
    "POST {root}/proctor/claim": {"registration_id": "{registration}"},
    "POST {root}/proctor/release": {"registration_id": "{registration}"},
    "POST {root}/proctor/submit": {"registration_id": "{registration}", "passed": True},
    "POST {root}/sessions/{session}/messages": {"content": "Hello"},
}

NO_JSON = {
    "no JSON": b"{",
    "two documents": b"{} {}",
    "single quotes": b"{'content': 'Hello'}",
    "a list": b"[]",
    "null": b"null",
    "a number": b"3",
    "a text": b'"Hello"',
    "a truth": b"true",
    "a null byte": b'{"content": "a\x00b"}',
    "null bytes only": b"\x00\x00",
    "invalid UTF-8": b'{"content": "a\xff\xfeb"}',
    "invalid UTF-8 in a name": b'{"\xff": 1}',
    "half a character": b'{"content": "a\xc3"}',
    "a surrogate in UTF-8": b'{"content": "a\xed\xa0\x80b"}',
    "an escaped lone surrogate": b'{"content": "a\\ud800b"}',
    "UTF-16": '{"content": "Hello"}'.encode("utf-16"),
    "a byte order mark": '{"content": "Hello"}'.encode("utf-8-sig"),
    "a deep list": b"[" * 100_000 + b"]" * 100_000,
    "a deep object": b'{"content":' * 100_000 + b"1" + b"}" * 100_000,
    "an endless list": b"[" * 1_000_000,
}


@ON_ONE_DATABASE
@pytest.mark.parametrize("content", NO_JSON.values(), ids=NO_JSON)
def test_a_body_that_is_no_json_object_is_refused(exam: Exam, content: bytes):
    before = exam.hub.counts()

    for route in TAKE_A_BODY:
        is_too_large = route == "POST /agents/register" and len(content) > 64 * 1024
        problem(send(exam, route, content), 413 if is_too_large else 422)

    assert exam.hub.counts() == before


def test_no_body_is_an_object_without_fields(exam: Exam):
    problem(send(exam, "POST {root}/proctor/release", b""), 422, "invalid", field="registration_id")


@pytest.mark.parametrize("body", [b"", b"{}", b'{"registration_id": null}'])
def test_a_claim_that_names_nobody_is_a_draw(exam: Exam, body: bytes):
    before = exam.hub.counts()

    problem(send(exam, "POST {root}/proctor/claim", body), 404, "nobody_waits")
    assert exam.hub.counts() == before


def test_a_field_that_nobody_asked_for_is_refused_by_name(exam: Exam):
    before = exam.hub.counts()

    for route in TAKE_A_BODY:
        problem(send(exam, route, fitting(exam, route) | {"colour": "red"}), 422, field="colour")

    assert exam.hub.counts() == before


def test_an_escaped_null_character_is_refused(exam: Exam):
    before = exam.hub.counts()

    for route in TAKE_A_BODY:
        for field, value in fitting(exam, route).items():
            if isinstance(value, str):
                problem(send(exam, route, fitting(exam, route) | {field: f"a\0{value}"}), 422, "null_character")

    assert exam.hub.counts() == before


REQUIRED = [
    ("POST /agents/register", "name"),
    ("POST {root}/proctor/release", "registration_id"),
    ("POST {root}/proctor/submit", "registration_id"),
    ("POST {root}/proctor/submit", "passed"),
    ("POST {root}/sessions/{session}/messages", "content"),
]


@pytest.mark.parametrize(("route", "field"), REQUIRED)
def test_a_missing_field_is_named(exam: Exam, route: str, field: str):
    before = exam.hub.counts()
    body = fitting(exam, route)
    del body[field]

    problem(send(exam, route, body), 422, field=field)
    assert exam.hub.counts() == before


ODD_TEXTS: list[Any] = [None, 3, 1.5, True, [], {}, ["Hello"], {"text": "Hello"}]
ODD_TRUTHS: list[Any] = [None, 0, 1, 1.0, "true", "yes", "", [], {}]
WRONG = [
    *[("POST /agents/register", "name", value) for value in [*ODD_TEXTS, "", " ", "ada ", "a/b", "a\nb", "a" * 201]],
    *[("POST /agents/register", "name", value) for value in ("me", "register", "\u200b", "\u202eeve", "deleted agent")],
    *[("POST /agents/register", "description", value) for value in [*ODD_TEXTS, "a" * 4_001] if value is not None],
    *[("PATCH /agents/me", "name", value) for value in [3, [], "", " ", "a/b", "a" * 201, "me"]],
    *[("PATCH /agents/me", "description", value) for value in [3, [], "a" * 4_001]],
    *[("POST {root}/proctor/claim", "registration_id", value) for value in [*ODD_TEXTS[1:], "", "a" * 101]],
    *[("POST {root}/proctor/release", "registration_id", value) for value in [*ODD_TEXTS, "", "a" * 101]],
    *[("POST {root}/proctor/submit", "registration_id", value) for value in [*ODD_TEXTS, "", "a" * 101]],
    *[("POST {root}/proctor/submit", "passed", value) for value in ODD_TRUTHS],
    *[
        ("POST {root}/proctor/submit", "score", value)
        for value in [True, "5", "", [], {}, -1, -0.001, 100.001, 101, 1e308, 10**30]
    ],
    *[("POST {root}/proctor/submit", "proctor_feedback", value) for value in [3, True, [], {}, "a" * 20_001]],
    *[("POST {root}/proctor/submit", "result_data", value) for value in [3, True, "marks", [], [1]]],
    *[("POST {root}/sessions/{session}/messages", "content", value) for value in [*ODD_TEXTS, "", " ", "\n\t "]],
]


@ON_ONE_DATABASE
@pytest.mark.parametrize(
    ("route", "field", "value"),
    WRONG,
    ids=[f"{route} {field} {json.dumps(value)[:20]}" for route, field, value in WRONG],
)
def test_a_field_of_the_wrong_kind_is_refused_by_name(exam: Exam, route: str, field: str, value: Any):
    before = exam.hub.counts()

    answer = send(exam, route, fitting(exam, route) | {field: value})

    problem(answer, 422, field=field)
    assert exam.hub.counts() == before
    assert exam.ada.get("/agents/me").json()["agent"]["description"] == ""


@ON_ONE_DATABASE
@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" + "0" * 400, "0x10", "1_000", "01", "+1", ".5"]
)
def test_a_number_that_json_does_not_know_or_no_machine_holds_is_refused(exam: Exam, number: str):
    before = exam.hub.counts()

    for fields in (f'"score": {number}', f'"result_data": {{"marks": [1e400, {number}]}}'):
        body = f'{{"registration_id": "{exam.registration_id}", "passed": true, {fields}}}'
        problem(send(exam, "POST {root}/proctor/submit", body.encode()), 422)

    assert exam.hub.counts() == before


DEEP = {
    "a hundred": 100,
    "three hundred": 300,
    "as many as can be read": 960,
    "two thousand": 2_000,
    "a hundred thousand": 100_000,
}


@pytest.mark.parametrize("depth", DEEP.values(), ids=DEEP)
def test_result_data_however_deep_is_kept_whole_or_refused(hub: Hub, depth: int):
    exam = Exam.begin(hub)
    before = hub.counts()
    data = f'{{"marks": {"[" * depth}1{"]" * depth}}}'
    body = f'{{"registration_id": "{exam.registration_id}", "passed": true, "result_data": {data}}}'

    answer = send(exam, "POST {root}/proctor/submit", body.encode())

    if depth > 200:
        problem(answer, 422)
        assert hub.counts() == before
    else:
        assert answer.status_code == 201
        assert answer.json()["result"]["result_data"] == json.loads(data)
        assert exam.ada.get("/agents/me/evaluation-results").json()["results"] == [answer.json()["result"]]


def test_odd_text_and_numbers_that_are_valid_come_back_as_they_were(hub: Hub):
    exam = Exam.begin(hub)
    odd = "\u0001 \u007f \u2028 \ufeff \ufffe 😀 e\u0301 \\u0000 ' \" ; -- %s :name ? {} <b>"
    data = {odd: odd, "": None, "big": 2**63, "bigger": 10**100, "small": 5e-324, "list": [[], {}, True, -0.5]}

    said = exam.paul.say(exam.session_id, odd)
    decided = exam.paul.submit(exam.registration_id, proctor_feedback=odd, score=0.1, result_data=data)

    assert (said.status_code, said.json()["content"]) == (201, odd)
    assert exam.ada.messages(exam.session_id)[0]["content"] == odd
    assert decided.status_code == 201
    kept = exam.ada.get("/agents/me/evaluation-results").json()["results"][0]
    assert (kept["proctor_feedback"], kept["score"], kept["result_data"]) == (odd, 0.1, data)


QUERIES = [
    ("/evaluations", "type", "essay"),
    ("/evaluations", "status", "open"),
    ("/evaluations", "q", "a" * 201),
    ("/evaluations", "module", "a" * 201),
    ("{root}/results", "passed", "maybe"),
    ("{root}/results", "sort", "name"),
    ("{root}/results", "sort", "score; DROP TABLE agents"),
    ("{root}/results", "version", "a" * 201),
    ("{root}/results", "q", "a" * 201),
    ("/agents/me/sessions", "status", "open"),
    ("/agents/me/evaluation-results", "sort", "name"),
    *[
        ("{root}/sessions/{session}/messages", "since", value)
        for value in (
            "abc",
            "-1",
            "1.5",
            "1e3",
            "٣",
            "2026-13-15T12:00:00Z",
            "a" * 41,
        )
    ],
    ("{root}/sessions/{session}/messages/stream", "since", "abc"),
]


@ON_ONE_DATABASE
@pytest.mark.parametrize(
    ("path", "name", "value"), QUERIES, ids=[f"{path} {name} {value[:20]}" for path, name, value in QUERIES]
)
def test_a_parameter_that_is_not_one_of_its_values_is_refused_by_name(exam: Exam, path: str, name: str, value: str):
    problem(exam.paul.get(exam.addressed(path), params={name: value}), 422, field=name)


@pytest.mark.parametrize(
    ("since", "is_before"), [("2020-01-01T12:00:00", True), ("2020-01-01", True), ("9" * 30, False)]
)
def test_a_time_without_a_zone_is_utc_and_a_sequence_may_lie_beyond_the_last(exam: Exam, since: str, is_before: bool):
    assert exam.paul.say(exam.session_id, "Good day.").status_code == 201

    said = exam.paul.get(exam.messages, params={"since": since}).json()["messages"]

    assert bool(said) == is_before


@pytest.mark.parametrize(
    "since", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
)
def test_the_first_and_the_last_times_are_taken_or_refused(exam: Exam, since: str):
    answer = exam.paul.get(exam.messages, params={"since": since})

    if answer.status_code != 200:
        problem(answer, 422, field="since")


@pytest.mark.parametrize(
    "odd", ["%00", "a%00b", "%FF", "%ED%A0%80", "%C3", "%0A", "%2F", "..", "%2e%2e%2f", quote("😀"), "x" * 5_000]
)
def test_an_odd_address_is_not_found(exam: Exam, odd: str):
    for path in (
        f"/agents/a{odd}",
        f"/evaluations/a{odd}",
        f"/evaluations/results/a{odd}",
        f"/evaluations/a{odd}/sessions/{exam.session_id}",
        f"{ROOT}/sessions/a{odd}",
        f"{ROOT}/sessions/a{odd}/messages",
        f"{ROOT}/sessions/a{odd}/messages/stream",
        f"{ROOT}/results/a{odd}/transcript",
    ):
        problem(exam.paul.get(path), 404)


@pytest.mark.parametrize("odd", ["%FF", "%ED%A0%80", "%C3", "%0A", "%27%22%3B--", "%25", "_", "%5C"])
def test_an_odd_word_to_look_for_is_found_nowhere(exam: Exam, odd: str):
    assert exam.paul.get(f"/evaluations?q=zz{odd}").json()["evaluations"] == []
    assert exam.paul.get(f"/evaluations?module=zz{odd}").json()["evaluations"] == []
    assert exam.paul.get(f"{ROOT}/results?version=zz{odd}").json()["results"] == []
    assert exam.paul.get(f"{ROOT}/results?agent=zz{odd}").json()["results"] == []


def test_a_null_byte_in_a_query_is_refused(exam: Exam):
    for path in (
        "/evaluations?q=%00",
        f"{ROOT}/results?agent=a%00",
        f"{ROOT}/results?cursor=%00",
        f"{exam.messages}?since=%00",
    ):
        answer = exam.paul.get(path)

        assert answer.status_code in (404, 422)
        problem(answer, answer.status_code)


def test_a_query_of_a_thousand_parameters_is_refused(exam: Exam):
    query = "&".join(f"word{number}={number}" for number in range(1_000))

    problem(exam.paul.get(f"/evaluations?{query}"), 422, field="query")


# What a cursor may hold that the hub never put into one.
FORGED = {
    "a null character": '["2026-01-01T00:00:00Z","a\\u0000"]',
    "a null character alone": '["a\\u0000"]',
    "the first of all times": '["0001-01-01T00:00:00+23:59","x"]',
    "the first of all times somewhere": '["0001-01-01T00:00:00","x"]',
    "the last of all times": '["9999-12-31T23:59:59-23:59","x"]',
    "a number too large for a database": "[9223372036854775808]",
    "a number too large for anything": f"[1{'0' * 400}]",
    "a score too large for anything": f'[1{"0" * 400},"x"]',
    "too few": "[]",
    "too many": "[1,2,3]",
    "an object": '{"a":1}',
    "depth": "[" * 600 + "]" * 600,
    "no UTF-8": '["\\ud800"]',
}
LISTS = [
    "/evaluations",
    "/agents/me/sessions",
    "/agents/me/evaluation-results",
    f"{ROOT}/results",
    f"{ROOT}/results?sort=score",
    f"{ROOT}/proctor/pending",
]


@pytest.mark.parametrize("content", FORGED.values(), ids=FORGED)
def test_a_forged_cursor_does_no_harm(exam: Exam, content: str):
    cursor = base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")

    for path in LISTS:
        answer = exam.paul.get(f"{path}{'&' if '?' in path else '?'}cursor={cursor}")

        if answer.status_code != 200:
            problem(answer, 422, field="cursor")


def fitting(exam: Exam, route: str) -> dict[str, Any]:
    body = TAKE_A_BODY[route]
    return {name: exam.addressed(value) if isinstance(value, str) else value for name, value in body.items()}


def send(exam: Exam, route: str, body: bytes | dict[str, Any]):
    """Ada changes herself; all else is done by her proctor."""
    method, path = exam.addressed(route).split(" ")
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    caller = exam.ada if method == "PATCH" else exam.paul
    return caller.http.request(method, path, content=content, headers=AS_JSON)


def test_every_fault_of_a_body_is_named_at_once_with_what_is_expected(exam: Exam):
    before = exam.hub.counts()
    body = {"registration_id": "", "score": "many", "proctor_feedback": 3, "colour": "red"}

    told = problem(send(exam, "POST {root}/proctor/submit", body), 422, "invalid")["errors"]

    assert {(fault["field"], fault["code"]): fault["message"] for fault in told} == {
        ("registration_id", "out_of_range"): "Expected text of 1 to 100 characters.",
        ("passed", "missing"): "This is missing; expected true or false.",
        ("proctor_feedback", "wrong_type"): "Expected text of at most 20,000 characters or null.",
        ("score", "wrong_type"): "Expected a number or null.",
        ("colour", "unknown"): (
            "There is no such field; there are: registration_id, passed, proctor_feedback, score, result_data, criteria, practice."
        ),
    }
    assert exam.hub.counts() == before


def test_every_fault_of_a_query_is_named_at_once_with_what_is_expected(exam: Exam):
    answer = exam.paul.get("/evaluations?limit=0&status=open&colour=red&size=3")

    told = problem(answer, 422, "invalid")["errors"]

    taken = "module, department, type, status, q, limit, cursor"
    assert {(fault["field"], fault["code"]): fault["message"] for fault in told} == {
        ("status", "not_a_choice"): "Expected one of: active, draft, retired.",
        ("limit", "out_of_range"): "Expected a whole number from 1 to 200.",
        ("colour", "unknown"): f"This parameter is unknown. This address takes: {taken}.",
        ("size", "unknown"): f"This parameter is unknown. This address takes: {taken}.",
    }


@pytest.mark.parametrize(
    "path",
    [
        "/agents/me",
        "{root}",
        "{root}/results",
        "{root}/results/export",
        "{root}/sessions/{session}/messages",
        "{root}/sessions/{session}/messages/stream",
    ],
)
def test_a_parameter_that_nobody_asked_for_is_refused(exam: Exam, path: str):
    told = problem(exam.paul.get(exam.addressed(path), params={"colour": "red"}), 422, field="colour")

    assert "This address takes" in str(told)


def test_a_body_with_a_million_faults_is_told_of_some(exam: Exam):
    body = b"{" + b",".join(b'"%d":1' % number for number in range(500_000)) + b"}"

    told = problem(send(exam, "POST {root}/proctor/claim", body), 422)["errors"]

    assert len(told) == 50


def test_a_query_does_not_rename_what_the_address_names(hub: Hub):
    ada = hub.agent("ada")
    before = hub.counts()

    problem(ada.get("/evaluations/plain-dealing?evaluation_id=other"), 422, "invalid", field="evaluation_id")
    problem(ada.post(f"{ROOT}/register?evaluation_id=honest-uncertainty"), 422, "invalid", field="evaluation_id")

    assert hub.counts() == before


def test_a_large_body_is_read_only_for_who_has_a_key(hub: Hub):
    spaces = b" " * 100_000
    nameless = hub.client.post("/api/v1/agents/register", content=spaces, headers=AS_JSON)

    problem(nameless, 413, "too_large")
    with socket.create_connection(("127.0.0.1", hub.port), timeout=10) as connection:
        head = f"POST /api/v1{ROOT}/register HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer viva_nobody\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 8000000\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 401")


def test_of_a_form_no_more_is_read_than_a_message_may_have(hub: Hub):
    with socket.create_connection(("127.0.0.1", hub.port), timeout=10) as connection:
        connection.sendall(b"POST /sessions/any/messages HTTP/1.1\r\nHost: hub\r\nContent-Length: 8000000\r\n\r\n")
        connection.sendall(b"content=" + b"a" * 250_000)  # three times as much as the longest message, and some more

        assert connection.recv(100).startswith(b"HTTP/1.1 413")
