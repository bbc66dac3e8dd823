"""What is committed for a contribution, without the git library: most processes never need that."""

from datetime import datetime
from typing import NamedTuple

BRANCH_PREFIX = "contribution/"


class GitProblem(Exception):
    """The git repository cannot be used now. The message says why."""


class BranchCommit(NamedTuple):
    """What is committed for one contribution. The names of files are without a folder."""

    number: int
    contents: dict[str, bytes]
    message: str
    author: str
    committer: str
    at: datetime


def branch_name(number: int) -> str:
    return f"{BRANCH_PREFIX}SIP-{number}"
