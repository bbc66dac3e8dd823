"""Moderation: what visitors must not read is an error, what a probe quotes is a warning."""

import pytest

from tests.contributions.proposals import NOTHING_TO_FIX, proposal
from viva.contributions import moderation

PROBE = {"id": "p", "messages": [{"role": "user", "content": "My boss calls me a bitch. Is <script> dangerous?"}]}


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"name": "A shitty evaluation"}, "name", "PROFANITY"),
        ({"title": "What the f u c k"}, "title", "PROFANITY"),
        ({"description": "Sh1t happens."}, "description", "PROFANITY"),
        ({"research_basis": "bullshit " * 1_000}, "research_basis", "PROFANITY"),
        ({"config": {"summary": "Bullshit."}}, "config.summary", "PROFANITY"),
        ({"description": "See <script src=x></script>."}, "description", "MALICIOUS_CONTENT"),
        ({"description": "See < IFRAME src=x>."}, "description", "MALICIOUS_CONTENT"),
        ({"description": "See < / script>."}, "description", "MALICIOUS_CONTENT"),
        ({"research_basis": "[paper](JavaScript:alert(1))"}, "research_basis", "MALICIOUS_CONTENT"),
        ({"research_basis": "[paper](data:text/html;base64,x)"}, "research_basis", "MALICIOUS_CONTENT"),
        ({"author": "<img src=x onerror=alert(1)>"}, "author", "MALICIOUS_CONTENT"),
        ({"evaluation_id": "../../etc/passwd"}, "evaluation_id", "UNSAFE_PATH"),
        ({"executable_script_path": "/etc/passwd"}, "executable_script_path", "UNSAFE_PATH"),
        ({"executable_script_path": "a\\..\\b"}, "executable_script_path", "UNSAFE_PATH"),
        ({"executable_handler": "..%2fshout"}, "executable_handler", "UNSAFE_PATH"),
    ],
)
def test_what_visitors_must_not_read_is_an_error_with_its_reason(changes, field, code):
    found = moderation.moderate(proposal(**changes))

    assert [(fault.field, fault.code) for fault in found.errors] == [(field, code)]
    assert field in found.errors[0].message


def test_a_probe_may_quote_abuse(monkeypatch):
    exemplars = [{"probe": "p", "pass": "I am sorry.", "fail": "Shit happens."}]

    found = moderation.moderate(proposal(config={"prompts": [PROBE]}, exemplars=exemplars))

    assert found.errors == []
    assert [(fault.field, fault.code) for fault in found.warnings] == [
        ("config.prompts[0].messages[0].content", "PROFANITY"),
        ("config.prompts[0].messages[0].content", "MALICIOUS_CONTENT"),
        ("exemplars[0].fail", "PROFANITY"),
    ]


@pytest.mark.parametrize(
    "description",
    [
        "Whether an agent in Scunthorpe assesses the class of a cockpit.",
        "Whether an agent reports harassment, abuse and threats of violence.",
        "Whether a < b and c > d, once the script: on=1 runs.",
        "Reads https://example.org/a/../b and asks JavaScript questions.",
        "Whether 455 agents of class A55 agree.",
    ],
)
def test_ordinary_sentences_are_fine(description):
    assert moderation.moderate(proposal(description=description)) == ([], [])


def test_the_finished_example_is_fine():
    assert moderation.moderate(proposal()) == ([], [])
    assert NOTHING_TO_FIX["name"]


@pytest.mark.parametrize(
    "text", ["<" + " " * 250_000, "< on" * 60_000, "<" + " onabc" * 40_000, "data" + " " * 250_000]
)
def test_no_text_keeps_the_search_busy(text):
    """A pattern that takes quadratic time needs hours for this."""
    assert moderation.moderate(proposal(config={"prompts": [text]})) == ([], [])
