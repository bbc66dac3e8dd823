"""The hub on which `viva sit` lets an agent sit: the named one, one's own, or one that lasts one exam."""

import os
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import typer

from viva.cli.sip_reading import read_sip_file
from viva.config import SHIPPED_SIPS, BadSetting, read_judge_settings
from viva.config.addresses import is_loopback
from viva.evaluations import sip as sips
from viva.evaluations.handler_code import read_handler_code
from viva.evaluations.sip_folders import sip_files, sip_number
from viva.evaluations.store import NUMBER_PATTERN
from viva.kit.errors import without_number
from viva.sittings.accounts import HubConnector, RemoteHub

SHIPPED_ID = re.compile("^id: (.+)$", re.MULTILINE)
KNOCK_SECONDS = 2.0


def is_sip_file(evaluation: str) -> bool:
    return evaluation.endswith(".md")  # no id has a dot


@contextmanager
def open_hub_for(evaluation: str, url: str | None, keep: bool) -> Iterator[HubConnector]:
    """The named hub, the configured hub, or a hub with this evaluation that is gone after the exam."""
    if url:
        yield find_hub(url)
        return
    if keep:
        from viva.cli.kept_hubs import open_kept_hub  # with what serves a hub, which is slow to load

        with open_kept_hub() as hub:
            yield hub
        return
    from viva.embedded import open_hub  # slow to load, too

    judge = read_judge_settings(os.environ)
    with tempfile.TemporaryDirectory(prefix="viva-sips-") as folder:
        copy_sip(find_sip_file(evaluation), Path(folder))
        with open_hub(sips=Path(folder), judge=judge) as hub:
            for _, error in hub.refused:
                raise BadSetting(f"{evaluation} cannot be sat. {error}")
            yield hub


def find_hub(url: str) -> RemoteHub:
    """The hub at the address. If nothing runs there, its user reads so at once: the client tries for a minute."""
    hub = RemoteHub(url)
    address = urlsplit(hub.url)
    if is_loopback(address.hostname or "") and address.port:
        try:
            socket.create_connection((address.hostname, address.port), KNOCK_SECONDS).close()
        except OSError as error:
            reason = f"{hub.url} does not answer: {without_number(error)}."
            typer.echo(f"viva: {reason} `viva serve` starts a hub. Trying again for a minute.", err=True)
    return hub


def find_sip_file(evaluation: str) -> Path:
    """The named file, or the shipped one with this id or number."""
    if is_sip_file(evaluation):
        return Path(evaluation)
    shipped = {find_id(path): path for path in sip_files([SHIPPED_SIPS])}
    number = NUMBER_PATTERN.fullmatch(evaluation)
    path = next((path for path in shipped.values() if number and sip_number(path) == int(number[1])), None)
    path = path or shipped.get(evaluation)
    if path is None:
        raise BadSetting(
            f"Viva ships no evaluation {evaluation}, but: {', '.join(shipped)}. Name a hub with --hub for its evaluations."
        )
    return path


def find_id(path: Path) -> str:
    """The id of a shipped SIP. To parse them all would take as long as an exam."""
    found = SHIPPED_ID.search(path.read_text(encoding="utf-8"))
    return found[1] if found else ""


def copy_sip(path: Path, folder: Path) -> None:
    """Copy a SIP with its answers and its handler's code. A draft can be sat, too: nobody else sees this hub."""
    sip = read_sip_file(path)
    code = read_handler_code(path, sip)
    copied = replace(sip, prerequisites=(), status="active")
    (folder / f"SIP-{sip.sip}.md").write_text(sips.render(copied), encoding="utf-8")
    if code is not None:
        place = folder / (sip.executable.script_path or f"SIP-{sip.sip}.py")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(code, encoding="utf-8")


def find_evaluation_id(evaluation: str) -> str:
    """The id in a SIP file, or the id itself."""
    return read_sip_file(Path(evaluation)).id if is_sip_file(evaluation) else evaluation
