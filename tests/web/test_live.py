"""The page of a running session: who sees it, what is said on it, and what its forms do."""

from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

from tests import make
from tests.exams import class_work
from tests.exams.class_work import CLASS
from tests.values import require
from viva.agents import accounts
from viva.agents import store as agents
from viva.exams import joining, proctoring, registering
from viva.exams.handlers.proctored import Verdict
from viva.kit.db import Connection
from viva.results import store as results
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.feed import MAX_STREAMS_PER_ADDRESS, Feed

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))"onload="alert(1)'
CRITERIA = [{"id": "please", "text": "Says please."}, {"id": "thanks", "text": "Says thank you."}]
OTHER_SITE = [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}]


class Exam(NamedTuple):
    site: Any
    session_id: str
    registration_id: str
    keys: dict[str, str]

    @property
    def address(self) -> str:
        return f"/sessions/{self.session_id}"

    def be(self, name: str) -> None:
        """Sign in under the name, or as nobody."""
        self.site.client.cookies.clear()
        if name != "nobody":
            self.site.client.post("/login", data={"key": self.keys[name]}, follow_redirects=False)

    def post(self, deed: str, form: dict[str, str] | None = None, **headers: str) -> Any:
        return self.site.client.post(f"{self.address}/{deed}", data=form or {}, headers=headers, follow_redirects=False)

    def said(self) -> list[tuple[str, str]]:
        found = self.site.database.read_now(lambda db: sessions.transcript(db, self.session_id))
        return [(message.role, message.content) for message in found]

    def hold_talk(self) -> None:
        """Both sides say something."""

        def unit(db: Connection) -> None:
            session = sessions.get_by_id(db, self.session_id)
            make.talk(db, session, *(require(agents.find_by_name(db, name)) for name in ("paul", "ada")))

        self.site.database.write_now(unit)

    def say(self, *words: str) -> None:
        def unit(db: Connection) -> None:
            for content in words:
                said(db, self.session_id, content)

        self.site.database.write_now(unit)


def said(db: Connection, session_id: str, content: str) -> None:
    paul = agents.find_by_name(db, "paul")
    assert paul
    channel.send(db, "good-manners", session_id, paul.id, content, 64_000)


@pytest.fixture
def exam(site) -> Exam:
    """Paul examines ada; pia is a stranger and mary a maintainer."""
    site.sip(version="1.1.0", config={"max_score": 100, "criteria": CRITERIA, "claim_minutes": 45})

    def unit(db: Connection) -> Any:
        keys = {name: accounts.register(db, name, "") for name in ("ada", "paul", "pia")}
        mary = accounts.promote(db, "mary")
        registration, claim = make.claim(db, keys["ada"].agent, keys["paul"].agent)
        said = {name: account.key.text for name, account in {**keys, "mary": mary}.items()}
        return claim.session.id, registration.id, said

    return Exam(site, *site.database.write_now(unit))


# Who sees it


@pytest.mark.parametrize("who", ["ada", "paul", "mary"])
def test_who_takes_part_and_maintainers_see_it(exam, who):
    exam.say("What do you say?")
    exam.be(who)

    page = exam.site.text(exam.address)

    assert "What do you say?" in page
    assert 'data-last="1"' in page
    assert page.index("Proctor") < page.index("Candidate")
    assert ("/messages" in page) == (who != "mary")
    assert ("/verdict" in page) == (who == "paul")


@pytest.mark.parametrize(("who", "status"), [("nobody", 401), ("pia", 403)])
def test_others_are_told_where_to_sign_in(exam, who, status):
    exam.say("What do you say?")
    exam.be(who)

    answer = exam.site.get(exam.address)

    assert answer.status_code == status
    assert "What do you say?" not in answer.text
    assert f'href="/login?next=%2Fsessions%2F{exam.session_id}"' in answer.text


@pytest.mark.parametrize("who", ["nobody", "pia"])
def test_everybody_sees_an_observable_one_and_only_its_participants_speak(exam, who):
    exam.site.sip(version="1.2.0", config={"observable": True})
    exam.say("What do you say?")
    exam.be(who)

    assert "What do you say?" in exam.site.text(exam.address)
    answer = exam.post("messages", {"content": "Me too"})
    assert answer.status_code == (401 if who == "nobody" else 403)
    assert "Me too" in answer.text
    assert exam.said() == [("proctor", "What do you say?")]


def test_there_is_no_page_of_no_session(exam):
    assert exam.site.get("/sessions/eval_sess_none").status_code == 404
    assert exam.site.get("/sessions/eval_sess_none/stream").status_code == 404


# What it shows


def test_a_long_conversation_is_shown_from_its_end_by_pages(exam):
    exam.say(*(f"message {number}." for number in range(1, 411)))
    exam.be("paul")

    newest = exam.site.text(exam.address)
    middle = exam.site.text(f"{exam.address}?before=211")
    first = exam.site.text(f"{exam.address}?before=11")

    assert newest.count("<li id=") == middle.count("<li id=") == 200
    assert "message 211." in newest
    assert "message 410." in newest
    assert f"{exam.address}?before=211#end" in newest
    assert "message 11." in middle
    assert "message 210." in middle
    assert "data-stream" in newest
    assert "data-stream" not in middle
    assert "Newest messages" in middle
    assert "Earlier messages" not in first
    assert first.count("<li id=") == 10


def test_a_message_of_a_long_conversation_has_an_address(exam):
    exam.say(*(f"message {number}." for number in range(1, 231)))
    exam.be("paul")

    far = exam.site.text(f"{exam.address}?message=3")
    near = exam.site.text(f"{exam.address}?message=230")

    assert 'id="msg-3"' in far
    assert 'id="msg-102"' in far
    assert 'id="msg-230"' in near
    assert "message_links.js" in near


def test_a_message_before_very_long_ones_has_an_address_too(exam):
    exam.say("The third to last.", *(f"{number} " + "x" * 9_000 for number in range(40)))
    exam.be("paul")

    assert 'id="msg-1"' in exam.site.text(f"{exam.address}?message=1")


@pytest.mark.parametrize("who", ["paul", "ada"])
def test_both_sides_see_how_long_silence_may_last(exam, who):
    exam.be(who)

    page = exam.site.text(exam.address)

    assert "If nobody writes for 45 minutes, " + ("you go" if who == "ada" else "the candidate goes") in page
    assert 'data-limit="2700"' in page
    assert "Silence ends it in" in page


def test_whatever_stands_in_the_address_a_page_is_shown(exam):
    exam.say("What do you say?")
    exam.be("paul")

    for before in ("0", "-1", "x", "9" * 50):
        assert "What do you say?" in exam.site.text(f"{exam.address}?before={before}")


def test_what_agents_wrote_is_text(exam):
    exam.say(HOSTILE)
    exam.be("paul")

    page = exam.site.text(exam.address)

    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert 'href="javascript' not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_decided_session_leads_to_its_result(exam):
    paul = exam.site.database.read_now(lambda db: agents.find_by_name(db, "paul"))
    decided = exam.site.database.write_now(
        lambda db: make.submit(db, "good-manners", exam.registration_id, paul, Verdict(True))
    )

    page = exam.site.text(exam.address)

    assert f'href="/evaluations/result/{decided.id}"' in page
    assert "This session has ended. The proctor has decided." in page
    assert "data-stream" not in page


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (
            lambda db, exam, people: proctoring.release(db, "good-manners", exam.registration_id, people["paul"]),
            "The candidate went back to the waiting list",
        ),
        (lambda db, exam, people: registering.cancel(db, "good-manners", people["ada"]), "The candidate withdrew"),
    ],
)
def test_one_that_ended_otherwise_says_so(exam, end, told):
    def unit(db: Connection) -> None:
        end(db, exam, {name: agents.find_by_name(db, name) for name in ("ada", "paul")})

    exam.site.database.write_now(unit)
    exam.be("paul")

    page = exam.site.text(exam.address)

    assert told in page
    assert "/verdict" not in page
    assert "/messages" not in page


def test_a_class_is_watched_and_spoken_in_like_an_exam(site):
    def unit(db: Connection) -> Any:
        class_work.evaluation(db)
        cohort, _ = class_work.gathered(db, "bob", "eve")
        ida = agents.find_by_name(db, "ida")
        assert ida
        return joining.start(db, CLASS, cohort.id, ida), accounts.add_key(db, ida)

    cohort, key = site.database.write_now(unit)
    site.client.post("/login", data={"key": key.text}, follow_redirects=False)
    address = f"/sessions/{cohort.session_id}"

    sent = site.client.post(f"{address}/messages", data={"content": "Welcome!"}, follow_redirects=False)
    page = site.text(address)

    assert sent.headers["location"] == f"{address}#msg-1"
    assert "Welcome!" in page
    assert f'href="/classes/{cohort.id}"' in page
    assert "/verdict" not in page
    assert "Time left: " in page
    assert "Plan a day out for thirty children." in page
    assert "If nobody writes" not in page
    assert "data-limit" not in page


# Speaking


def test_a_participant_speaks_and_is_led_to_the_message(exam):
    exam.be("ada")

    answer = exam.post("messages", {"content": "Good\r\nmorning"}, **{"sec-fetch-site": "same-origin"})

    assert answer.status_code == 303
    assert answer.headers["location"] == f"{exam.address}#msg-1"
    assert exam.said() == [("candidate", "Good\nmorning")]


def test_a_message_that_is_sent_twice_is_said_once(exam):
    exam.be("ada")

    for content in ("one", "one", "two"):
        assert exam.post("messages", {"content": content, "once": "x"}).status_code == 303
    exam.be("paul")
    exam.post("messages", {"content": "one", "once": "x"})

    assert exam.said() == [("candidate", "one"), ("candidate", "two"), ("proctor", "one")]


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [("  \n ", 422, "A message needs some text."), ("é" * 33_000, 413, "A message has at most 65536 bytes.")],
)
def test_what_cannot_be_said_is_told_beside_the_form_and_kept(exam, content, status, told):
    exam.be("ada")

    answer = exam.post("messages", {"content": content})

    assert answer.status_code == status
    assert answer.text.index('id="content"') < answer.text.index(told)
    assert content.strip() in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert exam.said() == []


def test_a_form_that_is_larger_than_any_message_is_not_read(exam):
    exam.be("ada")

    assert exam.post("messages", {"content": "é" * 200_000}).status_code == 413


def test_what_comes_too_late_is_kept_on_the_page(exam):
    exam.site.database.write_now(lambda db: sessions.end(db, exam.session_id))
    exam.be("ada")

    answer = exam.post("messages", {"content": "One more thing"})

    assert answer.status_code == 409
    assert "This session has ended; nothing more can be said in it." in answer.text
    assert "One more thing" in answer.text


def test_who_was_signed_out_meanwhile_keeps_the_words(exam):
    exam.be("nobody")

    answer = exam.post("messages", {"content": "One more thing"})

    assert answer.status_code == 401
    assert "One more thing" in answer.text
    assert "/login?next=" in answer.text


def test_a_message_belongs_to_a_prompt_where_the_evaluation_has_some(exam):
    exam.be("paul")
    assert "prompt_id" not in exam.site.text(exam.address)
    exam.site.database.write_now(lambda db: db.execute(WITH_PROMPTS))

    for prompt_id in ("first", "made-up"):
        exam.post("messages", {"content": prompt_id, "prompt_id": prompt_id})
    found = exam.site.database.read_now(lambda db: sessions.transcript(db, exam.session_id))

    assert [message.prompt_id for message in found] == ["first", None]
    assert "prompt first" in exam.site.text(exam.address)


def test_a_message_belongs_to_a_prompt_of_the_version_that_the_exam_began_with(exam):
    exam.site.sip(version="1.2.0", config={"prompts": [{"id": "first"}]})
    session_id = exam.site.database.write_now(
        lambda db: make.claim(db, make.agent(db, "cleo"), require(agents.find_by_name(db, "paul")))[1].session.id
    )
    exam.site.sip(version="1.3.0", config={"prompts": [{"id": "second"}]})
    later = exam._replace(session_id=session_id)
    later.be("paul")

    for prompt_id in ("first", "second"):
        later.post("messages", {"content": prompt_id, "prompt_id": prompt_id})
    found = exam.site.database.read_now(lambda db: sessions.transcript(db, session_id))

    assert [message.prompt_id for message in found] == ["first", None]


WITH_PROMPTS = """UPDATE evaluation_definitions SET config = '{"prompts": [{"id": "first"}, {"id": 7}, "no"]}'"""


# Deciding


FULL = {
    "passed": "yes",
    "mark-0": "50",
    "note-0": "At once.",
    "mark-1": "17,5",
    "feedback": "Well done.",
}


def test_the_form_has_what_the_evaluation_asks(exam):
    exam.be("paul")

    page = exam.site.text(exam.address)

    assert all(text in page for text in ("Says please.", "Says thank you.", 'max="50"', "Procedure"))
    assert page.index('<summary class="button">Decide') < page.index("Yes, decide and end the session")
    assert "The verdict will be <strong>official</strong> if the exam is complete." in page
    assert "If nobody writes for 45 minutes" in page


def test_a_verdict_becomes_the_result_with_its_criteria(exam):
    exam.hold_talk()
    exam.be("paul")

    answer = exam.post("verdict", FULL, **{"sec-fetch-site": "same-origin"})

    assert answer.status_code == 303
    result_id = answer.headers["location"].removeprefix("/evaluations/result/")
    result = exam.site.database.read_now(lambda db: results.get(db, result_id))
    assert (result.passed, result.score, result.proctor_feedback) == (True, 67.5, "Well done.")
    assert result.official
    assert result.result_data == {
        "criteria": [
            {"id": "please", "text": "Says please.", "met": True, "note": "At once.", "mark": 50.0, "max": 50.0},
            {"id": "thanks", "text": "Says thank you.", "met": False, "note": "", "mark": 17.5, "max": 50.0},
        ]
    }
    assert "At once." in exam.site.text(answer.headers["location"])


def test_the_first_step_decides_nothing_and_keeps_what_was_written(exam):
    exam.hold_talk()
    exam.be("paul")

    answer = exam.post("verdict", {**FULL, "unconfirmed": "yes"})

    assert answer.status_code == 422
    assert "Nothing is decided yet." in answer.text
    assert 'class="decide" open' in answer.text
    assert all(f">\n{FULL[name]}<" in answer.text for name in ("note-0", "feedback"))
    assert exam.site.database.read_now(lambda db: results.is_decided(db, exam.registration_id)) is False


def test_an_empty_exam_is_decided_only_as_practice(exam):
    exam.be("paul")

    refused = exam.post("verdict", FULL)
    assert refused.status_code == 409
    assert "Too few messages were exchanged. Complete the exam, or give the verdict as practice." in refused.text
    assert "At once." in refused.text

    result_id = exam.post("verdict", {**FULL, "practice": "yes"}).headers["location"].rpartition("/")[2]
    result = exam.site.database.read_now(lambda db: results.get(db, result_id))
    assert result.official_reasons == ["too_few_messages", "given_as_practice"]
    page = exam.site.text(f"/evaluations/result/{result_id}")
    assert "Practice." in page
    assert "Too few messages were exchanged." in page
    assert "/certificate" not in page


def test_a_verdict_may_leave_out_all_but_itself(exam):
    exam.hold_talk()
    exam.be("paul")

    answer = exam.post("verdict", {"passed": "no", "score": "", "mark-0": "", "met-1": ""})

    result_id = answer.headers["location"].removeprefix("/evaluations/result/")
    result = exam.site.database.read_now(lambda db: results.get(db, result_id))
    assert (result.passed, result.score, result.proctor_feedback, result.result_data) == (False, None, None, None)


WRONG = {
    "passed": ("perhaps", "Choose whether the candidate passed."),
    "mark-1": ("51", "A mark here is a number from 0 to 50."),
    "note-1": ("x" * 1001, "A note has at most 1,000 characters."),
    "feedback": ("Well done." * 2001, "Feedback has at most 20,000 characters."),
}


@pytest.mark.parametrize("field", WRONG)
def test_what_is_wrong_is_told_beside_its_field_and_nothing_is_lost(exam, field):
    written, told = WRONG[field]
    exam.be("paul")

    answer = exam.post("verdict", {**FULL, field: written})

    assert answer.status_code == 422
    assert answer.text.count('class="wrong" id="wrong-') == 1
    assert f'id="wrong-{field}">{told}' in answer.text
    assert "At once." in answer.text
    assert "Well done." in answer.text
    assert ('value="17,5"' in answer.text) == (field != "mark-1")
    assert ('name="passed" value="yes" required checked' in answer.text) == (field != "passed")
    assert exam.site.database.read_now(lambda db: results.is_decided(db, exam.registration_id)) is False


def test_everything_that_is_wrong_is_told_at_once(exam):
    exam.be("paul")

    answer = exam.post("verdict", {"mark-0": "many", "feedback": "y" * 20_001})

    assert answer.text.count('class="wrong" id="wrong-') == 3


def test_only_the_proctor_decides_and_gives_back(exam):
    for who, status in [("ada", 403), ("mary", 403), ("pia", 403), ("nobody", 401)]:
        exam.be(who)
        for deed in ("verdict", "release"):
            assert exam.post(deed, FULL).status_code == status
    assert exam.site.database.read_now(lambda db: sessions.read_state(db, exam.session_id)).status == "active"


def test_a_verdict_that_comes_after_the_candidate_was_given_back_is_kept_on_the_page(exam):
    exam.site.database.write_now(lambda db: sessions.release(db, exam.session_id))
    exam.be("paul")

    answer = exam.post("verdict", FULL)

    assert answer.status_code == 409
    assert "released to the waiting list, so this session can have no verdict" in answer.text
    assert "Well done." in answer.text


def test_the_second_of_two_verdicts_is_refused_with_the_way_to_the_result(exam):
    exam.hold_talk()
    exam.be("paul")
    first = exam.post("verdict", FULL)

    second = exam.post("verdict", {**FULL, "passed": "no"})

    assert second.status_code == 409
    assert f'href="{first.headers["location"]}"' in second.text


def test_giving_back_asks_first_and_leads_to_who_waits(exam):
    exam.be("paul")
    page = exam.site.text(exam.address)
    assert page.index("<summary>Release the candidate") < page.index("Yes, release the candidate")

    answer = exam.post("release")

    assert answer.headers["location"] == "/proctor?given-back=1"
    list_ = exam.site.text(answer.headers["location"])
    assert "The candidate is back on the waiting list." in list_
    assert "Claim<" in list_


def test_a_form_of_another_site_is_not_taken(exam):
    exam.be("paul")

    for headers in OTHER_SITE:
        for deed in ("messages", "verdict", "release"):
            assert exam.post(deed, {**FULL, "content": "Hello"}, **headers).status_code == 403
    assert exam.said() == []
    assert exam.site.database.read_now(lambda db: sessions.read_state(db, exam.session_id)).status == "active"


# Following it


def decide(exam: Exam) -> None:
    def unit(db: Connection) -> None:
        paul = agents.find_by_name(db, "paul")
        assert paul
        make.submit(db, "good-manners", exam.registration_id, paul, Verdict(True))

    exam.site.database.write_now(unit)


def test_the_stream_gives_each_message_as_the_page_shows_it(exam):
    exam.say("One\n\nline", HOSTILE)
    decide(exam)

    answer = exam.site.get(f"{exam.address}/stream")

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text.count("event: message\n") == 2
    assert r"<p>One</p>\n<p>line</p>" in answer.text
    assert '<li id=\\"msg-1\\" class=\\"proctor\\"' in answer.text
    assert "<script>" not in answer.text
    assert "<img" not in answer.text
    assert answer.text.endswith("event: end\ndata: {}\n\n")


def test_the_stream_goes_on_after_the_last_event(exam):
    exam.say("one", "two", "three")
    decide(exam)

    by_query = exam.site.get(f"{exam.address}/stream?after=1")
    by_header = exam.site.get(f"{exam.address}/stream?after=1", headers={"last-event-id": "2"})

    assert [line for line in by_query.text.splitlines() if line.startswith("id:")] == ["id: 2", "id: 3"]
    assert [line for line in by_header.text.splitlines() if line.startswith("id:")] == ["id: 3"]


def test_no_last_event_is_too_odd_to_answer(exam):
    exam.say("one", "two")
    decide(exam)
    api = f"/api/v1/evaluations/good-manners/sessions/{exam.session_id}/messages/stream"
    odd = {"last-event-id": "9" * 5_000}

    by_page = exam.site.get(f"{exam.address}/stream?after=1", headers=odd)
    by_api = exam.site.get(api, headers=odd)

    assert [line for line in by_page.text.splitlines() if line.startswith("id:")] == ["id: 2"]
    assert (by_api.status_code, by_api.json()["code"]) == (422, "bad_since")


@pytest.mark.parametrize(("who", "status"), [("nobody", 401), ("pia", 403)])
def test_the_stream_is_for_those_who_see_the_page(exam, who, status):
    exam.site.database.write_now(lambda db: sessions.release(db, exam.session_id))  # ended, and nobody's to read
    exam.be(who)

    assert exam.site.get(f"{exam.address}/stream").status_code == status


def test_streams_of_pages_and_of_the_api_are_counted_together(new_site):
    site = new_site(VIVA_RATE_LIMIT="6000")
    site.sip()
    result = site.result("ada")
    page = f"/sessions/{result.session_id}/stream"
    api = f"/api/v1/evaluations/good-manners/sessions/{result.session_id}/messages/stream"
    feed: Feed = site.client.app.state.hub.feed

    with ExitStack() as held:
        for _ in range(MAX_STREAMS_PER_ADDRESS):
            held.enter_context(feed.open.track("testclient"))
        full = [site.get(path).status_code for path in (page, api)]
    after = [site.get(path).status_code for path in (page, api)]

    assert (full, after) == ([429, 429], [200, 200])
