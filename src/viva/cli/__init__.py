"""The command line. Each command imports what it needs when it runs, so that help appears at once."""

import os
from collections.abc import Callable
from typing import Annotated

import typer

from viva import __version__
from viva.cli import analysis, backups, checking, exams, hubs, moderating, order, running, sips

# Every command, in the order of the help.
COMMANDS: dict[str, Callable[..., None]] = {
    "serve": running.serve,
    "worker": running.worker,
    "migrate": running.migrate,
    "sync": sips.sync,
    "validate": sips.validate,
    "maintainer": hubs.maintainer,
    "proctor": hubs.proctor,
    "key": order.reset_key,
    "suspend": order.suspend,
    "restore-agent": order.restore_agent,
    "void": order.void,
    "verify": moderating.verify,
    "hide": moderating.hide,
    "show": moderating.show,
    "erase": moderating.erase,
    "close": moderating.close,
    "reopen": moderating.reopen,
    "reports": moderating.reports,
    "answer": moderating.answer,
    "invite": moderating.invite,
    "demo": hubs.demo,
    "analyze": analysis.analyze_files,
    "send": analysis.send,
    "export": hubs.export,
    "sit": exams.sit,
    "examine": exams.examine,
    "mcp": exams.mcp,
    "backup": backups.backup,
    "restore": backups.restore,
    "check": checking.check,
    "doctor": backups.doctor,
}
CERTIFICATE_COMMANDS: dict[str, Callable[..., None]] = {"verify": checking.verify_certificate}
SIP_COMMANDS: dict[str, Callable[..., None]] = {
    "new": sips.new_sip,
    "schema": sips.print_schemas,
    "import": sips.import_sips,
    "contribute": sips.contribute_sip,
}


def make_app() -> typer.Typer:
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
    app.callback(invoke_without_command=True)(about)
    app.add_typer(sip_app, name="sip")
    for name, command in COMMANDS.items():
        app.command(name)(command)
    for name, command in SIP_COMMANDS.items():
        sip_app.command(name)(command)
    certificate_app = typer.Typer(
        help="Work with certificates of a hub.", no_args_is_help=True, rich_markup_mode=None, callback=lambda: None
    )
    app.add_typer(certificate_app, name="certificate")
    for name, command in CERTIFICATE_COMMANDS.items():
        certificate_app.command(name)(command)
    return app


def main() -> None:
    """Run a command. A mistake of the user prints one sentence and gives exit code 2."""
    from viva.config import BadSetting
    from viva.kit.errors import VivaError

    try:
        make_app()(prog_name="viva")  # also where Python runs it as a module
    except (BadSetting, VivaError) as error:
        typer.echo(f"viva: {error}", err=True)
        raise SystemExit(2 if isinstance(error, BadSetting) or error.status < 500 else 1) from None


def about(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    from viva.config import unknown_settings

    for sentence in unknown_settings(os.environ):
        typer.echo(f"viva: {sentence}", err=True)
