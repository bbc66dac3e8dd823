"""Where approved contributions go: the hub's own folder, a git repository, and a repository on GitHub."""

from pathlib import Path

from msgspec import Struct

from viva.contributions.files import is_in_working_tree


class GitHub(Struct, frozen=True):
    """The address of the API, the repository as `owner/name`, and a token that may push and open pull requests."""

    url: str
    repository: str
    token: str


class Destination(Struct, frozen=True):
    folder: Path
    repository: Path | None = None  # a local git repository, bare or not
    github: GitHub | None = None
    hub_url: str = ""  # for links in commits and pull requests
    # For answers, where a repository has the folder. Without it, only the database keeps them.
    keys_folder: Path | None = None

    @property
    def folder_outside_repository(self) -> Path | None:
        """The folder, unless it is in the working tree of the repository: git brings merged files there itself."""
        if self.repository and self.folder.resolve().is_relative_to(self.repository.resolve()):
            return None
        return self.folder

    @property
    def private_folder(self) -> Path | None:
        """Where answers are written: beside the SIP, but never into the working tree of a git repository."""
        is_public = self.folder_outside_repository is None or is_in_working_tree(self.folder)
        return self.keys_folder if is_public else self.folder
