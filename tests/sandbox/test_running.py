"""Code in the sandbox: what it returns, how each attack ends, and that the next call works."""

import os
import subprocess
import sys
import threading

import psutil
import pytest

from tests.hub import until
from viva.sandbox.model import SandboxLimits
from viva.sandbox.pools import close_pools
from viva.sandbox.running import run_function
from viva.sandbox.scanning import ALLOWED_MODULES

pytestmark = pytest.mark.slow

LIMITS = SandboxLimits(
    cpu_seconds=10, wall_seconds=20, memory_bytes=32 * 2**20, printed_characters=1_000, value_bytes=10_000
)
SHORT_LIMITS = LIMITS._replace(cpu_seconds=0.2)  # for what never ends by itself


def run(body, *arguments, limits=LIMITS):
    return run_function(f"def decide(*given):\n    {body}", "decide", list(arguments), limits)


@pytest.fixture(autouse=True)
def _next_call_works():
    yield
    assert run("return 'works'").value == "works"


def test_a_function_gets_plain_data_and_returns_plain_data():
    result = run("return {'given': given, 'half': 0.5, 'none': None}", "ä\\u0000", [1, {"a": True}])

    assert result.value == {"given": ["ä\\u0000", [1, {"a": True}]], "half": 0.5, "none": None}


def test_functions_of_the_code_use_each_other_and_imports():
    code = (
        "import math\nBASE = 2\ndef double(x):\n    return x * BASE\ndef decide(x):\n    return double(math.floor(x))"
    )

    assert run_function(code, "decide", [3.7], LIMITS).value == 6


def test_the_same_call_gives_the_same_value():
    body = "import random, datetime; return [random.random(), str(datetime.datetime.now())]"

    assert run(body).value == run(body).value
    assert run(body).value[1] == "2000-01-01 00:00:00"


def test_a_call_leaves_nothing_for_the_next():
    run_function("secret = 42\ndef decide():\n    return 1", "decide", [], LIMITS)

    assert run("return secret").failure.message == "NameError: name 'secret' is not defined"


def test_what_the_code_prints_comes_with_the_result():
    assert run("print('seen', 1); return 2") == (2, None, "seen 1\n")


@pytest.mark.parametrize("module", ALLOWED_MODULES)
def test_an_allowed_module_can_be_imported(module):
    assert run(f"import {module}; return 1").value == 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("base64.b64encode(b'a').decode()", "YQ=="),
        ("bisect.bisect([1, 3], 2)", 1),
        ("collections.Counter('aab').most_common(1)", [["a", 2]]),
        ("copy.deepcopy([[1]])", [[1]]),
        ("list(csv.reader(['a,b']))", [["a", "b"]]),
        ("(datetime.date(2026, 3, 1) - datetime.date(2026, 2, 1)).days", 28),
        ("str(decimal.Decimal('0.1') + decimal.Decimal('0.2'))", "0.3"),
        ("functools.reduce(lambda a, b: a * b, [2, 3])", 6),
        ("hashlib.sha256(b'a').hexdigest()[:8]", "ca978112"),
        ("list(itertools.combinations('abc', 2))", [["a", "b"], ["a", "c"], ["b", "c"]]),
        ("json.loads(json.dumps({'a': 1}))", {"a": 1}),
        ("math.hypot(3, 4)", 5.0),
        ("random.Random(7).randint(1, 100)", 42),
        ("re.fullmatch(r'(\\d+)-(\\d+)', '1-22').groups()", ["1", "22"]),
        ("unicodedata.normalize('NFKC', 'ﬁ')", "fi"),
    ],
)
def test_named_parts_of_the_standard_library_work(expression, value):
    module = expression.removeprefix("list(").removeprefix("str(").removeprefix("(").split(".")[0]

    assert run(f"import {module}; return {expression}").value == value


ATTACKS = {
    "infinite loop": ("while True: pass", "timeout"),
    "loop that catches everything": ("\n    while True:\n     try:\n      while 1: pass\n     except BaseException: pass", "timeout"),
    "one long operation": ("return len(str(10 ** 10_000_000))", "timeout"),
    "slow hash": ("import hashlib; hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10 ** 9)", "timeout"),
    "growing list": ("\n    x = []\n    for _ in range(10_000): x.append('a' * 100_000)", "memory"),
    "one huge text": ("return 'a' * 10 ** 12", "memory"),
    "huge power": ("return 9 ** 9 ** 9", "memory"),
    "small inside, huge outside": ("x = 'a' * 1_000_000; return [x] * 100_000", "memory"),
    "list doubled 40 times": ("\n    x = 1\n    for _ in range(40): x = [x, x]\n    return x", "timeout"),
    "deep recursion": ("return decide()", "recursion"),
    "recursion that ends": ("return decide(given[0] - 1) if given[0] else 0", "recursion"),
    "deeply nested value": ("\n    x = []\n    for _ in range(100_000): x = [x]\n    return x", "recursion"),
    "read a file": ("return open('/etc/passwd').read()", "forbidden"),
    "write a file": ("from pathlib import Path; Path('/tmp/viva').write_text('x')", "forbidden"),
    "list a folder": ("import os; return os.listdir('/')", "forbidden"),
    "read the environment": ("import os; return os.getenv('PATH')", "forbidden"),
    "network": ("import socket", "forbidden"),
    "download": ("import urllib.request", "forbidden"),
    "processes": ("import subprocess", "forbidden"),
    "threads": ("import threading", "forbidden"),
    "memory of the process": ("import ctypes", "forbidden"),
    "fork": ("import os; os.fork()", "exception"),
    "shell": ("import os; os.system('id')", "exception"),
    "import by name": ("return __import__('os').system('id')", "exception"),
    "import by module": ("import importlib", "forbidden"),
    "loaded modules": ("import sys; return sys.modules", "exception"),
    "all classes": ("return ().__class__.__base__.__subclasses__()", "exception"),
    "globals of a function": ("return (lambda: 0).__globals__", "exception"),
    "built-in names": ("return __builtins__", "exception"),
    "replaced module": ("import json; json.dumps = lambda *a, **k: 1; return 1", "exception"),
    "too much printed": ("\n    while True: print('a' * 100)", "output"),
    "too much returned": ("return 'a' * 20_000", "output"),
    "regular expression": ("import re; return re.match(r'(?=(a+)+b)\\1?', 'a' * 40)", "exception"),
    "error with a huge message": ("raise ValueError('a' * 10_000_000)", "exception"),
    "not a number": ("return float('nan')", "value"),
    "a function": ("return decide", "value"),
    "a null character": ("return {'a': 'b' + chr(0)}", "value"),
    "a set": ("return {1}", "value"),
    "syntax": ("return (", "syntax"),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_stopped_and_reported_with_its_kind(attack):
    body, kind = ATTACKS[attack]

    result = run(body, 300, limits=SHORT_LIMITS if kind == "timeout" or "while" in body else LIMITS)

    assert result.value is None
    assert result.failure.kind == kind
    assert len(result.failure.message) <= 500
    assert len(result.printed) <= LIMITS.printed_characters


def test_a_call_ends_with_its_wall_time_even_if_cpu_time_is_left():
    assert (
        run("while True: pass", limits=LIMITS._replace(cpu_seconds=1_000, wall_seconds=0.3)).failure.kind == "timeout"
    )


def test_a_regular_expression_that_backtracks_for_years_elsewhere_ends():
    assert run("import re; return re.match('(a+)+$', 'a' * 40 + 'b')") == (None, None, "")


def test_a_value_of_the_whole_code_never_leaves_the_sandbox():
    """`return` outside a function ends the code. Its value would have 1 GB here."""
    result = run_function("x = 'a' * 1_000_000\nreturn [x] * 1_000", "decide", [], LIMITS)

    assert result.failure == ("missing", "The code defines no function decide.", None)


def test_code_cannot_replace_what_calls_it():
    code = "def dumps(*a, **k): return 'x'\ndef exec(x): pass\narguments = [1]\ndef decide(*given): return len(given)"

    assert run_function(code, "decide", [], LIMITS).value == 0


def test_a_failure_names_its_line():
    result = run_function("def decide(x):\n\n    return 1 / x", "decide", [0], LIMITS)

    assert result.failure == ("exception", "ZeroDivisionError: division by zero", 3)


def test_what_the_code_says_can_be_stored():
    result = run("print('a' + chr(0)); raise ValueError('b' + chr(0))")

    assert (result.printed, result.failure.message) == (
        "a\N{REPLACEMENT CHARACTER}\n",
        "ValueError: b\N{REPLACEMENT CHARACTER}",
    )


def test_an_argument_that_is_no_text_is_refused():
    assert run("return 1", "\ud800").failure.kind == "value"


def test_a_worker_killed_from_outside_while_running_is_replaced():
    answers = []
    thread = threading.Thread(target=lambda: answers.append(run("while True: pass")))
    thread.start()

    kill_busy_worker()
    thread.join(20)

    assert [answer.failure.kind for answer in answers] == ["crashed"]
    assert run("return 1").value == 1


def kill_busy_worker():
    """Kill the one worker that uses the processor."""
    for _ in range(500):
        for child in psutil.Process(os.getpid()).children():
            if child.name() == "monty" and child.cpu_percent(0.02) > 20:
                child.kill()
                return
    raise AssertionError("No worker is busy.")


def test_a_worker_sees_no_environment_of_the_hub():
    os.environ["VIVA_TEST_SECRET"] = "secret"
    close_pools()

    run("return 1")

    workers = [child for child in psutil.Process(os.getpid()).children() if child.name() == "monty"]
    assert workers
    assert [worker.environ() for worker in workers] == [{}] * len(workers)


def test_a_busy_worker_whose_process_was_killed_ends_with_its_time():
    script = """
import os, psutil, threading
from tests.sandbox.test_running import LIMITS, run
threading.Thread(target=lambda: run("while True: pass", limits=LIMITS._replace(cpu_seconds=0.5))).start()
while not (workers := psutil.Process(os.getpid()).children()):
    pass
print(workers[0].pid, flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        worker = psutil.Process(int(process.stdout.readline()))
        process.kill()

    until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE)


def test_calls_of_many_threads_are_all_answered():
    answers = []
    threads = [threading.Thread(target=lambda n=n: answers.append(run("return given[0]", n).value)) for n in range(12)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert sorted(answers) == list(range(12))
