"""The hub's own SIPs in a backup, with companions and handlers; and their return, with what is there now moved aside."""

import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from viva.backups.archive import KEYS_FOLDER, SIPS_FOLDER, BadBackup, free_name
from viva.config import Config
from viva.evaluations import sip_yaml
from viva.evaluations.sip_fields import SCRIPT_PATH_PATTERN, matches
from viva.evaluations.sip_folders import read_text, sip_files
from viva.evaluations.sip_yaml import InvalidSip
from viva.kit.files import open_whole


def list_folders(config: Config) -> dict[str, Path]:
    """The folders of the hub by their place in the archive. They are often the same one, which then stands there once."""
    keys = {} if config.keys_folder == config.own_sips else {KEYS_FOLDER: config.keys_folder}
    return {SIPS_FOLDER: config.own_sips} | keys


def add_sip_files(archive: zipfile.ZipFile, config: Config) -> None:
    folders = list_folders(config)
    scripts = list_scripts(folders.values())
    for place, folder in folders.items():
        for name in list_names(folder, scripts):
            archive.write(folder / name, place + name)


def list_names(folder: Path, scripts: set[str]) -> list[str]:
    """The files that a sync reads. The folder may have others, such as a whole repository."""
    found = {path.name for path in folder.glob("SIP-*")} | scripts
    return sorted(name for name in found if (folder / name).is_file())


def list_scripts(folders: Iterable[Path]) -> set[str]:
    """The files of handlers that the SIPs name, which may be in folders of their own."""
    return {script for path in sip_files(folders) if (script := find_script(path))}


def find_script(path: Path) -> str | None:
    try:
        executable = sip_yaml.read(read_text(path)).front.get("executable")
    except InvalidSip:
        return None
    script = executable.get("script_path") if isinstance(executable, dict) else None
    return script if matches(SCRIPT_PATH_PATTERN, script) else None


def check_names(archive: zipfile.ZipFile) -> None:
    """A file of an archive from elsewhere must not leave its folder."""
    for name in archive.namelist():
        if name.startswith("/") or ".." in PurePosixPath(name).parts:
            raise BadBackup(f"The part {name} of this backup leads out of its folder.")


def restore_sip_files(archive: zipfile.ZipFile, config: Config) -> Path | None:
    """Make the folders what they were. Returns where files are now that the backup does not have, or has otherwise."""
    aside = free_name(config.data_dir / "sips.before-restore")
    for folder, kept in read_sip_files(archive, config).items():
        for name in list_names(folder, list_scripts([folder])):
            if (folder / name).read_bytes() != kept.get(name):
                move(folder / name, aside / folder.name / name)
        for name, content in kept.items():
            write_file(folder / name, content)
    return aside if aside.exists() else None


def read_sip_files(archive: zipfile.ZipFile, config: Config) -> dict[Path, dict[str, bytes]]:
    """The files of each folder by name. The hub that was backed up may have had two folders where this one has one."""
    read: dict[Path, dict[str, bytes]] = {folder: {} for folder in (config.own_sips, config.keys_folder)}
    for part in archive.namelist():
        for place, folder in ((SIPS_FOLDER, config.own_sips), (KEYS_FOLDER, config.keys_folder)):
            if part.startswith(place):
                read[folder][part.removeprefix(place)] = archive.read(part)
    return read


def move(path: Path, target: Path) -> None:
    """Copy it first: the two folders may be on different disks."""
    write_file(target, path.read_bytes())
    path.unlink()


def write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_whole(path, mode=0o600) as file:
        file.write(content)
