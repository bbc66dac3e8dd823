"""Backups as files: what they hold, which are refused, and what a refusal leaves unchanged."""

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.test_cli import Place, any_place, place  # noqa: F401 - fixtures
from viva.kit.opening import sqlite_path


def dump(place: Place) -> dict[str, list[tuple[object, ...]]]:  # noqa: F811
    """Every row of every table."""
    listing = (
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        if sqlite_path(place.url)
        else "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"
    )
    return {name: sorted(place.rows(f"SELECT * FROM {name}"), key=repr) for (name,) in place.rows(listing)}


@pytest.mark.slow
def test_a_hub_comes_back_as_it_was(any_place: Place, tmp_path: Path):  # noqa: F811
    filled = any_place
    assert filled.viva("demo").returncode == 0
    before, backup = dump(filled), tmp_path / "hub.zip"
    assert filled.viva("backup", backup).returncode == 0
    assert filled.viva("maintainer", "mallory").returncode == 0

    restored = filled.viva("restore", backup, "--json")

    assert restored.returncode == 0, restored.stderr
    assert dump(filled) == before
    assert json.loads(restored.stdout)["rows"] == {name: len(rows) for name, rows in before.items()}
    assert backup.stat().st_mode & 0o777 == 0o600
    made = filled.viva("maintainer", "mia")  # the restored hub can be written to: an agent, a key and two events
    assert made.returncode == 0, made.stderr


@pytest.mark.slow
def test_a_backup_comes_back_into_a_place_without_a_hub(place: Place, tmp_path: Path):  # noqa: F811
    place.viva("maintainer", "mia")
    place.viva("backup", tmp_path / "hub.zip")
    other = Place(tmp_path / "other", f"sqlite:///{tmp_path}/other/viva.db")

    assert other.viva("restore", tmp_path / "hub.zip").returncode == 0
    assert dump(other) == dump(place)
    assert (other.folder / "secret").read_text() == (place.folder / "secret").read_text()


def test_own_sips_come_back(place: Place, tmp_path: Path):  # noqa: F811
    place.viva("migrate")
    sip = place.folder / "sips" / "SIP-100.md"
    sip.parent.mkdir()
    sip.write_text("own")
    place.viva("backup", tmp_path / "hub.zip")
    sip.unlink()

    place.viva("restore", tmp_path / "hub.zip")

    assert sip.read_text() == "own"


def cut(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-100])


def flip_a_byte(backup: Path) -> None:
    """Change a byte inside the largest part; those between the parts do not matter."""
    with zipfile.ZipFile(backup) as archive:
        part = max(archive.infolist(), key=lambda part: part.compress_size)
    content = bytearray(backup.read_bytes())
    content[part.header_offset + 30 + len(part.filename) + part.compress_size // 2] ^= 0xFF
    backup.write_bytes(content)


def rename_the_database(backup: Path) -> None:
    with zipfile.ZipFile(backup, "a") as archive:
        manifest = json.loads(archive.read("manifest.json")) | {"rows": {"agents": 99}}
    with zipfile.ZipFile(backup) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(backup, "w") as archive:
        for name, content in {**parts, "manifest.json": json.dumps(manifest).encode()}.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("damage", [cut, flip_a_byte, rename_the_database, lambda backup: backup.write_text("{}")])
def test_a_damaged_backup_changes_nothing(any_place: Place, tmp_path: Path, damage):  # noqa: F811
    backup = tmp_path / "hub.zip"
    any_place.viva("maintainer", "mia")
    any_place.viva("backup", backup)
    before = dump(any_place)
    damage(backup)

    refused = any_place.viva("restore", backup)

    assert refused.returncode == 2, refused
    assert refused.stderr.startswith("viva: ")
    assert dump(any_place) == before


@pytest.mark.parametrize("any_place", ["postgresql"], indirect=True)  # a SQLite file is moved aside
def test_a_database_of_another_program_is_left_alone(any_place: Place, tmp_path: Path):  # noqa: F811
    any_place.viva("backup", tmp_path / "hub.zip")
    with psycopg.connect(any_place.url, autocommit=True) as driver:
        driver.execute("DROP TABLE alembic_version")

    refused = any_place.viva("restore", tmp_path / "hub.zip")

    assert (refused.returncode, "tables of another program" in refused.stderr) == (2, True)


def test_a_backup_of_a_newer_viva_is_refused(place: Place, tmp_path: Path):  # noqa: F811
    place.viva("migrate")
    with closing(sqlite3.connect(place.folder / "viva.db")) as driver:
        driver.execute("UPDATE alembic_version SET version_num = '9999'")
        driver.commit()
    backup = tmp_path / "hub.zip"
    from viva.backups.copying import back_up
    from viva.config import Config

    back_up(Config.from_environment(place.environment()), backup)

    refused = place.viva("restore", backup)

    assert (refused.returncode, "which is newer" in refused.stderr) == (2, True)


def test_an_old_write_ahead_log_is_not_replayed_over_the_restored_file(place: Place, tmp_path: Path):  # noqa: F811
    place.viva("maintainer", "mia")
    place.viva("backup", tmp_path / "hub.zip")
    before = dump(place)
    database = place.folder / "viva.db"
    with closing(sqlite3.connect(database)) as driver:  # leaves its log behind, as a killed hub does
        driver.execute("PRAGMA journal_mode = WAL")
        driver.execute("UPDATE agents SET description = 'later'")
        driver.commit()
        log = Path(f"{database}-wal").read_bytes()
    Path(f"{database}-wal").write_bytes(log)

    assert place.viva("restore", tmp_path / "hub.zip").returncode == 0
    assert not Path(f"{database}-wal").exists()
    assert dump(place) == before


def test_a_damaged_file_is_not_served(place: Place):  # noqa: F811
    place.viva("migrate")
    database = place.folder / "viva.db"
    content = bytearray(database.read_bytes())
    content[40_000:60_000] = bytes(20_000)
    database.write_bytes(content)

    refused = place.viva("serve", "--port", "0")

    assert (refused.returncode, "is damaged" in refused.stderr, "viva restore FILE" in refused.stderr) == (
        1,
        True,
        True,
    )


def test_there_is_no_backup_of_a_hub_that_does_not_exist(place: Place, tmp_path: Path):  # noqa: F811
    refused = place.viva("backup", tmp_path / "hub.zip")

    assert (refused.returncode, "has no hub" in refused.stderr) == (2, True)
    assert not (tmp_path / "hub.zip").exists()


# doctor


def lines_of(place: Place, **settings: str) -> dict[str, tuple[str, str]]:  # noqa: F811
    """What the doctor says of each subject: the level and the sentence."""
    return {
        line["subject"]: (line["level"], line["sentence"])
        for line in json.loads(place.viva("doctor", "--json", **settings).stdout)
    }


def test_a_hub_without_faults_is_in_order(any_place: Place):  # noqa: F811
    any_place.viva("maintainer", "mia")

    well = any_place.viva("doctor")

    assert (well.returncode, "wrong" in well.stdout) == (0, False)


def test_the_doctor_creates_nothing(place: Place):  # noqa: F811
    assert lines_of(place)["database"][0] == "look"
    assert not place.folder.exists()


@pytest.mark.parametrize(
    ("settings", "subject"),
    [
        ({"VIVA_JUDGES": "1"}, "settings"),
        ({"VIVA_SIPS_DIR": "/no/such/folder"}, "settings"),
        ({"VIVA_HOST": "0.0.0.0"}, "settings"),
        ({"VIVA_JUDGE_URL": "http://127.0.0.1:9/v1", "VIVA_JUDGE_MODEL": "m"}, "judge"),
        ({"VIVA_SMTP_URL": "smtp://127.0.0.1:9"}, "mail"),
    ],
)
def test_the_doctor_names_what_is_wrong(place: Place, settings: dict[str, str], subject: str):  # noqa: F811
    place.viva("migrate")

    assert lines_of(place, **settings)[subject][0] == "wrong"
    assert place.viva("doctor", **settings).returncode == 1


def test_the_doctor_finds_a_damaged_file(place: Place):  # noqa: F811
    place.viva("migrate")
    with (place.folder / "viva.db").open("r+b") as file:
        file.seek(40_000)
        file.write(bytes(20_000))

    assert "damaged" in lines_of(place)["database"][1]
