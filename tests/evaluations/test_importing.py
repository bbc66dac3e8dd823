"""Importing SIP files of another hub."""

import os

import pytest

from tests import make
from viva.evaluations import catalogue, importing, numbers, sip, store
from viva.evaluations.catalogue import GradingChanged, IdReserved, OlderVersion
from viva.evaluations.sip import InvalidSip

FOREIGN = """---
sip: 107
id: Tea Making
name: Tea making
module: kitchen
type: proctored
status: active
version: 1.0
points: 5
config:
  max_score: 10
executable:
  handler: proctored_handler
---
# Tea

Can it make tea?
"""


@pytest.fixture
def theirs(tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    return folder


@pytest.fixture
def ours(tmp_path):
    return tmp_path / "data" / "sips"


def test_the_id_of_an_approved_contribution_is_not_imported_and_takes_no_number(db, theirs, ours):
    (theirs / "SIP-107.md").write_text(FOREIGN)
    numbers.reserve(db, 100, "tea-making")
    numbers.reserve_id(db, "tea-making", 100)

    (imported,) = import_folder(db, theirs, ours)

    assert isinstance(imported.error, IdReserved)
    assert str(imported.error) == (
        "tea-making is the id of an approved contribution that becomes SIP-100. Give this one another id."
    )
    assert numbers.find_owner(db, 107) is None
    assert not ours.exists()


def import_folder(db, folder, target):
    return importing.import_folder(lambda unit: unit(db), folder, target)


def codes(imported: importing.ImportedSip) -> list[str]:
    return [warning.code for warning in imported.warnings]


def test_a_foreign_sip_is_read_leniently_put_into_the_catalogue_and_written_beside_our_own(db, theirs, ours):
    (theirs / "SIP-107.md").write_text(FOREIGN)

    (imported,) = import_folder(db, theirs, ours)

    assert imported.error is None
    assert imported.sip is not None
    assert (imported.sip.sip, imported.sip.id, imported.sip.version) == (107, "tea-making", "1.0.0")
    assert store.get(db, "tea-making").handler == "proctored"
    assert [path.name for path in ours.iterdir()] == ["SIP-107.md"]
    assert sip.parse((ours / "SIP-107.md").read_text("utf-8")) == imported.sip
    assert "HANDLER_RENAMED" in codes(imported)


def test_a_taken_number_is_given_anew_with_a_warning(db, theirs, ours):
    make.evaluation(db, sip=107)
    make.evaluation(db, sip=112, id="another")
    (theirs / "SIP-107.md").write_text(FOREIGN)

    (imported,) = import_folder(db, theirs, ours)

    assert imported.sip is not None
    assert imported.sip.sip == 113
    assert "RENUMBERED" in codes(imported)
    assert store.get(db, "SIP-113").id == "tea-making"
    assert store.get(db, "SIP-107").id == "good-manners"
    assert [path.name for path in ours.iterdir()] == ["SIP-113.md"]
    assert "sip: 113\n" in (ours / "SIP-113.md").read_text()


def test_a_sip_without_a_number_gets_the_next_one(db, theirs, ours):
    make.evaluation(db, sip=107)
    (theirs / "SIP-0.md").write_text(FOREIGN.replace("sip: 107", "sip: 0"))

    (imported,) = import_folder(db, theirs, ours)

    assert imported.sip is not None
    assert imported.sip.sip == 108


@pytest.mark.parametrize(("number", "given"), [(0, 100), (1, 100), (99, 100), (100, 100), (101, 101)])
def test_numbers_below_a_hundred_are_kept_for_what_viva_ships(db, theirs, ours, number, given):
    (theirs / f"SIP-{number}.md").write_text(FOREIGN.replace("sip: 107", f"sip: {number}"))

    (imported,) = import_folder(db, theirs, ours)

    assert imported.sip is not None
    assert imported.sip.sip == given
    assert ("RENUMBERED" in codes(imported)) == (number != given)


def test_an_evaluation_keeps_the_number_it_has_here(db, theirs, ours):
    make.evaluation(db, sip=103, id="tea-making", points=1)
    (theirs / "SIP-107.md").write_text(FOREIGN.replace("version: 1.0", "version: 2.0"))

    import_folder(db, theirs, ours)

    assert store.get(db, "SIP-103").version == "2.0.0"
    assert [path.name for path in ours.iterdir()] == ["SIP-103.md"]


def test_no_stranger_replaces_an_evaluation_that_viva_ships(db, theirs, ours):
    make.evaluation(db, sip=3, id="tea-making", points=1)
    (theirs / "SIP-107.md").write_text(FOREIGN.replace("version: 1.0", "version: 99.0"))

    (imported,) = import_folder(db, theirs, ours)

    assert type(imported.error) is importing.NotTheirs
    assert store.get(db, "SIP-3").version == "1.0.0"
    assert not ours.exists()


def test_importing_twice_is_the_same_as_once(db, theirs, ours):
    make.evaluation(db, sip=107)
    (theirs / "SIP-107.md").write_text(FOREIGN)
    first = import_folder(db, theirs, ours)
    before = {path.name: path.read_text() for path in ours.iterdir()}

    second = import_folder(db, theirs, ours)

    assert second == first
    assert {path.name: path.read_text() for path in ours.iterdir()} == before
    assert store.list_versions(db, "tea-making") == ["1.0.0"]


def test_what_was_imported_is_found_by_the_next_sync(db, theirs, ours):
    (theirs / "SIP-107.md").write_text(FOREIGN)
    import_folder(db, theirs, ours)

    assert catalogue.sync(db, [ours]) == []


def test_a_new_version_is_imported_over_the_old_one(db, theirs, ours):
    (theirs / "SIP-107.md").write_text(FOREIGN)
    import_folder(db, theirs, ours)
    (theirs / "SIP-107.md").write_text(
        FOREIGN.replace("version: 1.0", "version: 1.1").replace("points: 5", "points: 6")
    )

    import_folder(db, theirs, ours)

    assert store.list_versions(db, "tea-making") == ["1.1.0", "1.0.0"]
    assert sip.parse((ours / "SIP-107.md").read_text()).points == 6


def test_an_older_version_is_not_imported_over_a_newer_one(db, theirs, ours):
    make.evaluation(db, sip=107, id="tea-making", version="1.10.0")
    (theirs / "SIP-107.md").write_text(FOREIGN.replace("version: 1.0", "version: 1.9"))

    (imported,) = import_folder(db, theirs, ours)

    assert type(imported.error) is OlderVersion
    assert str(imported.error) == "This hub already has tea-making in version 1.10.0; 1.9.0 is older."
    assert store.get(db, "tea-making").version == "1.10.0"
    assert not ours.exists()


def test_changed_grading_without_a_new_version_is_told_and_writes_nothing(db, theirs, ours):
    (theirs / "SIP-107.md").write_text(FOREIGN)
    import_folder(db, theirs, ours)
    before = (ours / "SIP-107.md").read_text()
    (theirs / "SIP-107.md").write_text(FOREIGN.replace("points: 5", "points: 6"))

    (imported,) = import_folder(db, theirs, ours)

    assert imported.sip is None
    assert type(imported.error) is GradingChanged
    assert (ours / "SIP-107.md").read_text() == before


def test_files_that_cannot_be_imported_do_not_keep_the_others_out(db, theirs, ours):
    (theirs / "SIP-1.md").write_text("nothing")
    (theirs / "SIP-2.md").write_bytes(b"---\nid: caf\xe9\n---\n")
    (theirs / "SIP-3.md").write_text(FOREIGN.replace("type: proctored", "type: governance"))
    (theirs / "SIP-107.md").write_text(FOREIGN)

    imported = import_folder(db, theirs, ours)

    assert [(each.path.name, each.sip is not None, type(each.error)) for each in imported] == [
        ("SIP-1.md", False, InvalidSip),
        ("SIP-2.md", False, InvalidSip),
        ("SIP-3.md", False, type(None)),
        ("SIP-107.md", True, type(None)),
    ]
    assert codes(imported[2]) == ["NOT_AN_EVALUATION"]
    assert [path.name for path in ours.iterdir()] == ["SIP-107.md"]


def test_a_file_of_ours_that_the_catalogue_does_not_know_is_not_written_over(db, theirs, ours):
    ours.mkdir(parents=True)
    (ours / "SIP-107.md").write_text("A draft that does not parse yet.")
    (theirs / "SIP-107.md").write_text(FOREIGN)

    import_folder(db, theirs, ours)

    assert (ours / "SIP-107.md").read_text() == "A draft that does not parse yet."


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "SIP-107.md"
    path.write_text("before")
    reader = path.open()

    importing.write_file(path, "after " * 1000)

    assert reader.read() == "before"  # who had it open keeps the old file: it was replaced, not written over
    assert path.read_text() == "after " * 1000
    assert [each.name for each in tmp_path.iterdir()] == ["SIP-107.md"]
    reader.close()


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "SIP-107.md"
    path.write_text("before")

    with pytest.raises(UnicodeEncodeError):
        importing.write_file(path, "half a character: \ud800")

    assert path.read_text() == "before"


def test_the_largest_number_does_not_use_up_those_below_it(db, theirs, ours):
    (theirs / "SIP-1.md").write_text(FOREIGN.replace("sip: 107", "sip: 2147483647"))
    (theirs / "SIP-2.md").write_text(FOREIGN.replace("sip: 107", "sip: 2").replace("Tea Making", "toast"))

    first, second = import_folder(db, theirs, ours)

    assert first.sip
    assert second.sip
    assert (first.sip.sip, second.sip.sip) == (2_147_483_647, 100)


def test_what_has_no_end_is_not_read(db, theirs, ours):
    (theirs / "SIP-1.md").symlink_to("/dev/zero")
    os.mkfifo(theirs / "SIP-2.md")
    with (theirs / "SIP-3.md").open("wb") as file:
        file.truncate(2**40)

    imported = import_folder(db, theirs, ours)

    assert [one.error.faults[0].code for one in imported if one.error] == ["NO_FILE", "NO_FILE", "TOO_LARGE"]


def test_a_claim_that_outlasts_the_calendar_is_left_out(db, theirs, ours):
    (theirs / "SIP-1.md").write_text(FOREIGN.replace("max_score: 10", "claim_minutes: 1.0e+300"))

    (imported,) = import_folder(db, theirs, ours)

    assert "TOO_LONG" in codes(imported)
    assert store.get(db, "tea-making").claim_minutes == 30


def test_warnings_list_what_a_contribution_could_not_have_and_each_fault_once(db, theirs, ours):
    text = FOREIGN.replace("version: 1.0\n", "version: 1.0\nprerequisites: [toast, no-such]\nsumary: Tea.\n")
    (theirs / "SIP-107.md").write_text(text.replace("type: proctored", "type: complex_benchmark"))
    (theirs / "SIP-108.md").write_text(FOREIGN.replace("Tea Making", "toast"))

    imported, _ = import_folder(db, theirs, ours)

    told = [(warning.field, warning.code) for warning in imported.warnings]
    assert ("prerequisites[1]", "UNKNOWN_PREREQUISITE") in told
    assert ("prerequisites[0]", "UNKNOWN_PREREQUISITE") not in told  # it comes with the same folder
    assert ("sumary", "UNKNOWN_KEY") in told
    assert ("department", "MISSING_FIELD") in told
    assert told.count(("config.questions", "MISSING_FIELD")) == 1
