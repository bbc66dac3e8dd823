"""The proctor's pages: what waits, the rubric form, and the result that comes of it."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest

from tests import make
from tests.exams import certification
from tests.exams.certification import EXAM
from viva.agents import store as agents
from viva.exams import grading, marking, proctoring, sheets
from viva.judging.panel import Panel
from viva.kit.clock import now
from viva.kit.db import Connection

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))"onload="alert(1)'
FULL = {"mark-0": "10", "mark-1": "10", "mark-2": "5,5", "reason-2": "A little short.", "feedback": "Well said."}


def left_to_proctors(site: Any, name: str = "ada", answer: str = "Good morning.", **config: Any) -> str:
    """A certification that was handed in and that no judge marks; the registration's id."""

    def unit(db: Connection) -> str:
        certification.evaluation(db, **config)
        registration_id = certification.hand_in(db, make.agent(db, name), greeting=answer)
        read, think, keep, _ = grading.work(Panel([]))
        paper = read(db, {"registration_id": registration_id})
        keep(db, paper, think(paper), False)
        return registration_id

    return site.database.write_now(unit)


def waits_for(site: Any, name: str, minutes: float = 1) -> str:
    """A candidate who has waited so long; the registration's id."""

    def unit(db: Connection) -> str:
        registration_id = make.registration(db, make.agent(db, name)).id
        sql = "UPDATE evaluation_registrations SET registered_at = :at, started_at = :at WHERE id = :id"
        db.execute(sql, {"at": now() - timedelta(minutes=minutes), "id": registration_id})
        return registration_id

    return site.database.write_now(unit)


def claim(site: Any, registration_id: str, **headers: str) -> Any:
    return post(site, "/proctor/claim", {"evaluation": "good-manners", "registration": registration_id}, **headers)


def sign_in(site: Any, name: str) -> Any:
    account = site.account(name)
    site.client.post("/login", data={"key": account.key.text}, follow_redirects=False)
    return account.agent


def post(site: Any, address: str, form: dict[str, str], **headers: str) -> Any:
    return site.client.post(address, data=form, headers=headers, follow_redirects=False)


def take(site: Any, address: str) -> Any:
    """Take the sheet whose form has this address."""
    _, _, evaluation, subject = address.split("/")
    return post(site, "/proctor/marking/take-sheet", {"evaluation": evaluation, "subject": subject})


def test_whoever_is_not_signed_in_is_shown_where_to(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site)}"

    for page, next_ in ((site.text("/proctor"), "/proctor"), (site.text(address), address)):
        assert f'href="/login?next={next_}"' in page.replace("%2F", "/")
        assert 'href="/join?next=' in page
        assert "Kind words" not in page
    assert post(site, address, FULL).headers["location"] == f"/login?next={quote(address, safe='')}"
    assert post(site, "/proctor/claim", {}).headers["location"] == "/login?next=/proctor"


def test_the_list_shows_what_waits_over_all_evaluations(site):
    registration_id = left_to_proctors(site)
    waiting = waits_for(site, "bob", 12)
    sign_in(site, "paul")

    page = site.text("/proctor")

    assert "waiting for 12 minutes" in page

    assert f'href="/proctor/{EXAM}/{registration_id}"' in page
    assert f'name="registration" value="{waiting}"' in page
    assert page.index("To be examined") < page.index("bob") < page.index("To be marked") < page.index(">ada<")
    assert '<a href="/proctor" aria-current="page">Proctor</a>' in page


def test_the_list_has_neither_ones_own_nor_what_one_has_marked(site):
    marked = left_to_proctors(site, markers=2)
    paul = sign_in(site, "paul")
    take(site, f"/proctor/{EXAM}/{marked}")
    post(site, f"/proctor/{EXAM}/{marked}", FULL)
    site.database.write_now(lambda db: certification.hand_in(db, paul))
    site.database.write_now(lambda db: db.execute("UPDATE evaluation_sheets SET status = 'proctors'"))

    assert "There is nothing that you may mark." in site.text("/proctor")


def test_the_form_has_a_fieldset_for_each_row(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site)}"
    sign_in(site, "paul")
    take(site, address)

    page = site.text(address)

    assert page.count("<fieldset>") == 3
    assert all(text in page for text in ("Greets back.", "It is polite.", "2. user: Hello.", "Good morning."))
    assert 'id="mark-0" name="mark-0" type="number" min="0" max="10"' in page


def test_a_long_text_of_several_rows_is_open_once(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site, answer='Good morning. ' * 20)}"
    sign_in(site, "paul")
    take(site, address)

    page = site.text(address)

    assert page.count("Good morning. Good morning.") > 1
    assert page.count("The same as above") == 1


def test_what_agents_wrote_is_text(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site, answer=HOSTILE)}"
    sign_in(site, "paul")
    take(site, address)

    form = site.text(address)
    done = post(site, address, {**FULL, "reason-0": HOSTILE, "evidence-0": HOSTILE, "feedback": HOSTILE})
    result = site.text(done.headers["location"])

    for page in (form, result):
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert 'href="javascript' not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_marks_are_kept_and_the_result_is_shown(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site)}"
    sign_in(site, "paul")
    take(site, address)

    done = post(site, address, FULL, **{"sec-fetch-site": "same-origin"})
    page = site.text(done.headers["location"])

    assert done.status_code == 303
    assert '82<span class="of">/100' in page
    assert "5.5 of 10" in page
    assert "A little short." in page
    assert "Well said." in page
    assert page.index("You are a host.") < page.index("Good morning.") < page.index("You are useless.")
    assert page.count('<li class="candidate">') == 2


def test_a_second_marking_is_awaited_where_two_are_asked_for(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site, markers=2)}"
    sign_in(site, "paul")
    take(site, address)

    done = post(site, address, FULL)
    page = site.text(done.headers["location"])

    assert "The result follows when another proctor has marked it too." in page
    assert site.get(address).status_code == 409
    assert post(site, address, FULL).status_code == 409

    sign_in(site, "pia")
    take(site, address)
    assert "Another proctor has marked this already" in site.text(address)
    result = site.text(post(site, address, {**FULL, "mark-2": "7", "reason-2": ""}).headers["location"])
    assert "paul</span>: 5.5" in result
    assert "pia</span>: 7" in result


@pytest.mark.parametrize("mark", ["", "eleven", "11", "-1", "nan", "inf", "1e400"])
def test_what_is_wrong_is_shown_beside_its_row_and_the_rest_is_kept(site, mark):
    registration_id = left_to_proctors(site)
    address = f"/proctor/{EXAM}/{registration_id}"
    sign_in(site, "paul")
    take(site, address)

    answer = post(site, address, {**FULL, "mark-1": mark})

    assert answer.status_code == 422
    assert answer.text.count('class="wrong"') == 1
    assert answer.text.index("Sells nothing.") < answer.text.index(
        "The mark for greeting-2 has to be a number from 0 to 10"
    )
    assert 'aria-invalid="true" aria-describedby="wrong-1"' in answer.text
    assert "A little short." in answer.text
    assert "Well said." in answer.text
    assert 'value="5,5"' in answer.text
    assert site.database.read_now(lambda db: sheets.get_about(db, registration_id)).status == "proctors"


def test_text_that_is_too_long_is_told(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site)}"
    sign_in(site, "paul")
    take(site, address)

    answer = post(site, address, {**FULL, "reason-0": "x" * 1001, "feedback": "y" * 20_001})

    assert answer.status_code == 422
    assert "This has at most 1,000 characters." in answer.text
    assert "Feedback has at most 20,000 characters." in answer.text


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}])
def test_a_form_of_another_site_is_not_taken(site, headers):
    registration_id = left_to_proctors(site)
    sign_in(site, "paul")
    take(site, f"/proctor/{EXAM}/{registration_id}")

    assert post(site, f"/proctor/{EXAM}/{registration_id}", FULL, **headers).status_code == 403
    assert site.database.read_now(lambda db: marking.count_markings(db, sheets.get_about(db, registration_id))) == 0


def test_what_does_not_wait_is_told_in_a_sentence(site):
    registration_id = left_to_proctors(site)
    sign_in(site, "paul")
    take(site, f"/proctor/{EXAM}/{registration_id}")
    post(site, f"/proctor/{EXAM}/{registration_id}", FULL)

    for address in (f"/proctor/{EXAM}/{registration_id}", f"/proctor/{EXAM}/nothing", "/proctor/none/nothing"):
        answer = site.get(address)
        assert answer.status_code == 404
        assert "There is nothing here to mark." in answer.text


def test_a_form_of_more_fields_than_any_is_refused(site):
    address = f"/proctor/{EXAM}/{left_to_proctors(site)}"
    sign_in(site, "paul")
    take(site, address)

    answer = post(site, address, {f"x{number}": "1" for number in range(5_001)})

    assert answer.status_code == 422
    assert "cannot be read" in answer.text


# Claiming


def test_a_claim_opens_the_session_and_leads_there(site):
    registration_id = waits_for(site, "ada")
    sign_in(site, "paul")

    answer = claim(site, registration_id, **{"sec-fetch-site": "same-origin"})

    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sessions/eval_sess_")
    assert "Your message, as proctor" in site.text(answer.headers["location"])
    page = site.text("/proctor")
    assert f'href="{answer.headers["location"]}"' in page
    assert "you examine" in page
    assert "No candidate is waiting for a proctor." in page


def test_who_is_examined_finds_the_session_too(site):
    ada = sign_in(site, "ada")
    site.database.write_now(lambda db: make.claim(db, ada, make.agent(db, "paul")))

    assert "examines you" in site.text("/proctor")


def test_whoever_comes_second_is_told_in_words(site):
    registration_id = waits_for(site, "ada")
    waits_for(site, "bob")
    pia = site.account("pia").agent
    site.database.write_now(lambda db: proctoring.claim(db, "good-manners", registration_id, pia, "anyone"))
    sign_in(site, "paul")

    answer = claim(site, registration_id)

    assert answer.status_code == 409
    assert "Another proctor has already claimed this candidate" in answer.text
    assert ">bob<" in answer.text
    assert ">ada<" not in answer.text


def test_nobody_claims_themselves_or_nobody(site):
    ada = sign_in(site, "ada")
    own = site.database.write_now(lambda db: make.registration(db, ada)).id

    assert "An agent cannot proctor its own exam." in claim(site, own).text
    assert claim(site, "eval_reg_none").status_code == 404
    assert "No candidate is waiting for a proctor." in site.text("/proctor")


def test_a_claim_in_which_nobody_speaks_is_no_claim(site):
    registration_id = waits_for(site, "ada")

    def unit(db: Connection) -> None:
        claimed = proctoring.claim(db, "good-manners", registration_id, make.agent(db, "pia"))
        make.silence(db, claimed.session.id)

    site.database.write_now(unit)
    sign_in(site, "paul")

    assert ">ada<" in site.text("/proctor")
    assert claim(site, registration_id).status_code == 303


def test_an_evaluation_says_itself_how_long_silence_may_be(site):
    site.sip(version="1.1.0", config={"claim_minutes": 60})
    site.sip(sip=8, id="other-manners", config={"claim_minutes": 5})

    def unit(db: Connection) -> None:
        paul = make.agent(db, "paul")
        for name, evaluation_id in (("ada", "good-manners"), ("bob", "other-manners")):
            _, claimed = make.claim(db, make.agent(db, name), paul, evaluation_id)
            make.silence(db, claimed.session.id, minutes=31)

    site.database.write_now(unit)
    sign_in(site, "pia")

    page = site.text("/proctor")

    assert ">bob<" in page
    assert ">ada<" not in page


def test_what_a_candidate_says_of_itself_is_text(site):
    def unit(db: Connection) -> None:
        ada = make.agent(db, "ada")
        agents.describe(db, ada.id, HOSTILE)
        make.registration(db, ada)

    site.database.write_now(unit)
    sign_in(site, "paul")

    page = site.text("/proctor")

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_another_site_claims_nobody(site):
    registration_id = waits_for(site, "ada")
    sign_in(site, "paul")

    assert claim(site, registration_id, **{"sec-fetch-site": "cross-site"}).status_code == 403
    assert ">ada<" in site.text("/proctor")
