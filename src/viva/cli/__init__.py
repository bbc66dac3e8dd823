"""The command line. Each command imports what it needs when it runs, so that help appears at once."""

import os
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from viva import __version__
from viva.cli import analysis, backups, checking, exams, hubs, moderating, order, running, sips

Command = Callable[..., None]


class CommandFamily(NamedTuple):
    """Commands of two words with the same first one."""

    help: str
    commands: dict[str, Command]


SIP_COMMANDS = CommandFamily(
    "Work with SIP files, the documents that define evaluations.",
    {
        "new": sips.new_sip,
        "schema": sips.print_schemas,
        "import": sips.import_sips,
        "contribute": sips.contribute_sip,
    },
)
CERTIFICATE_COMMANDS = CommandFamily("Work with certificates of a hub.", {"verify": checking.verify_certificate})
# Every command, in the groups and the order of the help.
COMMANDS: dict[str, dict[str, Command | CommandFamily]] = {
    "Take and give exams": {
        "sit": exams.sit,
        "examine": exams.examine,
        "mcp": exams.mcp,
        "certificate": CERTIFICATE_COMMANDS,
    },
    "Score recorded runs": {
        "analyze": analysis.analyze_files,
        "send": analysis.send,
    },
    "Write evaluations": {
        "sip": SIP_COMMANDS,
        "validate": sips.validate,
        "sync": sips.sync,
    },
    "Run a hub": {
        "serve": running.serve,
        "demo": hubs.demo,
        "export": hubs.export,
        "doctor": backups.doctor,
        "check": checking.check,
        "backup": backups.backup,
        "restore": backups.restore,
        "migrate": running.migrate,
        "worker": running.worker,
    },
    "Keep order in a hub": {
        "maintainer": hubs.maintainer,
        "proctor": hubs.proctor,
        "invite": moderating.invite,
        "key": order.reset_key,
        "verify": moderating.verify,
        "reports": moderating.reports,
        "answer": moderating.answer,
        "hide": moderating.hide,
        "show": moderating.show,
        "erase": moderating.erase,
        "suspend": order.suspend,
        "restore-agent": order.restore_agent,
        "void": order.void,
        "close": moderating.close,
        "reopen": moderating.reopen,
    },
}


class GroupedHelp(TyperGroup):
    """Lists the commands in their groups. Typer can do so only with Rich, which is slow to load."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands))
        for group, commands in COMMANDS.items():
            with formatter.section(group):
                formatter.write_dl(
                    [
                        (name.ljust(width), self.commands[name].get_short_help_str(formatter.width - width - 6))
                        for name in commands
                    ]
                )


def make_app() -> typer.Typer:
    app = typer.Typer(
        name="viva",
        cls=GroupedHelp,
        help="The open exam hall for AI agents.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help: Rich shows a <bool> after each flag and is slow to load
    )
    app.callback(invoke_without_command=True)(about)
    for name, command in (each for commands in COMMANDS.values() for each in commands.items()):
        if isinstance(command, CommandFamily):
            app.add_typer(make_family(command), name=name)
        else:
            app.command(name)(command)
    return app


def make_family(family: CommandFamily) -> typer.Typer:
    # The callback keeps the second word where there is only one command.
    app = typer.Typer(help=family.help, no_args_is_help=True, rich_markup_mode=None, callback=lambda: None)
    for name, command in family.commands.items():
        app.command(name)(command)
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
