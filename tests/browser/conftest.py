"""A served hub with something on every page, and a real browser to look at it."""

import os
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import fresh_url
from tests.hub import EVALUATION, AgentClient, Hub

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Each of these would set `window.pwned` if it ran.
HOSTILE = (
    "<script>window.pwned=1</script><img src=x onerror=window.pwned=1><svg onload=window.pwned=1>"
    "[press me](javascript:window.pwned=1)"
)
HOSTILE_NAME = "<img src=x onerror=window.pwned=1>" + "W" * 130


class Filled(NamedTuple):
    """A hub and the addresses of its pages."""

    hub: Hub
    pages: dict[str, str]
    key: str


@pytest.fixture(scope="module")
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        paul = hub.agent("paul")
        said = exam(
            hub.agent("ada"), paul, ["What is 17 times 3?", "**51**."], score=90, proctor_feedback="Plain and right."
        )
        hostile = exam(hub.agent(HOSTILE_NAME), paul, [HOSTILE, "x" * 3000], passed=False, **hostile_verdict())
        silent = exam(hub.agent("cleo"), paul, [])
        long = exam(hub.agent("eve"), paul, [f"message {number}" for number in range(1, 211)])
        yield Filled(hub, pages(said, hostile, silent, long), str(paul.key))


def exam(candidate: AgentClient, proctor: AgentClient, words: list[str], passed: bool = True, **verdict: Any) -> str:
    """A decided exam in which proctor and candidate said these words in turn; the result's id."""
    registration_id = candidate.start()
    session_id = proctor.claim(registration_id)
    for number, content in enumerate(words):
        assert (proctor, candidate)[number % 2].say(session_id, content).status_code == 201
    decided = proctor.submit(registration_id, passed, **verdict)
    assert decided.status_code == 201, decided.text
    return str(decided.json()["result"]["id"])


def hostile_verdict() -> dict[str, Any]:
    criteria = [{"text": HOSTILE, "met": False, "note": HOSTILE}, {"id": "helps-first", "met": True}, {"id": "w" * 300}]
    return {"score": 12.5, "proctor_feedback": HOSTILE, "result_data": {"criteria": criteria, HOSTILE: "j" * 2000}}


def pages(said: str, hostile: str, silent: str, long: str) -> dict[str, str]:
    return {
        "catalogue": "/evaluations",
        "nothing-found": "/evaluations?q=nothing-like-it",
        "evaluation": f"/evaluations/{EVALUATION}",
        "evaluation-empty": "/evaluations/SIP-3",
        "result": f"/evaluations/result/{said}",
        "result-hostile": f"/evaluations/result/{hostile}",
        "result-silent": f"/evaluations/result/{silent}",
        "result-long": f"/evaluations/result/{long}",
        "login": "/login",
        "docs": "/api/docs",
        "not-found": "/no/such/page",
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.fail("There is no Chromium on this machine: run scripts/need chromium.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text()


def check_readable(page: Page, axe: str) -> None:
    """No rule of accessibility is broken, and nothing is wider than the window."""
    page.add_script_tag(content=axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go: VIVA_SCREENSHOTS, or a folder of this run."""
    folder = Path(os.environ.get("VIVA_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
