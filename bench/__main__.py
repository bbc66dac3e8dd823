"""`python -m bench [NAME…]`: run all benchmarks, or the named ones. `attack` runs only if it is named."""

import sys

from bench import (
    analysis,
    attack,
    contributing,
    exports,
    gate,
    growth,
    jobs,
    live,
    markdown,
    messages,
    pages,
    results,
    sandbox,
    starting,
    traces,
    validating,
)

DEFAULT_BENCHMARKS = {
    "messages": messages.run,
    "growth": growth.run,
    "live": live.run,
    "starting": starting.run,
    "jobs": jobs.run,
    "results": results.run,
    "pages": pages.run,
    "markdown": markdown.run,
    "exports": exports.run,
    "validating": validating.run,
    "analysis": analysis.run,
    "traces": traces.run,
    "sandbox": sandbox.run,
    "gate": gate.run,
    "contributing": contributing.run,
}

BENCHMARKS = {**DEFAULT_BENCHMARKS, "attack": attack.run}

for name in sys.argv[1:] or DEFAULT_BENCHMARKS:
    print(f"\n{name}: {sys.modules[f'bench.{name}'].__doc__}", flush=True)
    BENCHMARKS[name]()
