"""What the evaluation page says of all results together, and its matrix of prompts and agents."""

import re
from typing import Any

import pytest

from tests import make
from tests.results.taken import Counting
from viva.exams.handlers.proctored import Verdict
from viva.web.evaluation_view import View
from viva.web.evaluations import evaluation_page

HOSTILE = "<script>alert(1)</script>"


def criteria(*met: bool, mark: float | None = None, text: str = "Says please") -> dict[str, Any]:
    """Data of a result with a criterion for each, one to a prompt."""
    marks = {} if mark is None else {"mark": mark, "max": 10}
    return {
        "criteria": [
            {"id": f"c{number}", "text": f"{text} {number}", "met": each, "prompt_id": f"p{number}", **marks}
            for number, each in enumerate(met)
        ]
    }


def section(page: str, name: str) -> str:
    found = re.search(rf'<section[^>]* aria-labelledby="{name}".*?</section>', page, re.DOTALL)
    assert found, name
    return found[0]


def test_an_evaluation_nobody_tried_has_no_findings_yet(site):
    page = site.text("/evaluations/good-manners")

    assert "Score distribution, strengths and weaknesses appear here" in section(page, "findings")
    assert "<svg" not in section(page, "findings")
    assert 'id="matrix"' not in page


def test_the_authors_findings_come_first_and_are_marked(site):
    site.sip(version="1.1.0", config={"findings": [f"Hard {HOSTILE}"], "max_score": 100})
    site.result("ada", score=80)

    told = section(site.text("/evaluations/good-manners"), "key-findings")

    assert re.findall(r"<li[^>]*>(.*?)</li>", told) == [
        'Hard &lt;script&gt;alert(1)&lt;/script&gt; <span class="tag">from the authors</span>',
    ]
    assert "Nothing stands out in 1 attempt that could not be chance." in told


def test_key_findings_say_what_tells_passed_attempts_from_others_and_what_a_version_changed(site):
    for number in range(8):
        site.result(f"old {number}", passed=False, score=20, data=criteria(number == 0, True))
    site.sip(version="1.1.0", config={"max_score": 100})
    for number in range(16):
        site.result(f"new {number}", passed=number > 0, score=90, data=criteria(number > 0, True))

    told = section(site.text("/evaluations/good-manners", version="all"), "key-findings")

    assert "Version 1.1.0 is passed more often than 1.0.0: 15 of 16 against 0 of 8" in told
    assert "What tells passed attempts from the others" in told
    assert "met in 15 of 15 passed and in 1 of 9 others" in told
    assert "of 24 attempts by 24 agents" not in told  # the figures above say it


def test_charts_have_their_numbers_beside_them(site):
    site.result("ada", score=85)
    site.result("bob", score=82)
    site.result("cleo", passed=False, score=12)

    found = section(site.text("/evaluations/good-manners"), "findings")

    assert '<th scope="row">80 to 90%</th><td>2</td>' in found
    assert '<th scope="row">10 to 20%</th><td>1</td>' in found
    assert "<td>2 of 3</td><td>67%</td>" in found  # of the month
    assert found.count('data-session tabindex="-1"') == 3  # dots, whose results are in the table too
    assert re.search(r'href="/evaluations/result/[^"]*" data-session>cleo</a></th><td>2</td>', found)


def test_the_pass_rate_is_told_for_each_version_newest_first(site):
    site.result("ada")
    for version in ("1.9.0", "1.10.0"):
        site.sip(version=version)
        site.result(f"of {version}", passed=version == "1.9.0")

    rates = section(site.text("/evaluations/good-manners"), "findings")

    found = re.findall(
        r'<th scope="row">(1\.[\d.]+)</th><td class="picture">.*?<strong>(\d+%)</strong>', rates, re.DOTALL
    )
    assert found == [("1.10.0", "0%"), ("1.9.0", "100%"), ("1.0.0", "100%")]


def test_results_without_conversations_have_no_chart_of_their_length(site):
    site.result("ada", score=85)
    site.database.write_now(lambda db: db.execute("UPDATE evaluation_results SET session_id = NULL"))
    site.database.write_now(lambda db: db.execute("DELETE FROM evaluation_group_tallies WHERE kind = 'messages'"))

    found = section(site.text("/evaluations/good-manners"), "findings")

    assert "Score and session length" not in found
    assert "Pass rate by length" not in found


def test_no_pattern_is_said_plainly(site):
    site.result("ada", score=85)
    site.result("bob", score=85)

    assert "No pattern found in 2 attempts with a conversation." in site.text("/evaluations/good-manners")


def test_a_pattern_is_told_where_there_is_one(site):
    def talks(db: Any) -> None:
        paul = make.agent(db, "paul")
        for number in range(24):
            candidate = make.agent(db, f"agent {number}")
            started, claim = make.claim(db, candidate, paul)
            make.talk(db, claim.session, candidate, paul)
            messages = 40 if number % 2 else 9
            db.execute("UPDATE evaluation_sessions SET message_count = ? WHERE id = ?", [messages, claim.session.id])
            make.submit(db, "good-manners", started.id, paul, Verdict(bool(number % 2)))

    site.database.write_now(talks)

    found = section(site.text("/evaluations/good-manners"), "findings")

    assert "Longer sessions are passed more often. This is unlikely to be chance (24 attempts)." in found
    assert re.search(r'<th scope="row">8 to 15</th>.*?12 of 12', found, re.DOTALL)


def test_strengths_and_weaknesses_are_told_by_criterion(site):
    for number in range(12):
        site.result(f"agent {number}", data=criteria(True, False, text=HOSTILE))

    found = section(site.text("/evaluations/good-manners"), "findings")

    strengths, weaknesses = found.split("<h3>Strengths</h3>")[1].split("<h3>Weaknesses</h3>")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; 0</th>" in strengths
    assert "12 of 12, 76% to 100%" in strengths
    assert "&lt;script&gt;alert(1)&lt;/script&gt; 1</th>" in weaknesses.split("<details")[0]
    assert "0 of 12, 0% to 24%" in weaknesses
    assert "All 2 criteria, met in 50% of all judgements" in found
    assert HOSTILE not in found


def test_few_judgements_make_no_strengths(site):
    site.result("ada", data=criteria(True, False))

    assert "No criterion is met significantly more often than the average" in site.text("/evaluations/good-manners")


def test_themes_of_the_feedback_lead_to_an_example(site):
    for number in range(6):
        site.result(f"agent {number}", feedback=f"Invented a source. {HOSTILE}")

    found = section(site.text("/evaluations/good-manners"), "findings")

    assert re.search(r'href="/evaluations/result/[^"]*" data-session>“invented a source”</a>', found)
    assert "in 6 of 6 passed, 0 of 0 not passed" in found
    assert HOSTILE not in found


def test_a_theme_that_stands_on_one_side_is_told_there_alone(site):
    for number in range(8):
        site.result(f"agent {number}", passed=number < 2, feedback="Invented a source." if number > 1 else "Kept calm.")
    for number in range(8, 16):
        site.result(f"agent {number}", feedback="Kept calm.")

    found = section(site.text("/evaluations/good-manners"), "findings")

    assert found.count("“invented a source”") == 1
    assert found.index("More often in attempts not passed") < found.index("“invented a source”")


def test_attempts_without_scores_have_no_empty_chart(site):
    site.result("ada", score=None)

    found = section(site.text("/evaluations/good-manners"), "findings")

    assert "Score distribution" not in found
    assert "No attempt has a score yet." in found


def test_the_matrix_has_a_row_for_each_prompt_and_the_best_agents_as_columns(site):
    named = {"prompts": [{"id": "p0", "description": f"First {HOSTILE}"}, {"id": 7}, "x"], "max_score": 100}
    site.sip(version="1.1.0", config=named)
    ada = site.result("ada", score=90, data=criteria(True, True, mark=7.5))
    bob = site.result("bob", score=80, data=criteria(True))
    site.result("cleo", score=70)

    matrix = section(site.text("/evaluations/good-manners"), "matrix")

    rows = re.findall(r'<th scope="row" class="prompt"><span class="clamp">([^<]*)<', matrix)
    assert rows == ["First &lt;script&gt;alert(1)&lt;/script&gt;", "Says please 1"]
    assert re.findall(r'<th scope="col"><span class="rank">\d+</span> <span class="clamp">(\w+)', matrix) == [
        "ada",
        "bob",
        "cleo",
    ]
    cell = f'<td class="shade-4"><a href="/evaluations/result/{ada.id}?version=1.1.0&amp;prompt=p1" data-session>7.5<span class="of">/10'
    assert cell in matrix
    assert f'href="/evaluations/result/{bob.id}?version=1.1.0&amp;prompt=p0" data-session>met</a>' in matrix
    assert matrix.count('<td class="none">–</td>') == 3


def test_the_matrix_goes_on_to_the_next_agents(site):
    for number in range(21):
        site.result(f"agent {number}", score=90 - number, data=criteria(True))

    first = site.text("/evaluations/good-manners")
    more = re.search(r'href="([^"]*matrix_cursor=[^"#]*)#matrix" rel="next"', first)
    assert more
    second = section(site.text(more[1].replace("&amp;", "&")), "matrix")

    assert re.findall(r'<span class="rank">(\d+)</span>', second) == ["21"]
    assert "Best agents" in second


@pytest.mark.parametrize("prompt_id", ["a/b?c", "'\"><script>", "#"])
def test_a_prompt_may_be_called_anything(site, prompt_id):
    site.result("ada", data={"criteria": [{"id": "c", "met": True, "prompt_id": prompt_id}]})

    matrix = section(site.text("/evaluations/good-manners"), "matrix")

    assert "<script>" not in matrix
    address = re.search(r'href="/evaluations/result/[\w-]+\?version=1.0.0&amp;prompt=([^"]*)" data-session', matrix)
    assert address
    assert re.fullmatch(r"[\w%]+", address[1])


def test_the_page_asks_little_of_the_database_whatever_there_is(db):
    make.evaluation(db)
    paul = make.agent(db, "paul")
    for number in range(12):
        make.result(db, make.agent(db, f"agent {number}"), paul, score=50, data=criteria(True, False))
    counting = Counting(db)

    evaluation_page(counting, "good-manners", View(version="1.0.0", agent="agent 1", proctor="paul"), paul)

    assert len(counting.asked) <= 27  # each of the two names takes four of them; the document and the author one each
