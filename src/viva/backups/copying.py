"""The commands `viva backup` and `viva restore`."""

import os
import zipfile
from pathlib import Path
from typing import NamedTuple

import msgspec

from viva import __version__
from viva.backups.archive import (
    BACKUP_FORMAT,
    MANIFEST_NAME,
    SECRET_NAME,
    BadBackup,
    DatabaseKind,
    Manifest,
    free_name,
    hash_secret,
    read_archive,
    read_manifest,
    write_archive,
)
from viva.backups.sip_files import add_sip_files, check_names, restore_sip_files, write_file
from viva.config import Config
from viva.kit.clock import now
from viva.kit.migrating import newest, revision_of
from viva.kit.opening import sqlite_path
from viva.kit.outputs import check_output, refuse_unwritable


class RestoredHub(NamedTuple):
    manifest: Manifest
    old_database: Path | None  # where the replaced SQLite file is now
    old_sips: Path | None  # where SIP files are now that the backup does not have, or has otherwise
    has_other_secret: bool  # the hub's secret is not that of the backup


def back_up(config: Config, path: Path) -> Manifest:
    """Write the database, the hub's own SIPs and its secret to one file. The hub may run."""
    check_output(path)
    with refuse_unwritable(path), write_archive(path) as archive:
        revision = revision_of(config.database_url) or ""
        rows = add_database(archive, config.database_url, path)
        add_sip_files(archive, config)
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
        check_names(archive)
        old_database = replace_hub(archive, config, manifest)
        old_sips = restore_sip_files(archive, config)
        secret = restore_secret(archive, config)
    return RestoredHub(manifest, old_database, old_sips, hash_secret(secret) != manifest.secret_hash)


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


def restore_secret(archive: zipfile.ZipFile, config: Config) -> bytes:
    """The secret has signed links and certificates of this hub, so it comes back too. The other one stays beside it.

    Returns the secret that the hub has now."""
    if os.environ.get("VIVA_SECRET") or SECRET_NAME not in archive.namelist():
        return config.secret
    secret, restored = config.data_dir / "secret", archive.read(SECRET_NAME)
    if secret.read_bytes().strip() != restored:
        free_name(secret.with_name("secret.before-restore")).hardlink_to(secret)
        write_file(secret, restored)
    return restored
