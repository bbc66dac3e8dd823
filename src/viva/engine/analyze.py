"""Analyses a trace: runs detectors and measures, then makes scores and advice."""

from collections.abc import Callable
from typing import Any

from viva.engine import response_failure
from viva.engine.analysis import Analysis, JudgeUse
from viva.engine.attribution.blame import attribute
from viva.engine.attribution.faults import RunFindings, gather_faults
from viva.engine.detectors import ccm, hallucination, llm_judge, rdm
from viva.engine.intake import native
from viva.engine.logistic import BASE_RATE
from viva.engine.measures import (
    completion,
    coordination,
    drift,
    handoff,
    reasoning,
    response,
    self_correction,
    tool_use,
    trajectory,
)
from viva.engine.model import Trace
from viva.engine.progress import TurnProgress
from viva.engine.reading import Reading
from viva.engine.summing import DetectorResults, MeasureResults, make_analysis
from viva.judging.model import Judge

DETECTORS = {"rdm": rdm.detect, "ccm": ccm.detect, "hallucination": hallucination.detect}
MEASURES = {"reasoning": reasoning.measure, "handoff": handoff.measure, "response_quality": response.measure}


def analyze(
    trace: Trace | dict[str, Any],
    judge: Judge | None = None,
    *,
    sentence_model: bool = True,
    base_rate: float = BASE_RATE,
    on_progress: Callable[[int], None] | None = None,
) -> Analysis:
    """Score a recorded run. The same trace gives the same analysis, unless a judge is asked.

    `sentence_model=False` compares all texts by static vectors. It is several times faster and less exact.
    `base_rate` is the share of bad answers to expect where the trace is from.
    `on_progress` gets the number of turns that are done, whenever it has grown.
    """
    given = native.complete(trace) if isinstance(trace, Trace) else native.read(trace)
    progress = TurnProgress(len(given.turns), on_progress) if on_progress else None
    reading = Reading(given, sentence_model, base_rate, progress)
    detected = run_detectors(reading, judge)
    return make_analysis(reading, detected, run_measures(reading, detected))


def run_detectors(reading: Reading, judge: Judge | None) -> DetectorResults:
    """Find the answers that failed the user. The judge comes last, for turns that no detector found bad."""
    signals = {name: reading.once(detect) for name, detect in DETECTORS.items()}
    turns = response_failure.combine(reading, signals)
    if judge is None:
        return DetectorResults(signals, turns, None)
    judged = llm_judge.detect(reading, judge, [not turn.is_bad for turn in turns])
    turns = list(map(response_failure.with_judge, turns, judged.signals))
    use = JudgeUse(judge.model, judged.usage.calls, judged.usage.tokens, judged.asked, judged.unscored)
    return DetectorResults({**signals, "llm_judge": judged.signals}, turns, use)


def run_measures(reading: Reading, detected: DetectorResults) -> MeasureResults:
    """Run every measure, and attribute the failure if the run failed or a fault was found."""
    found, completed, drifted = find_faults(reading, detected), completion.measure(reading), drift.measure(reading)
    failed = None if completed.score.value is None else 1 - completed.score.value
    return MeasureResults(
        parts=found.parts,
        tools=found.tools,
        team=coordination.measure(reading),
        drift=drifted,
        completion=completed,
        blame=attribute(reading, failed, gather_faults(reading, found)),
        course=found.course,
        corrections=self_correction.measure(reading),
    )


def find_faults(reading: Reading, detected: DetectorResults) -> RunFindings:
    tools = tool_use.measure(reading)
    measures = reading.follow("measures", list(MEASURES.items()))
    parts = {"tool_use": tools.by_interaction, **{name: measure(reading) for name, measure in measures}}
    return RunFindings(detected.turns, tools, parts, trajectory.measure(reading, drift.measure(reading).value))
