"""One branch with one commit for each contribution, in a local git repository. Its working tree is never touched."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from dulwich.client import get_transport_and_path
from dulwich.config import ConfigDict
from dulwich.errors import NotGitRepository
from dulwich.file import FileLocked
from dulwich.object_store import commit_tree_changes, iter_tree_contents
from dulwich.objects import Blob, Commit, ObjectID, Tree, TreeEntry
from dulwich.refs import Ref
from dulwich.repo import Repo

from viva.contributions.branch_commits import BRANCH_PREFIX, BranchCommit, GitProblem, branch_name
from viva.contributions.files import handler_name, sip_name

FILE_MODE = 0o100644
DEFAULT_SIP_FOLDER = "sips/"  # in a repository that has no SIP yet
SIP_PATH_PATTERN = re.compile(rb"(.*/)?SIP-[0-9]+\.md")
MAX_FILES_SEARCHED = 100_000  # of a repository
MAX_MERGED_FILE_BYTES = 1 << 20
PUSH_TIMEOUT_SECONDS = 60  # for each answer of the remote repository
DEFAULT_BRANCHES = (Ref(b"refs/heads/main"), Ref(b"refs/heads/master"))


@contextmanager
def open_repository(path: Path) -> Iterator[Repo]:
    try:
        with Repo(str(path)) as repository:
            yield repository
    except NotGitRepository as error:
        raise GitProblem("VIVA_SIPS_REPO is not a git repository.") from error
    except FileLocked as error:
        raise GitProblem("Another process is changing the git repository.") from error
    except OSError as error:
        raise GitProblem(f"The git repository cannot be used: {error.strerror or error}.") from error
    except KeyError as error:
        raise GitProblem("The git repository is not complete: an object or a branch is missing.") from error


def make_branch(path: Path, commit: BranchCommit) -> str:
    """Make the branch from the default one, unless it exists. Returns the id of its commit."""
    ref = ref_of(commit.number)
    with open_repository(path) as repository:
        if ref not in repository.refs:
            # Of two processes one makes the branch, and the commit of the other one is never used.
            repository.refs.add_if_new(ref, add_commit(repository, commit))
        return repository.refs[ref].decode()


def add_commit(repository: Repo, commit: BranchCommit) -> ObjectID:
    parent = find_default_commit(repository)
    tree = repository.object_store[parent.tree] if parent else Tree()
    if not isinstance(tree, Tree):
        raise GitProblem("The git repository is not complete: a tree is missing.")
    folder = find_sip_folder(repository, parent)
    changes: list[tuple[bytes, int | None, ObjectID | None]] = []
    for name, content in commit.contents.items():
        blob = Blob.from_string(content)
        repository.object_store.add_object(blob)
        changes.append((folder + name.encode(), FILE_MODE, blob.id))

    new = Commit()
    new.tree = commit_tree_changes(repository.object_store, tree, changes)
    new.parents = [parent.id] if parent else []
    new.author, new.committer = commit.author.encode(), commit.committer.encode()
    new.author_time = new.commit_time = int(commit.at.timestamp())
    new.author_timezone = new.commit_timezone = 0
    new.encoding = b"UTF-8"
    new.message = commit.message.encode()
    repository.object_store.add_object(new)
    return new.id


def find_default_commit(repository: Repo) -> Commit | None:
    """The last commit of the default branch. HEAD may be one of our branches, if somebody looks at it in a working tree."""
    head = repository.refs.get_symrefs().get(Ref(b"HEAD"), DEFAULT_BRANCHES[0])
    for branch in (head, *DEFAULT_BRANCHES):
        if not branch.startswith(f"refs/heads/{BRANCH_PREFIX}".encode()) and branch in repository.refs:
            found = repository[repository.refs[branch]]
            return found if isinstance(found, Commit) else None
    return None


def find_sip_folder(repository: Repo, commit: Commit | None) -> bytes:
    """The folder in which the repository has its SIPs, with a final slash."""
    for entry in list_files(repository, commit):
        if found := SIP_PATH_PATTERN.fullmatch(entry.path or b""):
            return found[1] or b""
    return DEFAULT_SIP_FOLDER.encode()


def list_files(repository: Repo, commit: Commit | None) -> Iterator[TreeEntry]:
    if commit is None:
        return iter(())
    return islice(iter_tree_contents(repository.object_store, commit.tree), MAX_FILES_SEARCHED)


def read_merged(path: Path, number: int) -> dict[str, bytes] | None:
    """The files of the contribution on the default branch; None while its SIP is not there.

    This also recognises squashed and rebased commits, since the number in the file's name is unique."""
    with open_repository(path) as repository:
        names = {sip_name(number).encode(), handler_name(number).encode()}
        found: dict[str, bytes] = {}
        for entry in list_files(repository, find_default_commit(repository)):
            name = (entry.path or b"").rpartition(b"/")[2]
            if name in names and entry.sha:
                found[name.decode()] = read_blob(repository, entry.sha)
        return found if sip_name(number) in found else None


def read_blob(repository: Repo, blob_id: ObjectID) -> bytes:
    blob = repository[blob_id]
    return blob.data[: MAX_MERGED_FILE_BYTES + 1] if isinstance(blob, Blob) else b""


def push_branch(path: Path, number: int, url: str, token: str) -> None:
    """Push the branch to the remote repository. No setting or credential of this machine is used."""
    ref = ref_of(number)
    config = ConfigDict()
    config.set((b"http",), b"timeout", str(PUSH_TIMEOUT_SECONDS).encode())
    client, remote_path = get_transport_and_path(url, config=config, username="x-access-token", password=token)
    with open_repository(path) as repository:
        commit_id = repository.refs[ref]
        try:
            result = client.send_pack(
                remote_path.encode(),
                lambda refs: {ref: commit_id},
                generate_pack_data=repository.generate_pack_data,  # type: ignore[arg-type]  # only in the annotations
            )
        except Exception as error:  # dulwich and its HTTP client have many errors without a common class
            raise GitProblem(f"The branch could not be pushed ({type(error).__name__}).") from error
    refused = [reason for reason in (result.ref_status or {}).values() if reason]
    if refused:
        raise GitProblem(f"The remote repository refused the branch: {refused[0]}.")


def ref_of(number: int) -> Ref:
    return Ref(f"refs/heads/{branch_name(number)}".encode())
