"""Publishing by git: a branch in a real repository, a pull request on a server that speaks GitHub's API, the merge."""

import asyncio
from typing import Any

import msgspec
import pytest

from tests.contributions.github_server import GitHubServer
from tests.contributions.repositories import git, new_bare_copy, new_repository
from tests.contributions.submitted import HANDLER, maintainer, submission
from viva import serving, worker
from viva.config import Config
from viva.contributions import following, publishing, store
from viva.contributions.destination import Destination
from viva.contributions.model import Contribution
from viva.contributions.publishing import ReviewDecision
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.jobs import queue, workers
from viva.judging.panel import Panel
from viva.kit.db import Connection
from viva.kit.fetching import Fetcher

pytestmark = pytest.mark.slow

BRANCH = "contribution/SIP-100"
OWN_HANDLER = {
    "type": "simple_pass_fail",
    "config": {},
    "executable_handler": "likes_tea",
    "executable_code": HANDLER,
}


@pytest.fixture
def repository(tmp_path):
    return new_repository(tmp_path / "repository")


@pytest.fixture
def destination(tmp_path, repository):
    return Destination(tmp_path / "sips", repository, None, "http://hub.example")


def approve(db: Connection, destination: Destination, **changes: Any) -> Contribution:
    decision = ReviewDecision(gate_ticked=True)
    contribution = submission(db, **changes)
    return publishing.approve(db, destination, contribution.id, maintainer(db), decision).contribution


def follow(db: Connection, destination: Destination, contribution: Contribution, is_last: bool = False) -> str | None:
    """The work of one job."""
    work = following.work(destination)
    task = work.read(db, {"contribution_id": contribution.id})
    return work.keep(db, task, work.think(task), is_last)


def test_an_approval_without_auto_merge_puts_a_job(db, destination):
    approved = approve(db, destination)

    job = queue.take(db, 30)
    assert job is not None
    assert (job.work, job.data) == ("follow_contribution", {"contribution_id": approved.id})
    assert (approved.status, approved.auto_merge, approved.sip_number) == ("approved", False, 100)


def test_the_branch_has_one_commit_without_the_code_of_the_handler(db, destination, repository):
    approved = approve(db, destination, contributor_name="Ada <x>\nEve", **OWN_HANDLER)

    assert follow(db, destination, approved) is None

    assert git(repository, "rev-list", "--count", f"main..{BRANCH}") == "1"
    assert git(repository, "ls-tree", "-r", "--name-only", BRANCH).split() == [
        "README.md",
        "sips/SIP-100.md",
    ]
    assert sips.parse(git(repository, "show", f"{BRANCH}:sips/SIP-100.md") + "\n").id == "tea-making"
    assert git(repository, "log", "-1", "--format=%an <%ae>", BRANCH) == "Ada xEve <contributions@hub.example>"
    assert git(repository, "log", "-1", "--format=%s", BRANCH) == "SIP-100: Tea making"
    assert git(repository, "fsck", "--strict") == ""


def test_no_branch_has_an_answer_and_the_hub_has_all_of_them(db, tmp_path, repository):
    keys = tmp_path / "data"
    destination = Destination(repository / "sips", repository, None, "http://hub.example", keys)
    question = {"id": "tea", "kind": "exact", "text": "Which tea?", "answers": ["oolong"]}
    benchmark = {"type": "complex_benchmark", "config": {"questions": [question]}, "executable_handler": "benchmark"}
    approved = approve(db, destination, **benchmark)
    follow(db, destination, approved)

    committed = git(repository, "show", f"{BRANCH}:sips/SIP-100.md")
    assert "Which tea?" in committed
    assert "oolong" not in committed
    assert "exemplars" not in committed
    git(repository, "merge", "-q", BRANCH)
    follow(db, destination, approved)

    assert evaluations.get(db, "SIP-100").config["questions"] == [question]
    assert [path.name for path in keys.iterdir()] == ["SIP-100.keys.yaml"]
    assert "oolong" not in git(repository, "log", "-p")
    assert catalogue.sync(db, [keys, repository / "sips"]) == []
    assert evaluations.get(db, "SIP-100").config["questions"][0]["answers"] == ["oolong"]


def test_what_a_branch_leaves_out_goes_live_with_it(db, tmp_path, repository):
    keys = tmp_path / "data"
    destination = Destination(repository / "sips", repository, None, "http://hub.example", keys)
    body = "## What this evaluation tests\n\nWhether an agent can make tea.\n\n## Answer key\n\nOolong.\n"
    approved = approve(db, destination, **OWN_HANDLER, body=body)
    follow(db, destination, approved)
    git(repository, "merge", "-q", BRANCH)
    follow(db, destination, approved)

    assert "Oolong" not in git(repository, "log", "-p")
    assert evaluations.get(db, "SIP-100").body == body
    assert evaluations.get(db, "SIP-100").handler_code == HANDLER
    assert sorted(path.name for path in keys.iterdir()) == ["SIP-100.keys.yaml", "SIP-100.py"]
    assert catalogue.sync(db, [repository / "sips"], [keys]) == []
    assert evaluations.get(db, "SIP-100").body == body


def test_the_working_tree_is_not_touched(db, destination, repository):
    (repository / "README.md").write_text("being edited")

    follow(db, destination, approve(db, destination))

    assert git(repository, "status", "--porcelain") == "M README.md"
    assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert not destination.folder.exists()


def test_files_go_where_the_repository_has_its_sips(db, tmp_path):
    repository = new_bare_copy(
        new_repository(tmp_path / "work", **{"evaluations/SIP-3.md": "a SIP"}), tmp_path / "bare.git"
    )
    destination = Destination(tmp_path / "sips", repository)

    follow(db, destination, approve(db, destination))

    assert git(repository, "ls-tree", "--name-only", BRANCH, "evaluations/").split() == [
        "evaluations/SIP-100.md",
        "evaluations/SIP-3.md",
    ]


def test_an_empty_repository_gets_a_branch_too(db, tmp_path):
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    destination = Destination(tmp_path / "sips", tmp_path / "empty.git")

    follow(db, destination, approve(db, destination))

    assert git(tmp_path / "empty.git", "ls-tree", "-r", "--name-only", BRANCH) == "sips/SIP-100.md"


def test_a_second_look_makes_no_second_commit(db, destination, repository):
    approved = approve(db, destination)
    follow(db, destination, approved)
    first = git(repository, "rev-parse", BRANCH)

    follow(db, destination, approved)

    assert git(repository, "rev-parse", BRANCH) == first
    assert store.get(db, approved.id).status == "approved"


@pytest.mark.parametrize("how", [["merge", "-q", "--no-ff", "-m", "Merge."], ["merge", "-q", "--squash"]])
def test_the_state_follows_when_the_branch_is_merged(db, destination, repository, how):
    approved = approve(db, destination, **OWN_HANDLER)
    follow(db, destination, approved)
    git(repository, *how, BRANCH)
    if "--squash" in how:
        git(repository, "commit", "-qm", "Squashed.")

    follow(db, destination, approved)

    assert store.get(db, approved.id).status == "merged"
    assert evaluations.get(db, "SIP-100").handler == "contributed.likes_tea"
    assert sorted(path.name for path in destination.folder.iterdir()) == [
        "SIP-100.keys.yaml",
        "SIP-100.md",
        "SIP-100.py",
    ]


def test_a_look_at_the_branch_in_a_working_tree_is_not_a_merge(db, destination, repository):
    approved = approve(db, destination)
    follow(db, destination, approved)
    git(repository, "checkout", "-q", BRANCH)

    follow(db, destination, approved)

    assert store.get(db, approved.id).status == "approved"


def test_what_maintainers_changed_before_the_merge_goes_live(db, destination, repository):
    approved = approve(db, destination)
    follow(db, destination, approved)
    git(repository, "merge", "-q", BRANCH)
    path = repository / "sips" / "SIP-100.md"
    path.write_text(path.read_text().replace("name: Tea making", "name: Making tea"))
    git(repository, "commit", "-qam", "Better name.")

    follow(db, destination, approved)

    assert evaluations.get(db, "SIP-100").name == "Making tea"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [("sip: 100", "sip: 3", "another number"), ("name: Tea making\n", "", "name is missing")],
)
def test_a_merged_file_that_cannot_be_used_is_told_until_it_is_mended(db, destination, repository, old, new, problem):
    approved = approve(db, destination)
    follow(db, destination, approved)
    git(repository, "merge", "-q", BRANCH)
    path = repository / "sips" / "SIP-100.md"
    good = path.read_text()
    path.write_text(good.replace(old, new))
    git(repository, "commit", "-qam", "Worse.")
    follow(db, destination, approved)
    stuck = store.get(db, approved.id)
    path.write_text(good)
    git(repository, "commit", "-qam", "Mended.")

    follow(db, destination, approved)

    assert stuck.status == "approved"
    assert problem in str(stuck.publication_problem)
    mended = store.get(db, approved.id)
    assert (mended.status, mended.publication_problem) == ("merged", None)


def test_a_folder_in_the_working_tree_is_left_to_git(db, repository):
    destination = Destination(repository / "sips", repository)
    approved = approve(db, destination)
    follow(db, destination, approved)
    commit = git(repository, "rev-parse", BRANCH)
    git(repository, "update-ref", "refs/heads/main", commit)  # as a push to this repository does

    follow(db, destination, approved)

    assert store.get(db, approved.id).status == "merged"
    assert not (repository / "sips").exists()


def test_a_repository_that_is_gone_loses_no_approval(db, destination, repository, tmp_path):
    approved = approve(db, destination)
    repository.rename(tmp_path / "elsewhere")
    first, last = follow(db, destination, approved), follow(db, destination, approved, is_last=True)
    stuck = store.get(db, approved.id)
    (tmp_path / "elsewhere").rename(repository)

    follow(db, destination, approved)

    assert (first, last) == ("VIVA_SIPS_REPO is not a git repository.", None)
    assert (stuck.status, stuck.publication_problem) == ("approved", "VIVA_SIPS_REPO is not a git repository.")
    assert store.get(db, approved.id).publication_problem is None
    assert git(repository, "branch", "--list", BRANCH) == BRANCH


@pytest.fixture
def github(repository, tmp_path):
    with GitHubServer(new_bare_copy(repository, tmp_path / "remote.git")) as server:
        yield server


@pytest.fixture
def proposed(destination, github):
    """A destination whose branches become pull requests."""
    return msgspec.structs.replace(destination, github=github.github)


def test_with_a_token_the_branch_is_pushed_and_a_pull_request_opened(db, proposed, github):
    approved = approve(db, proposed)

    assert follow(db, proposed, approved) is None

    (pull,) = github.pulls
    assert (pull["title"], pull["head"]["ref"]) == ("SIP-100: Tea making", BRANCH)
    assert "Contributed by Ada" in pull["body"]
    assert git(github.path, "ls-tree", "-r", "--name-only", BRANCH).split() == ["README.md", "sips/SIP-100.md"]
    kept = store.get(db, approved.id)
    assert (kept.merged_pr_url, kept.status, kept.publication_problem) == (pull["html_url"], "approved", None)


def test_a_second_look_opens_no_second_pull_request(db, proposed, github):
    approved = approve(db, proposed)

    follow(db, proposed, approved)
    follow(db, proposed, approved)

    assert len(github.pulls) == 1


def test_a_pull_request_that_another_worker_has_just_opened_is_taken(db, proposed, github, monkeypatch):
    approved = approve(db, proposed)
    follow(db, proposed, approved)

    pull = following.propose(proposed, github.github, approved)

    assert (pull.number, len(github.pulls)) == (1, 1)


def test_the_state_follows_when_the_pull_request_is_merged(db, proposed, github):
    approved = approve(db, proposed, **OWN_HANDLER)
    follow(db, proposed, approved)
    github.merge(github.pulls[0])

    follow(db, proposed, approved)

    merged = store.get(db, approved.id)
    assert (merged.status, merged.merged_pr_url) == ("merged", github.pulls[0]["html_url"])
    assert evaluations.get(db, "SIP-100").id == "tea-making"
    assert (proposed.folder / "SIP-100.py").read_text() == HANDLER


def test_a_closed_pull_request_is_told(db, proposed, github):
    approved = approve(db, proposed)
    follow(db, proposed, approved)
    github.pulls[0]["state"] = "closed"

    assert follow(db, proposed, approved) is None

    assert store.get(db, approved.id).publication_problem == following.CLOSED


def test_an_outage_of_github_loses_no_approval(db, proposed, github):
    approved = approve(db, proposed)
    github.is_down = True
    reason = follow(db, proposed, approved)
    stuck = store.get(db, approved.id)
    github.is_down = False

    follow(db, proposed, approved)

    assert reason == stuck.publication_problem == "GitHub answered with status 503: Unicorn."
    assert store.get(db, approved.id).merged_pr_url == github.pulls[0]["html_url"]


def test_a_wrong_token_is_told_and_never_shown(db, proposed, github):
    wrong = msgspec.structs.replace(proposed, github=msgspec.structs.replace(github.github, token="ghp_wrong"))
    approved = approve(db, wrong)

    reason = follow(db, wrong, approved)

    assert reason == "GitHub answered with status 401: Bad credentials."
    assert "ghp_wrong" not in str(store.get(db, approved.id))


def test_an_address_that_would_be_a_script_on_a_page_is_refused(db, proposed, github):
    approved = approve(db, proposed)
    follow(db, proposed, approved)
    github.pulls[0]["html_url"] = "javascript:alert(1)"

    assert follow(db, proposed, approved) == "GitHub gave an answer that cannot be read."

    assert str(store.get(db, approved.id).merged_pr_url).startswith("https://")


def test_an_unreachable_server_is_a_problem_that_ends_by_itself(db, proposed, github):
    approved = approve(db, proposed)
    github.__exit__()

    reason = follow(db, proposed, approved)
    github.__enter__()

    assert reason == "GitHub could not be reached (ConnectError)."


def test_what_waits_for_a_merge_is_looked_at_again(db, proposed):
    approved = approve(db, proposed)
    submission(db, "Other", status="approved", sip_number=150, auto_merge=True)
    while queue.take(db, 30):  # the branch, and notices of the approval
        pass
    following.start_due(db)
    before = queue.take(db, 30)
    db.execute("UPDATE evaluation_contributions SET publication_tried_at = ?", ["2026-01-01T00:00:00.000000+00:00"])

    following.start_due(db)
    following.start_due(db)

    after, none = queue.take(db, 30), queue.take(db, 30)
    assert before is None
    assert after is not None
    assert after.data == {"contribution_id": approved.id}
    assert none is None


def test_the_worker_of_a_configured_hub_makes_the_branch(database, repository, tmp_path):
    settings = {"VIVA_DATA_DIR": str(tmp_path), "VIVA_SIPS_REPO": str(repository)}
    config = Config.from_environment(settings)
    destination = config.destination
    table = worker.work_table(Panel([]), Fetcher(()), {}, destination, config.notices)
    database.write_now(lambda db: approve(db, destination))

    async def work_until_done() -> None:
        working = asyncio.create_task(workers.work_until_cancelled(database, table, 1, 30))
        async with asyncio.timeout(30):
            while not git(repository, "branch", "--list", BRANCH):
                await asyncio.sleep(0.02)
        working.cancel()

    asyncio.run(work_until_done())

    assert git(repository, "ls-tree", "-r", "--name-only", BRANCH).split() == ["README.md", "sips/SIP-100.md"]


def test_a_restart_reads_the_answers_of_what_git_brought_to_the_configured_folder(database, repository, tmp_path):
    folder, data = repository / "sips", tmp_path / "data"
    folder.mkdir()
    settings = {"VIVA_SIPS_DIR": folder, "VIVA_SIPS_REPO": repository, "VIVA_DATA_DIR": data}
    config = Config.from_environment({name: str(value) for name, value in settings.items()})
    question = {"id": "tea", "kind": "exact", "text": "Which tea?", "answers": ["oolong"]}
    benchmark = {"type": "complex_benchmark", "config": {"questions": [question]}, "executable_handler": "benchmark"}
    approved = database.write_now(lambda db: approve(db, config.destination, **benchmark))
    database.write_now(lambda db: follow(db, config.destination, approved))
    git(repository, "merge", "-q", BRANCH)
    database.write_now(lambda db: follow(db, config.destination, approved))

    report = serving.sync_catalogue(database, config)

    assert (report.refused, report.changes) == ([], [])
    assert [each.sip.id for each in report.synced] == ["tea-making"]
