"""The work of `viva send`: recorded runs of a folder or a file go to a hub, which stores and analyses them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from viva.cli.accounts import open_client
from viva.cli.options import print_answer, printable
from viva.client.folders import SentFolder, list_files
from viva.client.retrying import HubError, HubUnreachable
from viva.config import BadSetting
from viva.kit.progress import show_progress
from viva.traces.model import check_dataset, check_tags

FAILED, HAS_FAULTS = 1, 2
GO_ON = "Run the command again to go on: what is stored is not stored twice."


class SendCommand(NamedTuple):
    """What was asked for."""

    path: Path
    hub: str | None
    dataset: str | None
    tags: Sequence[str]
    name: str | None
    fast: bool
    as_json: bool


def run_send(command: SendCommand) -> int:
    """Send the runs. The exit code is 0, 1 if the hub cannot be used, or 2 if there are runs that cannot be read."""
    check_dataset(command.dataset)
    check_tags(command.tags)
    total = sum(path.stat().st_size for path in find_files(command.path))
    try:
        sent = send(command, total)
    except (HubError, HubUnreachable) as error:
        typer.echo(f"viva: {printable(str(error))}\n{GO_ON}", err=True)
        return FAILED
    except KeyboardInterrupt:
        typer.echo(f"viva: stopped. {GO_ON}", err=True)
        return FAILED
    for fault in sent.faults:
        typer.echo(f"{printable(fault.file)}: {printable(fault.message)}", err=True)
    facts = {
        "traces": [trace.id for trace in sent.traces],
        "faults": [{"file": fault.file, "message": fault.message} for fault in sent.faults],
    }
    print_answer(facts, command.as_json, describe(sent, command.dataset))
    return HAS_FAULTS if sent.faults else 0


def find_files(path: Path) -> list[Path]:
    try:
        found = list_files(path)
    except OSError as error:
        raise BadSetting(f"{path} cannot be read: {error.strerror}.") from None
    if not found:
        raise BadSetting(f"{path} has no files with recorded runs.")
    return found


def send(command: SendCommand, total: int) -> SentFolder:
    with open_client(command.hub, command.name) as hub, show_progress("sending", total) as on_progress:
        return hub.send_folder(
            command.path, dataset=command.dataset, tags=command.tags, fast=command.fast, on_progress=on_progress
        )


def describe(sent: SentFolder, dataset: str | None) -> str:
    where = f" in the dataset {dataset}" if dataset else ""
    stored = f"Stored{where}: {len(sent.traces)} runs."
    return f"{stored} Not sent: {len(sent.faults)}." if sent.faults else stored
