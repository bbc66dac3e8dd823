"""Backups as files: what they hold, which are refused, and what a refusal leaves unchanged."""

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.test_cli import Place, any_place, place  # noqa: F401 - fixtures
from viva.backups.sqlite_copies import swap
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


def test_code_in_a_folder_of_its_own_and_answers_of_what_git_brings_come_back(place: Place, tmp_path: Path):  # noqa: F811
    place.viva("migrate")
    theirs, ours = tmp_path / "repository", place.folder / "sips"
    texts = {
        theirs / "SIP-100.md": "---\nexecutable: {handler: contributed.tea, script_path: handlers/tea.py}\n---\n",
        theirs / "handlers" / "tea.py": "code",
        theirs / ".git" / "config": "not of the hub",
        ours / "SIP-101.keys.yaml": "answers",
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    place.viva("backup", tmp_path / "hub.zip", VIVA_SIPS_DIR=str(theirs))
    for path in texts:
        path.unlink()

    place.viva("restore", tmp_path / "hub.zip", VIVA_SIPS_DIR=str(theirs))

    assert [path.exists() and path.read_text() == text for path, text in texts.items()] == [True, True, False, True]


def test_a_sip_that_the_backup_does_not_have_is_moved_aside(place: Place, tmp_path: Path):  # noqa: F811
    place.viva("migrate")
    sips = place.folder / "sips"
    sips.mkdir()
    (sips / "SIP-100.md").write_text("old")
    place.viva("backup", tmp_path / "hub.zip")
    (sips / "SIP-100.md").write_text("changed")
    (sips / "SIP-101.md").write_text("newer")
    (sips / "notes.txt").write_text("not of the hub")

    restored = json.loads(place.viva("restore", tmp_path / "hub.zip", "--json").stdout)

    assert {path.name: path.read_text() for path in sips.iterdir()} == {
        "SIP-100.md": "old",
        "notes.txt": "not of the hub",
    }
    aside = Path(restored["old_sips"]) / "sips"
    assert {path.name: path.read_text() for path in aside.iterdir()} == {"SIP-100.md": "changed", "SIP-101.md": "newer"}
    again = json.loads(place.viva("restore", tmp_path / "hub.zip", "--json").stdout)
    assert again["old_sips"] is None


@pytest.mark.parametrize(
    ("secret_then", "secret_now", "is_other"),
    [({}, {}, False), ({"VIVA_SECRET": "a" * 64}, {}, True), ({}, {"VIVA_SECRET": "b" * 64}, True)],
)
def test_another_secret_than_that_of_the_backup_is_told(
    place: Place,  # noqa: F811
    tmp_path: Path,
    secret_then: dict[str, str],
    secret_now: dict[str, str],
    is_other: bool,
):
    place.viva("migrate", **secret_then)
    place.viva("backup", tmp_path / "hub.zip", **secret_then)

    restored = place.viva("restore", tmp_path / "hub.zip", **secret_now)

    assert ("secret is not that of this backup" in restored.stdout) is is_other


def test_a_stop_in_the_middle_of_a_restore_leaves_a_database(tmp_path: Path):
    database = tmp_path / "viva.db"
    database.write_text("before")

    with pytest.raises(FileNotFoundError):
        swap(tmp_path / "no-copy", database)

    assert database.read_text() == "before"


def test_a_second_restore_keeps_what_the_first_has_moved_aside(tmp_path: Path):
    database, copy = tmp_path / "viva.db", tmp_path / "copy"
    database.write_text("one")
    kept = []
    for text in ("two", "three"):
        copy.write_text(text)
        kept.append(swap(copy, database))

    assert database.read_text() == "three"
    assert {path.name: path.read_text() for path in kept if path} == {
        "viva.db.before-restore": "one",
        "viva.db.before-restore-2": "two",
    }


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


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["worker"]])
def test_a_damaged_file_is_not_served(place: Place, command: list[str]):  # noqa: F811
    place.viva("migrate")
    database = place.folder / "viva.db"
    content = bytearray(database.read_bytes())
    content[40_000:60_000] = bytes(20_000)
    database.write_bytes(content)

    refused = place.viva(*command)

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


def test_the_doctor_says_whose_verdicts_are_official(place: Place):  # noqa: F811
    place.viva("maintainer", "mia")
    assert "set VIVA_BASE_URL or VIVA_PROCTORS=qualified" in lines_of(place)["proctors"][1]
    public = {"VIVA_BASE_URL": "https://hub.example"}
    assert lines_of(place, **public)["proctors"][0] == "look"

    place.viva("proctor", "mia")

    assert lines_of(place, **public)["proctors"] == ("ok", "qualified; 1 agent is appointed")


def test_the_doctor_finds_a_damaged_file(place: Place):  # noqa: F811
    place.viva("migrate")
    with (place.folder / "viva.db").open("r+b") as file:
        file.seek(40_000)
        file.write(bytes(20_000))

    assert "damaged" in lines_of(place)["database"][1]
