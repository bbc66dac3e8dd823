"""Reading SIP files into the catalogue: every version is kept, and nothing graded changes unseen."""

import dataclasses
from functools import partial
from pathlib import Path

import pytest

from tests import make
from viva.evaluations import catalogue, sip, store
from viva.evaluations.catalogue import GradingChanged, NumberTaken
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable, InvalidSip, Sip
from viva.evaluations.sip_folders import read_folders
from viva.evaluations.store import NoSuchEvaluation, NoSuchVersion
from viva.kit.errors import Conflict

SHIPPED = Path(catalogue.__file__).parent.parent / "sips"


def keep(folder: Path, *sips: Sip) -> None:
    for each in sips:
        (folder / f"SIP-{each.sip}.md").write_text(sip.render(each), "utf-8")


def ids(db) -> list[str]:
    return [evaluation.id for evaluation in store.list_evaluations(db, {}, None, 200, None).items]


def test_files_become_evaluations(db, tmp_path):
    keep(tmp_path, make.sip(title="How to ask", department="Hall", points=2.5, prerequisites=("tea-making",)))

    refused = catalogue.sync(db, [tmp_path])

    evaluation = store.get(db, "good-manners")
    assert refused == []
    assert evaluation == Evaluation(
        sip=7,
        id="good-manners",
        name="Good manners",
        title="How to ask",
        description="Whether an agent says please.",
        module="safety",
        department="Hall",
        type="proctored",
        status="active",
        version="1.0.0",
        digest=evaluation.digest,
        points=2.5,
        prerequisites=["tea-making"],
        author="Viva",
        config={"summary": "Whether an agent says please.", "max_score": 100},
        handler="proctored",
        body="# Good manners\n\n## Procedure\n\n1. Ask for something.\n",
        created_at="2026-11-15",
        updated_at="2026-11-15",
    )
    assert len(evaluation.digest) == 64


def test_the_shipped_sips_are_all_taken(db):
    refused = catalogue.sync(db, [SHIPPED])

    assert refused == []
    assert len(ids(db)) == len(list(SHIPPED.glob("SIP-*.md")))


def test_files_of_several_folders_are_read_and_a_folder_may_be_missing(db, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder, number, name in ((ours, 1, "first"), (theirs, 2, "second")):
        folder.mkdir()
        keep(folder, make.sip(sip=number, id=name))

    refused = catalogue.sync(db, [ours, tmp_path / "missing", theirs])

    assert refused == []
    assert ids(db) == ["first", "second"]


def test_files_that_are_no_sips_are_left_alone(db, tmp_path):
    (tmp_path / "README.md").write_text("# Read me")
    (tmp_path / "SIP-7.md.orig").write_text("nothing")
    keep(tmp_path, make.sip())

    assert catalogue.sync(db, [tmp_path]) == []
    assert ids(db) == ["good-manners"]


def test_syncing_twice_is_the_same_as_once(db, tmp_path):
    keep(tmp_path, make.sip())
    catalogue.sync(db, [tmp_path])
    before = store.get(db, "good-manners")

    assert catalogue.sync(db, [tmp_path]) == []
    assert store.get(db, "good-manners") == before
    assert store.list_versions(db, "good-manners") == ["1.0.0"]


def test_every_version_is_kept_with_its_document(db, tmp_path):
    for version in ("1.0.0", "1.9.0", "1.10.0"):
        keep(tmp_path, make.sip(version=version, points=len(version)))
        catalogue.sync(db, [tmp_path])

    assert store.get(db, "good-manners").version == "1.10.0"
    assert store.list_versions(db, "good-manners") == ["1.10.0", "1.9.0", "1.0.0"]
    assert sip.parse(store.get_document(db, "good-manners", "1.0.0")).points == 5
    assert sip.parse(store.get_document(db, "good-manners", "1.10.0")).points == 6


def test_an_evaluation_whose_file_is_gone_stays(db, tmp_path):
    keep(tmp_path, make.sip())
    catalogue.sync(db, [tmp_path])
    (tmp_path / "SIP-7.md").unlink()

    catalogue.sync(db, [tmp_path])

    assert ids(db) == ["good-manners"]


def test_a_long_sync_is_stored_in_short_units_and_goes_on_after_a_stop(database, tmp_path):
    keep(tmp_path, *(make.sip(sip=200 + n, id=f"tea-{n}") for n in range(45)), make.sip(sip=300, id="tea-1"))
    units: list[int] = []

    def write(unit, until: int = 99):
        if len(units) == until:
            raise KeyboardInterrupt
        before = database.read_now(lambda db: len(ids(db)))
        answer = database.write_now(unit)
        units.append(database.read_now(lambda db: len(ids(db))) - before)
        return answer

    with pytest.raises(KeyboardInterrupt):
        catalogue.sync_in_units(partial(write, until=3), read_folders([tmp_path]))
    stored = database.read_now(ids)
    units.clear()
    done = catalogue.sync_in_units(write, read_folders([tmp_path]))

    assert len(stored) == 40
    assert max(units) <= 20
    assert [each.change for each in done.synced] == [None] * 40 + ["new"] * 5
    assert [path.name for path, _ in done.refused] == ["SIP-300.md"]
    assert len(database.read_now(ids)) == 45


def test_a_sync_reports_what_is_new_changed_removed_and_ignored(db, tmp_path):
    keep(tmp_path, make.sip(), make.sip(sip=8, id="tea-making"), make.sip(sip=9, id="toast"))
    (tmp_path / "SIP-5.markdown").write_text("ignored")
    first = catalogue.sync_files(db, read_folders([tmp_path]))
    keep(tmp_path, make.sip(name="Better manners"), make.sip(sip=8, id="tea-making", version="1.1.0"))
    (tmp_path / "SIP-9.md").unlink()

    second = catalogue.sync_files(db, read_folders([tmp_path]))

    assert [(each.sip.id, each.change) for each in first.synced] == [
        ("good-manners", "new"),
        ("tea-making", "new"),
        ("toast", "new"),
    ]
    assert first.removed == []
    assert [path.name for path in first.ignored] == ["SIP-5.markdown"]
    assert [(each.sip.id, each.change) for each in second.synced] == [
        ("good-manners", "text"),
        ("tea-making", "version"),
    ]
    assert [row.id for row in second.removed] == ["toast"]


def test_a_version_only_goes_upwards(db, tmp_path):
    keep(tmp_path, make.sip(version="2.0.0"))
    catalogue.sync(db, [tmp_path])
    keep(tmp_path, make.sip(version="1.10.0"))

    ((_, error),) = catalogue.sync(db, [tmp_path])

    assert type(error) is catalogue.OlderVersion
    assert store.get(db, "good-manners").version == "2.0.0"


# What is graded


@pytest.mark.parametrize(
    "change",
    [
        {"points": 11},
        {"config": {"summary": "Whether an agent says please.", "max_score": 50}},
        {"config": {"max_score": 100, "criteria": [{"id": "please", "text": "Says please."}]}},
        {"body": "# Good manners\n\n## Procedure\n\n1. Ask for something else.\n"},
    ],
)
def test_changed_grading_without_a_new_version_is_refused(db, tmp_path, change):
    keep(tmp_path, make.sip())
    catalogue.sync(db, [tmp_path])
    before = store.get(db, "good-manners")
    keep(tmp_path, make.sip(**change))

    ((path, error),) = catalogue.sync(db, [tmp_path])

    assert path == tmp_path / "SIP-7.md"
    assert type(error) is GradingChanged
    assert str(error) == "What good-manners grades has changed, but its version is still 1.0.0. Give it a new version."
    assert store.get(db, "good-manners") == before


def test_changed_grading_with_a_new_version_is_taken(db, tmp_path):
    keep(tmp_path, make.sip())
    catalogue.sync(db, [tmp_path])
    keep(tmp_path, make.sip(points=11, version="1.1.0"))

    assert catalogue.sync(db, [tmp_path]) == []
    assert store.get(db, "good-manners").points == 11


def test_an_old_version_cannot_come_back_with_other_grading(db):
    make.evaluation(db)
    make.evaluation(db, version="2.0.0", points=20)

    with pytest.raises(GradingChanged):
        make.evaluation(db, version="1.0.0", points=20)


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        ({"name": "Better manners"}, "name", "Better manners"),
        ({"author": "Ada"}, "author", "Ada"),
        ({"status": "retired"}, "status", "retired"),
        ({"config": {"summary": "Politeness.", "max_score": 100}}, "description", "Politeness."),
        ({"points": 10.0}, "points", 10),
        ({"prerequisites": ("tea-making",)}, "prerequisites", ["tea-making"]),
    ],
)
def test_a_change_that_touches_no_grade_needs_no_new_version(db, tmp_path, change, field, value):
    keep(tmp_path, make.sip())
    catalogue.sync(db, [tmp_path])
    keep(tmp_path, make.sip(**change))

    assert catalogue.sync(db, [tmp_path]) == []
    assert getattr(store.get(db, "good-manners"), field) == value
    assert store.get_document(db, "good-manners", "1.0.0") == sip.render(make.sip(**change))


def test_an_evaluation_keeps_its_type_since_exams_of_it_may_run(db):
    make.evaluation(db)

    with pytest.raises(Conflict):
        make.evaluation(db, version="2.0.0", type="complex_benchmark", executable=Executable("benchmark", None))

    assert store.get(db, "good-manners").type == "proctored"


# Files that are refused


def test_one_refused_file_does_not_keep_the_others_out(db, tmp_path):
    keep(tmp_path, make.sip(sip=1, id="first"), make.sip(sip=9, id="ninth"))
    (tmp_path / "SIP-2.md").write_text("no front matter")
    (tmp_path / "SIP-3.md").write_bytes(b"---\nname: caf\xe9\n---\n")
    (tmp_path / "SIP-4.md").write_text(
        sip.render(make.sip(sip=4, id="fourth")).replace("type: proctored", "type: oral")
    )
    keep(tmp_path, dataclasses.replace(make.sip(), sip=5, id="new"))

    refused = catalogue.sync(db, [tmp_path])

    assert [(path.name, type(error)) for path, error in refused] == [
        ("SIP-2.md", InvalidSip),
        ("SIP-3.md", InvalidSip),
        ("SIP-4.md", InvalidSip),
        ("SIP-5.md", InvalidSip),
    ]
    assert ids(db) == ["first", "ninth"]


def test_what_looks_like_a_file_and_cannot_be_read_does_not_keep_the_others_out(db, tmp_path):
    keep(tmp_path, make.sip(sip=9, id="ninth"))
    (tmp_path / "SIP-1.md").mkdir()
    (tmp_path / "SIP-2.md").symlink_to(tmp_path / "gone.md")

    refused = catalogue.sync(db, [tmp_path])

    assert [path.name for path, _ in refused] == ["SIP-1.md", "SIP-2.md"]
    assert ids(db) == ["ninth"]


def test_of_two_evaluations_with_one_number_the_second_is_refused(db, tmp_path):
    (tmp_path / "SIP-7.md").write_text(sip.render(make.sip()))
    (tmp_path / "SIP-8.md").write_text(sip.render(make.sip(id="tea-making")))

    ((path, error),) = catalogue.sync(db, [tmp_path])

    assert path.name == "SIP-8.md"
    assert type(error) is NumberTaken
    assert str(error) == "SIP-7 is already good-manners. Give tea-making another number."
    assert ids(db) == ["good-manners"]


def test_an_evaluation_may_move_to_a_free_number(db):
    make.evaluation(db)

    make.evaluation(db, sip=70)

    assert store.get(db, "SIP-70").id == "good-manners"
    with pytest.raises(NoSuchEvaluation):
        store.get(db, "SIP-7")


def test_an_id_that_reads_like_a_number_is_refused_since_numbers_find_by_sip(db, tmp_path):
    keep(tmp_path, make.sip(id="2048"))

    assert [type(error) for _, error in catalogue.sync(db, [tmp_path])] == [InvalidSip]


# Versions that are no longer the present one


def test_an_evaluation_can_be_had_as_it_was_in_any_version(db):
    make.evaluation(db, points=10, config={"max_score": 100})
    present = make.evaluation(db, version="2.0.0", points=20, config={"max_score": 5, "claim_minutes": 1})

    old = catalogue.at_version(db, present, "1.0.0")

    assert (old.version, old.points, old.max_score, old.claim_minutes) == ("1.0.0", 10, 100, 30)
    assert old.digest != present.digest
    assert catalogue.at_version(db, present, "1.0.0") is old  # read once: every step of an attempt asks for it
    assert catalogue.at_version(db, present, "2.0.0") == present
    assert catalogue.at_version(db, present, None) == present


def test_a_version_that_never_was_is_not_found(db):
    evaluation = make.evaluation(db)

    with pytest.raises(NoSuchVersion):
        catalogue.at_version(db, evaluation, "0.9.0")
