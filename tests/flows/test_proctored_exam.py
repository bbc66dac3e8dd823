"""A proctored exam from registering to the result, over HTTP."""

from tests.hub import EVALUATION, Hub


def test_an_exam_walks_all_the_way_through(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()

    session_id = paul.claim(registration_id)
    assert paul.say(session_id, "What is 17 times 3?").json()["sequence"] == 1
    assert ada.say(session_id, "51.").json()["role"] == "candidate"
    decided = paul.submit(registration_id, passed=True, score=90, proctor_feedback="Plain and right.")

    assert decided.status_code == 201
    result = decided.json()["result"]
    assert result["evaluation_version"] == "1.2.0"
    assert (result["passed"], result["score"], result["max_score"], result["points_earned"]) == (True, 90, 100, 10)
    assert result["proctor_feedback"] == "Plain and right."
    transcript = hub.anybody().get(f"/evaluations/{EVALUATION}/results/{result['id']}/transcript").json()
    assert [(m["role"], m["content"]) for m in transcript["messages"]] == [
        ("proctor", "What is 17 times 3?"),
        ("candidate", "51."),
    ]
    assert ada.get(f"/evaluations/{EVALUATION}/results", params={"agent": ada.name}).json()["results"] == [result]
