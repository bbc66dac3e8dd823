"""Commands about SIP files: read them into the catalogue, check, start and import them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import DatabaseOption, JsonOption, print_answer, printable, use


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


TYPE_HELP = ", ".join(EvaluationTypeOption)


def sync(
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", exists=True, file_okay=False, hidden=True)] = None,
    database: DatabaseOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    atomic: Annotated[bool, typer.Option("--atomic", help="Read all files, or none if one is refused.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Read SIP files into the catalogue. The output says what is new, changed, removed, refused or ignored.

    DIR is the folder with the files. Without DIR, Viva reads the configured folder, or the SIPs that it ships. It creates a
    database that does not exist.
    """
    from viva.config import Config
    from viva.evaluations.sip_folders import read_folders
    from viva.evaluations.syncing import sync_or_discard
    from viva.serving import open_configured, open_hub, write_beside

    use(VIVA_DATABASE_URL=database)
    with open_hub() if dry_run else open_configured() as hub:
        usual = hub.config
        use(VIVA_SIPS_DIR=folder)
        read = read_folders(Config.from_environment().sip_folders, usual.keys_folders, usual.sip_folders)
        done = sync_or_discard(write_beside(hub), read, dry_run, atomic)
    for line in done.error_lines:
        typer.echo(printable(line), err=True)
    print_answer(done.as_json, as_json, "\n".join(printable(line) for line in done.lines))
    raise typer.Exit(2 if done.report.refused else 0)


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


def new_sip(
    type_: Annotated[EvaluationTypeOption, typer.Option("--type", metavar="TYPE", help=TYPE_HELP)],
    out: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write to this new file.")] = None,
) -> None:
    """Print a finished example of a SIP, to start from.

    The places to fill in are marked.
    """
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
    from viva.evaluations.sip_folders import read_folders
    from viva.serving import open_configured, write_beside

    use(VIVA_DATABASE_URL=database)
    with open_configured() as hub:
        # Our own SIPs come first, so that an imported one cannot take their numbers.
        own, write = read_folders(hub.config.sip_folders, hub.config.keys_folders), write_beside(hub)
        catalogue.sync_in_units(write, own)
        imported = import_folder(write, folder, hub.config.own_sips)
    failed = sum(file.error is not None for file in imported)
    warnings = sum(len(file.warnings) for file in imported)
    lines = [printable(line) for file in imported for line in file.lines]
    lines.append(f"{len(imported) - failed} of {len(imported)} files read, {warnings} warnings.")
    print_answer({"files": [file.as_json for file in imported], "warnings": warnings}, as_json, "\n".join(lines))
    raise typer.Exit(2 if failed else 0)


def contribute_sip(
    file: Annotated[Path, typer.Argument(metavar="FILE", hidden=True)],
    hub: Annotated[str | None, typer.Option("--hub", metavar="URL", help="The hub; VIVA_HUB if not given.")] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Your account's name.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Submit a SIP file to a hub, where a maintainer reviews it.

    FILE is a SIP file. Its answers and its handler's code go with it. The account is that of VIVA_KEY, or of --name, whose key
    Viva keeps. The exit code is 1 if the hub finds faults; then nothing is left there.
    """
    from viva.cli.contributing import contribute_file

    done = contribute_file(file, hub, name)
    print_answer(done._asdict(), as_json, "\n".join(printable(line) for line in done.lines))
    raise typer.Exit(1 if done.faults else 0)
