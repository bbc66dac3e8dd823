"""Following an approved contribution that is published by git: its branch, its pull request, and the merge."""

from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from viva.contributions import publication_store, publishing, pull_requests, store
from viva.contributions.branch_commits import BranchCommit, GitProblem, branch_name
from viva.contributions.destination import Destination, GitHub
from viva.contributions.files import PublishedFiles, handler_name, sip_name
from viva.contributions.model import Contribution
from viva.contributions.publishing import FOLLOW_WORK
from viva.contributions.pull_requests import GitHubProblem, PullRequest
from viva.evaluations import companions, sip_yaml
from viva.evaluations import sip as sips
from viva.evaluations.sip import Sip
from viva.jobs import queue
from viva.jobs.model import Work
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, VivaError

FOLLOWING_INTERVAL = timedelta(minutes=2)  # GitHub allows 5,000 requests an hour
CLOSED = "The pull request was closed without a merge. Reopen it to publish the evaluation."


class MergedFileDiffers(Conflict):
    """The merged file has another number or another id than the approved contribution."""


class FollowOutcome(NamedTuple):
    """What was found: the address of the pull request, the merged files, or a problem that may end by itself."""

    url: str | None = None
    merged: dict[str, bytes] | None = None
    problem: str | None = None
    is_temporary: bool = False


def start_due(db: Connection) -> None:
    """Look again at every contribution that waits for a merge. The job queue retries what a network error stops."""
    for contribution_id in publication_store.take_unfollowed(db, now() - FOLLOWING_INTERVAL):
        queue.put(db, FOLLOW_WORK, {"contribution_id": contribution_id})


def work(destination: Destination) -> Work:
    """The background work "follow_contribution". Each step may run again: it looks first at what is there."""
    return Work(read, partial(think, destination), partial(keep, destination))


def read(db: Connection, data: dict[str, Any]) -> Contribution | None:
    contribution = store.get(db, data["contribution_id"])
    return contribution if is_waiting(contribution) else None


def is_waiting(contribution: Contribution) -> bool:
    return contribution.status == "approved" and not contribution.auto_merge


def think(destination: Destination, contribution: Contribution | None) -> FollowOutcome:
    from viva.contributions import git_branches  # imported late: the git library takes 40 ms and 4 MB

    if contribution is None:
        return FollowOutcome()
    if destination.repository is None:
        return FollowOutcome(problem="This hub has no git repository any more. Set VIVA_SIPS_REPO.")
    try:
        if destination.github:
            return follow_pull_request(destination, destination.github, contribution)
        merged = git_branches.read_merged(destination.repository, contribution.sip_number or 0)
        if merged is None:
            git_branches.make_branch(destination.repository, commit_of(destination, contribution))
        return FollowOutcome(merged=merged)
    except (GitProblem, GitHubProblem) as problem:
        return FollowOutcome(problem=str(problem), is_temporary=True)


def follow_pull_request(destination: Destination, github: GitHub, contribution: Contribution) -> FollowOutcome:
    number = contribution.sip_number or 0
    pull = pull_requests.find_pull_request(github, branch_name(number))
    pull = pull or propose(destination, github, contribution)
    if pull.merged_at:
        return FollowOutcome(pull.html_url, read_merged(github, pull, number))
    return FollowOutcome(pull.html_url, problem=CLOSED if pull.state == "closed" else None)


def propose(destination: Destination, github: GitHub, contribution: Contribution) -> PullRequest:
    """Make the branch, push it, and open a pull request."""
    from viva.contributions import git_branches  # imported late, as above

    number, repository = contribution.sip_number or 0, destination.repository
    if repository is None:
        raise GitProblem(publishing.NoRepository.__doc__)
    commit = commit_of(destination, contribution)
    git_branches.make_branch(repository, commit)
    remote = pull_requests.get_repository(github)
    git_branches.push_branch(repository, number, remote.clone_url, github.token)
    title, _, text = commit.message.partition("\n\n")
    return pull_requests.open_pull_request(github, branch_name(number), remote.default_branch, title, text)


def commit_of(destination: Destination, contribution: Contribution) -> BranchCommit:
    """The commit names the contributor, but no e-mail address: a repository is often public."""
    number = contribution.sip_number or 0
    host = urlsplit(destination.hub_url).hostname or "localhost"
    name = clean_name(contribution.contributor_name)
    message = (
        f"SIP-{number}: {clean_name(contribution.name)}\n\nContributed by {name}, and approved at "
        f"{destination.hub_url}/evaluations/contribute/review/{contribution.id}\n"
    )
    return BranchCommit(
        number,
        publishing.files_of(contribution).public_contents,
        message,
        f"{name} <contributions@{host}>",
        f"Viva <contributions@{host}>",
        contribution.reviewed_at or contribution.updated_at,
    )


def clean_name(name: str) -> str:
    """The name on one line, without the characters that git gives a meaning."""
    return " ".join("".join(c for c in name if c.isprintable() and c not in "<>").split()) or "unknown"


def read_merged(github: GitHub, pull: PullRequest, number: int) -> dict[str, bytes]:
    """The files as they were merged: maintainers may have changed them in the pull request."""
    names = {sip_name(number), handler_name(number)}
    paths = {path.rpartition("/")[2]: path for path in pull_requests.list_files(github, pull)}
    commit = pull.merge_commit_sha or pull.head.sha
    return {name: pull_requests.read_file(github, paths[name], commit) for name in sorted(names & paths.keys())}


def keep(
    destination: Destination, db: Connection, task: Contribution | None, outcome: FollowOutcome, is_last: bool
) -> str | None:
    """Store what was found. A problem stays visible at the contribution, and the next sweep starts again."""
    if task is None or not is_waiting(contribution := store.hold(db, task.id)):
        return None
    if outcome.url:
        contribution = store.change(db, contribution.id, merged_pr_url=outcome.url)
    publication_store.set_problem(db, contribution.id, outcome.problem)
    if outcome.merged is not None:
        publish_merged(db, destination, contribution, outcome.merged)
    return outcome.problem if outcome.is_temporary and not is_last else None


def publish_merged(
    db: Connection, destination: Destination, contribution: Contribution, merged: dict[str, bytes]
) -> Contribution:
    try:
        files = parse_merged(contribution, merged)
    except VivaError as error:
        return publication_store.set_problem(db, contribution.id, f"The merged file cannot be used. {error}")
    return publishing.publish_files(db, destination, contribution, files)


def merge_approved_keys(contribution: Contribution, text: str) -> Sip:
    """The merged SIP with the answers that were approved: the pull request did not have them."""
    document = sip_yaml.read(text)
    keys = companions.split_keys(publishing.files_of(contribution).sip).keys or {}
    return sips.parse(sip_yaml.write(companions.merge_missing(document, keys)))


def parse_merged(contribution: Contribution, merged: dict[str, bytes]) -> PublishedFiles:
    number = contribution.sip_number or 0
    sip = merge_approved_keys(contribution, merged.get(sip_name(number), b"").decode(errors="replace"))
    if (sip.sip, sip.id) != (number, contribution.evaluation_id):
        raise MergedFileDiffers()
    code = merged.get(handler_name(number))  # only if a maintainer has added it
    return PublishedFiles(sip, code.decode(errors="replace") if code else publishing.files_of(contribution).code)
