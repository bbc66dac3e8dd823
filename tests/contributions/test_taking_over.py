"""A pull request of somebody else becomes a submission."""

import pytest

from tests import make
from tests.contributions.github_server import GitHubServer
from tests.contributions.repositories import new_bare_copy, new_repository
from tests.contributions.submitted import HANDLER, maintainer
from viva.agents.access import MaintainersOnly
from viva.contributions import documents, publishing, reviewing, store, taking_over
from viva.contributions.destination import Destination
from viva.contributions.publishing import ReviewDecision
from viva.contributions.taking_over import NoGitHub
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.jobs import queue

pytestmark = pytest.mark.slow

CODE = sips.Executable("contributed.likes_tea", "SIP-12.py")
TEA = {"sip": 12, "id": "tea-making", "name": "Tea making", "author": "Octavia"}


@pytest.fixture
def github(tmp_path):
    with GitHubServer(new_bare_copy(new_repository(tmp_path / "work"), tmp_path / "remote.git")) as server:
        yield server


@pytest.fixture
def destination(tmp_path, github):
    return Destination(tmp_path / "sips", None, github.github)


def offer(github: GitHubServer, text: str, **files: str) -> str:
    """Somebody's pull request with a SIP; its address."""
    pull = github.add("their-branch", "c0ffee")
    named = {"evaluations/SIP-12.md": text} | {f"evaluations/SIP-12.{ending}": code for ending, code in files.items()}
    github.files[pull["number"]] = {"README.md": b"Read me."} | {name: text.encode() for name, text in named.items()}
    return str(pull["html_url"])


def take_over(db, destination, number: int = 1) -> str | None:
    """The work of one job; the reason why it did not succeed."""
    work = taking_over.work(destination)
    task = work.read(db, {"number": number})
    return work.keep(db, task, work.think(task), False)


def test_the_sip_of_a_pull_request_becomes_a_submission_under_its_authors_name(db, destination, github):
    url = offer(github, sips.render(make.sip(**TEA)))

    assert take_over(db, destination) is None

    (waiting,) = reviewing.list_queue(db).contributions
    taken = store.get(db, waiting.id)
    assert (taken.contributor_name, taken.contributor_id, taken.contributor_email) == ("octocat", None, None)
    assert (taken.status, taken.evaluation_id, taken.author, taken.merged_pr_url) == (
        "submitted",
        "tea-making",
        "Octavia",
        url,
    )
    assert taken.body == documents.further_sections(make.sip().body)
    assert store.find_validation(db, taken.id) is not None


def test_its_handler_comes_with_it_and_it_can_be_published(db, destination, github):
    sip = make.sip(**TEA, type="simple_pass_fail", config={}, executable=CODE, body="Tea.\n")
    offer(github, sips.render(sip), py=HANDLER)
    take_over(db, destination)
    (waiting,) = reviewing.list_queue(db).contributions
    db.execute("UPDATE evaluation_contribution_gates SET status = 'not_checked'")

    decision = ReviewDecision(auto_merge=True, gate_ticked=True)
    publishing.approve(db, destination, waiting.id, maintainer(db), decision)
    merged = publishing.publish(db, destination, waiting.id)

    assert (merged.status, merged.sip_number, merged.publication_problem) == ("merged", 100, None)
    assert evaluations.get(db, "SIP-100").handler == "contributed.likes_tea"
    assert (destination.folder / "SIP-100.py").read_text() == HANDLER


def test_taking_over_twice_is_the_same_as_once(db, destination, github):
    offer(github, sips.render(make.sip(**TEA)))

    take_over(db, destination)
    take_over(db, destination)

    assert reviewing.list_queue(db).total == 1


def test_after_requested_changes_the_new_text_is_submitted_again(db, destination, github):
    offer(github, sips.render(make.sip(**TEA)))
    take_over(db, destination)
    (waiting,) = reviewing.list_queue(db).contributions
    reviewing.request_changes(db, waiting.id, maintainer(db), "Say more.")
    better = sips.render(make.sip(**TEA | {"name": "Making tea"}))
    github.files[1]["evaluations/SIP-12.md"] = better.encode()

    take_over(db, destination)

    again = store.get(db, waiting.id)
    assert (again.status, again.name, again.submissions, again.revision) == ("submitted", "Making tea", 2, 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no front matter", "This SIP is not valid"),
        ("---\nid: tea\ntype: essay\n---\n", "tea is not an evaluation"),
        (None, "this one has 0"),
    ],
)
def test_a_pull_request_without_an_evaluation_is_refused_with_the_reason(db, destination, github, text, reason):
    offer(github, text or "")
    if text is None:
        del github.files[1]["evaluations/SIP-12.md"]

    assert reason in str(take_over(db, destination))

    assert reviewing.list_queue(db).total == 0


def test_a_closed_or_unknown_pull_request_is_refused(db, destination, github):
    offer(github, sips.render(make.sip(**TEA)))
    github.pulls[0]["state"] = "closed"

    assert take_over(db, destination) == "Pull request 1 is not open."
    assert take_over(db, destination, 77) == "GitHub answered with status 404: Not Found."


def test_only_maintainers_of_a_hub_with_a_repository_on_github_take_over(db, destination, tmp_path):
    with pytest.raises(MaintainersOnly):
        taking_over.request(db, destination, make.agent(db, "ada"), 1)
    with pytest.raises(NoGitHub, match="VIVA_GITHUB_REPO"):
        taking_over.request(db, Destination(tmp_path), maintainer(db), 1)

    requested = taking_over.request(db, destination, maintainer(db, "max"), 1)

    assert queue.get(db, requested.id).data == {"number": 1}
