"""`python -m bench [NAME…]`: run all benchmarks, or those named; `attack` runs only when it is named."""

import sys

from bench import analysis, attack, exports, growth, jobs, live, markdown, messages, pages, results, starting

ALL = {
    "messages": messages.run,
    "growth": growth.run,
    "live": live.run,
    "starting": starting.run,
    "jobs": jobs.run,
    "results": results.run,
    "pages": pages.run,
    "markdown": markdown.run,
    "exports": exports.run,
    "analysis": analysis.run,
}

NAMED = {**ALL, "attack": attack.run}

for name in sys.argv[1:] or ALL:
    print(f"\n{name}: {sys.modules[f'bench.{name}'].__doc__}", flush=True)
    NAMED[name]()
