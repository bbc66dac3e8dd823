"""The pages of traces in a real browser: readable by all, safe from what agents write, with keyboard and without scripts."""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import DESK, HOSTILE, HOSTILE_NAME, PHONE, check_every_look
from tests.conftest import fresh_url
from tests.engine.refund import refund
from tests.hub import AgentClient, Hub, until

PAGES = ["list", "visitors", "refund", "hostile", "long", "agent", "compare", "dataset", "delete"]

PLAIN = ("agent", "delete", "long")  # nothing stands side by side on these that does not elsewhere


class Recorded(NamedTuple):
    """A hub with analysed traces, the addresses of their pages, and the key of their owner."""

    hub: Hub
    pages: dict[str, str]
    key: str
    files: Path


@pytest.fixture(scope="module")
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder) as hub:
        ada = hub.agent("ada")
        runs = {"refund": msgspec.to_builtins(refund()), "hostile": hostile_run(), "long": long_run()}
        ids = {name: send(ada, run) for name, run in runs.items()}
        for trace_id in ids.values():
            until(partial(is_analysed, ada, trace_id))
        (folder / "run.json").write_text(json.dumps(runs["refund"] | {"id": "from-a-file"}))
        yield Recorded(hub, addresses(ids), str(ada.key), folder)


def send(owner: AgentClient, run: dict[str, Any]) -> str:
    answer = owner.post("/traces?dataset=shop", run)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["traces"][0]["id"])


def is_analysed(owner: AgentClient, trace_id: str) -> bool:
    return owner.get(f"/traces/{trace_id}").json()["overall_score"] is not None


def addresses(ids: dict[str, str]) -> dict[str, str]:
    here = {name: f"/traces/{trace_id}" for name, trace_id in ids.items()}
    return here | {
        "list": "/traces",
        "visitors": "/traces",
        "agent": f"{here['refund']}/agents/executor",
        "compare": f"/traces/compare?a={ids['refund']}&b={ids['hostile']}",
        "dataset": "/traces/datasets/shop",
        "delete": f"{here['refund']}/delete",
    }


def hostile_run() -> dict[str, Any]:
    call = {"tool_name": HOSTILE[:900], "parameters": {HOSTILE: HOSTILE}, "result": {"x": "y" * 3000}, "latency_ms": 9}
    said = {"agent_id": HOSTILE_NAME, "agent_response": HOSTILE, "latency_ms": 12}
    return {
        "id": HOSTILE,
        "initial_task": HOSTILE,
        "agents": [{"id": HOSTILE_NAME, "name": HOSTILE_NAME, "role": "R" * 300, "tools_available": []}],
        "turns": [
            {"user_message": HOSTILE, "agent_interactions": [said | {"agent_steps": [{"tool_call": call}]}]},
            {"user_message": f"No, that is wrong. {HOSTILE}", "agent_interactions": [said | {"agent_id": "bob"}]},
        ],
    }


def long_run() -> dict[str, Any]:
    acts = [
        {"agent_id": f"agent-{n}", "agent_response": f"Part {n} is done.", "latency_ms": 100 + n} for n in range(15)
    ]
    turns = [
        {"user_message": f"Question {turn}?", "agent_interactions": [acts[turn % 15], acts[(turn + 1) % 15]]}
        for turn in range(60)
    ]
    return {"id": "a long run", "turns": turns}


def signed_in(browser: Browser, recorded: Recorded, **options: Any) -> BrowserContext:
    context = browser.new_context(base_url=recorded.hub.url, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto("/login")
    page.get_by_role("textbox", name="API key").fill(recorded.key)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Signed in as")).to_be_attached()
    page.close()
    return context


@pytest.fixture(scope="module")
def open_to_axe(browser: Browser, recorded: Recorded) -> Iterator[BrowserContext]:
    """A browser in which the owner is signed in, and whose pages axe may look at."""
    context = signed_in(browser, recorded, bypass_csp=True)
    yield context
    context.close()


@pytest.fixture(scope="module")
def owner(browser: Browser, recorded: Recorded) -> Iterator[BrowserContext]:
    """A browser in which the owner is signed in. The policy of the pages holds, and nothing goes wrong in them."""
    context = signed_in(browser, recorded)
    faults: list[str] = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    context.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield context
    context.close()
    assert faults == []


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_the_pages_of_traces(
    browser: Browser, open_to_axe: BrowserContext, recorded: Recorded, axe: str, screenshots: Path | None, name: str
):
    page = (
        browser.new_page(base_url=recorded.hub.url, bypass_csp=True) if name == "visitors" else open_to_axe.new_page()
    )
    page.goto(recorded.pages[name])
    expect(page.locator("h1")).to_be_visible()
    for details in page.locator("details").all()[:40]:
        details.evaluate("part => part.open = true")

    check_every_look(page, axe, screenshots, f"traces-{name}", (PHONE,) if name in PLAIN else (DESK, PHONE))
    assert page.evaluate("window.pwned") is None
    page.close()


def test_the_tree_is_walked_with_the_keyboard(owner: BrowserContext, recorded: Recorded):
    page = owner.new_page()
    page.goto(recorded.pages["refund"])
    tree = page.get_by_role("tree", name="Session, agents, turns")
    focused = page.locator(":focus")

    tree.get_by_role("treeitem", name="Session").focus()
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_text(re.compile("Planner"))
    expect(focused).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_text(re.compile("Executor"))
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_text(re.compile("Turn 1"))
    page.keyboard.press("p")
    expect(focused).to_have_text(re.compile("Planner"))
    page.keyboard.press("End")
    expect(focused).to_have_text(re.compile("Turn 3 failed"))
    assert tree.locator("[tabindex='0']").count() == 1  # one stop for the Tab key

    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#turn-3-executor$"))
    expect(page.locator("#turn-3-executor")).to_be_in_viewport()
    page.close()


def test_a_number_beside_the_words_leads_to_its_note(owner: BrowserContext, recorded: Recorded):
    page = owner.new_page()
    page.goto(recorded.pages["refund"])

    page.locator("#turn-4 mark a").first.click()

    note = page.locator(".note:target")
    expect(note).to_contain_text("the user corrected it")
    expect(note.get_by_text("Is this wrong?")).to_be_visible()
    page.close()


def test_a_long_run_is_read_window_by_window(owner: BrowserContext, recorded: Recorded):
    page = owner.new_page()
    page.goto(recorded.pages["long"])

    page.get_by_role("link", name="Later turns").first.click()
    expect(page.locator("#turn-21")).to_be_attached()
    page.goto(f"{recorded.pages['long']}?turn=58#turn-58")
    expect(page.locator("#turn-58")).to_be_in_viewport()
    page.close()


def test_an_upload_shows_its_progress_and_then_its_result_by_itself(owner: BrowserContext, recorded: Recorded):
    page = owner.new_page()
    page.goto("/traces")
    page.get_by_label("Files with one or many runs").set_input_files(recorded.files / "run.json")

    page.get_by_role("button", name="Upload and analyse").click()

    expect(page.locator("h1")).to_have_text("from-a-file")
    expect(page.get_by_text("Which agent")).to_be_visible(timeout=60_000)
    page.close()


def test_everything_works_without_scripts(browser: Browser, recorded: Recorded):
    context = signed_in(browser, recorded, java_script_enabled=False)
    page = context.new_page()
    page.goto("/traces")
    page.get_by_label("Files with one or many runs").set_input_files(recorded.files / "run.json")
    page.get_by_role("button", name="Upload and analyse").click()
    until(lambda: look_again(page))

    page.locator(".found-list").get_by_role("button", name=re.compile("^Yes, finding")).first.click()
    expect(page.get_by_text("You marked this as wrong.").first).to_be_visible()

    page.get_by_role("button", name="Make a share link").click()
    link = page.locator(".key-shown code").inner_text()
    guest = browser.new_page(java_script_enabled=False)
    guest.goto(link)
    expect(guest.get_by_text("Which agent")).to_be_visible()
    expect(guest.get_by_text("Your trace")).to_have_count(0)
    guest.close()

    page.locator(".run-tree").get_by_role("link", name=re.compile("Turn 3")).first.click()
    expect(page).to_have_url(re.compile("#turn-3-planner$"))
    page.get_by_role("link", name="Delete this trace…").click()
    page.get_by_role("button", name="Delete the trace").click()
    expect(page.get_by_text("The trace was deleted.")).to_be_visible()
    context.close()


def look_again(page: Page) -> bool:
    """Follow the link while the analysis runs; whether it is done."""
    link = page.get_by_role("link", name="Look again")
    if link.count():
        link.click()
    return page.get_by_text("Which agent").count() > 0
