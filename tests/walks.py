"""Draws docs/walks.md: the files of src/viva that each request of a proctored exam goes through."""

import io
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

from litestar.handlers import HTTPRouteHandler
from litestar.testing import TestClient

import viva
from viva import app, serving

SOURCE = Path(viva.__file__).parent
WALKS = Path(__file__).parent.parent / "docs" / "walks.md"
EXAM = "/api/v1/evaluations/plain-dealing"

HEAD = """\
# Walks

The way of each request of a proctored exam through the house, drawn by `make walk` from a real run on SQLite.
A line is a call that enters another file, written `room/file.function`; what that call calls is indented below it.
`×2` is the same call twice in a row; a template stands where it is first used. Left out are calls within a file, calls
to `kit`, which every floor makes, what a model knows of itself, and what surrounds every request alike: that is drawn
once, at the end.
"""


class Step(NamedTuple):
    """One call into another file; `parts` are the calls it makes."""

    name: str
    parts: list["Step"]


class Tracer:
    """Notes calls between files of src/viva while a request is under way, in whichever thread they happen."""

    def __init__(self) -> None:
        self.root: Step | None = None
        self.whole = False
        self.steps: dict[FrameType, Step] = {}  # a coroutine's frame is entered anew each time it goes on
        self.templates: dict[str, Step] = {}

    @contextmanager
    def request(self, whole: bool) -> Iterator[Step]:
        self.root, self.whole, self.steps, self.templates = Step("", []), whole, {}, {}
        try:
            yield self.root
        finally:
            self.root = None

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        root = self.root
        if root is None or event != "call" or frame in self.steps:
            return
        place = place_of(frame)
        if place is None or frame.f_code.co_name.startswith("<") or is_left_out(place, self.whole):
            return
        callers = [caller for caller in frames_above(frame) if place_of(caller) is not None]
        places = [place_of(caller) for caller in callers]
        if places[:1] == [place]:
            return
        if is_template(place) and place in self.templates:  # one block of it after the other
            self.steps[frame] = self.templates[place]
            return
        parent = next((self.steps[caller] for caller in callers if caller in self.steps), root)
        if is_template(parent.name) and not is_template(place):  # how a template writes a figure or an address
            return
        self.steps[frame] = Step(place if is_template(place) else f"{place}.{function_of(frame)}", [])
        self.templates[place] = self.steps[frame]
        parent.parts.append(self.steps[frame])


def is_left_out(place: str, whole: bool) -> bool:
    room, _, file = place.partition("/")
    return room == "kit" or file == "model" or (surrounds_routes(place) and not whole)


def surrounds_routes(place: str) -> bool:
    """Whether the file is delivery that has no routes or pages of its own, or the context of all of them."""
    if place == "context":
        return True
    if not place.startswith(("api/", "web/")) or is_template(place):
        return False
    things = vars(sys.modules[f"viva.{place.replace('/', '.')}"]).values()
    return not any(isinstance(thing, HTTPRouteHandler) for thing in things)


def place_of(frame: FrameType) -> str | None:
    """`room/file` for code of ours, a template's path for a page, None for code of others."""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(SOURCE):
        return None
    inside = path.relative_to(SOURCE)
    return str(inside.with_suffix("") if inside.suffix == ".py" else inside)


def is_template(place: str) -> bool:
    return place.endswith(".html")


def function_of(frame: FrameType) -> str:
    return frame.f_code.co_qualname.rpartition("<locals>.")[2]


def frames_above(frame: FrameType) -> Iterator[FrameType]:
    above = frame.f_back
    while above is not None:
        yield above
        above = above.f_back


def drawn(steps: list[Step], depth: int = 0) -> Iterator[str]:
    lines = [list(drawn_one(step, depth)) for step in steps]
    for block, same in groupby(lines):
        count = len(list(same))
        yield block[0] + (f" ×{count}" if count > 1 else "")
        yield from block[1:]


def drawn_one(step: Step, depth: int) -> Iterator[str]:
    yield "    " * depth + step.name
    yield from drawn(step.parts, depth + 1)


def files_in(steps: list[Step]) -> set[str]:
    return {name for step in steps for name in [step.name.partition(".")[0], *files_in(step.parts)]}


class Walk:
    """A walk being taken: the client that takes it, and what has been drawn so far."""

    def __init__(self, client: "TestClient[Any]", tracer: Tracer) -> None:
        self.client = client
        self.tracer = tracer
        self.sections: list[str] = []

    def step(
        self, title: str, method: str, path: str, key: str | None = None, json: Any = None, whole: bool = False
    ) -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        with self.tracer.request(whole) as root:
            answer = self.client.request(method, path, headers=headers, json=json)
        assert answer.is_success, answer.text
        lines = "\n".join(drawn(root.parts))
        heading = (
            f"## {title}\n\n`{method} {title_path(path)}` → {answer.status_code}, {len(files_in(root.parts))} files"
        )
        self.sections.append(f"{heading}\n\n```\n{lines}\n```\n")
        return answer.json() if "json" in answer.headers["content-type"] else answer.text

    def agent(self, name: str) -> str:
        return str(self.client.post("/api/v1/agents/register", json={"name": name}).json()["api_key"])


def title_path(path: str) -> str:
    """The path with `{id}` in the place of ids that differ from run to run."""
    return "/".join("{id}" if part.startswith("eval_") else part for part in path.split("/"))


def take_exam(walk: Walk) -> None:
    ada, paul = walk.agent("ada"), walk.agent("paul")
    walk.step("The candidate registers", "POST", f"{EXAM}/register", ada)
    started = walk.step("The candidate starts", "POST", f"{EXAM}/start", ada)
    body = {"registration_id": started["registration"]["id"]}
    claimed = walk.step("The proctor claims", "POST", f"{EXAM}/proctor/claim", paul, body)
    session = f"{EXAM}/sessions/{claimed['session_id']}"
    walk.step("The proctor speaks", "POST", f"{session}/messages", paul, {"content": "What is 17 times 3?"})
    walk.client.post(f"{session}/messages", headers={"Authorization": f"Bearer {ada}"}, json={"content": "51."})
    walk.step("The candidate reads", "GET", f"{session}/messages", ada)
    verdict = {**body, "passed": True, "score": 90}
    decided = walk.step("The proctor decides", "POST", f"{EXAM}/proctor/submit", paul, verdict)
    result_id = decided["result"]["id"]
    walk.step("Anybody reads the result", "GET", f"/api/v1/evaluations/results/{result_id}")
    walk.step("Anybody reads what was said", "GET", f"{EXAM}/results/{result_id}/transcript")
    walk.step("Anybody looks at the result's page", "GET", f"/evaluations/result/{result_id}")
    walk.step("Around every request", "GET", "/api/v1/agents/me", ada, whole=True)


@contextmanager
def new_hub() -> "Iterator[TestClient[Any]]":
    """A client of a hub of its own, in this process, on a SQLite file that goes with it."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"VIVA_DATA_DIR": folder, "VIVA_RATE_LIMIT": "off", "VIVA_DATABASE_URL": "", "VIVA_SIPS_DIR": ""}
        settings["VIVA_NO_WORKER"] = "1"  # its steps would stand among those of the requests
        with patch.dict(os.environ, settings):
            serving.prepare(demo=False)
            with TestClient(app.create()) as client:
                yield client


def traced(take: Callable[[Walk], None]) -> str:
    """The walk as text."""
    tracer = Tracer()
    threading.setprofile(tracer.note)
    try:
        with new_hub() as client:
            walk = Walk(client, tracer)
            take(walk)
    finally:
        threading.setprofile(None)
    return "\n".join([HEAD, *walk.sections])


if __name__ == "__main__":
    with redirect_stderr(io.StringIO()):  # the log of requests
        Path(sys.argv[1] if sys.argv[1:] else WALKS).write_text(traced(take_exam))
