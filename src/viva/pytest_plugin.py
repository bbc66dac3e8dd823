"""The pytest plugin: a fixture that analyses a run and fails the test if the run is bad or got worse."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:  # the engine is loaded by the first test that analyses a run
    from viva.engine.analysis import Analysis
    from viva.engine.model import Trace
    from viva.reports.baseline import RunSummary

MAX_LISTED_RUNS = 50  # in the summary at the end


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("viva", "analysis of agents' runs")
    group.addoption("--viva-fail-under", type=read_score, metavar="X", help="fail a run whose overall score is below X")
    group.addoption("--viva-baseline", type=Path, metavar="FILE", help="fail a run that got worse than in FILE")
    group.addoption("--viva-update-baseline", action="store_true", help="write this session's runs to the baseline")


def read_score(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if 0 <= value <= 1:
        return value
    raise ArgumentTypeError(f"{text} is not a score from 0 to 1")


def pytest_configure(config: pytest.Config) -> None:
    path, updates = config.getoption("--viva-baseline"), config.getoption("--viva-update-baseline")
    if updates and path is None:
        raise pytest.UsageError("--viva-update-baseline needs --viva-baseline FILE.")
    config.pluginmanager.register(RunGate(config.getoption("--viva-fail-under"), path, updates), "viva-runs")


class RunGate:
    """The runs that this session analysed, and what they are held against."""

    def __init__(self, fail_under: float | None, path: Path | None, updates: bool) -> None:
        self.fail_under = fail_under
        self.path = path
        self.updates = updates
        self.runs: dict[str, RunSummary] = {}
        self.known: dict[str, RunSummary] | None = None  # the baseline, read when the first run is checked

    def check(self, name: str, analysis: Analysis) -> list[str]:
        """Note the run. Returns why it fails, a sentence each."""
        from viva.reports.baseline import list_regressions, summarize_run
        from viva.reports.junit import is_low
        from viva.reports.words import score

        run = self.runs[name] = summarize_run(analysis)
        reasons = []
        if is_low(analysis, self.fail_under):
            reasons.append(f"Overall is {score(analysis.overall_score)}, which is under {self.fail_under}.")
        before = None if self.updates else self.read_known().get(name)
        return [*reasons, *(list_regressions(before, run) if before else [])]

    def read_known(self) -> dict[str, RunSummary]:
        from viva.reports.baseline import BadBaseline, read_baseline

        if self.known is None:
            try:
                self.known = read_baseline(self.path) if self.path else {}
            except BadBaseline as error:
                pytest.exit(f"{error} Write it with --viva-update-baseline.", returncode=pytest.ExitCode.USAGE_ERROR)
        return self.known

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the baseline. A worker of pytest-xdist sends its runs to the process that started it."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            from msgspec import to_builtins

            output["viva_runs"] = to_builtins(self.runs)
        elif self.updates and self.path and self.runs:
            self.write_runs(self.path)

    def write_runs(self, path: Path) -> None:
        """Runs of tests that were not part of this session stay."""
        from viva.reports.baseline import read_baseline, write_baseline

        write_baseline(path, {**(read_baseline(path) if path.exists() else {}), **self.runs})

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        from msgspec import convert

        from viva.reports.baseline import RunSummary

        sent = getattr(node, "workeroutput", {}).get("viva_runs", {})
        self.runs |= convert(sent, dict[str, RunSummary])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.runs:
            return
        from viva.reports.words import score

        terminalreporter.section("agents' runs")
        for name, run in list(self.runs.items())[:MAX_LISTED_RUNS]:
            terminalreporter.line(f"{score(run.scores['overall_score'])}  {name}")
        if len(self.runs) > MAX_LISTED_RUNS:
            terminalreporter.line(f"and {len(self.runs) - MAX_LISTED_RUNS} more")
        if self.path and self.updates:
            terminalreporter.line(f"Wrote {len(self.runs)} {'run' if len(self.runs) == 1 else 'runs'} to {self.path}.")
        elif self.path and (new := self.runs.keys() - self.read_known().keys()):
            terminalreporter.line(f"{len(new)} of them are not in {self.path}. Add them with --viva-update-baseline.")


@pytest.fixture
def viva_analyze(request: pytest.FixtureRequest) -> RunAnalyzer:
    """Analyse a run: `viva_analyze(run)` returns its analysis and fails the test if the run is bad or got worse."""
    gate = cast(RunGate, request.config.pluginmanager.get_plugin("viva-runs"))
    return RunAnalyzer(gate, request.node)


class RunAnalyzer:
    """What the fixture gives to a test."""

    def __init__(self, gate: RunGate, test: pytest.Item) -> None:
        self.gate = gate
        self.test = test
        self.calls = 0

    def __call__(self, run: Trace | dict[str, Any] | list[Any] | Path, **options: Any) -> Analysis:
        """`run` is a trace, a document in any form that Viva reads, or a file with one. `options` are those of `analyze`."""
        __tracebackhide__ = True
        from viva.engine.analyze import analyze
        from viva.reports.words import SESSION_SCORES

        analysis = analyze(load_run(run), **options)
        self.calls += 1
        number = f" #{self.calls}" if self.calls > 1 else ""
        # These become the properties of the test in a JUnit report.
        scores = {name: getattr(analysis, name) for name in SESSION_SCORES}
        self.test.user_properties += [
            (f"viva_{name}{number}", value) for name, value in scores.items() if value is not None
        ]
        if reasons := self.gate.check(self.test.nodeid + number, analysis):
            advice = [f"Advice: {recommendation.text}" for recommendation in analysis.recommendations[:3]]
            pytest.fail("\n".join([f"The run {analysis.id!r} fails.", *reasons, *advice]), pytrace=False)
        return analysis


def load_run(run: Trace | dict[str, Any] | list[Any] | Path) -> Trace:
    from viva.engine.intake import files, formats
    from viva.engine.model import Trace

    if isinstance(run, Trace):
        return run
    if not isinstance(run, Path):
        return formats.read(run)
    traces = list(files.read_traces(run))
    if len(traces) != 1:
        raise ValueError(f"{run} holds {len(traces)} traces; a test analyses one.")
    return files.parse(traces[0])
