"""Commands that verify: a whole hub, and files that a hub has signed."""

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import DatabaseOption, JsonOption, print_answer, printable, use


def check(database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Recount every sum, and verify every chain and signature.

    The hub may run at the same time. The exit code is 1 if something differs.
    """
    from msgspec import to_builtins

    from viva.checking.hub import check_hub
    from viva.serving import open_existing

    use(VIVA_DATABASE_URL=database)
    with open_existing() as hub:
        report = check_hub(hub)
    lines = [
        f"{finding.subject:10}  {printable(finding.id)}  {finding.sentence}"
        + both_values(finding.expected, finding.found)
        for finding in report.findings
    ]
    counts = ", ".join(f"{rows:,} {name}" for name, rows in report.checked.items())
    if report.is_cut:
        lines.append("There is more. Mend these first.")
    verdict = f"{len(report.findings):,} differences." if lines else "Everything is as it was signed and counted."
    print_answer(to_builtins(report), as_json, "\n".join([*lines, f"Checked {counts}.", verdict]))
    if report.findings:
        raise typer.Exit(1)


def both_values(expected: object, found: object) -> str:
    return "" if expected is None and found is None else printable(f" Expected {expected}, found {found}.")


def verify_certificate(
    file: Annotated[Path, typer.Argument(metavar="FILE", hidden=True)],
    keys: Annotated[
        Path | None,
        typer.Option("--keys", metavar="FILE", help="A copy of the hub's /.well-known/viva.json. No other key passes."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Verify a certificate, a result or a transcript without a hub.

    The exit code is 1 if something does not hold. Without --keys, anybody's signature does.
    """
    from msgspec import to_builtins

    from viva.checking.files import verify_file

    report = verify_file(file, keys)
    lines = [f"{line.level:8}  {printable(line.sentence)}" for line in report.lines]
    print_answer(to_builtins(report), as_json, "\n".join([*lines, report.verdict]))
    if not report.holds:
        raise typer.Exit(1)
