"""Approving a contribution: its number, its files, its place in the catalogue, and what forbids it."""

import asyncio
import dataclasses
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.contributions.repositories import git, new_repository
from tests.contributions.submitted import HANDLER, gate, maintainer, submission
from tests.hub import write_sip
from viva import serving, worker
from viva.agents.access import MaintainersOnly
from viva.contributions import publishing, store
from viva.contributions.destination import Destination
from viva.contributions.files import PublishedFiles, write_files
from viva.contributions.gaming import GateRunning
from viva.contributions.model import Contribution, GateOutcome, WrongState
from viva.contributions.publication_store import EvaluationIdTaken
from viva.contributions.publishing import ApprovedContribution, ReviewDecision
from viva.evaluations import catalogue, numbers
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.catalogue import IdReserved
from viva.evaluations.companions import parse_with_companion
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import InvalidSip
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import DatabaseDown

CONSTANT_PASSES = GateOutcome("constant", 3, 3, "error", "It passes with the same answer to everything.")
MERGE = ReviewDecision("Well done.", auto_merge=True, gate_ticked=True)


@pytest.fixture
def ours(tmp_path):
    return tmp_path / "sips"


@pytest.fixture
def mia(db):
    return maintainer(db)


BOTH_FILES = ["SIP-100.keys.yaml", "SIP-100.md"]  # the exemplars stand in the first


def approve(db, ours, mia, contribution: Contribution, decision: ReviewDecision = MERGE) -> Contribution:
    """Both transactions of an approval."""
    with make.unit(db):
        approved = publishing.approve(db, Destination(ours), contribution.id, mia, decision).contribution
    return publishing.publish(db, Destination(ours), approved.id)


def test_approval_generates_correct_sip_file(db, ours, mia):
    merged = approve(db, ours, mia, submission(db))

    assert sorted(path.name for path in ours.iterdir()) == BOTH_FILES
    written = sips.parse((ours / "SIP-100.md").read_text("utf-8"))
    assert (written.sip, written.id, written.name, written.status) == (100, "tea-making", "Tea making", "active")
    assert (
        written.body == "## What this evaluation tests\n\nWhether an agent can make tea.\n\n## Procedure\n\n"
        "*This section stands in the private companion.*\n"
    )
    assert written.exemplars is None
    whole = parse_with_companion(ours / "SIP-100.md", (ours / "SIP-100.md").read_text("utf-8"))
    assert whole.body.endswith("## Procedure\n\n1. Ask for tea.\n")
    assert whole.exemplars == [{"probe": "tea", "pass": "Boil water.", "fail": "No."}]
    assert evaluations.get(db, "SIP-100").name == "Tea making"
    assert catalogue.sync(db, [ours]) == []
    assert (merged.status, merged.sip_number, merged.evaluation_id) == ("merged", 100, "tea-making")
    assert (merged.reviewed_by, merged.review_notes, merged.auto_merge) == (mia.id, "Well done.", True)
    assert merged.merged_at is not None
    assert merged.publication_problem is None


def test_handler_registration_works(db, ours, mia):
    contribution = submission(
        db, type="simple_pass_fail", config={}, executable_handler="likes_tea", executable_code=HANDLER
    )

    approve(db, ours, mia, contribution)

    assert sorted(path.name for path in ours.iterdir()) == ["SIP-100.keys.yaml", "SIP-100.md", "SIP-100.py"]
    assert (ours / "SIP-100.py").read_text() == HANDLER
    assert evaluations.get(db, "SIP-100").handler == "contributed.likes_tea"
    assert sips.parse((ours / "SIP-100.md").read_text()).executable == sips.Executable(
        "contributed.likes_tea", "SIP-100.py"
    )


def test_code_does_not_come_with_a_handler_of_vivas_own(db, ours, mia):
    approve(db, ours, mia, submission(db, executable_code=HANDLER))

    assert sorted(path.name for path in ours.iterdir()) == ["SIP-100.keys.yaml", "SIP-100.md"]
    assert evaluations.get(db, "SIP-100").handler == "proctored"


def test_sip_number_assignment_is_correct(db, ours, mia):
    make.evaluation(db, sip=7, id="shipped")
    first = approve(db, ours, mia, submission(db, "First"))
    make.evaluation(db, sip=104, id="imported")
    ours.joinpath("SIP-105.md").write_text("a draft that does not parse")

    second = approve(db, ours, mia, submission(db, "Second"))

    assert (first.sip_number, second.sip_number) == (100, 106)
    assert numbers.suggest_number(db) == 107


def test_a_number_is_never_given_twice(db, ours, mia):
    with make.unit(db):
        publishing.approve(db, Destination(ours), submission(db, "First").id, mia, MERGE)

    second = approve(db, ours, mia, submission(db, "Second"))

    assert second.sip_number == 101
    with pytest.raises(catalogue.NumberTaken, match="SIP-100 is already first"):
        make.evaluation(db, sip=100, id="another")


def test_the_event_log_has_the_approval_and_the_publication(db, ours, mia):
    contribution = approve(db, ours, mia, submission(db))

    logged = [event for event in events.list_events(db, 10, None).items if event.subject_id == contribution.id]
    assert [(event.action, event.data) for event in reversed(logged)] == [
        ("contribution.approved", {"auto_merge": True, "gate": "not_checked", "number": 100}),
        ("contribution.merged", {"number": 100}),
    ]


@pytest.mark.parametrize("status", ["draft", "rejected", "approved", "merged"])
def test_only_what_waits_for_a_decision_can_be_approved(db, ours, mia, status):
    more: dict[str, Any] = {
        "sip_number": 150 if status in ("approved", "merged") else None,
        "merged_at": now() if status == "merged" else None,
        "rejection_reason": "No." if status == "rejected" else None,
    }
    contribution = submission(db, status=status, **more)

    with pytest.raises(WrongState, match=f"This contribution is {status}"):
        approve(db, ours, mia, contribution)

    assert not ours.exists()


def test_the_second_maintainer_is_told(db, ours, mia):
    contribution = submission(db, status="under_review")
    approve(db, ours, mia, contribution)

    with pytest.raises(WrongState, match="merged"):
        approve(db, ours, maintainer(db, "max"), contribution)

    assert sorted(path.name for path in ours.iterdir()) == BOTH_FILES


def test_only_maintainers_approve(db, ours):
    with pytest.raises(MaintainersOnly):
        approve(db, ours, make.agent(db, "ada"), submission(db))


def test_an_id_that_is_in_use_is_refused_and_takes_no_number(db, ours, mia):
    make.evaluation(db, id="tea-making")
    contribution = submission(db)

    with pytest.raises(EvaluationIdTaken):
        approve(db, ours, mia, contribution)

    assert numbers.suggest_number(db) == 100


def test_of_two_contributions_with_one_id_one_is_approved(db, ours, mia):
    first, second = submission(db), submission(db)
    with make.unit(db):
        publishing.approve(db, Destination(ours), first.id, mia, MERGE)

    with pytest.raises(EvaluationIdTaken):
        approve(db, ours, mia, second)

    assert store.get(db, second.id).status == "submitted"


def test_what_no_sync_would_take_is_not_approved(db, ours, mia):
    contribution = submission(db, module="")

    with pytest.raises(InvalidSip):
        approve(db, ours, mia, contribution)

    assert store.get(db, contribution.id).status == "submitted"


def test_code_that_the_sandbox_would_refuse_is_not_approved(db, ours, mia):
    contribution = submission(
        db, type="simple_pass_fail", config={}, executable_handler="likes_tea", executable_code="import os"
    )

    with pytest.raises(InvalidSip):
        approve(db, ours, mia, contribution)

    assert not ours.exists()


@pytest.mark.parametrize("number", [7, 150])
def test_no_sync_takes_the_id_of_an_approved_contribution(db, ours, mia, tmp_path, number):
    approved = publishing.approve(db, Destination(ours), submission(db).id, mia, MERGE).contribution
    write_sip(tmp_path, f"SIP-{number}.md", sip=number, id="tea-making")

    (refused,) = catalogue.sync(db, [tmp_path])

    assert refused.path.name == f"SIP-{number}.md"
    assert str(refused.error) == (
        "tea-making is the id of an approved contribution that becomes SIP-100. Give this one another id."
    )
    assert numbers.find_owner(db, 150) is None
    assert publishing.publish(db, Destination(ours), approved.id).status == "merged"
    assert evaluations.find_number(db, "tea-making") == 100


def test_a_file_of_the_contribution_itself_is_synced_before_its_publication(db, ours, mia):
    approved = publishing.approve(db, Destination(ours), submission(db).id, mia, MERGE).contribution
    write_files(publishing.files_of(approved), ours, ours)

    assert catalogue.sync(db, [ours]) == []
    assert publishing.publish(db, Destination(ours), approved.id).status == "merged"


def test_an_evaluation_that_is_live_may_change_its_number(db, ours, mia):
    merged = approve(db, ours, mia, submission(db))
    document = evaluations.get_document(db, "tea-making", "1.0.0")

    catalogue.put(db, dataclasses.replace(sips.parse(document), sip=120))

    assert merged.sip_number == 100
    assert evaluations.find_number(db, "tea-making") == 120


@pytest.mark.soak
def test_of_an_approval_and_a_sync_at_once_one_gets_the_id(database, ours):
    names = [f"Tea {number}" for number in range(12)]
    mia, sent = database.write_now(lambda db: (maintainer(db), [submission(db, name).id for name in names]))
    destination = Destination(ours)
    approvals = [
        partial(database.write_now, lambda db, id_=id_: publishing.approve(db, destination, id_, mia, MERGE))
        for id_ in sent
    ]
    syncs = [
        partial(database.write_now, lambda db, at=at: make.evaluation(db, id=f"tea-{at}", sip=10 + at))
        for at in range(len(names))
    ]

    outcomes = make.together(*(work for pair in zip(approvals, syncs, strict=True) for work in pair))

    for approval, sync in zip(outcomes[::2], outcomes[1::2], strict=True):
        assert {type(approval), type(sync)} in ({ApprovedContribution, IdReserved}, {EvaluationIdTaken, Evaluation})
    while database.write_now(lambda db: publishing.publish_next(db, Destination(ours), now())):
        pass
    stuck = "SELECT count(*) FROM evaluation_contributions WHERE status = 'approved'"
    assert database.read_now(lambda db: db.execute(stuck).fetchone())[0] == 0


def test_an_id_that_an_earlier_release_gave_away_is_told(db, ours, mia):
    approved = publishing.approve(db, Destination(ours), submission(db).id, mia, MERGE).contribution
    db.execute("DELETE FROM evaluation_ids")
    make.evaluation(db, sip=7, id="tea-making")

    stuck = publishing.publish(db, Destination(ours), approved.id)

    assert (stuck.status, stuck.publication_problem) == ("approved", EvaluationIdTaken.__doc__)
    assert evaluations.find_number(db, "tea-making") == 7
    assert not ours.exists()


def test_what_waits_for_a_merge_is_not_published_directly(db, ours, mia):
    waiting = submission(db, status="approved", sip_number=100, auto_merge=False)

    assert publishing.publish(db, Destination(ours), waiting.id).status == "approved"
    assert not ours.exists()


def test_the_answers_and_the_handler_are_written_before_the_sip_that_names_them(tmp_path):
    files = PublishedFiles(make.sip(sip=100, exemplars=[{"probe": "a", "pass": "b", "fail": "c"}]), HANDLER)
    (tmp_path / "full").touch()

    with pytest.raises(NotADirectoryError):
        write_files(files, tmp_path / "full" / "sips", tmp_path / "keys")

    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["SIP-100.keys.yaml", "SIP-100.py"]


def offered_by_git(repository: Path) -> list[str]:
    """What `git add .` would take from the working tree."""
    return sorted(git(repository, "status", "--porcelain", "-uall").replace("?? ", "").split())


def test_answers_are_not_written_into_a_working_tree_of_git(db, mia, tmp_path):
    repository, keys = new_repository(tmp_path / "repository"), tmp_path / "data"
    destination = Destination(repository / "deep" / "sips", keys_folder=keys)
    code = {"executable_handler": "likes_tea", "executable_code": HANDLER}
    own = submission(db, "Own", type="simple_pass_fail", config={}, **code)
    with make.unit(db):
        approved = publishing.approve(db, destination, own.id, mia, MERGE).contribution

    assert publishing.publish(db, destination, approved.id).status == "merged"

    assert offered_by_git(repository) == ["deep/sips/SIP-100.md"]
    assert "Boil water." not in (repository / "deep" / "sips" / "SIP-100.md").read_text()
    assert sorted(path.name for path in keys.iterdir()) == ["SIP-100.keys.yaml", "SIP-100.py"]
    assert catalogue.sync(db, [destination.folder], [keys]) == []
    (keys / "SIP-100.keys.yaml").unlink()
    assert publishing.write_missing_files(db, destination) == 1
    assert offered_by_git(repository) == ["deep/sips/SIP-100.md"]


def test_git_ignores_answers_in_a_data_folder_inside_a_working_tree(db, mia, tmp_path):
    repository = new_repository(tmp_path / "repository")
    data = repository / "data" / "sips"
    data.mkdir(parents=True)
    (data / ".gitignore").write_text("*.tmp")
    destination = Destination(data, keys_folder=data)
    with make.unit(db):
        approved = publishing.approve(db, destination, submission(db).id, mia, MERGE).contribution

    assert publishing.publish(db, destination, approved.id).status == "merged"

    assert (data / "SIP-100.keys.yaml").exists()
    assert offered_by_git(repository) == ["data/sips/.gitignore", "data/sips/SIP-100.md"]


def test_without_a_repository_only_auto_merge_is_possible(db, ours, mia):
    with pytest.raises(publishing.NoRepository, match="VIVA_SIPS_REPO"):
        approve(db, ours, mia, submission(db), ReviewDecision(gate_ticked=True))


def test_the_gate_decides_whether_an_approval_is_possible(db, ours, mia):
    running, failed, unchecked = (submission(db, name) for name in ("Running", "Failed", "Unchecked"))
    gate(db, running, "running")
    gate(db, failed, "failed", CONSTANT_PASSES)

    with pytest.raises(GateRunning):
        approve(db, ours, mia, running)
    with pytest.raises(publishing.GateFailed, match="Agent constant: It passes"):
        approve(db, ours, mia, failed)
    with pytest.raises(publishing.GateNotTicked):
        approve(db, ours, mia, unchecked, ReviewDecision(auto_merge=True))

    assert approve(db, ours, mia, unchecked).status == "merged"


def test_a_checked_revision_needs_no_tick(db, ours, mia):
    contribution = submission(db)
    gate(db, contribution, "passed")

    approved = publishing.approve(db, Destination(ours), contribution.id, mia, ReviewDecision(auto_merge=True))

    assert approved.gate == "passed"


def test_a_gate_of_an_earlier_revision_says_nothing(db, ours, mia):
    contribution = submission(db)
    gate(db, contribution, "failed", CONSTANT_PASSES)
    db.execute("UPDATE evaluation_contributions SET revision = 2 WHERE id = ?", [contribution.id])

    assert approve(db, ours, mia, contribution).status == "merged"


def test_a_stop_after_the_approval_is_repaired(db, ours, mia):
    publishing.approve(db, Destination(ours), submission(db).id, mia, MERGE)

    assert publishing.publish_next(db, Destination(ours), tried_before=now()) == 1
    assert publishing.publish_next(db, Destination(ours), tried_before=now()) == 0

    assert evaluations.get(db, "SIP-100").id == "tea-making"
    assert sorted(path.name for path in ours.iterdir()) == BOTH_FILES


def test_a_stop_after_the_file_is_repaired_under_the_same_number(db, ours, mia):
    approved = publishing.approve(db, Destination(ours), submission(db).id, mia, MERGE).contribution
    write_files(publishing.files_of(approved), ours, ours)
    catalogue.sync(db, [ours])

    publishing.publish_next(db, Destination(ours), tried_before=now())

    assert store.get(db, approved.id).status == "merged"
    assert evaluations.find_number(db, "tea-making") == 100
    assert sorted(path.name for path in ours.iterdir()) == BOTH_FILES


def test_a_problem_is_kept_with_the_contribution_and_tried_again(db, ours, mia):
    ours.parent.mkdir(exist_ok=True)
    ours.write_text("a file where the folder should be")
    stuck = approve(db, ours, mia, submission(db))
    ours.unlink()

    publishing.publish_next(db, Destination(ours), tried_before=now())

    assert stuck.status == "approved"
    assert stuck.publication_problem == "The file cannot be written: File exists. The hub tries again."
    mended = store.get(db, stuck.id)
    assert (mended.status, mended.publication_problem) == ("merged", None)


def test_a_problem_does_not_hide_those_behind_it(db, ours, mia):
    ours.mkdir()
    first = publishing.approve(db, Destination(ours), submission(db, "First").id, mia, MERGE).contribution
    second = publishing.approve(db, Destination(ours), submission(db, "Second").id, mia, MERGE).contribution
    ours.joinpath("SIP-100.md").write_text("somebody else's")

    at = now()
    tried = [publishing.publish_next(db, Destination(ours), tried_before=at) for _ in range(3)]

    assert store.get(db, second.id).status == "merged"
    assert "SIP-100.md" in str(store.get(db, first.id).publication_problem)
    assert ours.joinpath("SIP-100.md").read_text() == "somebody else's"
    assert tried == [1, 1, 0]


def test_the_next_start_publishes_what_a_stop_has_left_approved(database, ours):
    def approve_only(db) -> str:
        mia = maintainer(db)
        return publishing.approve(db, Destination(ours), submission(db).id, mia, MERGE).contribution.id

    stopped = database.write_now(approve_only)

    serving.repair_publications(database, Destination(ours))

    assert database.read_now(lambda db: store.get(db, stopped)).status == "merged"
    assert sorted(path.name for path in ours.iterdir()) == BOTH_FILES


def test_a_start_without_a_usable_folder_goes_on(database, ours):
    def publish(db) -> None:
        approve(db, ours, maintainer(db), submission(db))

    database.write_now(publish)
    nowhere = ours / "SIP-100.md" / "below a file"

    serving.repair_publications(database, Destination(nowhere))


def test_the_sweep_publishes_what_is_left(database, ours):
    def approve_long_ago(db) -> None:
        publishing.approve(db, Destination(ours), submission(db).id, maintainer(db), MERGE)
        db.execute("UPDATE evaluation_contributions SET publication_tried_at = ?", [now() - timedelta(minutes=2)])

    database.write_now(approve_long_ago)
    ((sweep, _),) = worker.publication_sweeps(Destination(ours))

    tried = [database.write_now(sweep) for _ in range(2)]

    assert tried == [1, 0]
    assert database.read_now(lambda db: evaluations.get(db, "SIP-100")).id == "tea-making"


def test_while_the_database_is_down_the_approval_stands(ours):
    class Down:
        async def write(self, work: Any) -> None:
            raise DatabaseDown()

    assert asyncio.run(publishing.publish_now(Down(), Destination(ours), "eval_contrib_x")) is None  # type: ignore[arg-type]


def test_a_folder_in_the_working_tree_is_left_to_git_at_a_start_too(db, ours, mia):
    approve(db, ours, mia, submission(db))
    db.execute("UPDATE evaluation_contributions SET auto_merge = FALSE")
    repository = ours.parent / "repository"

    assert publishing.write_missing_files(db, Destination(repository / "sips", repository)) == 0
    assert publishing.write_missing_files(db, Destination(ours.parent / "elsewhere", repository)) == 1


def test_a_machine_writes_the_answers_of_what_git_brings(db, ours, mia, tmp_path):
    approve(db, ours, mia, submission(db))
    db.execute("UPDATE evaluation_contributions SET auto_merge = FALSE")
    destination = Destination(tmp_path / "repository" / "sips", tmp_path / "repository", keys_folder=tmp_path / "data")

    assert publishing.write_missing_files(db, destination) == 1
    assert publishing.write_missing_files(db, destination) == 0

    assert [path.name for path in (tmp_path / "data").iterdir()] == ["SIP-100.keys.yaml"]


def test_a_machine_writes_the_files_that_it_does_not_have(db, ours, mia, tmp_path):
    approve(db, ours, mia, submission(db, "Plain"))
    code = {"executable_handler": "likes_tea", "executable_code": HANDLER}
    approve(db, ours, mia, submission(db, "Own", type="simple_pass_fail", config={}, **code))
    theirs = tmp_path / "another"

    assert publishing.write_missing_files(db, Destination(theirs)) == 2
    assert publishing.write_missing_files(db, Destination(theirs)) == 0

    assert {path.name: path.read_bytes() for path in theirs.iterdir()} == {
        path.name: path.read_bytes() for path in ours.iterdir()
    }


def test_only_the_revision_that_the_maintainer_read_is_approved(db, ours, mia):
    """Another maintainer may have asked for changes, and the contributor may have submitted again."""
    changed = submission(db, revision=6)

    with pytest.raises(publishing.ReviewedAnother):
        approve(db, ours, mia, changed, MERGE._replace(revision=5))

    assert store.get(db, changed.id).status == "submitted"
    assert approve(db, ours, mia, changed, MERGE._replace(revision=6)).status == "merged"
