"""The page that `viva analyze -o report.html` writes, in a real browser: readable by all, and inert."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import HOSTILE, check_every_look
from tests.engine.refund import refund
from viva.engine.analyze import analyze
from viva.reports import page as report
from viva.reports.tally import AnalysisTally

HOSTILE_RUN = {
    "id": HOSTILE,
    "initial_task": HOSTILE,
    "turns": [
        {"user_message": HOSTILE, "agent_interactions": [{"agent_id": HOSTILE, "agent_response": HOSTILE}]},
        {"user_message": f"No, that is wrong. {HOSTILE}", "agent_interactions": []},
    ],
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    runs: dict[str, list[Any]] = {
        "one": [refund()],
        "many": [refund(), HOSTILE_RUN],
        "hostile": [HOSTILE_RUN],
        "none": [],
    }
    for name, traces in runs.items():
        tally = AnalysisTally()
        for trace in traces:
            tally.add(analyze(trace))
        (folder / f"{name}.html").write_text(report.render(tally))
    return {name: folder / f"{name}.html" for name in runs}


@pytest.mark.parametrize("name", ["one", "many", "hostile", "none"])
def test_a_report_keeps_nobody_out(
    browser: Browser, reports: dict[str, Path], axe: str, screenshots: Path | None, name: str
) -> None:
    page = browser.new_page(bypass_csp=True)
    page.goto(reports[name].as_uri())
    for details in page.query_selector_all("details"):
        details.evaluate("part => part.open = true")

    check_every_look(page, axe, screenshots, f"report-{name}")
    assert page.evaluate("window.pwned === undefined")
    page.close()


def test_a_report_asks_for_nothing_else(browser: Browser, reports: dict[str, Path]) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(reports["one"].as_uri())

    assert asked == [reports["one"].as_uri()]
    page.close()
