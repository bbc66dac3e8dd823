"""Runs code in the sandbox. Only JSON text comes back: other values could be small inside and huge outside."""

from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import msgspec

from viva.kit.null_characters import has_null_character
from viva.sandbox.failures import PrintedText, failure_of
from viva.sandbox.model import SandboxFailure, SandboxLimits, SandboxMissing, SandboxResult, SandboxUnavailable
from viva.sandbox.pools import get_pool

if TYPE_CHECKING:
    from pydantic_monty import OSPolicy, ResourceLimits

# The code has names of its own in `scope`, so it cannot replace those of this script.
CALL_SCRIPT = """
scope = {}
exec(source, scope)
from json import dumps
dumps([scope[function](*arguments)] if function in scope else [], allow_nan=False)
"""
MAX_HOST_CALLS = 20  # attempts to reach a file or an unknown name; all fail, and each costs a message
# The same call gives the same value: the clock stands still, and random numbers start from one seed.
REPEATABLE: "OSPolicy" = {"datetime": datetime(2000, 1, 1, tzinfo=UTC), "sleep": "zero", "random_start": {"seed": 0}}


def run_function(code: str, function: str, arguments: list[Any], limits: SandboxLimits) -> SandboxResult:
    """Run the code, then call its function with these arguments, which must be plain data."""
    inputs = {"source": code, "function": function, "arguments": arguments}
    result = run_script(CALL_SCRIPT, inputs, limits)
    if result.failure:
        return result
    if result.value == []:
        return fail(SandboxFailure("missing", f"The code defines no function {function}."), result.printed)
    (value,) = result.value
    return result._replace(value=value)


def run_script(script: str, inputs: dict[str, Any], limits: SandboxLimits) -> SandboxResult:
    """Run a script of ours, whose last expression is JSON text, with inputs of others."""
    try:
        from pydantic_monty import MontyError  # imported late, as in pools
    except ImportError:
        raise SandboxMissing() from None

    printed = PrintedText(limits.printed_characters)
    try:
        text = feed(script, inputs, limits, printed)
    except MontyError as error:
        return fail(failure_of(error, printed), printed.text)
    if len(text) > limits.value_bytes:
        message = f"The returned value has {len(text)} bytes as JSON; at most {limits.value_bytes} are allowed."
        return fail(SandboxFailure("output", message), printed.text)
    if has_null_character(text.encode()):
        return fail(SandboxFailure("value", "The returned value contains a null character."), printed.text)
    return SandboxResult(msgspec.json.decode(text), None, printed.text)


def feed(script: str, inputs: dict[str, Any], limits: SandboxLimits, printed: PrintedText) -> str:
    session_limits: ResourceLimits = {
        "max_feed_duration_secs": limits.cpu_seconds,
        "max_memory": limits.memory_bytes,
        "max_recursion_depth": limits.recursion_depth,
        "max_suspensions": MAX_HOST_CALLS,
    }
    try:
        with get_pool(limits).checkout(limits=session_limits, os_policy=REPEATABLE) as session:
            return str(session.feed_run(script, inputs=inputs, print_callback=printed))
    except (TimeoutError, RuntimeError) as error:  # no free worker, or none can start
        raise SandboxUnavailable() from error


def is_installed() -> bool:
    """Whether code can run here at all. The package comes with the extra `viva[sandbox]`."""
    return find_spec("pydantic_monty") is not None


def fail(failure: SandboxFailure, printed: str) -> SandboxResult:
    return SandboxResult(None, failure, printed)
