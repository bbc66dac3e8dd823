"""Pull requests on GitHub, through its REST API."""

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct

from viva.contributions.destination import GitHub

if TYPE_CHECKING:
    import httpx

GITHUB_TIMEOUT_SECONDS = 20.0  # for one answer, to its last byte
MAX_GITHUB_ANSWER_BYTES = 4 << 20  # a page of a hundred pull requests has about 2 MiB
MAX_PULL_REQUEST_FILES = 100  # GitHub's largest page
JSON_MEDIA_TYPE = "application/vnd.github+json"
RAW_MEDIA_TYPE = "application/vnd.github.raw+json"
API_VERSION = "2022-11-28"
Answer = TypeVar("Answer")


class GitHubProblem(Exception):
    """GitHub did not do what was asked. The message says why."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class RemoteRepository(Struct, frozen=True):
    default_branch: str
    clone_url: str


class GitHubUser(Struct, frozen=True):
    login: str


class PullRequestHead(Struct, frozen=True):
    sha: str


class PullRequest(Struct, frozen=True):
    number: int
    html_url: str
    state: str
    head: PullRequestHead
    user: GitHubUser | None = None  # None: the account was deleted
    merged_at: str | None = None
    merge_commit_sha: str | None = None

    def __post_init__(self) -> None:
        if not self.html_url.startswith(("https://", "http://")):  # it becomes a link on pages
            raise ValueError("The address of a pull request has to begin with https://.")


class PullRequestFile(Struct, frozen=True):
    filename: str
    status: str = ""


class GitHubError(Struct, frozen=True):
    message: str = ""


def get_repository(github: GitHub) -> RemoteRepository:
    found = call(github, "GET", "", RemoteRepository)
    if urlsplit(found.clone_url).scheme != "https" and urlsplit(found.clone_url).netloc != urlsplit(github.url).netloc:
        raise GitHubProblem("The address for pushing has to begin with https://.")  # the token goes there
    return found


def find_pull_request(github: GitHub, branch: str) -> PullRequest | None:
    """The newest pull request of our branch, whether open, closed or merged."""
    owner = github.repository.partition("/")[0]
    query = {"head": f"{owner}:{branch}", "state": "all", "per_page": "1", "sort": "created", "direction": "desc"}
    found = call(github, "GET", "/pulls", list[PullRequest], params=query)
    return found[0] if found else None


def open_pull_request(github: GitHub, branch: str, base: str, title: str, text: str) -> PullRequest:
    body = {"title": title, "body": text, "head": branch, "base": base, "maintainer_can_modify": True}
    try:
        return call(github, "POST", "/pulls", PullRequest, json=body)
    except GitHubProblem as problem:
        # Another worker may have opened it; GitHub allows one for each branch.
        found = find_pull_request(github, branch) if problem.status == HTTPStatus.UNPROCESSABLE_ENTITY else None
        if found is None:
            raise
        return found


def get_pull_request(github: GitHub, number: int) -> PullRequest:
    return call(github, "GET", f"/pulls/{number}", PullRequest)


def list_files(github: GitHub, pull: PullRequest) -> list[str]:
    """The paths of the files that the pull request adds or changes."""
    query = {"per_page": str(MAX_PULL_REQUEST_FILES)}
    found = call(github, "GET", f"/pulls/{pull.number}/files", list[PullRequestFile], params=query)
    return [file.filename for file in found if file.status != "removed"]


def read_file(github: GitHub, path: str, commit: str) -> bytes:
    return send(github, "GET", f"/contents/{quote(path)}", RAW_MEDIA_TYPE, params={"ref": commit})


def call(github: GitHub, method: str, path: str, kind: type[Answer], **options: Any) -> Answer:
    try:
        return msgspec.json.decode(send(github, method, path, JSON_MEDIA_TYPE, **options), type=kind)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise GitHubProblem("GitHub gave an answer that cannot be read.") from error


def send(github: GitHub, method: str, path: str, media_type: str, **options: Any) -> bytes:
    """The body of a successful answer. A redirect is not followed, since it could lead the token elsewhere."""
    import httpx  # imported late: an HTTP client is slow to import

    headers = {"Authorization": f"Bearer {github.token}", "Accept": media_type, "X-GitHub-Api-Version": API_VERSION}
    url = f"{github.url}/repos/{github.repository}{path}"
    try:
        with (
            httpx.Client(timeout=GITHUB_TIMEOUT_SECONDS, headers=headers) as client,
            client.stream(method, url, **options) as response,
        ):
            body = read_limited(response)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise GitHubProblem(f"GitHub could not be reached ({type(error).__name__}).") from error
    if not response.is_success:
        raise GitHubProblem(
            f"GitHub answered with status {response.status_code}{reason_in(body)}", response.status_code
        )
    return body


def read_limited(response: "httpx.Response") -> bytes:
    body, deadline = bytearray(), time.monotonic() + GITHUB_TIMEOUT_SECONDS
    for part in response.iter_bytes():
        body += part
        if len(body) > MAX_GITHUB_ANSWER_BYTES:
            raise GitHubProblem("GitHub gave an answer that is too large.")
        if time.monotonic() > deadline:
            raise GitHubProblem("GitHub took too long to answer.")
    return bytes(body)


def reason_in(body: bytes) -> str:
    """What GitHub says about an error, such as `: Bad credentials.`"""
    try:
        message = msgspec.json.decode(body, type=GitHubError).message.strip()
    except (msgspec.DecodeError, UnicodeError):
        message = ""
    return f": {message.rstrip('.')[:200]}." if message else "."
