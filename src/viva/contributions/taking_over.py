"""Taking over: the SIP of somebody's pull request becomes a submitted contribution, under the author's name."""

import re
from functools import partial
from typing import Any, NamedTuple

from msgspec import structs

from viva.agents.access import require_maintainer
from viva.agents.model import Agent
from viva.contributions import bounds, documents, drafting, pull_requests, revisions, store, validating
from viva.contributions.destination import Destination, GitHub
from viva.contributions.model import Contribution, Contributor, Proposal
from viva.contributions.publication_store import find_by_pull_request
from viva.contributions.pull_requests import GitHubProblem, PullRequest
from viva.contributions.submitting import put_into_queue
from viva.evaluations import sip as sips
from viva.jobs import queue
from viva.jobs.model import Job, Work
from viva.kit.db import Connection
from viva.kit.errors import Conflict, VivaError

TAKE_OVER_WORK = "take_over_pull_request"
SIP_FILE_PATTERN = re.compile(r"(.*/)?SIP-[^/]{1,50}\.md")


class NoGitHub(Conflict):
    """This hub knows no repository on GitHub. Set VIVA_GITHUB_REPO and VIVA_GITHUB_TOKEN."""


class OfferedProposal(NamedTuple):
    """What a pull request proposes: its address, its author, and the content of its SIP."""

    url: str
    author: str
    proposal: Proposal


def request(db: Connection, destination: Destination, maintainer: Agent, number: int) -> Job:
    """Let a job read the pull request, since a request must not wait for another server."""
    require_maintainer(maintainer)
    if destination.github is None:
        raise NoGitHub()
    return queue.put(db, TAKE_OVER_WORK, {"number": number})


def work(destination: Destination) -> Work:
    """The background work "take_over_pull_request"."""
    return Work(read, partial(think, destination), keep)


def read(db: Connection, data: dict[str, Any]) -> int:
    return int(data["number"])


def think(destination: Destination, number: int) -> OfferedProposal | str:
    """What the pull request proposes, or the reason why it cannot be taken over."""
    if destination.github is None:
        return str(NoGitHub())
    try:
        pull = pull_requests.get_pull_request(destination.github, number)
        if pull.state != "open":
            return f"Pull request {number} is not open."
        return read_offer(destination.github, pull)
    except (GitHubProblem, VivaError) as problem:
        return str(problem)


def read_offer(github: GitHub, pull: PullRequest) -> OfferedProposal | str:
    paths = pull_requests.list_files(github, pull)
    found = [path for path in paths if SIP_FILE_PATTERN.fullmatch(path)]
    if len(found) != 1:
        return f"A pull request with one SIP file can be taken over; this one has {len(found)}."
    parsed = sips.parse_leniently(read_text(github, found[0], pull))
    if parsed.sip is None:
        return parsed.warnings[0].message
    code_path = f"{found[0].removesuffix('.md')}.py"
    code = read_text(github, code_path, pull) if code_path in paths else None
    author = pull.user.login if pull.user else "unknown"
    proposal = structs.replace(documents.proposal_of(parsed.sip), executable_code=code)
    bounds.check_bounds(proposal)
    return OfferedProposal(pull.html_url, author, proposal)


def read_text(github: GitHub, path: str, pull: PullRequest) -> str:
    return pull_requests.read_file(github, path, pull.head.sha).decode(errors="replace").replace("\0", " ")


def keep(db: Connection, number: int, offer: OfferedProposal | str, is_last: bool) -> str | None:
    """Store the contribution. A draft whose author was asked for changes becomes a submission again."""
    if isinstance(offer, str):
        return offer
    present = find_by_pull_request(db, offer.url)
    if present is None:
        add_submission(db, offer)
    elif present.status == "draft":
        submit_again(db, present, offer)
    return None


def add_submission(db: Connection, offer: OfferedProposal) -> Contribution:
    draft = drafting.new_contribution(offer.proposal, Contributor(None, offer.author, None), None)
    draft = structs.replace(draft, merged_pr_url=offer.url)
    store.add(db, draft, None, None)
    revisions.add(db, draft, None, draft.contributor_name)
    return submit(db, draft)


def submit_again(db: Connection, present: Contribution, offer: OfferedProposal) -> Contribution:
    saved = store.save(db, present.id, offer.proposal, present.revision)
    revisions.add(db, saved, None, saved.contributor_name)
    return submit(db, saved)


def submit(db: Connection, draft: Contribution) -> Contribution:
    """Submit it even with errors: the maintainer asked for it, and its review lists them."""
    validating.validate(db, draft)
    return put_into_queue(db, draft)
