"""The pytest plugin, used as a builder of agents would: in a project of its own, run by pytest."""

import json
from xml.etree import ElementTree

import pytest

import viva.engine.analyze  # noqa: F401  (each run in this process forgets its modules, and numpy cannot be loaded twice)

pytest_plugins = "pytester"

GOOD = {"turns": [{"user_message": "When does the pool open?", "agent_response": "The pool opens at 8."}]}
BAD = {
    "turns": [
        {"user_message": "When does the pool open?", "agent_response": "The gym opens at 6."},
        {"user_message": "No, that's wrong. I asked about the pool.", "agent_response": "The gym opens at 6."},
        {"user_message": "Wrong again! When does the pool open?", "agent_response": "The gym opens at 6."},
    ]
}
TEST = """
import json
from pathlib import Path

def test_pool(viva_analyze):
    analysis = viva_analyze(json.loads(Path("run.json").read_text()))
    assert analysis.overall_score is not None

def test_file(viva_analyze):
    viva_analyze(Path("run.json"))
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_agents=TEST)
    return pytester


def run_tests(project: pytest.Pytester, run: object, *options: str) -> pytest.RunResult:
    (project.path / "run.json").write_text(json.dumps(run))
    return project.runpytest_inprocess("-q", "-p", "no:cacheprovider", *options)


def test_a_run_below_the_threshold_fails_with_its_score_and_advice(project):
    good = run_tests(project, GOOD, "--viva-fail-under", "0.7")
    bad = run_tests(project, BAD, "--viva-fail-under", "0.7")

    assert good.ret == 0
    assert "1.00  test_agents.py::test_pool" in str(good.stdout)
    assert bad.ret == 1
    assert "which is under 0.7." in str(bad.stdout)
    assert "Advice: " in str(bad.stdout)
    assert "RunAnalyzer" not in str(bad.stdout)  # no traceback of ours


def test_a_baseline_fails_only_what_got_worse(project):
    missing = run_tests(project, BAD, "--viva-baseline", "baseline.json")
    written = run_tests(project, BAD, "--viva-baseline", "baseline.json", "--viva-update-baseline")
    same = run_tests(project, BAD, "--viva-baseline", "baseline.json")
    better = run_tests(project, GOOD, "--viva-baseline", "baseline.json", "--viva-update-baseline")
    worse = run_tests(project, BAD, "--viva-baseline", "baseline.json")

    assert missing.ret == 4
    assert "baseline.json cannot be read: No such file or directory. Write it with --viva-update-baseline." in (
        str(missing.stdout) + str(missing.stderr)
    )
    assert (written.ret, same.ret, better.ret, worse.ret) == (0, 0, 0, 1)
    assert "Wrote 2 runs to baseline.json." in str(written.stdout)
    assert "Overall was 1.00 and is 0." in str(worse.stdout)
    assert "Bad turns: 2 found, 0 before." in str(worse.stdout)
    assert sorted(json.loads((project.path / "baseline.json").read_text())) == [
        "test_agents.py::test_file",
        "test_agents.py::test_pool",
    ]


def test_a_run_that_the_baseline_does_not_know_passes_and_is_named(project):
    run_tests(project, GOOD, "--viva-baseline", "baseline.json", "--viva-update-baseline", "-k", "pool")
    both = run_tests(project, BAD, "--viva-baseline", "baseline.json", "-k", "file")

    assert both.ret == 0
    assert "1 of them are not in baseline.json." in str(both.stdout)


def test_processes_of_xdist_write_one_baseline(project):
    done = run_tests(project, GOOD, "-n", "2", "--viva-baseline", "baseline.json", "--viva-update-baseline")

    assert done.ret == 0
    assert len(json.loads((project.path / "baseline.json").read_text())) == 2


def test_junit_has_the_scores(project):
    run_tests(project, GOOD, "--junitxml", "report.xml")

    properties = ElementTree.parse(project.path / "report.xml").iter("property")
    assert ("viva_overall_score", "1.0") in [(item.get("name"), item.get("value")) for item in properties]


def test_wrong_options_are_refused(project):
    too_large = run_tests(project, GOOD, "--viva-fail-under", "7")
    alone = run_tests(project, GOOD, "--viva-update-baseline")

    assert (too_large.ret, alone.ret) == (4, 4)
    assert "7 is not a score from 0 to 1" in str(too_large.stderr)
    assert "--viva-update-baseline needs --viva-baseline FILE." in str(alone.stderr)
