"""An installation without the extra `sandbox`: code is refused with what to install, and all else works."""

import sys

import pytest

from tests.evaluations.test_handler_code import CODE
from viva import doctoring
from viva.evaluations.handler_code import handler_code_faults
from viva.evaluations.item_filling import make_question
from viva.evaluations.item_parameters import TextItem
from viva.evaluations.item_rules import fault_of_parameters
from viva.sandbox.expressions import EXPRESSION_LIMITS
from viva.sandbox.model import SandboxMissing, SandboxUnavailable
from viva.sandbox.running import run_function

INSTALL = 'pip install "viva[sandbox]"'


@pytest.fixture(autouse=True)
def _without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)  # so that nobody can import it


def item(text: str) -> TextItem:
    return TextItem(id="q1", texts=[text], parameters={"a": ["3", "4"]})


def test_no_code_runs_and_the_error_names_the_extra():
    with pytest.raises(SandboxUnavailable, match="pip install") as raised:
        run_function("def decide():\n    return 1", "decide", [], EXPRESSION_LIMITS)

    assert isinstance(raised.value, SandboxMissing)


def test_code_is_refused_and_the_fault_names_the_extra():
    (fault,) = handler_code_faults(CODE)

    assert (fault.code, INSTALL in fault.message) == ("NO_SANDBOX", True)


def test_a_plain_expression_is_computed():
    assert fault_of_parameters("config", item("{a.upper()} of {'%02d' % len(a)}")) is None
    assert make_question(item("{a.upper()} of {'%02d' % len(a)}"), "seed").texts[0] in ("3 of 01", "4 of 01")


def test_any_other_expression_is_refused_and_the_fault_names_the_extra():
    fault = fault_of_parameters("config", item("{math.sqrt(int(a))}"))

    assert fault is not None
    assert INSTALL in fault.message


def test_the_doctor_names_the_extra():
    assert (doctoring.check_sandbox().level, INSTALL in doctoring.check_sandbox().sentence) == ("look", True)
