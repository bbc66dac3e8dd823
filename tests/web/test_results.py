"""The page of one result."""

import re
import tracemalloc
from typing import Any

import pytest

from tests import make
from viva.evaluations.published_digest import digest_key
from viva.exams import proctoring
from viva.exams.handlers.proctored import Verdict
from viva.results.model import NamedResult
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.web import wording
from viva.web.conversations import ConversationView, page_of

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))"onload="alert(1)'


def exam(site: Any, words: list[str], **verdict: Any) -> NamedResult:
    """A decided exam in which proctor and candidate said these words in turn."""

    def unit(db: Any) -> NamedResult:
        ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
        registration, claim = make.claim(db, ada, paul)
        for number, content in enumerate(words):
            channel.send(db, "good-manners", claim.session.id, (paul, ada)[number % 2].id, content, 64 * 1024)
        return proctoring.submit(db, "good-manners", registration.id, paul, Verdict(True, **verdict), "anyone")

    return site.database.write_now(unit)


def messages_in(page: str) -> list[int]:
    return [int(number) for number in re.findall(r'id="msg-(\d+)"', page)]


def test_the_page_has_the_conversation_the_verdict_and_the_other_attempts(site):
    result = exam(site, ["Would you pass the salt?", "Here you are."], score=87.5, feedback="Well **said**.")
    other = site.result("bob", score=95)

    page = site.text(f"/evaluations/result/{result.id}")

    assert messages_in(page) == [1, 2]
    assert re.search(r'class="role">Proctor</span>\s*<span class="name">paul<', page)
    assert "Would you pass the salt?" in page
    assert '87.5<span class="of">/100' in page
    assert "Well <strong>said</strong>." in page
    assert page.index(f'{other.id}" data-session') < page.index(f'{result.id}" data-session aria-current')
    assert str(result.evaluation_digest) not in page
    assert digest_key(site.secret).publish(result.evaluation_digest) in page


def test_criteria_are_told_apart_by_whether_they_were_met(site):
    site.sip(version="2.0.0", config={"max_score": 100, "criteria": [{"id": "please", "text": "Says please."}]})
    criteria = [
        {"id": "please", "met": True, "note": "In 2."},
        {"text": "Says thanks.", "met": False},
        {"id": "odd"},
        "no row",
    ]
    result = exam(site, ["Hello."], data={"criteria": criteria, "mood": "calm"})

    page = site.text(f"/evaluations/result/{result.id}")

    assert page.index("Gaps") < page.index("Says thanks.") < page.index("Not judged") < page.index(">Odd</span>")
    assert page.index(">Odd</span>") < page.index("Criteria met") < page.index("Says please.") < page.index("In 2.")
    assert "More data of this result" in page
    assert "&#34;mood&#34;: &#34;calm&#34;" in page


def test_criteria_without_a_conversation_have_its_room(site):
    result = exam(site, [], data={"criteria": [{"text": "Says thanks.", "met": True}]})
    site.database.write_now(lambda db: db.execute("UPDATE evaluation_results SET session_id = NULL"))

    page = site.text(f"/evaluations/result/{result.id}")

    assert "This exam has no conversation." not in page
    assert page.index('id="session-verdict"') < page.index('id="session-criteria"') < page.index("Says thanks.")
    assert page.count("Says thanks.") == 1


def test_an_undecided_verdict_says_so_beside_it(site):
    result = exam(site, ["Hello."], data={"is_undecided": True})

    page = site.text(f"/evaluations/result/{result.id}")

    assert "Their marks could have changed this verdict" in page


def test_class_work_shows_the_parts_of_its_score(site):
    parts = {"group": {"score": 80.0, "max_score": 100}, "own": {"score": 62.5, "max_score": 100}}
    result = exam(site, ["Hello."], data=parts)
    odd = site.result("bob", data={"group": "good", "own": {"score": "much"}})

    page = site.text(f"/evaluations/result/{result.id}")

    assert "<dt>Group</dt><dd>80 of 100</dd><dt>Own part</dt><dd>62.5 of 100</dd>" in page
    assert "Own part" not in site.text(f"/evaluations/result/{odd.id}")


def test_a_long_conversation_comes_by_the_page(site):
    result = exam(site, [f"message {number}" for number in range(1, 206)])
    here = f"/evaluations/result/{result.id}"

    first, later, past = site.text(here), site.text(here, after="200"), site.text(here, after="999")

    assert messages_in(first) == list(range(1, 201))
    assert f'href="{here}?after=200#session-conversation"' in first
    assert messages_in(later) == [201, 202, 203, 204, 205]
    assert f'href="{here}?message=203#msg-203"' in later
    assert "Later messages" not in later
    assert "There are no messages after message 999." in past


def test_long_messages_make_the_page_shorter(site):
    result = exam(site, ["x" * 60_000] * 5)

    page = site.text(f"/evaluations/result/{result.id}")

    assert messages_in(page) == [1, 2, 3]
    assert "Later messages, from 4 of 5" in page


@pytest.mark.parametrize(("prompt", "expected"), [("p", [2, 3, 4, 5, 6]), ("", [1, 2, 3, 4, 5, 6, 7])])
def test_pages_of_long_messages_lose_none(db, prompt, expected):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    _, (session, _) = make.claim(db, ada, paul)
    for marked in (None, "p", "p", "p", "p", "p", None):
        channel.send(db, session.evaluation_id, session.id, ada.id, "\x01" * 60_000, 64_000, marked)
    session = sessions.get(db, session.evaluation_id, session.id)

    found = [page_of(db, session, ConversationView(prompt))]
    while found[-1].has_more and len(found) < 9:
        found.append(page_of(db, session, ConversationView(prompt, found[-1].page[-1].sequence)))

    assert [message.sequence for each in found for message in each.page] == expected
    assert [len(each.page) for each in found] == [3] * (len(expected) // 3) + [len(expected) % 3]


def test_a_silent_session_says_so(site):
    result = exam(site, [])

    assert "There are no messages in this session." in site.text(f"/evaluations/result/{result.id}")


def test_a_result_without_a_session_says_so(site):
    result = exam(site, [])
    site.database.write_now(lambda db: db.execute("UPDATE evaluation_results SET session_id = NULL"))

    assert "This exam has no conversation." in site.text(f"/evaluations/result/{result.id}")


@pytest.mark.parametrize("name", ["eval_res_0", "%F0%9F%98%80", "x" * 3000])
def test_no_such_result_is_a_page(site, name):
    answer = site.get(f"/evaluations/result/{name}")

    assert answer.status_code == 404
    assert "There is no result with this id." in answer.text


def test_what_agents_wrote_is_never_markup(site):
    name = HOSTILE.replace("/", "")
    site.sip(
        version="2.0.0",
        name=HOSTILE,
        author=HOSTILE,
        body=f"# {HOSTILE}\n\n{HOSTILE}\n",
        config={"summary": HOSTILE, "max_score": 9},
    )
    result = site.result(
        name,
        proctor=name,
        feedback=HOSTILE,
        data={HOSTILE: HOSTILE, "criteria": [{"text": HOSTILE, "met": True, "note": HOSTILE}]},
    )
    said = exam(site, [HOSTILE, HOSTILE])

    for path in (
        "/evaluations",
        "/evaluations/good-manners",
        f"/evaluations/result/{result.id}",
        f"/evaluations/result/{said.id}",
    ):
        page = site.text(path)
        assert "<script>" not in page
        assert "<img" not in page
        assert not re.search(r"<[^>]*\son\w+=", re.sub(r'"[^"]*"', '""', page)), path  # within quotes it is data
        assert 'href="javascript:' not in page
        assert "&lt;script&gt;alert(1)" in page


def test_deep_data_is_indented_no_further_than_it_is_shown():
    deep: object = [0] * 500_000
    for _ in range(200):
        deep = [deep]

    tracemalloc.start()
    shown = wording.as_json(deep)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(shown) == wording.MAX_JSON_CHARACTERS + 2
    assert peak < 1_000_000  # all of it, indented, has 200 MB


def test_a_conversation_that_is_never_revealed_is_for_those_who_took_part(site):
    site.sip(config={"max_score": 100, "reveal": "never"})
    result = site.result("ada", feedback="Hidden words.")

    page = site.text(f"/evaluations/result/{result.id}")

    assert "The conversation is for those who took part." in page
    assert "Hidden words." not in page
