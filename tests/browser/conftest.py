"""A served hub with something on every page, and a real browser to look at it."""

import os
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import fresh_url
from tests.hub import EVALUATION, AgentClient, Hub

CHROMIUM = Path("/usr/bin/chromium-headless-shell")  # it has no windows, so it takes a third less of a core
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--no-opt --no-maglev",  # a page lives for a second: what the compilers save later is less than they cost
]
DESK, PHONE = 1440, 390
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules to which a theme makes a difference
THEMES: dict[Literal["light", "dark"], dict[str, Any]] = {
    "light": {},
    "dark": {"runOnly": {"type": "rule", "values": COLOURS}},
}
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


@pytest.fixture(scope="session")
def page_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub for tests that bring agents and evaluations of their own, because a start takes seconds."""
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        yield hub


@pytest.fixture(scope="session")
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


# Not for the whole run: Playwright's loop would be in the way of tests that run one of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.fail("There is no Chromium on this machine: run scripts/need chromium-headless-shell.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text()


def check_readable(page: Page, axe: str, **options: Any) -> None:
    """No rule of accessibility is broken, or none of those that the options name; nothing is wider than the window."""
    if page.evaluate("typeof axe === 'undefined'"):  # it is there until another page is opened
        page.evaluate(axe)
    found = page.evaluate("options => axe.run(document, options)", {"resultTypes": ["violations"], **options})
    faults = [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found["violations"]]
    assert faults == []
    check_width(page)


def check_width(page: Page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def check_every_look(
    page: Page, axe: str, screenshots: Path | None, name: str, widths: tuple[int, ...] = (DESK, PHONE)
) -> None:
    """The page as it stands is readable at these widths, in light and dark; a picture of each is kept where asked for."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        for theme, rules in THEMES.items():
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            if screenshots:
                page.screenshot(path=screenshots / f"{name}-{theme}-{width}.png", full_page=True)
            try:
                check_readable(page, axe, **rules)
            except AssertionError as fault:
                fault.add_note(f"{name} at {width} pixels in {theme}")
                raise


def check_keyboard(page: Page) -> None:
    """The Tab key reaches every link and control, and each shows that it has the focus."""
    reachable = page.locator("a[href]:visible, button:visible, input:visible, select:visible, summary:visible").count()
    page.evaluate("""() => {
        window.seen = new Set()
        window.unmarked = []
        addEventListener('focusin', ({ target }) => {
            seen.add(target)
            if (getComputedStyle(target).outlineStyle === 'none') unmarked.push(target.outerHTML)
        })
    }""")

    for _ in range(reachable + 20):
        page.keyboard.press("Tab")

    left_out = page.evaluate(
        """[...document.querySelectorAll('a[href], button, input, select, summary')]
            .filter(element => element.checkVisibility() && element.type !== 'hidden')
            .filter(element => !element.matches('svg [tabindex]'))  // dots of a chart, whose links are in its table too
            .filter(element => !seen.has(element))
            .map(element => element.outerHTML)"""
    )
    assert left_out == []
    assert page.evaluate("unmarked") == []


@pytest.fixture(scope="session")
def screenshots() -> Path | None:
    """Where pictures go: VIVA_SCREENSHOTS, or nowhere."""
    if not os.environ.get("VIVA_SCREENSHOTS"):
        return None
    folder = Path(os.environ["VIVA_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder
