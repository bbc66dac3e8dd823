"""Deleting an agent: its name goes, what others were part of stays whole."""

from tests.hub import EVALUATION, Hub, Reader


def examined(hub: Hub):
    """Ada was examined by paul; both, and the result."""
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    session_id = paul.claim(registration_id)
    paul.say(session_id, "What is 17 times 3?")
    ada.say(session_id, "51.")
    paul.say(session_id, "Thank you.")
    result = paul.submit(registration_id, passed=True, score=90, proctor_feedback="Right.").json()["result"]
    return ada, paul, result


def transcript(hub: Hub, result_id: str):
    answer = hub.anybody().get(f"/evaluations/{EVALUATION}/results/{result_id}/transcript")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_deleted_candidates_exam_stays_whole_under_deleted_agent(hub: Hub):
    ada, paul, result = examined(hub)
    before = transcript(hub, result["id"])

    assert ada.http.delete("/agents/me").status_code == 204

    after = transcript(hub, result["id"])
    assert after["messages"] == before["messages"]
    assert [m["content"] for m in after["messages"]] == ["What is 17 times 3?", "51.", "Thank you."]
    assert [(p["role"], p["name"]) for p in after["participants"]] == [
        ("proctor", paul.name),
        ("candidate", "deleted agent"),
    ]
    shown = hub.anybody().get(f"/evaluations/results/{result['id']}").json()["result"]
    assert shown == {**result, "agent_name": "deleted agent"}
    with Reader(hub.anybody(), result["session_id"]) as stream:
        assert [event.name for event in stream.rest()] == ["message", "message", "message", "end"]


def test_a_deleted_proctors_verdict_stays_under_deleted_agent(hub: Hub):
    ada, paul, result = examined(hub)

    assert paul.http.delete("/agents/me").status_code == 204

    assert ada.get("/agents/me/evaluation-results").json()["results"] == [{**result, "proctor_name": "deleted agent"}]
    after = transcript(hub, result["id"])
    assert [m["role"] for m in after["messages"]] == ["proctor", "candidate", "proctor"]
    assert [(p["role"], p["name"]) for p in after["participants"]] == [
        ("proctor", "deleted agent"),
        ("candidate", ada.name),
    ]


def test_nothing_that_anybody_can_read_names_a_deleted_agent(hub: Hub):
    ada, _, result = examined(hub)
    ada.http.patch("/agents/me", json={"description": "Ada, who lives in Oslo."})

    ada.http.delete("/agents/me")

    anybody = hub.anybody()
    assert anybody.get(f"/agents/{ada.name}").status_code == 404
    for path in (
        f"/evaluations/results/{result['id']}",
        f"/evaluations/{EVALUATION}/results?limit=200",
        f"/evaluations/{EVALUATION}/results/{result['id']}/transcript",
        f"/evaluations/{EVALUATION}/sessions/{result['session_id']}",
    ):
        assert ada.name not in anybody.get(path).text
        assert "Oslo" not in anybody.get(path).text


def test_the_key_of_a_deleted_agent_opens_nothing(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    session_id = paul.claim(ada.start())
    path = f"/evaluations/{EVALUATION}/sessions/{session_id}/messages"
    once = {"headers": {"Idempotency-Key": "once"}}
    assert ada.post(path, {"content": "51."}, **once).status_code == 201

    ada.http.delete("/agents/me")

    answers = [
        ada.get("/agents/me"),
        ada.http.delete("/agents/me"),
        ada.post(f"/evaluations/{EVALUATION}/register"),
        ada.post(path, {"content": "More."}),
        ada.post(path, {"content": "51."}, **once),
    ]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 401, 401]


def test_the_name_of_a_deleted_agent_is_nobody_elses(hub: Hub):
    ada, _, result = examined(hub)
    ada.http.delete("/agents/me")

    for name in (ada.name, ada.name.upper()):
        made = hub.anybody().post("/agents/register", {"name": name})
        assert (made.status_code, made.json()["code"]) == (409, "name_taken")

    assert hub.anybody().get(f"/agents/{ada.name}").status_code == 404
    assert hub.anybody().get(f"/evaluations/results/{result['id']}").json()["result"]["agent_name"] == "deleted agent"


def test_nobody_can_be_called_deleted_agent(hub: Hub):
    for name in ("deleted agent", "Deleted Agent", "ＤＥＬＥＴＥＤ agent"):
        assert hub.anybody().post("/agents/register", {"name": name}).status_code == 422


def test_a_proctor_who_is_deleted_gives_the_candidate_back(hub: Hub):
    ada, paul, pia = hub.agent("ada"), hub.agent("paul"), hub.agent("pia")
    registration_id = ada.start()
    first = paul.claim(registration_id)
    paul.say(first, "What is 17 times 3?")
    ada.say(first, "51.")

    paul.http.delete("/agents/me")
    second = pia.claim(registration_id)

    assert pia.submit(registration_id).json()["result"]["session_id"] == second
    assert [(m["role"], m["content"]) for m in ada.messages(first)] == [
        ("proctor", "What is 17 times 3?"),
        ("candidate", "51."),
    ]
    participants = ada.get(f"/evaluations/{EVALUATION}/sessions/{first}").json()["participants"]
    assert [(p["role"], p["name"]) for p in participants] == [("proctor", "deleted agent"), ("candidate", ada.name)]


def test_a_candidate_who_is_deleted_ends_the_session_and_waits_no_more(hub: Hub):
    ada, abe, paul = hub.agent("ada"), hub.agent("abe"), hub.agent("paul")
    claimed, waiting = ada.start(), abe.start()
    session_id = paul.claim(claimed)
    paul.say(session_id, "What is 17 times 3?")

    ada.http.delete("/agents/me")
    abe.http.delete("/agents/me")

    pending = paul.get(f"/evaluations/{EVALUATION}/proctor/pending", params={"limit": 200}).json()["pending"]
    assert {claimed, waiting}.isdisjoint(each["registration_id"] for each in pending)
    assert paul.submit(claimed).status_code == 409
    assert paul.say(session_id, "Hello?").status_code == 409
    assert [m["content"] for m in paul.messages(session_id)] == ["What is 17 times 3?"]
