"""What a soak prints."""

from collections import Counter
from statistics import median

import psycopg

from bench.soak.callers import Soak
from bench.soak.tally import EXPLANATIONS, percentile

TABLES_WITH_BYTES = ("evaluation_messages", "events", "event_chain", "evaluation_results", "jobs", "kept_answers")


def print_report(soak: Soak, faults: list[str], seconds: float, url: str) -> None:
    print("  faults:", *faults, sep="\n    ")
    print_operations(soak, seconds)
    print_errors(soak)
    print_kept(soak)
    print_sizes(url)


def print_operations(soak: Soak, seconds: float) -> None:
    print(
        f"\n  {soak.tally.requests:,} requests answered in {seconds:.0f} s = {soak.tally.requests / seconds:.0f} a second"
    )
    print(f"  {'':<34}{'number':>9}{'median':>9}{'99 %':>9}{'longest':>9}   ms; longest with all retries, s")
    for operation, times in sorted(soak.tally.times.items()):
        if "wait" in operation:  # its time is that of the other side
            print(f"  {operation:<34}{len(times.answered):>9,}")
            continue
        figures = f"{median(times.answered) * 1000:>9.0f}{percentile(times.answered, 99) * 1000:>9.0f}"
        print(
            f"  {operation:<34}{len(times.answered):>9,}{figures}{max(times.answered) * 1000:>9.0f}{max(times.whole):>8.1f}"
        )


def print_errors(soak: Soak) -> None:
    print("\n  errors that clients saw, each followed by another try:")
    kinds: Counter[str] = Counter()
    for (kind, _), count in soak.tally.errors.items():
        kinds[kind] += count
    for kind, count in kinds.most_common():
        print(f"    {count:>6,}  {kind}: {EXPLANATIONS.get(kind, 'UNEXPLAINED')}")
    print(f"    {sum(kinds.values()) / max(1, soak.tally.requests):.2%} of the requests")


def print_kept(soak: Soak) -> None:
    ledger = soak.ledger
    print(
        f"\n  acknowledged, and compared with the database: {len(ledger.agents):,} agents, {len(ledger.messages):,} messages,"
        f" {len(ledger.verdicts):,} verdicts, {len(ledger.marks):,} marked sheets, {len(ledger.submissions):,} benchmarks,"
        f" {len(ledger.analyses):,} traces with their analyses",
        flush=True,
    )


def print_sizes(url: str) -> None:
    """Bytes of a row, with its indexes."""
    print("  bytes of a row with its indexes:", end=" ")
    with psycopg.connect(url) as db:
        for table in TABLES_WITH_BYTES:
            rows, size = db.execute(
                f"SELECT count(*), pg_total_relation_size('{table}') FROM {table}".encode()
            ).fetchone() or (0, 0)
            print(f"{table} {size / max(1, rows):,.0f} ({rows:,})", end=", ")
    print(flush=True)
