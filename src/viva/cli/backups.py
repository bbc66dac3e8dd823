"""Commands that keep a hub safe: backups, and a look at what is wrong."""

import os
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import DatabaseOption, JsonOption, print_answer, use

BackupFile = Annotated[Path, typer.Argument(metavar="FILE", hidden=True)]


def backup(file: BackupFile, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Write the hub to FILE.

    The file has the database, the hub's own SIPs and its secret. The hub may run at the same time.
    """
    from msgspec import to_builtins

    from viva.backups.copying import back_up
    from viva.config import Config, find_database_url
    from viva.serving import check_exists, explain_database_errors

    use(VIVA_DATABASE_URL=database)
    check_exists(find_database_url(os.environ))  # before the settings, which create the data folder
    config = Config.from_environment()
    with explain_database_errors(config.database_url):
        manifest = back_up(config, file)
    rows, size = sum(manifest.rows.values()), file.stat().st_size
    sentence = (
        f"{file} has {rows:,} rows of {len(manifest.rows)} tables, in {size / 1e6:,.1f} MB. Keep it as safe as the hub."
    )
    print_answer({**to_builtins(manifest), "bytes": size}, as_json, sentence)


def restore(file: BackupFile, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Replace the hub by the backup in FILE.

    The hub has to be stopped. Nothing changes if FILE is damaged.
    """
    from msgspec import to_builtins

    from viva.backups.copying import restore
    from viva.config import Config
    from viva.serving import explain_database_errors

    use(VIVA_DATABASE_URL=database)
    config = Config.from_environment()
    with explain_database_errors(config.database_url):
        restored = restore(config, file)
    made_at = f"{restored.manifest.made_at:%Y-%m-%d %H:%M} UTC"
    sentence = f"The hub is again as it was at {made_at}: {sum(restored.manifest.rows.values()):,} rows."
    if restored.old_database:
        sentence += f"\nThe database before is now {restored.old_database}."
    if restored.old_sips:
        sentence += f"\nSIP files that the backup does not have, or has otherwise, are now in {restored.old_sips}."
    if restored.has_other_secret:
        sentence += "\nThe secret is not that of this backup. Set VIVA_SECRET to that one: signatures, cookies and tokens need it."
    old = {"old_database": restored.old_database, "old_sips": restored.old_sips}
    answer = {
        **to_builtins(restored.manifest),
        **{name: str(path) if path else None for name, path in old.items()},
        "has_other_secret": restored.has_other_secret,
    }
    print_answer(answer, as_json, sentence)


def doctor(database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Say what is configured, reachable and wrong.

    The exit code is 1 if something is wrong.
    """
    import json

    from viva.doctoring import diagnose

    use(VIVA_DATABASE_URL=database)
    lines = []
    for line in diagnose(os.environ):
        lines.append(line._asdict())
        if not as_json:
            typer.echo(f"{line.level:5}  {line.subject:14}  {line.sentence}")
    if as_json:
        typer.echo(json.dumps(lines, ensure_ascii=False))
    if any(line["level"] == "wrong" for line in lines):
        raise typer.Exit(1)
