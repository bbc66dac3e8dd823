"""`python -m bench [NAME…]`: run all benchmarks, or the named ones. `attack`, `soak` and `upgrading` run only if they are named.

`python -m bench forms FOLDER` reads a folder of real exports."""

import sys
from pathlib import Path

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
    validating,
)

DEFAULT_BENCHMARKS = {
    "messages": messages.run,
    "growth": growth.run,
    "live": live.run,
    "starting": starting.run,
    "jobs": jobs.run,
    "fairness": fairness.run,
    "results": results.run,
    "pages": pages.run,
    "markdown": markdown.run,
    "exports": exports.run,
    "validating": validating.run,
    "analysis": analysis.run,
    "traces": traces.run,
    "sandbox": sandbox.run,
    "beside": beside.run,
    "costs": costs.run,
    "gate": gate.run,
    "contributing": contributing.run,
}

BENCHMARKS = {**DEFAULT_BENCHMARKS, "attack": attack.run, "soak": soak.run, "upgrading": upgrading.run}

if sys.argv[1:2] == ["forms"]:
    sys.exit(forms.run(Path(sys.argv[2])))
for name in sys.argv[1:] or DEFAULT_BENCHMARKS:
    print(f"\n{name}: {sys.modules[f'bench.{name}'].__doc__}", flush=True)
    BENCHMARKS[name]()
