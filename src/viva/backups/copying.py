"""The commands `viva backup` and `viva restore`."""

import os
import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from viva import __version__
from viva.backups.archive import (
    BACKUP_FORMAT,
    MANIFEST_NAME,
    SECRET_NAME,
    SIPS_FOLDER,
    BadBackup,
    DatabaseKind,
    Manifest,
    hash_secret,
    read_archive,
    read_manifest,
    write_archive,
)
from viva.config import Config
from viva.kit.clock import now
from viva.kit.files import open_whole
from viva.kit.migrating import newest, revision_of
from viva.kit.opening import sqlite_path
from viva.kit.outputs import check_output, refuse_unwritable


class RestoredHub(NamedTuple):
    manifest: Manifest
    old_database: Path | None  # where the replaced SQLite file is now
    has_other_secret: bool  # the secret of the environment is not that of the backup


def back_up(config: Config, path: Path) -> Manifest:
    """Write the database, the hub's own SIPs and its secret to one file. The hub may run."""
    check_output(path)
    with refuse_unwritable(path), write_archive(path) as archive:
        revision = revision_of(config.database_url) or ""
        rows = add_database(archive, config.database_url, path)
        for sip in sorted(config.own_sips.glob("*")) if config.own_sips.is_dir() else ():
            if sip.is_file():
                archive.write(sip, SIPS_FOLDER + sip.name)
        if not os.environ.get("VIVA_SECRET"):
            archive.writestr(SECRET_NAME, config.secret)
        kind, secret_hash = kind_of(config.database_url), hash_secret(config.secret)
        manifest = Manifest(BACKUP_FORMAT, kind, revision, __version__, now(), secret_hash, rows)
        archive.writestr(MANIFEST_NAME, msgspec.json.encode(manifest))
    return manifest


def kind_of(url: str) -> DatabaseKind:
    return "sqlite" if sqlite_path(url) else "postgresql"


def add_database(archive: zipfile.ZipFile, url: str, path: Path) -> dict[str, int]:
    database = sqlite_path(url)
    if database:
        from viva.backups.sqlite_copies import add_copy

        return add_copy(archive, database, path.resolve().parent)
    from viva.backups.postgres_copies import add_copies

    return add_copies(archive, url)


def restore(config: Config, path: Path) -> RestoredHub:
    """Replace the hub by the backup. Nothing changes if the file is damaged or a hub runs."""
    with read_archive(path) as archive:
        manifest = read_manifest(path, archive)
        check_fits(config, manifest)
        old_database = replace_hub(archive, config, manifest)
        for name in archive.namelist():
            if name.startswith(SIPS_FOLDER):
                write_file(config.own_sips / PurePosixPath(name).name, archive.read(name))
        restore_secret(archive, config)
    has_other_secret = bool(os.environ.get("VIVA_SECRET")) and hash_secret(config.secret) != manifest.secret_hash
    return RestoredHub(manifest, old_database, has_other_secret)


def check_fits(config: Config, manifest: Manifest) -> None:
    if manifest.database != kind_of(config.database_url):
        raise BadBackup(
            f"This backup is of a {manifest.database} database. Name one with --database {manifest.database}:…"
        )
    if manifest.revision > newest():
        raise BadBackup(f"This backup was made by Viva {manifest.viva}, which is newer. Update this program first.")


def replace_hub(archive: zipfile.ZipFile, config: Config, manifest: Manifest) -> Path | None:
    database = sqlite_path(config.database_url)
    if database:
        from viva.backups.sqlite_copies import replace_database

        return replace_database(archive, database, manifest.rows)
    from viva.backups.postgres_copies import replace_tables

    replace_tables(archive, config.database_url, manifest.revision, manifest.rows)
    return None


def restore_secret(archive: zipfile.ZipFile, config: Config) -> None:
    """The secret has signed links and certificates of this hub, so it comes back too. The other one stays beside it."""
    if os.environ.get("VIVA_SECRET") or SECRET_NAME not in archive.namelist():
        return
    secret = config.data_dir / "secret"
    if secret.read_bytes().strip() != archive.read(SECRET_NAME):
        os.replace(secret, secret.with_name("secret.before-restore"))
        write_file(secret, archive.read(SECRET_NAME))


def write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_whole(path, mode=0o600) as file:
        file.write(content)
