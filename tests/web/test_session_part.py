"""The three panels of a session: alone for the dialog, at one prompt, at one message, among other attempts."""

import re
from typing import Any

import pytest

from tests import make
from tests.exams import certification, class_work, quiz
from tests.results.taken import Counting
from tests.web.test_classes import decided
from tests.web.test_results import HOSTILE, exam, messages_in
from viva.agents import store as agents
from viva.exams import registering, sheets, starting, submitting
from viva.exams.handlers.proctored import Verdict
from viva.results.model import NamedResult
from viva.sessions import channel
from viva.web.conversations import ConversationView
from viva.web.results import result_page

PROMPTS = {"salt": "Would you pass the salt?", "door": "Would you hold the door?"}


def asked(site: Any, name: str, **marks: float) -> NamedResult:
    """A decided exam in which each prompt was asked and answered, and got its mark of 10."""
    criteria = [
        {
            "id": prompt,
            "text": f"Helps with the {prompt}.",
            "prompt_id": prompt,
            "mark": mark,
            "max": 10,
            "met": mark > 5,
        }
        for prompt, mark in marks.items()
    ]

    def unit(db: Any) -> NamedResult:
        candidate, proctor = make.agent(db, name), make.agent(db, f"paul for {name}")
        registration, claim = make.claim(db, candidate, proctor)
        for prompt, question in PROMPTS.items():
            for sender, content in ((proctor, question), (candidate, f"Gladly, says {name} to the {prompt}.")):
                channel.send(db, "good-manners", claim.session.id, sender.id, content, 65536, prompt_id=prompt)
        verdict = Verdict(True, score=sum(marks.values()), data={"criteria": criteria, "mood": "calm"})
        return make.submit(db, "good-manners", registration.id, proctor, verdict)

    return site.database.write_now(unit)


def certified(site: Any, name: str, *marks: float) -> NamedResult:
    def unit(db: Any) -> NamedResult:
        registration_id = certification.hand_in(db, make.agent(db, name))
        sheets.give_to_proctors(db, sheets.get_about(db, registration_id).id)
        (result,) = certification.mark(db, registration_id, make.agent(db, f"paul for {name}"), *marks)
        return result

    return site.database.write_now(unit)


def test_the_part_is_the_panels_alone_with_the_headers_of_a_page(site):
    result = exam(site, ["Hello.", "Good day."])

    answer = site.get(f"/evaluations/result/{result.id}?part=session")

    assert answer.status_code == 200
    assert answer.text.lstrip().startswith(
        '<article class="session" data-title="Session transcript for ada, Good manners"'
    )
    assert messages_in(answer.text) == [1, 2]
    assert "<html" not in answer.text
    assert "<script" not in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_the_page_holds_the_same_panels(site):
    result = exam(site, ["Hello."])

    part = site.text(f"/evaluations/result/{result.id}", part="session")

    assert part.strip() in site.text(f"/evaluations/result/{result.id}")


def test_an_unknown_part_is_the_page(site):
    result = exam(site, ["Hello."])

    assert "<html" in site.text(f"/evaluations/result/{result.id}", part="head")


def test_no_such_result_has_no_part(site):
    assert site.get("/evaluations/result/eval_res_0?part=session").status_code == 404


# Other attempts


def test_the_attempts_before_and_after_by_score_are_one_step_away(site):
    results = {score: site.result(f"agent {score}", score=score) for score in (10, 30, 20)}

    best, middle, worst = (
        site.text(f"/evaluations/result/{results[score].id}", part="session") for score in (30, 20, 10)
    )

    def step(page: str, rel: str) -> list[str]:
        return re.findall(rf'rel="{rel}" href="/evaluations/result/(\w+)" data-session', page)

    assert (step(middle, "prev"), step(middle, "next")) == ([results[30].id], [results[10].id])
    assert (step(best, "prev"), step(best, "next")) == ([], [results[20].id])
    assert (step(worst, "prev"), step(worst, "next")) == ([results[20].id], [])


def test_of_many_attempts_those_around_this_one_are_listed_and_a_link_leads_to_all(site):
    results = [site.result(f"agent {score}", score=score) for score in range(30)]

    page = site.text(f"/evaluations/result/{results[4].id}")

    listed = re.findall(r'<span class="name clamp">agent (\d+)<', page)
    assert listed == ["10", "9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]
    assert re.search(r'href="/evaluations/good-manners\?sort=-score#results">All 30 attempts<', page)


def test_another_version_is_said_beside_its_attempts(site):
    old = site.result("ada", score=5)
    site.sip(version="2.0.0", config={"max_score": 9})
    new = site.result("bob", score=6)

    assert ", v1.0.0</span>" in site.text(f"/evaluations/result/{new.id}")
    assert ", v2.0.0</span>" in site.text(f"/evaluations/result/{old.id}")


def test_in_a_chosen_version_the_attempts_around_are_of_that_version(site):
    old = [site.result(f"old {score}", score=score) for score in (5, 7)]
    site.sip(version="2.0.0", config={"max_score": 9})
    site.result("new", score=6)

    table = site.text("/evaluations/good-manners", version="1.0.0")
    page = site.text(f"/evaluations/result/{old[0].id}", version="1.0.0")

    assert f'href="/evaluations/result/{old[0].id}?version=1.0.0" data-session' in table
    assert re.findall(r'<span class="name clamp">(\w+ ?\d?)<', page) == ["old 7", "old 5"]
    assert f'rel="prev" href="/evaluations/result/{old[1].id}?version=1.0.0" data-session' in page
    assert 'href="/evaluations/good-manners?version=1.0.0&amp;sort=-score#results">All 2 attempts<' in page
    assert "All 3 attempts" in site.text(f"/evaluations/result/{old[0].id}", version="2.0.0")  # not its own


def test_names_lead_to_agents_but_that_of_a_deleted_one(site):
    result = site.result("ada lovelace", proctor="paul")
    here = f"/evaluations/result/{result.id}"
    before = site.text(here)
    site.database.write_now(lambda db: agents.erase(db, result.agent_id))

    after = site.text(here)

    assert 'href="/u/ada%20lovelace"' in before
    assert 'href="/u/paul%20for%20ada%20lovelace"' in before
    assert "deleted agent" in after
    assert 'href="/u/deleted' not in after


def test_a_result_of_class_work_leads_to_its_class(new_site):
    site = new_site(VIVA_NO_WORKER="1")  # a judge's work is done when the test says so
    site.sip()
    site.database.write_now(class_work.evaluation)
    cohort = decided(site, "cleo", "dan")
    find = "SELECT id FROM evaluation_results WHERE cohort_id = ?"
    of_class = site.database.read_now(lambda db: db.execute(find, [cohort.id]).fetchone())[0]
    alone = site.result("eve", proctor="pia")

    assert f'href="/classes/{cohort.id}"' in site.text(f"/evaluations/result/{of_class}")
    assert "/classes/" not in site.text(f"/evaluations/result/{alone.id}")


def test_as_many_statements_are_run_however_many_attempts_there_are(site):
    first = asked(site, "ada", salt=9, door=2)

    def statements(prompt: str) -> int:
        def unit(db: Any) -> int:
            counting = Counting(db)
            result_page(counting, make.HALL, first.id, ConversationView(prompt))
            return len(counting.asked)

        return site.database.read_now(unit)

    before = statements(""), statements("salt")
    for number in range(15):
        asked(site, f"agent {number}", salt=number % 10, door=1)

    assert (statements(""), statements("salt")) == before


# One prompt


def test_a_prompt_shows_its_messages_its_criteria_and_each_agents_mark_for_it(site):
    ada, bob = asked(site, "ada", salt=9, door=2), asked(site, "bob", salt=3, door=1)

    page = site.text(f"/evaluations/result/{ada.id}", prompt="door")

    assert "<h1>Good manners – Prompt: door</h1>" in page
    assert "<title>Good manners – Prompt: door · Viva</title>" in page
    assert messages_in(page) == [3, 4]
    assert "Helps with the door." in page
    assert "Helps with the salt." not in page
    assert "&#34;mood&#34;" not in page
    lines = re.findall(r'<a href="/evaluations/result/(\w+)\?prompt=door" data-session( aria-current="page")?>', page)
    assert lines == [(ada.id, ' aria-current="page"'), (bob.id, "")]
    assert re.findall(r'"score">(\d+)<span class="of">/10</span></span> <span class="met-word no">Not met', page)[
        -2:
    ] == ["2", "1"]
    assert f'href="/evaluations/result/{ada.id}" data-session>Whole session<' in page
    assert f'href="/evaluations/result/{ada.id}?prompt=door&amp;message=3#msg-3"' in page


def test_the_prompts_of_a_session_are_listed(site):
    ada = asked(site, "ada", salt=9, door=2)

    page = site.text(f"/evaluations/result/{ada.id}")

    assert re.findall(r'\?prompt=(\w+)" data-session>(\w+)</a>', page) == [("salt", "Salt"), ("door", "Door")]


def test_a_result_that_is_not_its_agents_best_is_listed_all_the_same(site):
    best = asked(site, "ada", salt=9, door=8)

    def again(db: Any) -> NamedResult:
        criteria = [{"id": "salt", "prompt_id": "salt", "mark": 1, "max": 10, "met": False}]
        ada = agents.get(db, best.agent_id)
        return make.result(db, ada, make.agent(db, "pia"), passed=False, score=1, data={"criteria": criteria})

    worse = site.database.write_now(again)

    page = site.text(f"/evaluations/result/{worse.id}", prompt="salt", part="session")

    assert re.findall(r'href="/evaluations/result/(\w+)\?prompt=salt" data-session(?: aria|>\s+<span)', page) == [
        best.id,
        worse.id,
    ]


def test_a_prompt_of_a_certification_shows_its_probe_with_the_answer(site):
    site.database.write_now(lambda db: certification.evaluation(db, reveal="always"))
    result = certified(site, "ada", 10, 8, 5)

    page = site.text(f"/evaluations/result/{result.id}", prompt="quarrel")

    assert certification.ANSWERS["quarrel"] in page
    assert certification.ANSWERS["greeting"] not in page
    assert "Stays calm." in page
    assert "Greets back." not in page


def test_a_question_of_a_benchmark_shows_what_was_answered_and_never_what_was_expected(site):
    questions = [each for each in quiz.QUESTIONS if each["id"] in ("sky", "capital")]
    site.sip(**quiz.fields(questions=questions, reveal="always"))

    def unit(db: Any) -> NamedResult:
        ada = make.agent(db, "ada")
        registering.register(db, quiz.ID, ada)
        starting.start(db, make.HALL, quiz.ID, ada, "")
        body = {"answers": {"sky": "green", "capital": "Lyon"}}
        done = submitting.submit(db, submitting.exam_of(db, make.HALL, quiz.ID, ada, ""), body)
        assert isinstance(done, submitting.SubmittedAttempt)
        return done.result  # type: ignore[return-value]

    result = site.database.write_now(unit)

    page = site.text(f"/evaluations/result/{result.id}", prompt="capital")

    assert "The capital of France?" in page
    assert "Answered</span> <q>Lyon</q>" in page
    assert "Which colour?" not in page
    assert "Paris" not in page
    assert "Paris" not in site.text(f"/evaluations/result/{result.id}")


@pytest.mark.parametrize("prompt", ["nowhere", "x" * 150, "a\0b", "<b>", "%00", "..", "'"])
def test_a_prompt_that_nobody_knows_is_a_page_all_the_same(site, prompt):
    result = exam(site, ["Hello."])

    answer = site.get(f"/evaluations/result/{result.id}", params={"prompt": prompt})

    assert answer.status_code == 200
    assert "Hello." in answer.text


def test_where_no_message_is_marked_all_of_them_are_shown_by_the_page(site):
    result = exam(site, [f"message {number}" for number in range(1, 203)])
    here = f"/evaluations/result/{result.id}"

    page = site.text(here, prompt="salt")

    assert "No message names this prompt, so all messages are shown." in page
    assert messages_in(page) == list(range(1, 201))
    assert messages_in(site.text(here, prompt="salt", after="200")) == [201, 202]


# One message


@pytest.mark.parametrize(
    ("message", "first", "last"), [("1", 1, 200), ("200", 1, 200), ("201", 201, 400), ("405", 401, 405), ("9999", 0, 0)]
)
def test_a_link_to_a_message_shows_the_page_that_holds_it(site, message, first, last):
    result = exam(site, [f"message {number}" for number in range(1, 406)])

    page = site.text(f"/evaluations/result/{result.id}", message=message)

    assert messages_in(page) == (list(range(first, last + 1)) if first else [])


def test_a_page_of_long_messages_begins_with_the_one_asked_for(site):
    result = exam(site, ["x" * 60_000] * 5)

    assert messages_in(site.text(f"/evaluations/result/{result.id}", message="3")) == [1, 2, 3]
    assert messages_in(site.text(f"/evaluations/result/{result.id}", message="5")) == [5]


def test_the_pages_before_and_after_are_one_step_away(site):
    result = exam(site, [f"message {number}" for number in range(1, 606)])
    here = f"/evaluations/result/{result.id}"

    page = site.text(here, after="400")

    assert messages_in(page) == list(range(401, 601))
    assert f'href="{here}?after=200#session-conversation" rel="prev"' in page
    assert f'href="{here}#session-conversation" data-session>From the beginning' in page
    assert f'href="{here}?after=600#session-conversation" rel="next"' in page


def test_a_long_message_is_folded_behind_its_beginning(site):
    result = exam(site, ["y" * 4001, "z" * 4000])

    page = site.text(f"/evaluations/result/{result.id}")

    assert "<summary>All 4,001 characters</summary>" in page
    assert f'<p class="beginning">{"y" * 500}…</p>' in page
    assert page.count('class="folding"') == 1


# Strangers


def test_what_agents_wrote_is_never_markup_in_the_part(site):
    name = HOSTILE.replace("/", "")
    criterion = {"id": HOSTILE[:90], "prompt_id": HOSTILE[:90], "text": HOSTILE, "met": False, "note": HOSTILE}
    result = site.result(name, proctor=name, feedback=HOSTILE, score=1, data={"criteria": [criterion]})

    for query in ({}, {"prompt": HOSTILE[:90]}):
        page = site.text(f"/evaluations/result/{result.id}", part="session", **query)
        assert "<script" not in page
        assert "<img" not in page
        assert not re.search(r"<[^>]*\son\w+=", re.sub(r'"[^"]*"', '""', page))
        assert 'href="javascript:' not in page
        assert "&lt;script&gt;alert(1)" in page
