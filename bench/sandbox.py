"""Calls of a contributed handler in the sandbox, beside the same function called directly."""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from viva.evaluations.handler_code import handler_code_faults
from viva.exams.handlers import contributed
from viva.sandbox.expressions import evaluate_expression
from viva.sandbox.pools import close_pools

CALLS = 200
GOAL_MS = 150
# About what a checker of texts does: it splits, counts and compares words, and matches patterns.
CODE = """
import re
from collections import Counter

def words_of(text):
    return re.findall(r'[a-z]+', text.lower())

def decide(submission, challenge, config):
    found, wanted = Counter(words_of(submission)), Counter(words_of(challenge['secret']))
    missing = [word for word in wanted if found[word] < wanted[word]]
    criteria = [{'id': word, 'text': 'Says ' + word, 'met': word not in missing} for word in wanted]
    return {'passed': not missing, 'score': len(wanted) - len(missing), 'max_score': len(wanted), 'criteria': criteria}
"""
CONTENT = {
    "answer": "The quick brown fox jumps over the lazy dog. " * 20,
    "challenge": {"prompt": "Describe it.", "secret": "the quick brown fox jumps over a lazy dog"},
}


def run() -> None:
    close_pools()
    first = milliseconds(call_in_sandbox)
    sandbox, direct = median_of(call_in_sandbox), median_of(call_directly())
    print(f"  in the sandbox: median {sandbox:.2f} ms, first call {first:.0f} ms  goal {GOAL_MS} ms")
    print(f"  called directly: median {direct:.2f} ms")
    print(
        f"  an expression: median {median_of(lambda: evaluate_expression('round(a * b, 2)', {'a': 2, 'b': 3})):.2f} ms"
    )
    print(f"  the scan of its code: median {median_of(lambda: list(handler_code_faults(CODE))):.2f} ms")


def call_in_sandbox() -> None:
    assert contributed.run_decide(CODE, {}, CONTENT).failure is None


def call_directly() -> Callable[[], Any]:
    scope: dict[str, Any] = {}
    exec(CODE, scope)
    return lambda: scope["decide"](CONTENT["answer"], CONTENT["challenge"], {})


def median_of(call: Callable[[], Any]) -> float:
    return median(milliseconds(call) for _ in range(CALLS))


def milliseconds(call: Callable[[], Any]) -> float:
    started = perf_counter()
    call()
    return (perf_counter() - started) * 1000
