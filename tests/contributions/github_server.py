"""A small server that speaks GitHub's API for one repository, and git's own protocol for pushes to it."""

import base64
import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any, Self
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from dulwich.object_store import iter_tree_contents
from dulwich.refs import Ref
from dulwich.repo import Repo
from dulwich.server import BackendRepo, DictBackend
from dulwich.web import make_wsgi_chain

from viva.contributions.destination import GitHub

TOKEN = "ghp_in_tests"
NAME = "viva/evaluations"
ROOT = f"/repos/{NAME}"


class QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class ThreadingServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class GitHubServer:
    """The bare repository at `path` as GitHub would offer it; use it as a context."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pulls: list[dict[str, Any]] = []
        self.files: dict[int, dict[str, bytes]] = {}  # what each pull request of others changes
        self.requests: list[str] = []
        self.is_down = False

    def __enter__(self) -> Self:
        self.repository = Repo(str(self.path))
        offered: dict[str, BackendRepo] = {f"/{NAME}.git": self.repository}
        self.git = make_wsgi_chain(DictBackend(offered))
        self.server = make_server("127.0.0.1", 0, self.answer, ThreadingServer, QuietHandler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.repository.close()

    @property
    def github(self) -> GitHub:
        return GitHub(self.url, NAME, TOKEN)

    def answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        self.requests.append(f"{method} {path}")
        given = environ.get("HTTP_AUTHORIZATION", "")
        if path.startswith(f"/{NAME}.git"):
            basic = "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
            if given != basic:
                start("401 Unauthorized", [("WWW-Authenticate", "Basic")])
                return [b""]
            return self.git(environ, start)
        status, body = self.route(method, path, environ) if given == f"Bearer {TOKEN}" else (401, "Bad credentials")
        if status >= 400:
            body = {"message": body}
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        start(f"{status} Told", [("Content-Type", "application/json"), ("Content-Length", str(len(raw)))])
        return [raw]

    def route(self, method: str, path: str, environ: dict[str, Any]) -> tuple[int, Any]:
        query = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
        if self.is_down:
            return 503, "Unicorn"
        if (method, path) == ("GET", ROOT):
            return 200, {"default_branch": "main", "clone_url": f"{self.url}/{NAME}.git"}
        if (method, path) == ("GET", f"{ROOT}/pulls"):
            return 200, [pull for pull in self.pulls if f"viva:{pull['head']['ref']}" == query["head"]]
        if (method, path) == ("POST", f"{ROOT}/pulls"):
            return self.open(json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))))
        if path.startswith(f"{ROOT}/contents/"):
            return self.read(path.removeprefix(f"{ROOT}/contents/"), query["ref"])
        number, _, rest = path.removeprefix(f"{ROOT}/pulls/").partition("/")
        found = [pull for pull in self.pulls if str(pull["number"]) == number]
        if not found:
            return 404, "Not Found"
        return (200, self.list_files(found[0])) if rest == "files" else (200, found[0])

    def open(self, body: dict[str, Any]) -> tuple[int, Any]:
        with Repo(str(self.path)) as repository:
            ref = Ref(f"refs/heads/{body['head']}".encode())
            if ref not in repository.refs or any(pull["head"]["ref"] == body["head"] for pull in self.pulls):
                return 422, "Validation Failed"
            self.add(body["head"], repository.refs[ref].decode(), body["title"], body["body"])
        return 201, self.pulls[-1]

    def add(self, branch: str, commit: str, title: str = "", text: str = "", login: str = "octocat") -> dict[str, Any]:
        number = len(self.pulls) + 1
        pull = {
            "number": number,
            "html_url": f"https://github.example/{NAME}/pull/{number}",
            "state": "open",
            "title": title,
            "body": text,
            "head": {"ref": branch, "sha": commit},
            "user": {"login": login},
            "merged_at": None,
            "merge_commit_sha": None,
        }
        self.pulls.append(pull)
        return pull

    def merge(self, pull: dict[str, Any]) -> None:
        pull |= {"state": "closed", "merged_at": "2026-11-17T21:00:00Z", "merge_commit_sha": pull["head"]["sha"]}

    def list_files(self, pull: dict[str, Any]) -> list[dict[str, str]]:
        names = self.files.get(pull["number"]) or self.tree(pull["head"]["sha"])
        return [{"filename": name, "status": "added"} for name in names]

    def read(self, path: str, commit: str) -> tuple[int, Any]:
        for number, files in self.files.items():
            if path in files and self.pulls[number - 1]["head"]["sha"] == commit:
                return 200, files[path]
        files = self.tree(commit)
        return (200, files[path]) if path in files else (404, "Not Found")

    def tree(self, commit: str) -> dict[str, bytes]:
        with Repo(str(self.path)) as repository:
            tree = repository[commit.encode()].tree  # type: ignore[attr-defined]
            found = iter_tree_contents(repository.object_store, tree)
            return {str(entry.path, "utf-8"): repository[entry.sha].data for entry in found}  # type: ignore
