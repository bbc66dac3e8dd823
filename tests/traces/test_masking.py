"""Secrets and personal values of a trace get placeholders, and the analysis stays the same."""

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.engine.analyze import analyze
from viva.engine.intake.formats import read
from viva.traces.masking import Masking, PrivateSigns, has_check_digit, mask_trace, may_need_masking

HUB_KEY = b"a secret of the hub"


def mask(value: Any) -> Any:
    return Masking(HUB_KEY).mask(value)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Write to Anna.Lind@shop.example.org today.", r"Write to [A-Z][a-z]{3}\.[A-Z][a-z]{3}@[a-z]{4}\.[a-z]{7}\.org today\."),
        ("Card 4242 4242 4242 4242, please.", r"Card 4\d{3} \d{4} \d{4} 4242, please\."),
        ("Key sk-proj-Ab12Cd34Ef56Gh78Ij90 leaks.", r"Key sk-proj-[A-Z][a-z]\d\d[A-Z][a-z]\d\d[A-Z][a-z]\d\d[A-Z][a-z]\d\d[A-Z][a-z]\d\d leaks\."),
        ("password: h7-Zebra!", r"password: [a-z]\d-[A-Z][a-z]{4}!"),
        ("Authorization: Bearer ab12cd34ef56", r"Authorization: Bearer [a-z]{2}\d\d[a-z]{2}\d\d[a-z]{2}\d\d"),
        ("postgresql://viva:tiger77@db.example/viva", r"postgresql://viva:[a-z]{5}\d\d@[a-z]{2}\.example/viva"),
        ("-----BEGIN PRIVATE KEY-----\nMIIab12\n-----END PRIVATE KEY-----", r"-----BEGIN PRIVATE KEY-----\n[A-Z]{3}[a-z]{2}\d\d\n-----END PRIVATE KEY-----"),
    ],
)  # fmt: skip
def test_a_private_value_becomes_another_of_the_same_format(text, form):
    masked = mask(text)

    assert masked != text
    assert re.fullmatch(form, masked)


@pytest.mark.parametrize(
    "text",
    [
        "Order 4242424242424241 is late.",  # fails the check digit
        "Call +49 30 1234567 at 10:30 on 2026-11-18.",
        "Reach us @support, or by tokens and keys of the API.",
        "The password is required.",
        "Version 1.2.3 of task-sk-learn costs 49.90.",
        "https://example.org/a@b",
    ],
)
def test_an_ordinary_text_stays_as_it_is(text):
    assert mask(text) == text


def test_the_same_value_gets_the_same_placeholder_in_every_field_and_case():
    masked = mask({"user": "I am ANA@example.com.", "call": {"to": "ana@example.com"}, "cc": ["bo@example.com"]})

    address = masked["call"]["to"]
    assert masked["user"] == f"I am {address.split('@')[0].upper()}@{address.split('@')[1]}."
    assert masked["cc"][0] != address
    assert masked["cc"][0].split("@")[1] == address.split("@")[1]


def test_an_address_after_an_escaped_line_break_is_the_same_address():
    first, second = mask(["ana@example.com", r'{"text": "Hello\nana@example.com"}'])

    assert second == rf'{{"text": "Hello\n{first}"}}'


def test_a_card_is_the_same_with_and_without_spaces_and_as_a_number():
    masked = mask(["4242-4242-4242-4242", "4242424242424242", 4242424242424242])

    assert masked[0].replace("-", "") == masked[1] == str(masked[2]) != "4242424242424242"


def test_a_secret_field_is_masked_whatever_its_value_looks_like():
    masked = mask({"password": "swordfish", "db_password": "tuna", "passwords_tried": "three", "api_key": ""})

    assert masked["password"] != "swordfish"
    assert masked["db_password"] != "tuna"
    assert (masked["passwords_tried"], masked["api_key"]) == ("three", "")


def test_a_password_is_masked_in_the_sentence_that_told_it():
    masked = mask(["My password is swordfish.", {"login": {"password": "swordfish"}}, "swordfishes"])

    assert masked[0] == f"My password is {masked[1]['login']['password']}."
    assert masked[1]["login"]["password"] != "swordfish"
    assert masked[2] == "swordfishes"


def test_the_name_and_the_domain_of_an_address_are_masked_where_they_stand_alone():
    masked = mask(["sofia_77@acme.example", {"user_id": "sofia_77"}, "Look at https://acme.example/help, Sofia."])

    name, domain = masked[0].split("@")
    assert masked[1:] == [{"user_id": name}, f"Look at https://{domain}/help, Sofia."]
    assert "sofia" not in name


PRIVATE_TEXTS = (
    "ana@example.org", "4242 4242 4242 4242", "4242424242424242", "\x014242424242424242", "sk-proj-Ab12Cd34Ef56Gh78Ij90",
    "AKIAABCDEFGHIJKLMNOP", "eyJhbGciOiJIUzI1NiJ9", "xoxb-1234567890-abcdefgh", "PASSWORD=h7-Zebra!", "pa\u017f\u017fword: h7-Zebra!",
    "AP\u0131_\u212aEY: h7-Zebra!", "postgresql://viva:tiger77@db.example/viva", "-----BEGIN PRIVATE KEY-----\nMIIab12\n",
    "Authorization: Basic QWxhZGRpbjpvcGVu",
)  # fmt: skip
ORDINARY_TEXTS = ("x.4242424242424242", "1763520000000", "1763520000000000000", " ", "\n", "\\", '"', "ü", "Hello.")
ALL_SIGNS = PrivateSigns(address=True, card=True, key_word=True, key_beginning=True)
WORDS = st.lists(st.sampled_from(PRIVATE_TEXTS + ORDINARY_TEXTS), max_size=4).map("".join)
NAMES = st.sampled_from(
    [
        "text",
        "apiKey",
        "client_secret",
        "access_token",
        "input_tokens",
        "key",
        "value",
        "stringValue",
        "number",
        "ana@example.org",
    ]
)
VALUES = st.recursive(
    st.one_of(
        WORDS, st.integers(0, 2**63), st.floats(allow_nan=False, allow_infinity=False), st.just(4242424242424242)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)


@pytest.mark.parametrize("text", PRIVATE_TEXTS)
def test_each_private_value_alone_is_seen(text):
    assert mask([text]) != [text]


@pytest.mark.parametrize("name", ["ana@example.org", "4242424242424242", "sk-proj-Ab12Cd34Ef56Gh78Ij90"])
def test_a_private_value_as_the_name_of_a_field_is_seen(name):
    assert name not in mask({name: 1})


@given(VALUES)
def test_what_is_left_alone_has_nothing_to_mask(document):
    """Most runs are only looked at, because this is much faster. That must never change what is masked."""
    quick, whole = Masking(HUB_KEY), Masking(HUB_KEY)

    assert quick.mask(document) == whole.mask_by(ALL_SIGNS, document)
    assert quick.list_values() == whole.list_values()


def test_times_and_measured_numbers_need_no_masking():
    assert not may_need_masking({"at": 1763520000000000000, "ms": "1763520000000", "share": 0.4242424242424242})


def test_short_values_do_not_share_a_placeholder():
    names = [f"{letter}@example.com" for letter in "abcdefghij"]

    assert len(set(mask(names))) == 10


def test_another_key_gives_other_placeholders():
    assert Masking(b"another").mask("ana@example.com") != mask("ana@example.com")


def test_long_hostile_texts_take_linear_time():
    """Each of these would not end in the life of the suite if a pattern backtracked."""
    pieces = ("a", "a.", "1 ", "1-", "password ", "password:(", "sk-", "eyJ.", "://a:", "-----BEGIN PRIVATE KEY-----")
    for piece in pieces:
        mask(piece * 50_000 + "@")


def test_what_was_masked_is_listed_without_the_values():
    trace = read(support_run())
    masked = mask_trace(trace, HUB_KEY)

    assert [(value.kind, value.count) for value in masked.values] == [
        ("key", 3),
        ("email", 4),
        ("card", 2),
        ("email", 1),
    ]
    text = msgspec.json.encode(masked).decode()
    assert not [secret for secret in SECRETS if secret in text]
    assert all(value.placeholder in text for value in masked.values)


@pytest.mark.parametrize("sentence_model", [False, True])
def test_the_analysis_of_a_masked_trace_is_that_of_the_trace(sentence_model):
    """What was found, where, and of whom is equal; scores may differ by what the letters of a name mean to the model."""
    trace = read(support_run())
    plain = msgspec.to_builtins(analyze(trace, sentence_model=sentence_model))
    masked = msgspec.to_builtins(analyze(mask_trace(trace, HUB_KEY).trace, sentence_model=sentence_model))

    assert findings(plain) == findings(masked)
    assert [issue["type"] for issue in plain["issues"]]  # the run has something to find
    assert scores(masked) == pytest.approx(scores(plain), abs=0.01)


def findings(analysis: dict[str, Any]) -> list[Any]:
    issues = [
        (issue["type"], issue["agent_id"], issue["turn_index"], issue["step_index"]) for issue in analysis["issues"]
    ]
    turns = [(turn["is_bad"], turn["detection_type"]) for turn in analysis["turn_results"]]
    blamed = analysis["failure_attribution"] and analysis["failure_attribution"]["agent_id"]
    return [issues, turns, blamed, analysis["task_completion"], analysis["trajectory"]["signal"]]


def scores(analysis: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in analysis.items() if name.endswith("_score") and value is not None}


def test_the_formula_of_the_check_digit():
    assert has_check_digit("4242424242424242")
    assert has_check_digit("378282246310005")
    assert not has_check_digit("378282246310006")


SECRETS = ("ana.ruiz@example.com", "0566", "tr0ub4dor", "ben@shop.example")


def support_run() -> dict[str, Any]:
    """A support agent that sends a receipt to an address nobody named, and calls one tool twice."""
    lookup = {"tool_name": "find_order", "parameters": {"email": "ana.ruiz@example.com", "password": "tr0ub4dor"}}
    return {
        "id": "support",
        "agents": [{"id": "support", "tools_available": [{"name": "find_order"}, {"name": "send_mail"}]}],
        "turns": [
            {
                "user_message": "I am ana.ruiz@example.com, my password is tr0ub4dor. Refund order 881 to card 4000 0566 5566 5556.",
                "agent_interactions": [
                    {
                        "agent_id": "support",
                        "agent_response": "Order 881 of ana.ruiz@example.com goes back to card 4000056655665556.",
                        "agent_steps": [
                            {"tool_call": {**lookup, "result": {"order": 881, "total": 49.9}}},
                            {"tool_call": {**lookup, "result": {"order": 881, "total": 49.9}}},
                        ],
                    }
                ],
            },
            {
                "user_message": "Send me the receipt, please.",
                "agent_interactions": [
                    {
                        "agent_id": "support",
                        "agent_response": "The receipt is on its way.",
                        "agent_steps": [
                            {
                                "tool_call": {
                                    "tool_name": "send_mail",
                                    "parameters": {"to": "ben@shop.example", "subject": "Receipt 881"},
                                    "result": "sent",
                                }
                            }
                        ],
                    }
                ],
            },
            {"user_message": "That went to the wrong address!", "agent_interactions": [{"agent_id": "support", "agent_response": "Sorry, I will send it again."}]},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("document", "secret"),
    [
        ({"result": '{"password": "correcthorse"}'}, "correcthorse"),
        ({"result": r'{"body": "{\"api_key\": \"ab12cd34\"}"}'}, "ab12cd34"),
        ({"headers": {"x-api-key": "plainletters"}}, "plainletters"),
        ({"headers": {"Authorization": "Basic dXNlcjpwYXNz"}}, "dXNlcjpwYXNz"),
        ({"log": "Authorization: Basic dXNlcjpwYXNz"}, "dXNlcjpwYXNz"),
        ({"config": {"clientSecret": "plainletters"}}, "plainletters"),
        ({"config": {"password": 48151623}}, 48151623),
        ({"attributes": [{"key": "db.password", "value": {"stringValue": "plainletters"}}]}, "plainletters"),
        ({"text": "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,77\n\nMIIab12\n-----END"}, "MIIab12"),
        ({"text": "cut off: -----BEGIN PRIVATE KEY-----\nMIIab12"}, "MIIab12"),
        ({"text": "Пишите: анна@пример.xn--p1ai"}, "анна"),
        ({"mails": {"ana@example.com": 3}}, "ana@example.com"),
        ({"cards": {"4242424242424242": 3}}, "4242424242424242"),
    ],
)
def test_a_secret_is_found_in_headers_in_json_inside_texts_and_in_names_of_fields(document, secret):
    assert str(secret) not in str(mask(document))


def test_more_secrets_than_are_searched_for_are_still_masked_where_they_stand():
    document = {"calls": [{"password": f"plainword{chr(97 + i % 26)}{i}"} for i in range(1_500)]}

    masked = mask(document)

    assert not {call["password"] for call in document["calls"]} & {call["password"] for call in masked["calls"]}
