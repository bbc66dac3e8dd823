"""Makes weights/blame.json: which signs and faults tell the decisive interaction of a run from all others?

Run as `python -m training.blame DIR`, DIR holding train/. One fault is planted in each of many good runs. An example is one
interaction: the one with the fault, one before it, or one of a good run. Left out are whole sources and whole kinds of fault.
"""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from training.fitting import Examples, ablate, fit, leave_sources_out, mean, write
from training.planting import PlantedRun, recorded_faults, written_runs
from training.runs import make_trace
from training.sources import licences, read_pairs
from training.team_faults import team_runs
from training.teamwork import teamwork_runs
from viva.engine.analyze import find_faults, run_detectors
from viva.engine.attribution.acts import Run
from viva.engine.attribution.blame import MISTAKE_RATE, first_mistakes
from viva.engine.attribution.faults import gather_faults
from viva.engine.attribution.mistakes import SUSPICION, suspicions
from viva.engine.logistic import LogisticModel
from viva.engine.reading import Reading

RECORDED = ("mint_runs", "fireact_hotpot", "tau_retail_runs")
RUNS = 150  # good runs of each recorded source that faults are planted in
STRENGTH = 0.03  # of the penalty; AUROC and hits on sources left out are the same from 0.003 to 0.1
ORIGIN = "faults planted by training/planting.py in runs written there and in training/team_faults.py, and in good runs of {sources}; training/blame.py"


class BlameCase(NamedTuple):
    """A run as the model sees it: features of each interaction, and the one to blame."""

    rows: list[dict[str, float]]
    guilty: int | None
    source: str
    kind: str


def planted_runs(folder: Path) -> Iterator[PlantedRun]:
    yield from written_runs()
    yield from teamwork_runs()
    yield from team_runs()
    for source in RECORDED:
        good = (pair for pair in read_pairs(folder, source) if pair.label)
        for number, pair in enumerate(islice(good, RUNS)):
            yield from recorded_faults(
                make_trace(pair.text_a, pair.text_b, as_team=source == "mint_runs"), source, number
            )


def blame_case(run: PlantedRun) -> BlameCase:
    reading = Reading(run.trace, sentence_model=False)
    faults = gather_faults(reading, find_faults(reading, run_detectors(reading, None)))
    return BlameCase(suspicions(reading, Run(reading), faults), run.part, run.source.split()[0], run.kind)


def examples(cases: list[BlameCase]) -> Examples:
    """The acts up to the guilty one; those after it are consequences, and neither right nor wrong by themselves."""
    ends = [(case, len(case.rows) if case.guilty is None else case.guilty + 1) for case in cases]
    every = [(case.rows[k], int(k == case.guilty), case.source) for case, end in ends for k in range(end)]
    return Examples([row for row, *_ in every], [label for _, label, _ in every], [source for *_, source in every])


def hits(cases: list[BlameCase], left_out: str) -> dict[str, float]:
    """How often the guilty interaction is first among its run, by models that did not see its source or kind of fault."""
    found = {}
    for name in sorted({getattr(case, left_out) for case in cases if case.kind}):
        model = fit(examples([case for case in cases if getattr(case, left_out) != name]), SUSPICION, STRENGTH)
        own = [case for case in cases if getattr(case, left_out) == name and case.guilty is not None]
        found[name] = round(sum(first_in(case, model) == case.guilty for case in own) / len(own), 3)
    return found


def first_in(case: BlameCase, model: LogisticModel) -> int:
    """The act that is most probably the first mistake."""
    shares = first_mistakes(list(map(model.log_odds, case.rows)), MISTAKE_RATE)
    return max(range(len(shares)), key=shares.__getitem__)


def main(folder: Path) -> None:
    cases = [blame_case(run) for run in planted_runs(folder / "train")]
    every = examples(cases)
    left_out = leave_sources_out(every, SUSPICION, STRENGTH)
    origin = ORIGIN.format(sources=licences(folder / "train", list(RECORDED)))
    write("blame", msgspec.structs.replace(fit(every, SUSPICION, STRENGTH), origin=origin, left_out=left_out))
    print(f"{len(cases)} runs, AUROC of interactions, source left out: {mean(left_out):.3f}", left_out)
    print("what each feature adds:", ablate(every, SUSPICION, STRENGTH))
    print("first in its run, source left out:", hits(cases, "source"))
    print("first in its run, kind of fault left out:", hits(cases, "kind"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
