"""The progress of an analysis: it grows with the turns, and the analysis stays the same byte for byte."""

import json

import msgspec

from bench.sample_traces import make_trace
from viva import analyze
from viva.engine.progress import PASS_SHARES, TurnProgress

RUN = json.loads(make_trace(7, turns=40))


def test_the_number_of_turns_grows_step_by_step_up_to_all_of_them():
    seen: list[int] = []

    analyze(RUN, sentence_model=False, on_progress=seen.append)

    assert seen == sorted(set(seen))
    assert len(seen) > 20
    assert seen[-1] == 40


def test_the_analysis_is_the_same_whether_anybody_waits_for_it():
    watched = analyze(RUN, on_progress=lambda turns_done: None)

    assert msgspec.json.encode(watched) == msgspec.json.encode(analyze(RUN))


def test_the_shares_of_all_passes_make_the_whole():
    assert round(sum(PASS_SHARES.values()), 9) == 1


def test_a_pass_counts_by_its_share():
    seen: list[int] = []
    progress = TurnProgress(100, seen.append)

    assert list(progress.follow("measures", ["a", "b"])) == ["a", "b"]

    assert seen == [15, 30]
