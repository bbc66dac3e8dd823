"""Two attempts of one evaluation, side by side."""

import re
from typing import Any

import pytest

from tests import make
from tests.exams import quiz
from tests.web.test_results import HOSTILE
from viva.exams import registering, starting, submitting
from viva.exams.handlers.proctored import Verdict
from viva.results.model import NamedResult
from viva.sessions import channel
from viva.web.criteria import ShownCriteria, ShownCriterion
from viva.web.pairs import pair_criteria


def talked(site: Any, name: str, messages: int, **verdict: Any) -> NamedResult:
    def unit(db: Any) -> NamedResult:
        candidate, proctor = make.agent(db, name), make.agent(db, f"paul for {name}")
        registration, claim = make.claim(db, candidate, proctor)
        for number in range(1, messages + 1):
            channel.send(db, "good-manners", claim.session.id, proctor.id, f"{name} is told {number}.", 65536)
        return make.submit(db, "good-manners", registration.id, proctor, Verdict(True, **verdict))

    return site.database.write_now(unit)


def compared(site: Any, a: NamedResult, b: NamedResult, **query: str) -> str:
    return str(site.text("/evaluations/compare", a=a.id, b=b.id, **query))


def criterion(
    id: str = "", met: bool | None = None, mark: float | None = None, most: float | None = None
) -> ShownCriterion:
    return ShownCriterion(f"Text of {id}.", met, None, mark, most, id=id)


@pytest.mark.parametrize(
    ("a", "b", "difference"),
    [
        (criterion("x", True, 8, 10), criterion("x", False, 5.5, 10), "A has 2.5 more"),
        (criterion("x", False, 5, 10), criterion("x", True, 8, 10), "B has 3 more"),
        (criterion("x", True, 8, 10), criterion("x", True, 8, 10), "Same"),
        (criterion("x", True, 8, 10), criterion("x", True, 20, 25), "Same"),
        (criterion("x", False, 0, 10), criterion("x", True, 20, 25), "Met only in B"),
        (criterion("x", True), criterion("x", False), "Met only in A"),
        (criterion("x", True), criterion("x", None), "Judged only in A"),
        (criterion("x", None), criterion("x", False), "Judged only in B"),
        (criterion("x", None), criterion("x", None), "Same"),
    ],
)
def test_how_two_differ_is_said_in_words(a, b, difference):
    (pair,) = pair_criteria(ShownCriteria([a]), ShownCriteria([b]))

    assert pair.difference == difference


def test_what_only_one_was_judged_by_is_said_so():
    pairs = pair_criteria(
        ShownCriteria([criterion("x"), criterion("y")]), ShownCriteria([criterion("y"), criterion("z")])
    )

    assert [(pair.text, pair.difference) for pair in pairs] == [
        ("Text of x.", "Only in A"),
        ("Text of y.", "Same"),
        ("Text of z.", "Only in B"),
    ]


def test_verdicts_criteria_and_conversations_stand_side_by_side(site):
    ada = talked(site, "ada", 2, score=80, data={"criteria": [{"id": "please", "text": "Says please.", "met": True}]})
    bob = talked(site, "bob", 1, score=60, data={"criteria": [{"id": "please", "text": "Says please.", "met": False}]})

    page = compared(site, ada, bob)

    assert page.index('80<span class="of">/100') < page.index('60<span class="of">/100')
    assert page.count("Says please.") == 1
    assert "<strong>Met only in A</strong>" in page
    assert "1 of 1 differ" in page
    assert page.index("ada is told 2.") < page.index("bob is told 1.")
    assert 'id="A-msg-2"' in page
    assert f'href="/evaluations/result/{bob.id}?message=1#msg-1"' in page
    assert "was graded by version" not in page


def test_different_versions_are_said_plainly(site):
    old = talked(site, "ada", 1)
    site.sip(version="2.0.0", config={"max_score": 9})
    new = talked(site, "bob", 1)

    assert "A was graded by version 1.0.0 and B by version 2.0.0" in compared(site, old, new)


def test_each_conversation_comes_by_the_page_of_its_own(site):
    ada, bob = talked(site, "ada", 203), talked(site, "bob", 202)

    page = compared(site, ada, bob, after_a="200")

    assert re.findall(r'id="A-msg-(\d+)"', page) == ["201", "202", "203"]
    assert len(re.findall(r'id="B-msg-(\d+)"', page)) == 200
    assert f'href="/evaluations/compare?a={ada.id}&amp;b={bob.id}#conversations"' in page
    assert (
        f'href="/evaluations/compare?a={ada.id}&amp;b={bob.id}&amp;after_a=200&amp;after_b=200#conversations"' in page
    )


def test_attempts_without_criteria_say_so(site):
    assert "Neither attempt has criteria." in compared(site, talked(site, "ada", 1), talked(site, "bob", 0))


@pytest.mark.parametrize("query", [{}, {"a": "x"}, {"b": "x"}, {"a": "y" * 300, "b": "x"}])
def test_fewer_than_two_are_answered_with_what_to_do(site, query):
    answer = site.get("/evaluations/compare", params=query)

    assert answer.status_code == 422
    assert "Two attempts are needed" in answer.text


def test_one_attempt_twice_is_refused(site):
    result = talked(site, "ada", 1)

    answer = site.get("/evaluations/compare", params={"a": result.id, "b": result.id})

    assert answer.status_code == 422
    assert "Both are the same attempt" in answer.text


def test_attempts_of_two_evaluations_are_refused_in_a_sentence(site):
    site.sip(sip=8, id="sums", name="Sums")
    ada = talked(site, "ada", 1)
    sums = site.result("bob", evaluation_id="sums")

    answer = site.get("/evaluations/compare", params={"a": ada.id, "b": sums.id})

    assert answer.status_code == 422
    assert "These attempts belong to different evaluations" in answer.text


def test_no_such_attempt_is_a_page(site):
    result = talked(site, "ada", 1)

    assert site.get("/evaluations/compare", params={"a": result.id, "b": "eval_res_0"}).status_code == 404


def test_a_result_offers_to_be_compared_with_the_attempts_around_it(site):
    ada, bob = talked(site, "ada", 1, score=1), talked(site, "bob", 1, score=2)

    page = site.text(f"/evaluations/result/{ada.id}")

    assert f'href="/evaluations/compare?a={ada.id}&amp;b={bob.id}"' in page
    assert f"b={ada.id}" not in page


def test_what_agents_wrote_is_never_markup_in_a_comparison(site):
    name = HOSTILE.replace("/", "")
    data = {"criteria": [{"text": HOSTILE, "met": True, "note": HOSTILE}]}
    a, b = (site.result(f"{number}{name}", proctor=name, feedback=HOSTILE, data=data) for number in (1, 2))

    page = compared(site, a, b)

    assert "<img" not in page
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_of_a_benchmark_both_answers_stand_beside_the_question(site):
    site.sip(**quiz.fields(questions=[each for each in quiz.QUESTIONS if each["id"] == "capital"], reveal="always"))

    def answered(name: str, answer: str) -> NamedResult:
        def unit(db: Any) -> NamedResult:
            agent = make.agent(db, name)
            registering.register(db, quiz.ID, agent)
            starting.start(db, make.HALL, quiz.ID, agent, "")
            exam = submitting.exam_of(db, make.HALL, quiz.ID, agent, "")
            submitted = submitting.submit(db, exam, {"answers": {"capital": answer}})
            return submitted.result  # type: ignore[return-value]

        result: NamedResult = site.database.write_now(unit)
        return result

    page = compared(site, answered("ada", "paris"), answered("bob", "Lyon"))

    assert page.index("<q>paris</q>") < page.index("<q>Lyon</q>") < page.index("A has 1 more")
    assert "City of Paris" not in page
    assert "This exam has no conversation" not in page
