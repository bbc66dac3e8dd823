"""The command line. Each command imports what it needs when it runs, so that help appears at once."""

import contextlib
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


class ValidationFormat(StrEnum):
    """The format of a validation."""

    text = "text"
    json = "json"


class EvaluationTypeOption(StrEnum):
    """The type of an evaluation."""

    simple_pass_fail = "simple_pass_fail"  # noqa: S105 - no password
    complex_benchmark = "complex_benchmark"
    agent_certification = "agent_certification"
    proctored = "proctored"
    live_class_work = "live_class_work"


class Engine(StrEnum):
    """Where traces are analysed."""

    local = "local"
    ray = "ray"


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
TYPE_HELP = ", ".join(EvaluationTypeOption)
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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    atomic: Annotated[bool, typer.Option("--atomic", help="Read all files, or none if one is refused.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Read SIP files into the catalogue. The output says what is new, changed, removed, refused or ignored.

    DIR is the folder with the files. Without DIR, Viva reads the configured folder, or the SIPs that it ships.
    """
    from viva.config import Config
    from viva.evaluations.syncing import sync_or_discard
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_configured, open_existing

    use(VIVA_DATABASE_URL=database)
    with contextlib.ExitStack() as stack:
        hub = stack.enter_context(open_existing()) if dry_run else stack.enter_context(open_configured()).database
        usual_folders = Config.from_environment().sip_folders
        use(VIVA_SIPS_DIR=folder)
        folders = Config.from_environment().sip_folders
        done = sync_or_discard(
            lambda unit: hub.write_now(act_as(COMMAND, unit)), folders, usual_folders, dry_run, atomic
        )
    for line in done.error_lines:
        typer.echo(printable(line), err=True)
    print_answer(done.as_json, as_json, "\n".join(printable(line) for line in done.lines))
    raise typer.Exit(2 if done.report.refused else 0)


@app.command()
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", exists=True, dir_okay=False, hidden=True)],
    database: DatabaseOption = None,
    format_: Annotated[
        ValidationFormat, typer.Option("--format", metavar="FORMAT", help="text or json; text if not given.")
    ] = ValidationFormat.text,
) -> None:
    """Check SIP files strictly, as a contribution is checked. Every fault is listed, and nothing is written.

    FILE is a SIP file. Numbers, ids and versions are compared with the hub's catalogue, or with the SIPs that Viva ships if
    there is no hub. The exit code is 1 if a file is not valid.
    """
    from viva.evaluations.file_validation import validate_files
    from viva.serving import read_known_catalogue

    use(VIVA_DATABASE_URL=database)
    validated = validate_files(files, read_known_catalogue())
    failed = sum(bool(file.errors) for file in validated)
    lines = [printable(line) for file in validated for line in file.lines]
    lines.append(f"{len(validated) - failed} of {len(validated)} files are valid.")
    answer = {"is_valid": not failed, "files": [file.as_json for file in validated]}
    print_answer(answer, format_ is ValidationFormat.json, "\n".join(lines))
    raise typer.Exit(1 if failed else 0)


@sip_app.command("new")
def new_sip(
    type_: Annotated[EvaluationTypeOption, typer.Option("--type", metavar="TYPE", help=TYPE_HELP)],
    out: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write to this new file.")] = None,
) -> None:
    """Print a SIP to start from: a finished example of its type, with the places to fill in marked."""
    from viva.evaluations.templates import mark_template
    from viva.kit.clock import now

    text = mark_template(type_.value, now().date().isoformat())
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        with out.open("x", encoding="utf-8") as file:  # never write over the work of an author
            file.write(text)
    except OSError as error:
        raise typer.BadParameter(f"{out} cannot be written: {error.strerror}.") from None
    typer.echo(f"Wrote {out}. Fill in what is marked with TODO, then run `viva validate {out}`.")


@sip_app.command("schema")
def print_schemas(
    type_: Annotated[EvaluationTypeOption | None, typer.Option("--type", metavar="TYPE", help=TYPE_HELP)] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", metavar="DIR", file_okay=False, help="Write one file for each type to this folder."),
    ] = None,
) -> None:
    """Print the JSON Schema of the config of each type, for editors."""
    import json

    from viva.evaluations.schemas import config_schemas, write_schemas

    schemas = config_schemas() if type_ is None else {type_.value: config_schemas()[type_.value]}
    if out:
        typer.echo("\n".join(f"Wrote {path}." for path in write_schemas(schemas, out)))
    else:
        typer.echo(json.dumps(schemas if type_ is None else schemas[type_.value], indent=2))


@sip_app.command("import")
def import_sips(
    folder: Annotated[Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, hidden=True)],
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import SIP files of another hub leniently. DIR is their folder. The output lists what was changed.

    Viva writes the files to a folder `sips` beside the database, or to VIVA_SIPS_DIR. It creates a database that does not exist.
    """
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
    fast: Annotated[
        bool, typer.Option("--fast", help="Compare texts without the sentence model: faster, and less exact.")
    ] = False,
    base_rate: Annotated[
        float | None,
        typer.Option(metavar="SHARE", min=0.001, max=0.999, help="Share of bad answers to expect; 0.12 if not given."),
    ] = None,
    min_confidence: Annotated[
        float, typer.Option(metavar="X", min=0, max=1, help="Leave out findings with less confidence.")
    ] = 0.0,
) -> None:
    """Score recorded runs of agents.

    FILE holds traces in any supported format; - is standard input. The report shows bad turns, wrong tool use, weak
    handoffs, drift, the decisive mistake, and recommendations.
    """
    from viva.analyzing import AnalyzeCommand, run

    command = AnalyzeCommand(
        files=files,
        out=out,
        format=format_ and format_.value,
        explain=explain,
        fail_under=fail_under,
        jobs=jobs,
        engine=engine.value,
        judge=judge,
        fast=fast,
        base_rate=base_rate,
        min_confidence=min_confidence,
    )
    raise typer.Exit(run(command))


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
