"""The hub on which `viva sit` lets an agent sit: the named one, one's own, or one that lasts one exam."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from viva.cli.kept_hubs import open_kept_hub
from viva.cli.sip_reading import read_sip_file
from viva.config import SHIPPED_SIPS, BadSetting, read_judge_settings
from viva.embedded import open_hub
from viva.evaluations import sip as sips
from viva.evaluations.handler_code import read_handler_code
from viva.sittings.accounts import HubConnector, RemoteHub


def is_sip_file(evaluation: str) -> bool:
    return evaluation.endswith(".md")  # no id has a dot


@contextmanager
def open_hub_for(evaluation: str, url: str | None, keep: bool) -> Iterator[HubConnector]:
    """The named hub, the configured hub, or a hub that is gone after the exam."""
    if url:
        yield RemoteHub(url)
        return
    if keep:
        with open_kept_hub() as hub:
            yield hub
        return
    judge = read_judge_settings(os.environ)
    with tempfile.TemporaryDirectory(prefix="viva-sips-") as folder:
        copy_sips(evaluation, Path(folder))
        with open_hub(sips=Path(folder), judge=judge) as hub:
            for _, error in hub.refused:
                raise BadSetting(f"{evaluation} cannot be sat. {error}")
            yield hub


def copy_sips(evaluation: str, folder: Path) -> None:
    if is_sip_file(evaluation):
        copy_own_sip(Path(evaluation), folder)
    else:
        copy_shipped_sips(folder)


def copy_shipped_sips(folder: Path) -> None:
    """Copy the SIPs without their prerequisites: on a hub that lasts one exam, nobody has passed another one."""
    for path in SHIPPED_SIPS.iterdir():
        if path.suffix == ".md":
            sip = sips.parse(path.read_text(encoding="utf-8"))
            (folder / path.name).write_text(sips.render(replace(sip, prerequisites=())), encoding="utf-8")
        elif path.is_file():
            shutil.copy(path, folder)


def copy_own_sip(path: Path, folder: Path) -> None:
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
