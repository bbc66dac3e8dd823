"""Commands about what a hub holds: maintainers, example data, and results to export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import DatabaseOption, JsonOption, print_answer, use


class ExportFormatOption(StrEnum):
    """The format of exported results."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


def maintainer(
    name: Annotated[str, typer.Argument(metavar="NAME", hidden=True)],
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the agent called NAME a maintainer.

    Viva creates the agent if it does not exist. A new key replaces all its others. It is printed once, on the last line.
    """
    from viva.agents import accounts
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_configured

    use(VIVA_DATABASE_URL=database)
    with open_configured() as hub:
        agent, key = hub.database.write_now(act_as(COMMAND, lambda db: accounts.promote(db, name)))
    sentence = f"{agent.name} is a maintainer. Keep this key; it is not shown again:\n{key.text}"
    print_answer({"agent": {"id": agent.id, "name": agent.name}, "api_key": key.text}, as_json, sentence)


def demo(database: DatabaseOption = None) -> None:
    """Fill a hub with example agents, exams and results."""
    from viva.demo import fill
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_configured

    use(VIVA_DATABASE_URL=database)
    with open_configured() as hub:
        typer.echo(hub.database.write_now(act_as(COMMAND, fill)))


def export(
    evaluation: Annotated[str, typer.Argument(metavar="EVALUATION", hidden=True)],
    version: Annotated[
        str | None, typer.Option(metavar="V", help="Only results of this version; all if not given.")
    ] = None,
    format_: Annotated[
        ExportFormatOption | None,
        typer.Option("--format", metavar="FORMAT", help="csv, jsonl or parquet; csv if not given."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", metavar="OUT", help="Write to this file; its ending sets the format.")
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Write every result of an evaluation as a table, oldest first.

    EVALUATION is an id or a number, such as SIP-1. The hub may run at the same time.
    """
    from viva.exporting import prepare_export, run
    from viva.serving import open_existing

    use(VIVA_DATABASE_URL=database)
    order = prepare_export(evaluation, version, format_ and format_.value, out)
    with open_existing() as database_:
        run(database_, order)
