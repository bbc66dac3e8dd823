"""A person sits an evaluation on its page: before, during and after, without JavaScript, on both databases."""

import hashlib
import re
from datetime import timedelta
from typing import Any

import pytest

from tests import make
from tests.exams import certification, quiz
from tests.values import require
from tests.web.conftest import Site
from tests.web.sitters import QUIZ, WORDS, add_quiz, add_simple, field_of, send, sign_in, stamps_in, text_in
from viva.exams import attempts, challenges, expiring, page_proofs, proctoring, sheets, store
from viva.exams.handlers import recipes
from viva.exams.handlers.proof_of_agentic_work import recipe_in
from viva.exams.model import Challenge
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.web.sit_simple import PAGE

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>"onload="alert(1)'
QUESTIONS = [question for question in quiz.QUESTIONS if question["kind"] != "free_text"]


@pytest.fixture
def site(new_site: Any) -> Site:
    made: Site = new_site(VIVA_NO_WORKER="1")
    return made


def open_registration(site: Site, evaluation: str, name: str = "ada") -> Any:
    return site.database.read_now(lambda db: find_registration(db, evaluation, name))


def find_registration(db: Connection, evaluation: str, name: str = "ada") -> Any:
    agent_id = db.execute("SELECT id FROM agents WHERE name = ?", [name]).fetchone()[0]
    return store.find_open(db, agent_id, evaluation)


def saved(site: Site, evaluation: str) -> dict[str, Any]:
    registration = open_registration(site, evaluation)
    return site.database.read_now(lambda db: attempts.read_answers(db, registration.id))


def begun(site: Site, evaluation: str) -> str:
    answer = send(site, evaluation, "start")
    assert answer.status_code == 200, answer.text
    return answer.text


def all_answers(page: str) -> dict[str, Any]:
    names = {question["id"]: field_of(page, question["text"]) for question in QUESTIONS}
    given = {"sky": "blue", "primes": ["2", "3"], "capital": "paris", "half": "0.5", "code": "ab1", "point": '{"x": 7}'}
    return stamps_in(page) | {names[id_]: answer for id_, answer in given.items()}


def test_a_visitor_reads_what_it_takes_and_signs_in_first(site: Site):
    add_quiz(site, max_tries=2)

    page = site.text(f"/evaluations/{QUIZ}/sit")

    for said in ("You answer 7 questions.", "30 minutes from the start", "Tries", "Judges or proctors mark free texts"):
        assert said in page
    assert f"/login?next=%2Fevaluations%2F{QUIZ}%2Fsit" in page
    refused = send(site, QUIZ, "start", follow_redirects=False)
    assert (refused.status_code, refused.headers["location"]) == (
        303,
        f"/login?next=%2Fevaluations%2F{QUIZ}%2Fsit",
    )


def test_every_kind_of_question_is_answered_and_decided(site: Site):
    add_quiz(site, questions=QUESTIONS)
    sign_in(site)
    page = begun(site, QUIZ)
    assert 'type="radio"' in page
    assert 'type="checkbox"' in page
    assert 'inputmode="decimal"' in page

    done = send(site, QUIZ, "hand-in", all_answers(page))

    assert done.status_code == 200
    assert "Your last attempt" in done.text
    assert "Passed" in done.text
    assert "See the result and its reasons" in done.text


def test_saved_answers_are_there_again_and_blank_ones_are_withdrawn(site: Site):
    add_quiz(site)
    sign_in(site)
    page = begun(site, QUIZ)
    capital, essay = field_of(page, "The capital of France?"), field_of(page, "Why test?")
    send(site, QUIZ, "save", stamps_in(page) | {capital: " Paris ", essay: "To find out\r\nearly."})

    again = site.text(f"/evaluations/{QUIZ}/sit")
    assert text_in(again, capital) == "Paris"
    assert text_in(again, essay) == "To find out\nearly."
    assert "2</span> of 7 answered" in again

    send(site, QUIZ, "save", stamps_in(again) | {essay: "To find out\nearly."})
    assert saved(site, QUIZ) == {"capital": "", "essay": "To find out\nearly."}


def test_an_answer_that_another_tab_changed_is_not_replaced(site: Site):
    add_quiz(site)
    sign_in(site)
    page = begun(site, QUIZ)
    capital, code = field_of(page, "The capital of France?"), field_of(page, "Two letters")
    send(site, QUIZ, "save", stamps_in(page) | {capital: "Lyon"})

    second = send(site, QUIZ, "save", stamps_in(page) | {capital: "Paris", code: "ab1"})

    assert second.status_code == 409
    assert "changed in another tab" in second.text
    assert "<q>Lyon</q>" in second.text
    assert text_in(second.text, capital) == "Paris"
    assert saved(site, QUIZ) == {"capital": "Lyon", "code": "ab1"}
    kept = send(site, QUIZ, "save", stamps_in(second.text) | {capital: "Paris", code: "ab1"})
    assert kept.status_code == 200
    assert saved(site, QUIZ)["capital"] == "Paris"


def test_a_tab_that_changed_nothing_takes_over_what_the_other_saved(site: Site):
    add_quiz(site)
    sign_in(site)
    page = begun(site, QUIZ)
    capital = field_of(page, "The capital of France?")
    send(site, QUIZ, "save", stamps_in(page) | {capital: "Paris"})

    assert send(site, QUIZ, "save", stamps_in(page)).status_code == 200
    assert saved(site, QUIZ) == {"capital": "Paris"}


def test_a_script_is_told_what_was_saved(site: Site):
    add_quiz(site)
    sign_in(site)
    page = begun(site, QUIZ)
    capital, half = field_of(page, "The capital of France?"), field_of(page, "A half?")
    form = {f"seen-{capital}": "-", capital: "Paris", f"seen-{half}": "-", half: "a lot"}

    told = send(site, QUIZ, "save", form, headers={"Accept": "application/json"}).json()

    assert told["answered"] == 2  # with the one that could not be saved, which is still on the page
    assert told["fields"][capital]["fault"] == ""
    assert told["fields"][capital]["seen"] != "-"
    assert "has to be a number" in told["fields"][half]["fault"]
    assert saved(site, QUIZ) == {"capital": "Paris"}


def test_an_attempt_with_open_questions_is_handed_in_only_after_a_confirmation(site: Site):
    add_quiz(site, questions=QUESTIONS)
    sign_in(site)
    page = begun(site, QUIZ)
    form = stamps_in(page) | {field_of(page, "The capital of France?"): "Paris"}

    asked = send(site, QUIZ, "hand-in", form)

    assert asked.status_code == 409
    assert "Hand in without these answers" in asked.text
    assert "Your other answers are saved" not in page
    assert open_registration(site, QUIZ).status == "in_progress"
    done = send(site, QUIZ, "hand-in", form | {"sure": "1"})
    assert "Not passed" in done.text


def test_what_was_written_before_the_confirmation_is_handed_in(site: Site):
    add_quiz(site, questions=QUESTIONS)
    sign_in(site)
    page = begun(site, QUIZ)
    answers = all_answers(page)
    del answers[field_of(page, "Two letters")]

    asked = send(site, QUIZ, "hand-in", answers)
    assert "Your other answers are saved" in asked.text
    assert saved(site, QUIZ)["capital"] == "paris"

    assert "Passed" in send(site, QUIZ, "hand-in", answers | stamps_in(asked.text) | {"sure": "1"}).text


def test_wrong_answers_are_shown_beside_their_fields_and_nothing_is_handed_in(site: Site):
    add_quiz(site, questions=QUESTIONS)
    sign_in(site)
    page = begun(site, QUIZ)

    wrong = send(site, QUIZ, "hand-in", all_answers(page) | {field_of(page, "A half?"): "a lot"})

    assert wrong.status_code == 409
    assert "has to be a number" in wrong.text
    assert text_in(wrong.text, field_of(page, "A half?")) == "a lot"
    assert open_registration(site, QUIZ).status == "in_progress"


def test_a_choice_that_is_no_option_is_refused(site: Site):
    add_quiz(site)
    sign_in(site)
    page = begun(site, QUIZ)

    answer = send(site, QUIZ, "save", stamps_in(page) | {field_of(page, "Which colour?"): "<b>purple"})

    assert answer.status_code == 409
    assert "has to be one of its options" in answer.text
    assert "<b>purple" not in answer.text
    assert saved(site, QUIZ) == {}


def test_what_a_program_saved_is_on_the_page_and_the_other_way_round(site: Site):
    add_quiz(site)
    ada = sign_in(site)
    headers = {"Authorization": f"Bearer {ada.key.text}"}
    begun(site, QUIZ)
    answers = {"half": 0.5, "point": {"x": 7}, "primes": ["3", "2"]}
    site.client.post(f"/api/v1/evaluations/{QUIZ}/answers", json={"answers": answers}, headers=headers)

    page = site.text(f"/evaluations/{QUIZ}/sit")
    assert text_in(page, field_of(page, "A half?")) == "0.5"
    assert text_in(page, field_of(page, "A point?")) == '{"x":7}'
    assert page.count(" checked>") == 2
    form = stamps_in(page) | {field_of(page, "A half?"): "0.5", field_of(page, "A point?"): '{"x":7}'}
    send(site, QUIZ, "save", form | {field_of(page, "Which are prime?"): ["3", "2"]})
    read = site.client.get(f"/api/v1/evaluations/{QUIZ}/answers", headers=headers).json()["answers"]
    assert read == answers


def overdue(challenge: Challenge, db: Connection) -> None:
    past = now() - timedelta(seconds=1)
    db.execute("UPDATE evaluation_challenges SET expires_at = ? WHERE id = ?", [past, challenge.id])


def test_when_the_time_is_over_the_page_says_so_and_saved_answers_count(site: Site):
    add_quiz(site, questions=QUESTIONS)
    sign_in(site)
    page = begun(site, QUIZ)
    send(site, QUIZ, "save", all_answers(page))
    site.database.write_now(lambda db: overdue(challenge_of(db, QUIZ), db))

    assert "The time is over." in site.text(f"/evaluations/{QUIZ}/sit")
    late = send(site, QUIZ, "save", stamps_in(page) | {field_of(page, "The capital of France?"): "Rome"})
    assert late.status_code == 410
    site.database.write_now(expiring.end_overdue)
    assert "Passed" in site.text(f"/evaluations/{QUIZ}/sit")


def challenge_of(db: Connection, evaluation: str) -> Challenge:
    return challenges.get_of(db, find_registration(db, evaluation).id)


def test_a_certification_continues_each_conversation(site: Site):
    site.database.write_now(certification.evaluation)
    sign_in(site)
    page = begun(site, WORDS)
    assert "Conversation 1 of 2" in page
    assert "You are a host." in page
    assert "I am sorry to hear that." in page
    greeting, quarrel = field_of(page, "Hello."), field_of(page, "Say it again.")
    send(site, WORDS, "save", stamps_in(page) | {greeting: "Good morning."})

    again = site.text(f"/evaluations/{WORDS}/sit")
    assert text_in(again, greeting) == "Good morning."
    registration_id = open_registration(site, WORDS).id
    done = send(site, WORDS, "hand-in", stamps_in(again) | {greeting: "Good morning.", quarrel: "I am still sorry."})

    assert "You have handed in. There is no verdict yet." in done.text
    site.database.write_now(lambda db: sheets.give_to_proctors(db, sheets.get_about(db, registration_id).id))
    assert "<strong>Undecided.</strong> It waits for a proctor to mark it." in site.text(f"/evaluations/{WORDS}/sit")
    assert "Undecided: waits for a marker" in site.text("/")
    assert "Your attempt is undecided." in site.text(f"/evaluations/{WORDS}")
    assert "Undecided: your attempt waits for a marker" in site.text("/evaluations")
    handed_in = require(site.database.read_now(lambda db: attempts.find_of(db, registration_id)))
    assert [item["messages"][-1] for item in handed_in.content["transcript"]] == [
        {"role": "assistant", "content": "Good morning."},
        {"role": "assistant", "content": "I am still sorry."},
    ]


def test_between_two_messages_of_a_user_one_may_answer_or_not(site: Site):
    messages = [{"role": "user", "content": "First."}, {"role": "user", "content": "Second."}]
    prompts = [{"id": "greeting", "messages": messages}]
    rubric = [{"promptId": "greeting", "criteria": "Greets.", "weight": 100, "maxScore": 10}]
    site.database.write_now(lambda db: certification.evaluation(db, prompts=prompts, rubric=rubric))
    sign_in(site)
    page = begun(site, WORDS)
    registration_id = open_registration(site, WORDS).id

    form = stamps_in(page) | {field_of(page, "First."): "One.", field_of(page, "Second."): "Two."}
    send(site, WORDS, "hand-in", form)

    handed_in = require(site.database.read_now(lambda db: attempts.find_of(db, registration_id)))
    said = [message["content"] for message in handed_in.content["transcript"][0]["messages"]]
    assert said == ["First.", "One.", "Second.", "Two."]


def test_proof_of_work_takes_the_words_and_computes_the_hash(site: Site):
    id_ = site.database.write_now(lambda db: add_simple(db, "proof_of_agentic_work", 71))
    sign_in(site)
    page = begun(site, id_)
    content = site.database.read_now(lambda db: challenge_of(db, id_)).content
    words = recipes.run_recipe(content["words"], recipe_in(content))[-1]

    done = send(site, id_, "hand-in", stamps_in(page) | {field_of(page, "The recipe"): f" {'  '.join(words)} "})

    assert "Passed" in done.text


def test_an_identity_is_checked_with_the_key_which_is_never_shown_or_stored(site: Site):
    id_ = site.database.write_now(lambda db: add_simple(db, "identity_check", 72, min_description=0))
    ada = sign_in(site)
    page = begun(site, id_)
    name, key = field_of(page, "Who you are"), "a-1"
    half = send(site, id_, "save", stamps_in(page) | {name: "ada", key: ada.key.text})
    assert ada.key.text not in half.text
    assert saved(site, id_) == {}

    done = send(site, id_, "hand-in", stamps_in(page) | {name: "ada", key: ada.key.text})

    assert "Passed" in done.text
    assert ada.key.text not in done.text


def test_a_wrong_key_proves_nothing(site: Site):
    id_ = site.database.write_now(lambda db: add_simple(db, "identity_check", 72, min_description=0))
    sign_in(site)
    page = begun(site, id_)

    done = send(site, id_, "hand-in", stamps_in(page) | {"a-0": "ada", "a-1": "viva_another"})

    assert "Not passed" in done.text


def test_a_text_check_is_decided_at_once(site: Site):
    checks = [{"id": "right", "text": "It is right.", "kind": "exact", "answer": "51"}]
    config = {"challenge": f"What is 17 times 3? {HOSTILE}", "checks": checks}
    id_ = site.database.write_now(lambda db: add_simple(db, "text_check", 73, **config))
    sign_in(site)
    page = begun(site, id_)
    assert HOSTILE not in page

    assert "Passed" in send(site, id_, "hand-in", stamps_in(page) | {"a-0": "51"}).text


def test_a_refused_hand_in_shows_what_was_written_but_never_the_key(new_site: Any):
    site = new_site(VIVA_NO_WORKER="1", VIVA_PROOF_HOSTS="example.org")
    id_ = site.database.write_now(lambda db: add_simple(db, "account_verification", 74))
    ada = sign_in(site)
    page = begun(site, id_)
    form = stamps_in(page) | {"a-0": "The page at this address holds the proof", "a-1": "https://example.net/proof"}

    refused = send(site, id_, "hand-in", form)

    assert refused.status_code == 422
    assert text_in(refused.text, "a-1") == "https://example.net/proof"
    assert refused.text.count(" checked") == 1
    who = site.database.write_now(lambda db: add_simple(db, "identity_check", 72, min_description=0))
    page = begun(site, who)
    assert ada.key.text not in send(site, who, "hand-in", stamps_in(page) | {"a-1": ada.key.text}).text


def test_an_account_is_verified_when_the_link_is_confirmed(site: Site):
    id_ = site.database.write_now(lambda db: add_simple(db, "account_verification", 74))
    sign_in(site)
    page = begun(site, id_)
    assert "/claims/" in page or "claim" in page

    refused = send(site, id_, "hand-in", stamps_in(page))

    assert refused.status_code == 409
    assert "The claim link is not confirmed yet" in refused.text
    assert open_registration(site, id_).status == "in_progress"


def test_who_named_a_page_that_cannot_be_fetched_is_told_so(new_site: Any):
    site: Site = new_site(VIVA_NO_WORKER="1", VIVA_PROOF_HOSTS="nowhere.example")
    id_ = site.database.write_now(lambda db: add_simple(db, "account_verification", 74))
    sign_in(site)
    page = begun(site, id_)
    method, url = re.findall(r'data-field="([^"]+)"', page)
    send(site, id_, "hand-in", stamps_in(page) | {method: PAGE, url: "http://nowhere.example/viva.txt"})

    job = require(site.database.write_now(lambda db: queue.take(db, 30)))

    def fail(db: Connection) -> None:
        mark = page_proofs.make_mark(None, "The page answered with status 404.")
        reason = page_proofs.keep((), db, page_proofs.read(db, job.data), mark, is_last=True)
        queue.fail(db, job, require(reason))

    site.database.write_now(fail)

    told = site.text(f"/evaluations/{id_}/sit")
    assert "decided nothing: The page answered with status 404. There is no result, and it was no try." in told
    assert "You withdrew" not in told


def test_a_candidate_waits_for_a_proctor_and_then_is_in_the_session(site: Site):
    site.sip()
    sign_in(site)
    page = begun(site, "good-manners")
    assert "You are waiting for a proctor" in page
    registration_id = open_registration(site, "good-manners").id

    def claim(db: Connection) -> str:
        return str(proctoring.claim(db, "good-manners", registration_id, make.agent(db, "paul")).session.id)

    session_id = site.database.write_now(claim)

    moved = site.get("/evaluations/good-manners/sit", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (303, f"/sessions/{session_id}")


def test_withdrawing_says_what_it_costs_and_ends_the_attempt(site: Site):
    add_quiz(site, max_tries=1)
    sign_in(site)
    send(site, QUIZ, "register")
    page = site.text(f"/evaluations/{QUIZ}/sit")
    assert "You are registered since" in page
    assert "so this is no try" in page
    assert "this counts as a try" in begun(site, QUIZ)

    done = send(site, QUIZ, "withdraw")

    assert "You withdrew" in done.text
    assert "You have used your only try" in done.text
    assert send(site, QUIZ, "start").status_code == 409


def test_hostile_answers_and_questions_are_text(site: Site):
    question = {"id": "essay", "kind": "free_text", "text": HOSTILE, "criteria": "Any."}
    choice = {"id": "pick", "kind": "choice", "text": "Pick.", "options": [HOSTILE, "other"], "answer": "other"}
    add_quiz(site, questions=[question, choice])
    sign_in(site)
    page = begun(site, QUIZ)
    essay = next(name for name in ("a-0", "a-1") if f'<textarea id="{name}"' in page)

    shown = send(site, QUIZ, "save", stamps_in(page) | {essay: f"</textarea>{HOSTILE}"}).text

    for text in (page, shown):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    assert text_in(shown, essay) == f"</textarea>{HOSTILE}"


def test_another_site_cannot_start_or_hand_in(site: Site):
    add_quiz(site)
    sign_in(site)

    answer = send(site, QUIZ, "start", headers={"Sec-Fetch-Site": "cross-site"})

    assert answer.status_code == 403
    assert open_registration(site, QUIZ) is None


def test_nobody_saves_for_another(site: Site):
    add_quiz(site)
    sign_in(site)
    page = begun(site, QUIZ)
    sign_in(site, "bob")

    answer = send(site, QUIZ, "save", stamps_in(page) | {"a-0": "x"})

    assert answer.status_code in (404, 409)
    assert saved(site, QUIZ) == {}


def test_news_come_when_the_place_is_another(site: Site):
    add_quiz(site)
    assert site.get(f"/evaluations/{QUIZ}/sit/news").status_code == 401
    sign_in(site)
    first = site.get(f"/evaluations/{QUIZ}/sit/news").json()["state"]
    begun(site, QUIZ)

    news = site.get(f"/evaluations/{QUIZ}/sit/news?state={first}").json()["state"]

    assert news != first
    assert len(news) == len(hashlib.sha256().hexdigest()) // 2
