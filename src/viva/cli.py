"""The command line. Each command imports what it needs when it runs, so that help appears at once."""

import os
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from viva import __version__

app = typer.Typer(
    name="viva",
    help="The open exam hall for AI agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: Rich shows a <bool> after each flag and is slow to load
)
sip_app = typer.Typer(
    help="Work with SIP files, the documents that define evaluations.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(sip_app, name="sip")


class ReportFormat(StrEnum):
    """The format of an analysis report."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    html = "html"
    junit = "junit"


class ExportFormatOption(StrEnum):
    """The format of exported results."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


class Engine(StrEnum):
    """Where traces are analysed."""

    local = "local"
    ray = "ray"


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
DatabaseOption = Annotated[
    str | None, typer.Option("--database", metavar="URL", help="sqlite:///FILE or postgresql://…")
]
# Arguments are hidden because Typer would list them with Python types. The help text of each command explains them.


def main() -> None:
    """Run a command. A mistake of the user prints one sentence and gives exit code 2."""
    from viva.config import BadSetting
    from viva.kit.errors import VivaError

    try:
        app(prog_name="viva")  # also where Python runs it as a module
    except (BadSetting, VivaError) as error:
        typer.echo(f"viva: {error}", err=True)
        raise SystemExit(2 if isinstance(error, BadSetting) or error.status < 500 else 1) from None


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    from viva.config import unknown_settings

    for sentence in unknown_settings(os.environ):
        typer.echo(f"viva: {sentence}", err=True)


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="The address to listen on; 127.0.0.1 if not given.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="PORT", min=0, max=65535, help="The port to listen on; 8000 if not given.")
    ] = None,
    database: DatabaseOption = None,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Server processes; more than one needs PostgreSQL.")
    ] = 1,
    demo: Annotated[bool, typer.Option("--demo", help="Fill an empty hub with example data.")] = False,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave background work to `viva worker`.")] = False,
) -> None:
    """Serve the API and the pages."""
    with suppress(KeyboardInterrupt):  # Ctrl-C stops a server, also while it starts
        from viva.serving import serve

        use(VIVA_HOST=host, VIVA_PORT=port, VIVA_DATABASE_URL=database, VIVA_NO_WORKER="1" if no_worker else None)
        serve(processes, demo)


@app.command()
def worker(
    database: DatabaseOption = None,
    concurrency: Annotated[int, typer.Option(metavar="N", min=1, max=256, help="Number of jobs at the same time.")] = 4,
) -> None:
    """Run background jobs. Use it beside servers, or in place of their own workers (--no-worker)."""
    from viva.serving import work

    use(VIVA_DATABASE_URL=database)
    work(concurrency)


@app.command()
def migrate(database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Update the schema of the database."""
    from viva.config import Config
    from viva.serving import migrate_schema

    use(VIVA_DATABASE_URL=database)
    steps = migrate_schema(Config.from_environment().database_url)
    print_answer({"applied": steps}, as_json, f"Applied {', '.join(steps)}." if steps else "The schema is up to date.")


@app.command()
def sync(
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", exists=True, file_okay=False, hidden=True)] = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read SIP files into the catalogue.

    DIR is the folder with the files. Without DIR, Viva reads the configured folder, or the SIPs that it ships.
    """
    from viva.evaluations import catalogue
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_configured

    use(VIVA_DATABASE_URL=database, VIVA_SIPS_DIR=folder)
    with open_configured() as hub:
        folders = hub.config.sip_folders
        refused = hub.database.write_now(act_as(COMMAND, lambda db: catalogue.sync(db, folders)))
        count = len(catalogue.sip_files(folders))
    for path, error in refused:
        typer.echo(f"{path}: {error}", err=True)
        for fault in error.faults if len(error.faults) > 1 else ():
            typer.echo(f"  {fault.field}: {fault.message}", err=True)
    refusals = [{"path": str(path), "code": error.code(), "message": str(error)} for path, error in refused]
    print_answer(
        {"read": count - len(refused), "files": count, "refused": refusals},
        as_json,
        f"Read {count - len(refused)} of {count} SIP files.",
    )
    raise typer.Exit(2 if refused else 0)


@sip_app.command("import")
def import_sips(
    folder: Annotated[Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, hidden=True)],
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import SIP files of another hub leniently. DIR is their folder. The output lists what was changed."""
    from viva.evaluations import catalogue
    from viva.evaluations.importing import import_folder
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_configured

    use(VIVA_DATABASE_URL=database)
    with open_configured() as hub:
        # Our own SIPs come first, so that an imported one cannot take their numbers.
        hub.database.write_now(act_as(COMMAND, lambda db: catalogue.sync(db, hub.config.sip_folders)))
        imported = hub.database.write_now(act_as(COMMAND, lambda db: import_folder(db, folder, hub.config.own_sips)))
    failed = sum(file.error is not None for file in imported)
    warnings = sum(len(file.warnings) for file in imported)
    lines = [printable(line) for file in imported for line in file.lines]
    lines.append(f"{len(imported) - failed} of {len(imported)} files read, {warnings} warnings.")
    print_answer({"files": [file.as_json for file in imported], "warnings": warnings}, as_json, "\n".join(lines))
    raise typer.Exit(2 if failed else 0)


@app.command()
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


@app.command()
def demo(database: DatabaseOption = None) -> None:
    """Fill a hub with example agents, exams and results."""
    from viva.demo import fill
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_configured

    use(VIVA_DATABASE_URL=database)
    with open_configured() as hub:
        typer.echo(hub.database.write_now(act_as(COMMAND, fill)))


@app.command("analyze")
def analyze_files(
    files: Annotated[list[str], typer.Argument(metavar="FILE", hidden=True)],
    out: Annotated[
        Path | None, typer.Option("-o", metavar="OUT", help="Write to this file; its ending sets the format.")
    ] = None,
    format_: Annotated[
        ReportFormat | None,
        typer.Option("--format", metavar="FORMAT", help="table, json, jsonl, html or junit; table if not given."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the evidence for every score.")] = False,
    fail_under: Annotated[
        float | None, typer.Option(metavar="SCORE", min=0, max=1, help="Exit with code 100 if a trace scores less.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=256, help="Number of processes; one for each core if not given."),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(metavar="ENGINE", help="local: on this machine; ray: on a Ray cluster (RAY_ADDRESS).")
    ] = Engine.local,
    judge: Annotated[
        bool, typer.Option("--judge", help="Ask the judge of VIVA_JUDGE_URL about turns without other signals.")
    ] = False,
) -> None:
    """Score recorded runs of agents.

    FILE holds traces in any supported format; - is standard input. The report shows bad turns, wrong tool use, weak
    handoffs, drift, the decisive mistake, and recommendations.
    """
    from viva.analyzing import run

    raise typer.Exit(run(files, out, format_ and format_.value, explain, fail_under, jobs, engine.value, judge))


@app.command()
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


def print_answer(data: object, as_json: bool, sentence: str) -> None:
    """Print the answer of a command: JSON for a program, a sentence for a person."""
    import json

    typer.echo(json.dumps(data, ensure_ascii=False) if as_json else sentence)


def printable(text: str) -> str:
    """Text from outside, without characters that control a terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def use(**settings: object) -> None:
    """Set options as settings, for this process and its child processes."""
    os.environ.update({name: str(value) for name, value in settings.items() if value is not None})
