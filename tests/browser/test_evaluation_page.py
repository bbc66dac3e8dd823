"""The evaluation page in a real browser: parts load in place, fail with a way on, and need no JavaScript."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import DESK, HOSTILE, HOSTILE_NAME, PHONE, check_every_look, check_readable
from tests.hub import AgentClient, Hub

CONFIG = {
    "summary": "Whether an agent says please, also when it is pressed.",
    "max_score": 100,
    "findings": ["Most forget to say please when they are in a hurry."],
    "prompts": [{"id": "p0", "description": "Asks for salt"}, {"id": "p1", "description": HOSTILE}],
}
AGENTS = 12


class Filled(NamedTuple):
    hub: Hub
    path: str


@pytest.fixture(scope="module")
def filled(page_hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Filled:
    sips = tmp_path_factory.mktemp("sips")
    evaluation = page_hub.evaluation(sips, config=CONFIG | {"max_score": 50})
    page_hub.evaluation(sips, id=evaluation, sip=4321, version="1.1.0", config=CONFIG)
    paul = page_hub.agent("paul")
    for number in range(AGENTS):
        name = HOSTILE_NAME if number == 0 else f"agent{number:02}"
        take(page_hub.agent(name), paul, evaluation, number)
    return Filled(page_hub, f"/evaluations/{evaluation}")


def take(candidate: AgentClient, proctor: AgentClient, evaluation: str, number: int) -> None:
    registration_id = candidate.start(evaluation)
    session_id = proctor.claim(registration_id, evaluation)
    for speaker, words in (
        (proctor, "May I have the salt?"),
        (candidate, "Here you are."),
    ):  # silence would be practice
        assert speaker.say(session_id, words, evaluation).status_code == 201
    met = [number % 3 > 0, number % 2 > 0]
    rows = [
        {
            "id": f"c{place}",
            "text": "Says please",
            "met": each,
            "mark": 7 if each else 2,
            "max": 10,
            "prompt_id": f"p{place}",
        }
        for place, each in enumerate(met)
    ]
    decided = proctor.submit(
        registration_id,
        number % 4 > 0,
        evaluation,
        score=5 * number + 10,
        proctor_feedback=f"Kept calm. {HOSTILE}" if number % 2 else "Kept calm.",
        result_data={"criteria": [*rows, {"id": "long", "text": "w" * 300, "met": True}]},
    )
    assert decided.status_code == 201, decided.text


def opened(browser: Browser, filled: Filled, query: str = "", **options: Any) -> Page:
    context = browser.new_context(base_url=filled.hub.url, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(filled.path + query)
    return page


def names(page: Page, part: str = "results") -> list[str]:
    """The agents in the part's table, without the ending that makes each name its own."""
    return [text[:7] for text in page.locator(f"[data-part={part}] tbody th").all_inner_texts()]


NEWEST = ["agent11", "agent10", "agent09"]


def test_everybody_can_read_it_with_all_charts_and_the_matrix(
    browser: Browser, filled: Filled, axe: str, screenshots: Path | None
):
    page = opened(browser, filled, "?board=all", bypass_csp=True)
    for details in page.locator("details").all():
        details.evaluate("element => { element.open = true }")

    expect(page.locator(".charts svg[role]")).to_have_count(3)
    expect(page.locator(".matrix td a")).to_have_count(2 * AGENTS)
    check_every_look(page, axe, screenshots, "evaluation-with-charts", widths=(DESK, PHONE, 320))
    assert page.evaluate("window.pwned") is None
    page.context.close()


def test_what_is_asked_stands_in_the_first_screen(browser: Browser, filled: Filled):
    page = opened(browser, filled, viewport={"width": 1440, "height": 900})

    for text in ("What it tests for", "Pass rate", "Best agent"):
        expect(page.get_by_text(text, exact=True).first).to_be_in_viewport(ratio=1)
    page.context.close()


def test_the_keyboard_sorts_in_place_and_keeps_the_focus(browser: Browser, filled: Filled):
    page = opened(browser, filled)
    page.evaluate("window.stayed = true")

    page.locator("#sort-score").focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Score")
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Score")

    assert names(page)[1:3] == ["agent01", "agent02"]
    assert page.evaluate("window.stayed")
    assert page.evaluate("document.activeElement.id") == "sort-score"
    assert page.url.endswith("?sort=score#results")
    page.context.close()


def test_the_keyboard_filters_in_place(browser: Browser, filled: Filled):
    page = opened(browser, filled)
    page.evaluate("window.stayed = true")

    page.get_by_label("Search", exact=True).last.focus()
    page.keyboard.type("agent07")
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=results] tbody tr")).to_have_count(1)

    assert names(page) == ["agent07"]
    assert len(names(page, "leaderboard")) == 10
    assert page.evaluate("window.stayed")
    assert page.evaluate("document.activeElement.id") == "q"
    page.context.close()


def test_back_and_forward_show_what_was_there(browser: Browser, filled: Filled):
    page = opened(browser, filled)
    page.locator("#sort-score").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Score")
    page.locator("#board-all").click()
    expect(page.locator("[data-part=leaderboard] tbody tr")).to_have_count(AGENTS)
    assert page.url.endswith("?sort=-score&board=all#leaderboard")  # one part's address holds the other's too

    page.go_back()
    expect(page.locator("[data-part=leaderboard] tbody tr")).to_have_count(10)
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Score")
    page.go_back()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Date")
    assert names(page)[:3] == NEWEST
    page.go_forward()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Score")
    page.context.close()


def test_while_a_part_loads_it_says_so(browser: Browser, filled: Filled):
    page = opened(browser, filled)
    waiting: list[Route] = []
    page.route("**/*sort=*", lambda route: waiting.append(route))

    page.locator("#sort-points_earned").click()
    expect(page.locator("[data-part=results]")).to_have_attribute("aria-busy", "true")
    expect(page.locator(".part-waiting")).to_have_text("Loading the results…")
    expect(page.locator(".part-waiting")).to_be_in_viewport()
    assert len(names(page)) == AGENTS
    waiting[0].continue_()

    expect(page.locator("th[aria-sort=descending]")).to_have_text("Points")
    expect(page.locator("[aria-busy], .part-waiting")).to_have_count(0)
    page.context.close()


@pytest.mark.parametrize("fault", ["network", "server"])
def test_a_failed_load_can_be_tried_again(browser: Browser, filled: Filled, axe: str, fault: str):
    page = opened(browser, filled, bypass_csp=True)
    page.route("**/*sort=*", lambda route: route.abort() if fault == "network" else route.fulfill(status=500))

    page.locator("#sort-score").click()
    expect(page.get_by_role("alert")).to_contain_text("Could not load the results.")
    assert names(page)[:3] == NEWEST
    check_readable(page, axe)
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("alert")).to_contain_text("Could not load the results.")
    page.unroute("**/*sort=*")
    page.get_by_role("button", name="Retry").focus()
    page.keyboard.press("Enter")

    expect(page.locator("th[aria-sort=descending]")).to_have_text("Score")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert page.url.endswith("?sort=-score#results")
    assert page.evaluate("document.activeElement.closest('[data-part=results]') !== null")
    page.context.close()


def test_of_two_clicks_the_later_one_holds(browser: Browser, filled: Filled):
    page = opened(browser, filled)
    waiting: list[Route] = []
    page.route("**/*sort=*", lambda route: waiting.append(route))

    page.locator("#sort-score").click()
    expect(page.locator(".part-waiting")).to_be_visible()
    page.locator("#sort-points_earned").click()
    page.wait_for_timeout(300)
    expect(page.get_by_role("alert")).to_have_count(0)  # the first was given up, and has not failed
    expect(page.locator(".part-waiting")).to_have_count(1)
    waiting[1].continue_()

    expect(page.locator("th[aria-sort=descending]")).to_have_text("Points")
    assert page.url.endswith("?sort=-points_earned#results")
    page.context.close()


def test_another_version_changes_the_whole_page(browser: Browser, filled: Filled):
    page = opened(browser, filled, "?sort=score")

    page.get_by_label("Results of version").select_option("1.0.0")  # it takes effect at once, without a button
    expect(page.get_by_text("No results for version 1.0.0 yet.")).to_be_visible()
    page.locator("[data-part=results]").get_by_role("link", name="Show all versions").click()

    expect(page.get_by_label("Results of version")).to_have_value("all")
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Score")
    page.context.close()


def test_the_keyboard_reaches_the_third_choice_and_empty_choices_stay_out_of_the_address(
    browser: Browser, filled: Filled
):
    page = opened(browser, filled)
    page.goto("/evaluations")
    kind = page.get_by_label("Type", exact=True)
    values = kind.locator("option").evaluate_all("options => options.map(option => option.value)")

    kind.focus()
    for value in values[1:4]:
        page.keyboard.press("ArrowDown")
        expect(page).to_have_url(re.compile(rf"/evaluations\?type={value}(&sort=\w+)?$"))
        expect(kind).to_be_focused()
    page.context.close()


@pytest.mark.parametrize("java_script_enabled", [True, False])
def test_results_are_filtered_by_a_part_of_a_name(browser: Browser, filled: Filled, java_script_enabled: bool):
    page = opened(browser, filled, java_script_enabled=java_script_enabled)
    offered = page.locator("#agent-names option").evaluate_all("options => options.map(option => option.value)")
    assert any(name.startswith("agent11") for name in offered)

    page.get_by_label("Agent", exact=True).fill("GENT1")
    page.get_by_label("Proctor", exact=True).fill("aul")
    page.locator("#filter").click()

    expect(page.locator("[data-part=results] tbody tr")).to_have_count(2)
    assert names(page) == ["agent11", "agent10"]
    expect(page.get_by_label("Agent", exact=True)).to_have_value("GENT1")
    page.get_by_role("link", name="Show all", exact=True).click()
    expect(page.locator("[data-part=results] tbody tr")).to_have_count(AGENTS)
    page.context.close()


def test_it_works_without_javascript(browser: Browser, filled: Filled):
    page = opened(browser, filled, java_script_enabled=False)

    page.locator("#sort-score").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Score")
    assert names(page)[:1] == ["agent11"]
    page.get_by_label("Verdict").select_option("Not passed")
    page.locator("#filter").click()
    expect(page.locator("[data-part=results] tbody tr")).to_have_count(3)
    assert names(page) == ["agent08", "agent04", "<img sr"]
    page.locator("#board-all").click()
    expect(page.locator("[data-part=leaderboard] tbody tr")).to_have_count(AGENTS)
    assert names(page) == ["agent08", "agent04", "<img sr"]
    page.locator(".matrix td a").first.click()

    expect(page).to_have_url(re.compile(r"/evaluations/result/[\w-]+\?version=1\.1\.0&prompt=p0$"))
    page.context.close()


def test_a_dot_opens_its_session_over_the_page(browser: Browser, filled: Filled):
    page = opened(browser, filled)

    page.locator(".charts svg a[data-session]").last.click()

    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert names(page)[:3] == NEWEST
    page.context.close()


def test_the_matrix_scrolls_in_its_own_box_by_keyboard(browser: Browser, filled: Filled):
    page = opened(browser, filled, viewport={"width": 390, "height": 900})
    box = page.get_by_role("region", name="Table of prompts and agents")

    box.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")

    page.wait_for_function("document.querySelector('.scrolls').scrollLeft > 0")
    first = box.get_by_role("rowheader", name="Asks for salt").bounding_box()
    assert first
    assert first["x"] >= 0
    page.context.close()


HOSTILE_BODY = f"""# Good manners

{HOSTILE}

<svg><script>window.pwned=1</script></svg><iframe srcdoc="<script>parent.pwned=1</script>"></iframe>

![a picture](x "onerror=window.pwned=1") ![far away](http://elsewhere.example/x.png)

[press](<javascript:window.pwned=1>) <a href="data:text/html,<script>window.pwned=1</script>">data</a>

```html
<script>window.pwned=1</script>
```

| <img src=x onerror=window.pwned=1> | b |
|---|---|
| <svg onload=window.pwned=1> | d |
"""


def test_what_a_sip_says_is_text_and_does_not_run(browser: Browser, filled: Filled, tmp_path: Path):
    hostile = {"name": HOSTILE[:90], "title": HOSTILE[:90], "author": HOSTILE[:90], "module": "safety"}
    config = {"summary": HOSTILE, "max_score": 10, "findings": [HOSTILE], "criteria": [{"id": "c", "text": HOSTILE}]}
    evaluation = filled.hub.evaluation(tmp_path, body=HOSTILE_BODY, config=config, **hostile)
    page = opened(browser, filled, bypass_csp=True)  # without the policy, so that the escaping has to hold by itself
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    for path in (f"/evaluations/{evaluation}", "/evaluations", "/search?q=script"):
        page.goto(path)
        for details in page.locator("details").all():
            details.evaluate("element => { element.open = true }")
        page.wait_for_timeout(200)

        assert page.evaluate("window.pwned") is None
        assert (
            page.locator(
                "main script, main iframe, main img, .prose svg, main a[href^='javascript'], main a[href^='data']"
            ).count()
            == 0
        )
        expect(page.get_by_text("<script>window.pwned=1</script>").first).to_be_visible()
    assert not any("elsewhere.example" in url or url.endswith("/x") for url in asked)
    page.context.close()
