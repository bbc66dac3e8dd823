"""The commands: what they print, what they leave behind and how they end."""

import csv
import io
import json
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet as pq
import pytest
import typer

from tests import make
from tests.conftest import DATABASES, fresh_url, new_postgres_database
from tests.hub import Hub, environment_without_settings, free_port, run_viva
from viva import __version__, cli
from viva.evaluations import sip as sips
from viva.evaluations.sip_fields import EVALUATION_TYPES
from viva.kit.migrating import newest
from viva.serving import is_served_from_sqlite

pytestmark = pytest.mark.slow

NOBODY_LISTENS = "postgresql://ada:hush@127.0.0.1:1/viva?password=hush"  # nothing has ever listened on port 1


class Place:
    """A data folder and a database of one test, and the commands run on them."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url

    def environment(self, **settings: str) -> dict[str, str]:
        own = {"VIVA_DATA_DIR": str(self.folder), "VIVA_DATABASE_URL": self.url, **settings}
        return environment_without_settings() | own

    def viva(self, *arguments: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
        return run_viva([*map(str, arguments)], self.environment(**settings))

    def viva_as_process(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "viva", *arguments]
        return subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=60)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        if self.url.startswith("sqlite:///"):
            with closing(sqlite3.connect(self.url.removeprefix("sqlite:///"))) as driver:
                return driver.execute(sql).fetchall()
        with psycopg.connect(self.url) as postgres:
            return postgres.execute(sql.encode()).fetchall()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """On SQLite, with no database yet."""
    return Place(tmp_path / "data", f"sqlite:///{tmp_path}/data/viva.db")


@pytest.fixture(params=DATABASES)
def any_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """On either database, with its schema."""
    return Place(tmp_path / "data", fresh_url(request.param, request, tmp_path))


@pytest.fixture(params=DATABASES)
def empty_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """On either database, without a schema."""
    on_sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/viva.db" if on_sqlite else new_postgres_database(request.getfixturevalue("postgres"))
    return Place(tmp_path / "data", url)


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder


# Help and version


def test_help_names_every_command_in_its_group(place: Place):
    helped = place.viva_as_process("--help")

    assert helped.returncode == 0
    groups = re.findall(r"^(\S.*):\n((?:  .+\n)+)", helped.stdout.partition("Options:")[2], re.MULTILINE)
    listed = {group: re.findall(r"^  (\S+)", lines, re.MULTILINE) for group, lines in groups}
    assert listed == {group: list(commands) for group, commands in cli.COMMANDS.items()}
    assert "serve" in listed["Run a hub"]


@pytest.mark.parametrize("family", ["", "sip", "certificate"])
def test_the_lists_of_commands_are_whole_sentences(place: Place, family: str):
    helped = place.viva(*family.split(), "--help", COLUMNS="80").stdout

    assert "..." not in helped.partition("Options:")[2]


def command_lines() -> list[str]:
    """Every command with the names above it."""

    def below(command: Any, path: str) -> list[str]:
        return [path] + [
            line for name, one in getattr(command, "commands", {}).items() for line in below(one, f"{path} {name}")
        ]

    return [line.strip() for line in below(typer.main.get_command(cli.make_app()), "")]


@pytest.mark.parametrize("command", command_lines())
def test_every_command_has_help_of_its_own_and_then_does_nothing(place: Place, command: str):
    helped = place.viva(*command.split(), "--help")

    assert helped.returncode == 0
    assert helped.stdout.startswith(f"Usage: {' '.join(['viva', *command.split()])} ")
    assert not place.folder.exists()


@pytest.mark.parametrize("command", command_lines())
def test_help_shows_no_names_of_types(place: Place, command: str):
    helped = place.viva(*command.split(), "--help").stdout

    assert re.findall(r"<(?:bool|str|int|float|path|dir|list)\b[^>]*>", helped) == []


def test_the_version_is_printed_alone(place: Place):
    assert place.viva_as_process("--version").stdout == f"{__version__}\n"


def test_an_unknown_command_is_bad_use(place: Place):
    assert place.viva_as_process("no-such").returncode == 2


# Settings that cannot be used


@pytest.mark.parametrize("command", ["serve", "migrate", "sync", "demo"])
def test_a_database_of_another_kind_is_told_in_a_sentence(place: Place, command: str):
    refused = place.viva(command, "--database", "mysql://ada:hush@db/viva")

    assert refused.returncode == 2
    assert (
        refused.stderr == "viva: The address of the database has to be sqlite:///FILE or postgresql://…, not mysql:…\n"
    )


@pytest.mark.parametrize("command", ["serve", "migrate", "sync", "demo"])
def test_a_server_that_cannot_be_reached_is_told_in_a_sentence(place: Place, command: str):
    failed = place.viva(command, "--database", NOBODY_LISTENS)

    assert failed.returncode == 1
    told = failed.stderr.splitlines()[-1]
    assert told.startswith("viva: The database postgresql://127.0.0.1:1/viva cannot be used: ")
    assert "Connection refused" in told
    assert "Traceback" not in failed.stderr
    assert "hush" not in failed.stderr


def test_a_file_that_is_no_database_is_told_in_a_sentence(place: Place, tmp_path: Path):
    (tmp_path / "letter.txt").write_text("Dear reader, this is a letter and no database. " * 40)

    failed = place.viva("migrate", "--database", f"sqlite:///{tmp_path}/letter.txt")

    assert failed.returncode == 1
    assert (
        failed.stderr == f"viva: The database sqlite:///{tmp_path}/letter.txt cannot be used: file is not a database.\n"
    )


def test_a_database_in_a_folder_that_cannot_be_made_is_told_in_a_sentence(place: Place, tmp_path: Path):
    (tmp_path / "file").touch()
    url = f"sqlite:///{tmp_path}/file/viva.db"

    failed, refused = place.viva("migrate", "--database", url), place.viva("serve", "--database", url)

    assert failed.returncode == 1
    assert failed.stderr.startswith(f"viva: The database {url} cannot be used: ")
    assert refused.returncode == 2
    assert refused.stderr == f"viva: The file {tmp_path}/file/viva.db.lock cannot be created: File exists.\n"


@pytest.mark.parametrize("command", ["serve", "migrate", "demo"])
def test_a_bad_port_is_told_in_a_sentence(place: Place, command: str):
    refused = place.viva(command, VIVA_PORT="eight thousand")

    assert refused.returncode == 2
    assert refused.stderr == "viva: VIVA_PORT has to be a whole number, not 'eight thousand'.\n"


# A database that is not there


NEEDS_HUB = [
    ["export", "SIP-1"],
    ["worker"],
    ["check"],
    ["backup", "/dev/null"],
    ["sync", "--dry-run"],
    ["proctor", "ada"],
    ["maintainer", "ada", "--remove"],
    ["key", "ada"],
    ["suspend", "ada", "--reason", "Spam."],
    ["restore-agent", "ada"],
    ["void", "result_x", "--reason", "Spam."],
]


@pytest.mark.parametrize("command", NEEDS_HUB, ids=lambda command: command[0])
def test_a_command_that_needs_a_hub_makes_none(place: Place, tmp_path: Path, command: list[str]):
    refused = place.viva(*command, "--database", f"sqlite:///{tmp_path}/typo/viva.db")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"viva: The database sqlite:///{tmp_path}/typo/viva.db has no hub. "
        "Check the address, or create a hub with `viva migrate`.\n"
    )
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("command", NEEDS_HUB, ids=lambda command: command[0])
def test_a_command_that_needs_a_hub_makes_none_in_an_empty_database(empty_place: Place, command: list[str]):
    if empty_place.url.startswith("sqlite:"):
        Path(empty_place.url.removeprefix("sqlite:///")).touch()

    refused = empty_place.viva(*command)

    assert refused.returncode == 2
    assert " has no hub. " in refused.stderr
    assert not empty_place.folder.exists()
    with pytest.raises((sqlite3.OperationalError, psycopg.errors.UndefinedTable)):
        empty_place.rows("SELECT * FROM alembic_version")


# Settings that are none


def test_a_setting_with_a_slip_is_told_with_the_one_that_was_meant(place: Place):
    migrated = place.viva("migrate", VIVA_PROT="9000", VIVA_XYZ="1")

    assert migrated.returncode == 0
    assert migrated.stderr.splitlines() == [
        "viva: VIVA_PROT is not a setting and is ignored. Did you mean VIVA_PORT?",
        "viva: VIVA_XYZ is not a setting and is ignored.",
    ]


def test_settings_that_exist_are_not_told(place: Place):
    assert place.viva("migrate", VIVA_PORT="9000").stderr == ""


# serve


def test_sqlite_is_served_by_one_process(place: Place):
    refused = place.viva("serve", "--processes", "2")

    assert refused.returncode == 2
    assert refused.stderr == (
        "viva: SQLite allows one server process, not 2. Use --database postgresql://… to run more of them.\n"
    )


@pytest.mark.parametrize("secret", [{}, {"VIVA_SECRET": ""}, {"VIVA_SECRET": "x"}])
def test_the_network_is_not_served_with_a_secret_that_nobody_chose(place: Place, secret: dict[str, str]):
    refused = place.viva("serve", "--host", "0.0.0.0", "--port", "0", **secret)

    assert refused.returncode == 2
    assert refused.stderr == (
        "viva: Others can reach 0.0.0.0. To listen there, set VIVA_SECRET to a random text of at least 32 characters.\n"
    )


@pytest.mark.slow
def test_a_second_server_on_the_same_sqlite_file_is_refused(place: Place):
    with Hub(place.url, made(place.folder)):
        refused = place.viva_as_process("serve", "--port", str(free_port()))
        assert is_served_from_sqlite(place.url)

    assert not is_served_from_sqlite(place.url)
    assert refused.returncode == 2
    assert refused.stderr == f"viva: Another server process uses {place.url}. SQLite allows only one.\n"


@pytest.mark.slow
def test_a_port_that_another_program_has_is_told_in_a_sentence(place: Place, tmp_path: Path):
    with Hub(place.url, made(place.folder)) as hub:
        other = f"sqlite:///{tmp_path}/other.db"
        refused = place.viva_as_process("serve", "--port", str(hub.port), "--database", other)

    assert refused.returncode == 2
    assert refused.stderr == f"viva: Cannot listen on 127.0.0.1, port {hub.port}: Address already in use.\n"


@pytest.mark.slow
def test_a_server_can_start_again_where_one_has_stopped(place: Place):
    for _ in range(2):
        with Hub(place.url, made(place.folder)) as hub:
            assert hub.client.get("/readyz").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--demo"]])
def test_ctrl_c_while_a_server_starts_is_no_error(place: Place, arguments: list[str]):
    command = [sys.executable, "-m", "viva", "serve", "--port", str(free_port()), *arguments]
    # A shell that runs the tests in the background ignores Ctrl-C, and a process would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            command, env=place.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stderr
    assert " INFO " in process.stderr.readline()  # it has begun, and does not listen yet

    process.send_signal(signal.SIGINT)

    out, err = output_of(process)
    assert (process.returncode, out) == (0, "")
    assert [line for line in err.splitlines() if " INFO " not in line] == []


def output_of(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """What a process printed until it ended; one that does not end is killed."""
    try:
        return process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()


def made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


# migrate


def test_migrating_begins_with_nothing_and_is_done_once(empty_place: Place):
    first = empty_place.viva("migrate")
    second = empty_place.viva("migrate")

    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stdout.startswith("Applied 0001_exams, 0002_result_version, 0003_limits_and_replays")
    assert second.stdout == "The schema is up to date.\n"
    assert empty_place.rows("SELECT version_num FROM alembic_version") == [(newest(),)]


# sync


def test_a_folder_of_sips_is_read_into_the_catalogue(any_place: Place, tmp_path: Path):
    folder = write(tmp_path / "own", "SIP-7.md", sips.render(make.sip()))

    synced = any_place.viva("sync", folder)

    lines = synced.stdout.splitlines()
    assert (synced.returncode, lines[-1], synced.stderr) == (0, "Read 1 of 1 SIP files. There are 1 new.", "")
    assert lines[0] == "new: SIP-7.md good-manners 1.0.0"
    assert any_place.rows("SELECT id, version FROM evaluation_definitions") == [("good-manners", "1.0.0")]


def test_grading_that_changed_without_a_new_version_is_refused_and_the_other_files_are_read(
    any_place: Place, tmp_path: Path
):
    folder = write(tmp_path / "own", "SIP-7.md", sips.render(make.sip()))
    any_place.viva("sync", folder)
    write(folder, "SIP-7.md", sips.render(make.sip(points=20)))
    write(folder, "SIP-8.md", sips.render(make.sip(sip=8, id="fair-play")))

    synced = any_place.viva("sync", folder)

    assert synced.returncode == 2
    assert synced.stdout.splitlines()[-1] == "Read 1 of 2 SIP files. There are 1 new, 1 refused."
    assert synced.stderr == (
        f"{folder}/SIP-7.md: What good-manners grades has changed, but its version is still 1.0.0. Give it a new version.\n"
    )
    assert any_place.rows("SELECT id, points FROM evaluation_definitions ORDER BY sip") == [
        ("good-manners", 10),
        ("fair-play", 10),
    ]


def test_a_file_that_is_no_sip_is_refused_and_the_other_files_are_read(place: Place, tmp_path: Path):
    folder = write(tmp_path / "own", "SIP-7.md", sips.render(make.sip()))
    (folder / "SIP-6.md").write_bytes(b"\xff\xfe")

    synced = place.viva("sync", folder)

    assert synced.returncode == 2
    assert synced.stdout.endswith("Read 1 of 2 SIP files. There are 1 new, 1 refused.\n")
    assert synced.stderr == f"{folder}/SIP-6.md: This SIP is not valid: The file is not UTF-8 text.\n"


def test_a_sync_says_what_is_new_changed_removed_and_ignored(any_place: Place, tmp_path: Path):
    folder = write(tmp_path / "own", "SIP-7.md", sips.render(make.sip()))
    write(folder, "SIP-8.md", sips.render(make.sip(sip=8, id="fair-play")))
    write(folder, "SIP-9.md", sips.render(make.sip(sip=9, id="gone-soon")))
    any_place.viva("sync", folder)
    write(folder, "SIP-7.md", sips.render(make.sip(points=20, version="1.1.0", extra={"sumary": "?"})))
    write(folder, "SIP-10.md", sips.render(make.sip(sip=10, id="tenth", prerequisites=("fair-play", "no-such"))))
    write(folder, "sip-5.md", sips.render(make.sip(sip=5, id="fifth")))
    (folder / "SIP-9.md").unlink()

    trial = any_place.viva("sync", folder, "--dry-run", "--json")
    after_trial = any_place.rows("SELECT count(*) FROM evaluation_versions")
    synced = any_place.viva("sync", folder)

    told = json.loads(trial.stdout)
    assert [(one["id"], one["change"]) for one in told["changes"]] == [("good-manners", "version"), ("tenth", "new")]
    assert told["removed"] == [{"sip": 9, "id": "gone-soon"}]
    assert told["ignored"] == [str(folder / "sip-5.md")]
    assert (told["dry_run"], told["kept"], after_trial) == (True, False, [(3,)])
    warned = {fault["field"] for one in told["changes"] for fault in one["warnings"]}
    assert warned >= {"sumary", "prerequisites[1]"}
    assert "prerequisites[0]" not in warned
    lines = synced.stdout.splitlines()
    assert "changed: SIP-7.md good-manners 1.1.0" in lines
    assert "removed: SIP-9.md gone-soon has no file any more; it stays as it is" in lines
    assert "ignored: sip-5.md is not called SIP-<number>.md" in lines
    assert lines[-1] == "Read 3 of 3 SIP files. There are 1 new, 1 changed, 1 unchanged, 1 removed."
    assert any_place.rows("SELECT count(*) FROM evaluation_versions") == [(5,)]


def test_an_atomic_sync_takes_all_files_or_none(any_place: Place, tmp_path: Path):
    folder = write(tmp_path / "own", "SIP-7.md", sips.render(make.sip()))
    write(folder, "SIP-8.md", "nothing")

    refused = any_place.viva("sync", folder, "--atomic")
    rows = any_place.rows("SELECT id FROM evaluation_definitions")
    write(folder, "SIP-8.md", sips.render(make.sip(sip=8, id="fair-play")))
    taken = any_place.viva("sync", folder, "--atomic")

    assert (refused.returncode, rows) == (2, [])
    assert refused.stdout.endswith("Nothing was kept: a file was refused.\n")
    assert taken.returncode == 0
    assert any_place.rows("SELECT id FROM evaluation_definitions ORDER BY sip") == [("good-manners",), ("fair-play",)]


def test_a_trial_makes_no_database(place: Place):
    assert place.viva("sync", "--dry-run").returncode == 2
    assert not place.folder.exists()


def test_a_version_does_not_go_back_and_an_id_is_read_once(place: Place, tmp_path: Path):
    folder = write(tmp_path / "own", "SIP-7.md", sips.render(make.sip(version="2.0.0")))
    place.viva("sync", folder)
    write(folder, "SIP-7.md", sips.render(make.sip(version="1.9.0")))
    write(folder, "SIP-8.md", sips.render(make.sip(sip=8, id="fair-play")))
    write(folder, "SIP-9.md", sips.render(make.sip(sip=9, id="fair-play")))

    synced = place.viva("sync", folder)

    assert synced.stderr.splitlines() == [
        f"{folder}/SIP-7.md: This hub already has good-manners in version 2.0.0; 1.9.0 is older.",
        f"{folder}/SIP-9.md: fair-play is the id of SIP-8.md too. Give one of them another id.",
    ]
    assert place.rows("SELECT sip FROM evaluation_definitions WHERE id = 'fair-play'") == [(8,)]


# validate, sip new, sip schema


@pytest.mark.parametrize("type_", EVALUATION_TYPES)
def test_a_new_sip_is_valid_once_its_marked_places_are_filled_in(place: Place, tmp_path: Path, type_: str):
    path = tmp_path / "idea.md"

    made_new = place.viva("sip", "new", "--type", type_, "-o", path)
    again = place.viva("sip", "new", "--type", type_, "-o", path)
    unfilled = place.viva("validate", path, "--format", "json")
    marked = path.read_text()
    for key, value in {"id": "my-idea", "name": "My idea", "author": "Pia"}.items():
        marked = re.sub(rf"^{key}: .*TODO.*$|^{key}: TODO.*$", f"{key}: {value}", marked, flags=re.MULTILINE)
    path.write_text(marked)
    filled = place.viva("validate", path, "--format", "json")

    assert (made_new.returncode, again.returncode) == (0, 2)
    (file,) = json.loads(unfilled.stdout)["files"]
    assert unfilled.returncode == 1
    assert {fault["field"] for fault in file["errors"]} == {"id", "name", "author"}
    assert filled.returncode == 0
    assert json.loads(filled.stdout) == {
        "is_valid": True,
        "files": [{"file": str(path), "is_valid": True, "errors": [], "warnings": []}],
    }
    assert not place.folder.exists()  # nothing was written


def test_files_are_validated_together_and_every_fault_is_listed(place: Place, tmp_path: Path):
    folder = write(tmp_path, "SIP-100.md", sips.render(make.sip(sip=100, prerequisites=("fair-play",))))
    write(folder, "SIP-101.md", sips.render(make.sip(sip=100, id="fair-play")))
    write(folder, "sip-102.md", "nothing")

    told = place.viva("validate", folder / "SIP-100.md", folder / "SIP-101.md", folder / "sip-102.md")

    assert told.returncode == 1
    lines = told.stdout.splitlines()
    assert lines[0] == f"{folder}/SIP-100.md: not valid"
    assert "  error MISSING_FIELD department: department is missing." in lines
    assert "  error MISSING_FIELD research_basis: research_basis is missing." in lines
    assert not [line for line in lines if "UNKNOWN_PREREQUISITE" in line]
    assert "  error NUMBER_TAKEN sip: Another of these files has the sip 100 too." in lines
    assert lines[-1] == "0 of 3 files are valid."
    assert place.viva("validate", folder / "SIP-404.md").returncode == 2


def test_a_file_is_compared_with_the_catalogue_of_the_hub(any_place: Place, tmp_path: Path):
    folder = write(tmp_path / "own", "SIP-7.md", sips.render(make.sip(version="2.0.0")))
    any_place.viva("sync", folder)
    write(tmp_path, "other.md", sips.render(make.sip(version="1.0.0")))

    told = any_place.viva("validate", tmp_path / "other.md", "--format", "json")

    assert "OLDER_VERSION" in {fault["code"] for fault in json.loads(told.stdout)["files"][0]["errors"]}


def test_schemas_are_printed_or_written(place: Place, tmp_path: Path):
    one = json.loads(place.viva("sip", "schema", "--type", "proctored").stdout)
    every = json.loads(place.viva("sip", "schema").stdout)
    place.viva("sip", "schema", "-o", tmp_path / "schemas")

    assert every["proctored"] == one
    assert every.keys() == set(EVALUATION_TYPES)
    written = {path.name: json.loads(path.read_text()) for path in (tmp_path / "schemas").iterdir()}
    assert written == {f"{type_}.schema.json": schema for type_, schema in every.items()}


def test_a_folder_that_is_not_there_is_bad_use(place: Place, tmp_path: Path):
    assert place.viva("sync", tmp_path / "nowhere").returncode == 2


def test_without_a_folder_the_shipped_sips_are_read(place: Place):
    synced = place.viva("sync")

    assert synced.returncode == 0
    assert place.rows("SELECT id FROM evaluation_definitions WHERE sip = 1") == [("plain-dealing",)]


# sip import

TEA = """\
---
sip: 900
id: tea-making
name: Tea making
module: kitchen
type: proctored
status: living
version: 1.0
points: 5
prerequisites: []
author: Another hub
created_at: 2025-03-01
updated_at: 2025-03-01
config: {}
executable:
  handler: proctored
---
# Tea making
"""
COFFEE = (
    TEA.replace("tea-making", "coffee-making").replace("living", "active").replace("version: 1.0", "version: 1.0.0")
)
FIRST = COFFEE.replace("coffee-making", "first-of-theirs").replace("sip: 900", "sip: 1")


# What a contribution could not have.
UNFINISHED = [
    "  department: department is missing.",
    "  research_basis: research_basis is missing.",
    "  description: description is missing. Say in one or two sentences what is tested.",
    "  config.criteria: config.criteria is missing.",
    "  exemplars: exemplars is missing; at least 2 are needed.",
]


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """SIP files as other hubs have them: odd fields, numbers twice, one that is no evaluation, one that is broken."""
    folder = tmp_path / "theirs"
    write(folder, "SIP-900.md", TEA)
    write(folder, "SIP-901.md", COFFEE)
    write(folder, "SIP-902.md", FIRST)
    write(folder, "SIP-903.md", "# A broken file\n")
    return write(folder, "SIP-904.md", "---\nid: how-we-work\ntype: process\n---\nText\n")


def test_an_import_reads_what_it_can_and_lists_what_is_odd(any_place: Place, theirs: Path):
    imported = any_place.viva("sip", "import", theirs)

    assert imported.returncode == 2
    assert imported.stdout.splitlines() == [
        "SIP-900.md: SIP-900 tea-making 1.0.0",
        "  status: status must be one of draft, active, retired. It is read as draft.",
        "  version: version must be three numbers, as in 1.0.0. It is read as 1.0.0.",
        *UNFINISHED,
        "SIP-901.md: SIP-901 coffee-making 1.0.0",
        "  sip: coffee-making becomes SIP-901 here.",
        *UNFINISHED,
        "SIP-902.md: SIP-902 first-of-theirs 1.0.0",
        "  sip: first-of-theirs becomes SIP-902 here.",
        *UNFINISHED,
        "SIP-903.md: This SIP is not valid: The text does not begin with front matter between two --- lines.",
        "SIP-904.md: not imported",
        "  type: how-we-work is not an evaluation (its type is process) and is not imported.",
        "4 of 5 files read, 20 warnings.",
    ]


def test_imported_sips_are_written_beside_the_data_and_synced_from_there(place: Place, theirs: Path):
    place.viva("sip", "import", theirs)

    written = sorted((place.folder / "sips").iterdir())
    synced = place.viva("sync")

    assert [path.name for path in written] == ["SIP-900.md", "SIP-901.md", "SIP-902.md"]
    assert [sips.parse(path.read_text()).id for path in written] == ["tea-making", "coffee-making", "first-of-theirs"]
    assert synced.returncode == 0


def test_an_import_into_another_database_is_written_beside_it(place: Place, theirs: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    url = f"sqlite:///{elsewhere}/hub.db"

    place.viva("sip", "import", theirs, "--database", url)  # it makes the database
    synced = place.viva("sync", "--database", url)

    assert {path.name for path in (elsewhere / "sips").iterdir()} == {"SIP-900.md", "SIP-901.md", "SIP-902.md"}
    assert not (place.folder / "sips").exists()
    assert synced.stdout.endswith("Read 12 of 12 SIP files. There are 12 unchanged.\n")


def test_a_second_import_changes_nothing(place: Place, theirs: Path):
    first = place.viva("sip", "import", theirs)
    files = {path: path.read_text() for path in (place.folder / "sips").iterdir()}
    kept = (
        place.rows("SELECT * FROM evaluation_versions ORDER BY 1"),
        place.rows("SELECT * FROM evaluation_definitions ORDER BY 1"),
    )

    second = place.viva("sip", "import", theirs)

    assert second.stdout == first.stdout
    assert {path: path.read_text() for path in (place.folder / "sips").iterdir()} == files
    assert kept == (
        place.rows("SELECT * FROM evaluation_versions ORDER BY 1"),
        place.rows("SELECT * FROM evaluation_definitions ORDER BY 1"),
    )


def test_an_import_without_a_fault_ends_well(place: Place, tmp_path: Path):
    imported = place.viva("sip", "import", write(tmp_path / "theirs", "SIP-900.md", TEA))

    assert imported.returncode == 0


# maintainer


def test_the_key_of_a_new_maintainer_stands_alone_on_the_last_line_and_works(hub: Hub):
    answer = hub.viva("maintainer", "Ada the maintainer")

    first, key = answer.stdout.splitlines()
    assert (answer.returncode, answer.stderr) == (0, "")
    assert first == "Ada the maintainer is a maintainer. Keep this key; it is not shown again:"
    me = hub.with_key(key).get("/agents/me").json()["agent"]
    assert (me["name"], me["is_maintainer"]) == ("Ada the maintainer", True)


def test_an_agent_is_promoted_and_its_earlier_key_stops_working(hub: Hub):
    paul = hub.agent("paul")

    key = hub.viva("maintainer", paul.name).stdout.splitlines()[-1]

    assert hub.with_key(key).id == paul.id
    assert hub.with_key(key).get("/agents/me").json()["agent"]["is_maintainer"] is True
    assert paul.get("/agents/me").status_code == 401


def test_a_maintainer_can_be_made_before_anything_else(place: Place):
    answer = place.viva("maintainer", "ada")

    assert answer.returncode == 0
    assert answer.stdout.splitlines()[-1].startswith("viva_")
    assert place.rows("SELECT name, is_maintainer FROM agents") == [("ada", 1)]


def test_a_name_that_no_agent_may_have_is_refused(place: Place):
    refused = place.viva("maintainer", "a/b")

    assert refused.returncode == 2
    assert refused.stderr.startswith("viva: A name has 1 to 200 printable characters")


# demo


def test_the_demo_fills_a_hub_once(any_place: Place):
    first, second = any_place.viva("demo"), any_place.viva("demo")

    assert (first.returncode, second.returncode) == (0, 0)
    ((number,),) = any_place.rows("SELECT count(*) FROM evaluation_results WHERE voided_at IS NULL")
    assert first.stdout.startswith(f"The demo has 19 agents, {number} results in 9 evaluations")
    assert second.stdout.startswith("The demo is in this hub already; nothing was changed.")


VERSIONS = ("1.0.0", "1.2.0")  # of plain-dealing, in the demo


def test_the_demo_can_be_looked_at_over_http_while_the_hub_runs(hub: Hub):
    assert hub.viva("demo").returncode == 0

    path = "/evaluations/plain-dealing/results"
    counts = [len(hub.anybody().get(path, params={"version": version}).json()["results"]) for version in VERSIONS]
    marta = hub.with_key(hub.viva("maintainer", "marta.demo").stdout.splitlines()[-1])

    assert all(counts)
    running = marta.get("/agents/me/sessions", params={"status": "active"}).json()["sessions"]
    assert [(session["evaluation_id"], session["role"]) for session in running] == [("honest-uncertainty", "proctor")]


# export


def test_results_are_exported_in_the_format_that_the_file_is_named_after(any_place: Place, tmp_path: Path):
    any_place.viva("demo")
    ((count,),) = any_place.rows("SELECT count(*) FROM evaluation_results WHERE evaluation_id = 'plain-dealing'")

    screen = any_place.viva("export", "plain-dealing")
    ended = [
        any_place.viva("export", "SIP-1", "-o", tmp_path / f"out.{end}").returncode for end in ("jsonl", "PARQUET")
    ]
    named = any_place.viva("export", "SIP-1", "--format", "csv", "-o", tmp_path / "out.txt")

    printed = list(csv.DictReader(io.StringIO(screen.stdout)))
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    table = pq.read_table(tmp_path / "out.PARQUET").to_pylist()
    assert (screen.returncode, screen.stderr, ended, named.returncode) == (0, "", [0, 0], 0)
    assert len(printed) == count > 1
    assert [row["id"] for row in printed] == [row["id"] for row in lines] == [row["id"] for row in table]
    assert (tmp_path / "out.txt").read_text() == screen.stdout
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".viva")) == []


def test_one_version_is_exported_while_the_hub_runs(hub: Hub):
    assert hub.viva("demo").returncode == 0

    exported = hub.viva("export", "plain-dealing", "--version", "1.0.0", "--format", "jsonl")

    rows = [json.loads(line) for line in exported.stdout.splitlines()]
    assert {row["evaluation_version"] for row in rows} == {"1.0.0"}
    assert hub.client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no-such"], "There is no evaluation with this id."),
        (["SIP-1", "--version", "9.9.9"], "Plain dealing has no version 9.9.9."),
        (
            ["SIP-1", "-o", "results.doc"],
            "Which format? results.doc does not end in one of .csv, .jsonl, .ndjson, .parquet; or give --format.",
        ),
        (["SIP-1", "-o", "nowhere/results.csv"], "There is no folder nowhere to write to."),
        (["SIP-1", "-o", "/", "--format", "csv"], "/ is a folder."),
    ],
)
def test_an_export_that_cannot_be_is_told_in_a_sentence(place: Place, arguments: list[str], told: str):
    place.viva("sync")

    refused = place.viva("export", *arguments)

    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", f"viva: {told}\n")


def test_an_export_in_an_unknown_format_is_bad_use(place: Place):
    assert place.viva("export", "SIP-1", "--format", "xml").returncode == 2
    assert place.viva("export", "SIP-1", "--official", "maybe").returncode == 2


def test_an_export_that_fails_leaves_what_was_there(place: Place, tmp_path: Path):
    place.viva("demo")
    with closing(sqlite3.connect(place.url.removeprefix("sqlite:///"))) as driver:
        broken = "SELECT max(id) FROM evaluation_results WHERE evaluation_id = 'plain-dealing'"
        ((result_id,),) = driver.execute(broken).fetchall()
        driver.execute(f"UPDATE evaluation_results SET result_data = '{{' WHERE id = ({broken})")
        driver.commit()
    told = f"viva: The result {result_id} in the database cannot be read: "

    for ending in ("csv", "jsonl", "parquet"):
        (tmp_path / f"out.{ending}").write_text("before")
        failed = place.viva("export", "plain-dealing", "-o", tmp_path / f"out.{ending}")
        assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)
        assert failed.stderr.startswith(told)
        assert (tmp_path / f"out.{ending}").read_text() == "before"
    full = place.viva("export", "honest-uncertainty", "--format", "csv", "-o", "/dev/full")

    assert full.returncode == 1
    assert full.stderr == "viva: /dev/full cannot be written: No space left on device.\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".viva")] == []


# JSON for programs


def test_what_a_program_may_read_is_told_as_json(place: Place, theirs: Path):
    migrated = place.viva("migrate", "--json")
    synced = place.viva("sync", "--json")
    imported = place.viva("sip", "import", theirs, "--json")
    promoted = place.viva("maintainer", "ada", "--json")

    assert json.loads(migrated.stdout)["applied"][0] == "0001_exams"
    told = json.loads(synced.stdout)
    assert (told["read"], told["files"], told["refused"], told["ignored"]) == (9, 9, [], [])
    assert len(told["changes"]) == 9
    files = {one["file"]: one for one in json.loads(imported.stdout)["files"]}
    assert (files["SIP-900.md"]["id"], files["SIP-900.md"]["error"]) == ("tea-making", None)
    assert files["SIP-903.md"]["error"].startswith("This SIP is not valid")
    assert json.loads(promoted.stdout)["api_key"].startswith("viva_")


def test_a_database_of_a_newer_viva_is_told_in_a_sentence(place: Place):
    place.viva("migrate")
    with closing(sqlite3.connect(place.url.removeprefix("sqlite:///"))) as driver:
        driver.execute("UPDATE alembic_version SET version_num = '9999'")
        driver.commit()

    told = place.viva("migrate")

    assert told.returncode == 2
    assert told.stderr.startswith("viva: A newer Viva has written the database ")
    assert told.stderr.endswith(". Update this program.\n")


def test_an_import_prints_nothing_that_a_terminal_obeys(place: Place):
    theirs = made(made(place.folder) / "theirs")
    (theirs / "SIP-1.md").write_text('---\nid: tea\ntype: "\\e]0;owned\\a"\n---\nTea.\n')

    printed = place.viva("sip", "import", str(theirs)).stdout

    assert "owned" in printed
    assert "\x1b" not in printed
    assert "\x07" not in printed
