"""Makes weights/completion.json: which signs of a run tell that its goal was missed?

Run as `python -m training.completion DIR`, DIR holding train/. Runs of many models and kinds of task that a checker judged,
and runs written here with and without a fault. Each kind of task is a source that is left out as a whole.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from training.fitting import Examples, ablate, fit, leave_sources_out, mean, write
from training.planting import solo_runs, written_runs
from training.runs import make_trace
from training.sources import licences, read_pairs
from viva.engine.logistic import Feature, LogisticModel
from viva.engine.measures.completion import USUAL_LENGTH
from viva.engine.model import Trace
from viva.engine.outcome.table import COMPLETION, run_signs
from viva.engine.reading import Reading

RECORDED = ("mint_runs", "fireact_hotpot", "tau_retail_runs", "tau_retail_runs2")
MOST_RUNS = 4_000  # of one source
# Of the penalty. AUROC on sources left out is the same from 0.003 to 1 (0.782 to 0.783); the loss is least here.
STRENGTH = 0.003
MINT_KINDS = {
    "gsm8k": "mint sums", "math": "mint sums", "theoremqa": "mint sums", "humaneval": "mint code", "mbpp": "mint code",
    "mmlu": "mint questions", "hotpotqa": "mint questions", "alfworld": "mint household",
}  # fmt: skip
MADE = ("written", "solo")
LENGTHLESS = {"length": USUAL_LENGTH}  # how long a written run is says nothing about real ones
ORIGIN = "{sources}; runs written in training/planting.py; training/completion.py"


class JudgedRun(NamedTuple):
    """A run, whether its goal was missed, and the source that is left out with it."""

    trace: Trace
    failed: bool
    source: str


def recorded_runs(folder: Path) -> Iterator[JudgedRun]:
    """Recorded runs. Every second one with programs is told as a talk between an agent and a terminal."""
    for source in RECORDED:
        for k, pair in enumerate(read_pairs(folder, source, MOST_RUNS)):
            as_team = source == "mint_runs" and k % 2 == 0
            kind = MINT_KINDS[pair.more["kind"]] if source == "mint_runs" else source.rstrip("2")
            yield JudgedRun(make_trace(pair.text_a, pair.text_b, as_team), not pair.label, kind)


def made_runs() -> Iterator[JudgedRun]:
    """Runs written here. Those whose fault did not cost the goal are left out: nobody judged them."""
    for run in (*written_runs(), *solo_runs()):
        if run.failed or not run.kind:
            yield JudgedRun(run.trace, run.failed, run.source.split()[0])


def examples(runs: Iterator[JudgedRun]) -> Examples:
    found = Examples([], [], [])
    for run in runs:
        signs = {sign.name: sign.value for sign in run_signs(Reading(run.trace, sentence_model=False))}
        found.rows.append(signs | (LENGTHLESS if run.source in MADE else {}))
        found.labels.append(int(run.failed))
        found.sources.append(run.source)
    return found


def calibrate(model: LogisticModel, every: Examples) -> LogisticModel:
    """The model on the scale on which log odds for sources left out come true."""
    rows: list[dict[str, float]] = []
    labels: list[int] = []
    sources: list[str] = []
    for source in sorted(set(every.sources)):
        other, own = fit(every.only(source, left_out=True), COMPLETION, STRENGTH), every.only(source)
        rows += [{"log_odds": other.log_odds(row)} for row in own.rows]
        labels, sources = labels + own.labels, sources + own.sources
    scale = fit(Examples(rows, labels, sources), (Feature("log_odds", "", 1),), 1e-6)
    slope = scale.weights["log_odds"]
    weights = {name: round(slope * weight, 4) for name, weight in model.weights.items()}
    return msgspec.structs.replace(model, bias=round(slope * model.bias + scale.bias, 4), weights=weights)


def main(folder: Path) -> None:
    train = folder / "train"
    recorded, made = examples(recorded_runs(train)), examples(made_runs())
    every = Examples(recorded.rows + made.rows, recorded.labels + made.labels, recorded.sources + made.sources)
    origin = ORIGIN.format(sources=licences(train, list(RECORDED)))
    left_out = leave_sources_out(every, COMPLETION, STRENGTH)
    model = msgspec.structs.replace(fit(every, COMPLETION, STRENGTH), origin=origin, left_out=left_out)
    write("completion", calibrate(model, every))
    print(f"{len(every.labels)} runs, mean over sources left out {mean(left_out):.3f}", left_out)
    print("what each feature adds:", ablate(every, COMPLETION, STRENGTH))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
