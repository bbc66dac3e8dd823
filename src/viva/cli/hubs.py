"""Commands about what a hub holds: maintainers, proctors, example data, and results to export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import DatabaseOption, JsonOption, print_answer, use
from viva.cli.running import pause_collector


class ExportFormatOption(StrEnum):
    """The format of exported results."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


class OfficialOption(StrEnum):
    """Which results are exported, by their worth."""

    any = "any"
    true = "true"
    false = "false"


def maintainer(
    name: Annotated[str, typer.Argument(metavar="NAME", hidden=True)],
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the right away; the last maintainer keeps it.")
    ] = False,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the agent called NAME a maintainer.

    Viva creates the agent if it does not exist, and the hub too. A new key replaces all its others. It is printed once, on the last line.
    """
    if remove:
        from viva.cli.order import change_agent
        from viva.maintaining.rights import dismiss_maintainer

        dismissed = change_agent(name, database, dismiss_maintainer)
        answer = {"agent": {"id": dismissed.id, "name": dismissed.name}}
        print_answer(answer, as_json, f"{dismissed.name} is no maintainer any more.")
        return
    from viva.agents import accounts
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_configured

    use(VIVA_DATABASE_URL=database)
    with open_configured() as hub:
        agent, key = hub.database.write_now(act_as(COMMAND, lambda db: accounts.promote(db, name)))
    sentence = f"{agent.name} is a maintainer. Keep this key; it is not shown again:\n{key.text}"
    print_answer({"agent": {"id": agent.id, "name": agent.name}, "api_key": key.text}, as_json, sentence)


def proctor(
    name: Annotated[str, typer.Argument(metavar="NAME", hidden=True)],
    evaluation: Annotated[
        str | None, typer.Option(metavar="ID", help="Only for this evaluation, an id or a number such as SIP-1.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Dismiss instead of appoint.")] = False,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Appoint the agent called NAME as a proctor.

    Without --evaluation the appointment holds for the whole hub. The hub may run at the same time.
    """
    from viva.cli.order import change_hub
    from viva.exams import appointing

    change = appointing.dismiss if remove else appointing.appoint
    found = change_hub(database, lambda db: change(db, name, evaluation, None))
    print_answer(found.facts, as_json, found.sentence)


def demo(database: DatabaseOption = None) -> None:
    """Fill a hub with example agents, exams and results. Viva creates a hub that does not exist."""
    from viva.demo import fill
    from viva.serving import open_configured, write_beside

    use(VIVA_DATABASE_URL=database)
    with pause_collector(), open_configured() as hub:  # a collection within a unit would let others wait
        typer.echo(fill(write_beside(hub)))


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
    official: Annotated[
        OfficialOption,
        typer.Option(metavar="WHICH", help="any, or true for official results alone, or false for practice alone."),
    ] = OfficialOption.any,
    database: DatabaseOption = None,
) -> None:
    """Write every result of an evaluation as a table.

    EVALUATION is an id or a number, such as SIP-1. The hub may run at the same time. The file has what everybody may see.
    """
    from viva.config import Config
    from viva.exporting import prepare_export, run
    from viva.serving import open_existing

    use(VIVA_DATABASE_URL=database)
    only = None if official is OfficialOption.any else official is OfficialOption.true
    order = prepare_export(evaluation, version, format_ and format_.value, out, only)
    with open_existing() as database_:
        run(database_, order, Config.from_environment().secret)
