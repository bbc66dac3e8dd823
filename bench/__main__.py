"""`python -m bench [NAME…]` runs these benchmarks in this order, or the named ones. Each prints its goals beside what was reached.

The minutes are estimates for a quiet machine with two cores. BENCH_… variables make some of them smaller; each says so when it begins.
Rates over HTTP need wrk (`scripts/need wrk`), and comparisons with other tools need a network for installing them.

`python -m bench forms FOLDER` reads a folder of real exports instead."""

import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from bench import (
    analysis,
    attack,
    beside,
    contributing,
    costs,
    exports,
    fairness,
    forms,
    gate,
    growth,
    jobs,
    live,
    markdown,
    messages,
    pages,
    results,
    sandbox,
    soak,
    starting,
    traces,
    upgrading,
    upload,
    validating,
)


class Benchmark(NamedTuple):
    run: Callable[[], object]
    minutes: float
    is_default: bool = True


BENCHMARKS = {
    "messages": Benchmark(messages.run, 5),
    "growth": Benchmark(growth.run, 2),
    "live": Benchmark(live.run, 1),
    "starting": Benchmark(starting.run, 1),
    "jobs": Benchmark(jobs.run, 2),
    "fairness": Benchmark(fairness.run, 1),
    "results": Benchmark(results.run, 4),
    "pages": Benchmark(pages.run, 5),
    "markdown": Benchmark(markdown.run, 1),
    "exports": Benchmark(exports.run, 4),
    "validating": Benchmark(validating.run, 0.5),
    "analysis": Benchmark(analysis.run, 6),
    "traces": Benchmark(traces.run, 5),
    "upload": Benchmark(upload.run, 5),
    "sandbox": Benchmark(sandbox.run, 0.5),
    "beside": Benchmark(beside.run, 2),
    "costs": Benchmark(costs.run, 5),
    "gate": Benchmark(gate.run, 1),
    "contributing": Benchmark(contributing.run, 1),
    "attack": Benchmark(attack.run, 4, is_default=False),
    "soak": Benchmark(soak.run, 15, is_default=False),
    "upgrading": Benchmark(upgrading.run, 4, is_default=False),
}


def main(arguments: list[str], table: Mapping[str, Benchmark] = BENCHMARKS) -> int:
    """Run them, also after one that failed. Returns the exit code."""
    if arguments[:1] == ["forms"] and len(arguments) == 2:
        return forms.run(Path(arguments[1]))
    unknown = [name for name in arguments if name not in table]
    if unknown:
        print(describe(table))
        return 0 if unknown[0] in ("-h", "--help") else 2
    names = arguments or [name for name, benchmark in table.items() if benchmark.is_default]
    failed = [name for name in names if not is_run(name, table[name])]
    if failed:
        print(f"\nfailed, or a goal that must be reached was missed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


def describe(table: Mapping[str, Benchmark]) -> str:
    lines = [
        f"  {name:<14}{benchmark.minutes:>5} min{'' if benchmark.is_default else '  only if it is named'}"
        for name, benchmark in table.items()
    ]
    return "\n".join([str(__doc__), "", *lines])


def is_run(name: str, benchmark: Benchmark) -> bool:
    """Run one to its end. Its error must not cost the others."""
    print(f"\n{name}: {sys.modules[f'bench.{name}'].__doc__}", flush=True)
    try:
        benchmark.run()
    except SystemExit as end:
        if end.code:
            print(f"  {end.code}", flush=True)
        return not end.code
    except Exception:
        traceback.print_exc()
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
