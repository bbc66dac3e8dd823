"""The scan of code that nobody has run yet."""

import pytest

from viva.kit.errors import Fault
from viva.sandbox.scanning import MAX_CODE_BYTES, MAX_CODE_FAULTS, list_functions, scan


def codes(code):
    return [(fault.field, fault.code) for fault in scan(code)]


def test_plain_code_has_no_faults():
    code = "import re\nfrom math import floor\n\nclass Mark:\n    def __init__(self, x):\n        self.x = x\n\n\ndef decide(a, b):\r\n\treturn floor(a)\n"

    assert scan(code) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1\nimport os", ("line 2", "REFUSED_IMPORT")),
        ("import math, socket", ("line 1", "REFUSED_IMPORT")),
        ("import os.path", ("line 1", "REFUSED_IMPORT")),
        ("from pathlib import Path", ("line 1", "REFUSED_IMPORT")),
        ("def f():\n    from sys import modules", ("line 2", "REFUSED_IMPORT")),
        ("x = ().__class__", ("line 1", "DUNDER_ACCESS")),
        ("x = __builtins__", ("line 1", "REFUSED_NAME")),
        ("f = open", ("line 1", "REFUSED_NAME")),
        ("eval('1')", ("line 1", "REFUSED_NAME")),
        ("x = getattr", ("line 1", "REFUSED_NAME")),
        ("x = 1\ndef f(:\n    pass", ("line 2", "INVALID_SYNTAX")),
        ("x = 1\n\nclass A(B):\n    pass", ("line 3", "INVALID_SYNTAX")),
        ("def f():\n    yield 1", ("line 2", "INVALID_SYNTAX")),
        ("from . import x", ("line 1", "INVALID_SYNTAX")),
        ("x = 1\ny = '\u202e'", ("line 2", "HIDDEN_CHARACTER")),
        ("x = 1 # \rimport os", ("line 1", "HIDDEN_CHARACTER")),
        ("x = '\0'", ("line 1", "HIDDEN_CHARACTER")),
        ("x = '\ud800'", ("line 1", "HIDDEN_CHARACTER")),
        ("#" * (MAX_CODE_BYTES + 1), ("code", "CODE_TOO_LONG")),
    ],
)
def test_a_fault_has_its_line_and_its_code(code, expected):
    assert codes(code) == [expected]


def test_a_fault_is_a_sentence():
    assert scan("open") == [Fault("line 1", "REFUSED_NAME", "Line 1: open is not allowed.")]


def test_all_faults_come_at_once_but_not_more_than_a_page_shows():
    assert codes("import os\nopen\nx.__dict__") == [
        ("line 1", "REFUSED_IMPORT"),
        ("line 2", "REFUSED_NAME"),
        ("line 3", "DUNDER_ACCESS"),
    ]
    assert len(scan("open\n" * 200)) == MAX_CODE_FAULTS


@pytest.mark.parametrize("code", ["-" * 60_000 + "1", "(" * 20_000, "x = " + "1+" * 20_000 + "1", "a" + ".b" * 20_000])
def test_code_that_is_nested_too_deep_is_refused_before_it_reaches_the_parser_of_this_process(code):
    assert codes(code) == [("line 1", "INVALID_SYNTAX")]


def test_scanning_does_not_run_the_code():
    assert scan("while True:\n    pass") == []


def test_functions_come_with_the_number_of_their_parameters():
    assert list_functions("def decide(a, b, c=1):\n    def inner(): pass\nx = 1\ndef make(): pass") == {
        "decide": 3,
        "make": 0,
    }
