"""Contributions over HTTP: every route for every role, and what its answers look like."""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import httpx
import pytest

from tests.api.problem import problem
from tests.contributions.proposals import NOTHING_TO_FIX
from tests.hub import AgentClient, Hub, at_once
from viva.api.contributions import DraftBody
from viva.api.routing import ApiRoute
from viva.app import API
from viva.contributions.model import Contribution

ROOT = "/evaluations/contribute"
ROLES = ("nobody", "stranger", "other", "maintainer", "collaborator", "contributor")


class People(NamedTuple):
    """The callers of a hub by their role. `other` holds the token of another draft."""

    nobody: AgentClient
    stranger: AgentClient
    other: AgentClient
    maintainer: AgentClient
    collaborator: AgentClient
    contributor: AgentClient

    @classmethod
    def arrive(cls, hub: Hub) -> Self:
        return cls(
            hub.anybody(),
            hub.agent("eve"),
            holder(hub),
            hub.maintainer("paul"),
            hub.agent("pia"),
            hub.agent("ada"),
        )


def mail() -> dict[str, str]:
    return {"contributor_name": "Mia", "contributor_email": f"mia-{uuid.uuid4().hex[:8]}@example.org"}


def holder(hub: Hub) -> AgentClient:
    """A caller with the token of a draft of its own."""
    return hub.caller(hub.anybody().post(ROOT, NOTHING_TO_FIX | mail()).json()["token"], {})


@pytest.fixture(scope="module")
def people(hub: Hub) -> People:
    return People.arrive(hub)


class Draft(NamedTuple):
    """A draft of the contributor with a collaborator, and one more collaborator to be removed."""

    id: str
    invited_id: str

    @classmethod
    def begin(cls, people: People) -> Self:
        id_ = people.contributor.post(ROOT, NOTHING_TO_FIX).json()["id"]
        invitations = [people.contributor.post(f"{ROOT}/{id_}/collaborators", {"name": "Pia"}).json() for _ in range(2)]
        assert people.collaborator.post(f"{ROOT}/join", {"token": invitations[0]["token"]}).status_code == 200
        return cls(id_, invitations[1]["collaborator"]["id"])


def send(caller: AgentClient, method: str, path: str, body: Any = None) -> httpx.Response:
    return caller.http.request(method, ROOT + path, json=body)


# The status for each of ROLES, who call in this order. Nobody and strangers get the same as if there were no draft.
MAINTAINERS_ONLY = (401, 403, 401)
ON_A_DRAFT: dict[tuple[str, str], tuple[Any, tuple[int, ...]]] = {
    ("GET", "/{id}"): (None, (404, 404, 404, 200, 200, 200)),
    ("PUT", "/{id}"): ({"name": "Changed"}, (404, 404, 404, 403, 200, 200)),
    ("DELETE", "/{id}"): (None, (404, 404, 404, 403, 403, 204)),
    ("POST", "/{id}/validate"): (None, (404, 404, 404, 200, 200, 200)),
    ("POST", "/{id}/submit"): (None, (404, 404, 404, 403, 200, 409)),
    ("GET", "/{id}/preview"): (None, (404, 404, 404, 200, 200, 200)),
    ("POST", "/{id}/fork"): (mail(), (404, 404, 404, 201, 201, 201)),
    ("GET", "/{id}/history"): (None, (404, 404, 404, 200, 200, 200)),
    ("GET", "/{id}/history/{revision}"): (None, (404, 404, 404, 200, 200, 200)),
    ("POST", "/{id}/restore"): ({"revision": 1}, (404, 404, 404, 403, 200, 200)),
    ("GET", "/{id}/collaborators"): (None, (404, 404, 404, 200, 200, 200)),
    ("POST", "/{id}/collaborators"): ({"name": "Otto"}, (404, 404, 404, 403, 403, 201)),
    ("DELETE", "/{id}/collaborators/{invited}"): (None, (404, 404, 404, 403, 403, 204)),
    ("GET", "/{id}/comments"): (None, (404, 404, 404, 200, 200, 200)),
    ("POST", "/{id}/comments"): ({"text": "Why?"}, (404, 404, 404, 201, 201, 201)),
    ("GET", "/{id}/community"): (None, (404, 404, 404, 404, 404, 404)),
    ("POST", "/{id}/community"): ({}, (404, 404, 404, 403, 403, 200)),
    ("POST", "/{id}/votes"): ({"vote": 1}, (401, 404, 401, 404, 404, 404)),
    ("GET", "/{id}/review"): (None, (*MAINTAINERS_ONLY, 200, 403, 403)),
    ("POST", "/{id}/gate"): (None, (*MAINTAINERS_ONLY, 409, 403, 403)),
    ("POST", "/{id}/request-changes"): ({"feedback": "Please."}, (*MAINTAINERS_ONLY, 409, 403, 403)),
    ("POST", "/{id}/reject"): ({"reason": "No."}, (*MAINTAINERS_ONLY, 409, 403, 403)),
    ("POST", "/{id}/approve"): ({}, (*MAINTAINERS_ONLY, 409, 403, 403)),
}
# Routes that are about no contribution in particular; their own tests are below, or with their files.
ABOUT_NONE = {
    ("POST", ""),
    ("POST", "/join"),
    ("POST", "/pull-requests"),
    *(("GET", f"/{name}") for name in ("drafts", "queue", "community", "templates", "analytics")),
}


def routes() -> set[tuple[str, str]]:
    """Every route below /evaluations/contribute, with the names of its parameters as in the table."""
    found = set()
    for route in API.routes:
        for handler in getattr(route, "route_handlers", []):
            if isinstance(handler, ApiRoute) and route.path.startswith(f"/api/v1{ROOT}"):
                path = route.path.removeprefix(f"/api/v1{ROOT}")
                for name, short in {
                    "contribution_id": "id",
                    "revision": "revision",
                    "collaborator_id": "invited",
                }.items():
                    path = path.replace(f"{{{name}:str}}", f"{{{short}}}")
                found.add((handler.spec.method, path))
    return found


def test_every_route_says_who_may_call_it():
    assert routes() == ABOUT_NONE | ON_A_DRAFT.keys()


@pytest.mark.parametrize(("method", "path"), sorted(ON_A_DRAFT.keys() & routes()))
def test_nobody_reads_or_changes_the_draft_of_another(people: People, method: str, path: str):
    draft = Draft.begin(people)
    body, expected = ON_A_DRAFT[method, path]
    place = path.format(id=draft.id, revision=1, invited=draft.invited_id)

    answers = [send(getattr(people, role), method, place, body) for role in ROLES]

    assert dict(zip(ROLES, [answer.status_code for answer in answers], strict=True)) == dict(
        zip(ROLES, expected, strict=True)
    )
    for answer in answers[:3]:
        problem(answer, answer.status_code)
        assert "Kind refusals" not in answer.text
    missing = [
        send(getattr(people, role), method, path.format(id="eval_contrib_none", revision=1, invited="x"), body)
        for role in ROLES[:3]
    ]
    assert [(answer.status_code, answer.json()["detail"]) for answer in answers[:3]] == [
        (answer.status_code, answer.json()["detail"]) for answer in missing
    ]


def test_only_maintainers_take_over_pull_requests(people: People):
    callers = (people.nobody, people.stranger, people.other, people.contributor)

    answers = [send(caller, "POST", "/pull-requests", {"number": 1}).status_code for caller in callers]

    assert answers == [401, 403, 401, 403]


def test_lists_show_only_what_the_caller_may_see(people: People):
    draft = Draft.begin(people)
    secret = {draft.id}

    def ids(caller: AgentClient, path: str) -> set[str]:
        return {each["id"] for each in send(caller, "GET", f"{path}?limit=200").json()["contributions"]}

    assert send(people.nobody, "GET", "/drafts").status_code == 401
    assert ids(people.stranger, "/drafts").isdisjoint(secret)
    assert ids(people.other, "/drafts").isdisjoint(secret)
    assert len(ids(people.other, "/drafts")) == 1
    assert ids(people.collaborator, "/drafts") >= secret
    assert send(people.contributor, "GET", "/drafts?status=merged").json() == {"contributions": [], "total": 0}
    assert send(people.contributor, "GET", "/drafts?status=in_progress").json()["total"] > 0
    assert ids(people.nobody, "/community").isdisjoint(secret)
    assert ids(people.maintainer, "/queue").isdisjoint(secret)
    assert send(people.stranger, "GET", "/queue").status_code == 403
    assert send(people.nobody, "GET", "/queue").status_code == 401


def test_a_contribution_goes_from_a_token_to_a_review(hub: Hub, people: People):
    created = people.nobody.post(ROOT, {"name": "Kind refusals"} | mail())
    answer = created.json()
    mia, path = hub.caller(answer["token"], {}), f"/{answer['id']}"

    refused = send(mia, "POST", f"{path}/submit")

    assert created.status_code == 201
    assert answer["contribution"]["status"] == "draft"
    assert "token" not in answer["contribution"]
    assert refused.status_code == 422
    assert refused.json()["code"] == "has_errors"
    assert {"field", "code", "message"} <= refused.json()["errors"][0].keys()
    found = {error["field"] for error in refused.json()["errors"]}
    assert found >= {"description", "module", "type"}
    kept = send(people.maintainer, "GET", f"{path}/review").json()
    assert (kept["contribution"]["status"], kept["validation"]["is_valid"]) == ("draft", False)
    assert found == {error["field"] for error in kept["validation"]["errors"]}

    shown = send(mia, "GET", path)
    changed = send(mia, "PUT", path, shown.json()["contribution"] | NOTHING_TO_FIX)
    validated = send(mia, "POST", f"{path}/validate")
    submitted = send(mia, "POST", f"{path}/submit")
    reviewed = send(people.maintainer, "GET", f"{path}/review")

    assert shown.headers["etag"] == '"1"'
    assert changed.status_code == 200
    assert changed.json()["contribution"]["revision"] == 2
    assert validated.json() == {"is_valid": True, "errors": [], "warnings": validated.json()["warnings"]}
    assert (submitted.status_code, submitted.json()["contribution"]["status"]) == (200, "submitted")
    assert reviewed.json()["contribution"]["status"] == "under_review"
    problem(send(mia, "PUT", path, {"name": "Later"}), 409, "wrong_state")
    problem(send(mia, "DELETE", path), 409, "wrong_state")

    returned = send(people.maintainer, "POST", f"{path}/request-changes", {"feedback": "Add a third probe."})
    assert (returned.json()["contribution"]["status"], returned.json()["contribution"]["review_notes"]) == (
        "draft",
        "Add a third probe.",
    )
    send(mia, "POST", f"{path}/submit")
    rejected = send(people.maintainer, "POST", f"{path}/reject", {"reason": "Too much like another."})
    assert rejected.json()["contribution"]["status"] == "rejected"
    problem(send(people.maintainer, "POST", f"{path}/reject", {"reason": "Again."}), 409, "wrong_state")
    problem(send(people.maintainer, "POST", f"{path}/approve", {}), 409, "wrong_state")


@pytest.mark.parametrize("by", ["revision", "updated_at", "If-Match"])
def test_the_second_of_two_editors_gets_409(people: People, by: str):
    draft = Draft.begin(people)
    read = send(people.contributor, "GET", f"/{draft.id}").json()["contribution"]
    send(people.collaborator, "PUT", f"/{draft.id}", {"name": "First"})
    base, headers = ({}, {"If-Match": '"1"'}) if by == "If-Match" else ({by: read[by]}, {})

    refused = people.contributor.http.put(f"{ROOT}/{draft.id}", json={"name": "Second"} | base, headers=headers)

    assert problem(refused, 409, "stale_revision", "revision")["errors"][0]["message"] == "The present revision is 2."
    history = send(people.contributor, "GET", f"/{draft.id}/history/2").json()
    assert history["changes"] == [{"field": "name", "diff": "@@ -1 +1 @@\n-Kind refusals\n+First"}]
    assert send(people.contributor, "GET", f"/{draft.id}").json()["contribution"]["name"] == "First"


def test_parallel_editors_over_http_do_not_lose_a_change(people: People):
    draft = Draft.begin(people)

    def edit(number: int) -> Callable[[], httpx.Response]:
        return lambda: send(people.contributor, "PUT", f"/{draft.id}", {"name": f"Name {number}", "revision": 1})

    statuses = sorted(answer.status_code for answer in at_once([edit(number) for number in range(4)]))

    assert statuses == [200, 409, 409, 409]


def test_unknown_keys_are_refused_and_read_only_ones_ignored(people: People):
    draft = Draft.begin(people)

    problem(send(people.contributor, "PUT", f"/{draft.id}", {"sumary": "x"}), 422, field="sumary")
    changed = send(people.contributor, "PUT", f"/{draft.id}", {"status": "merged", "sip_number": 1, "id": "x"})

    kept = changed.json()["contribution"]
    assert (kept["id"], kept["status"], kept["sip_number"]) == (draft.id, "draft", None)


def test_only_contributor_and_maintainers_see_the_address(hub: Hub, people: People):
    made = people.nobody.post(ROOT, NOTHING_TO_FIX | mail()).json()
    mia = hub.caller(made["token"], {})
    token = send(mia, "POST", f"/{made['id']}/collaborators", {"name": "Pia"}).json()["token"]
    pia = hub.caller(token, {})

    emails = {
        name: send(caller, "GET", f"/{made['id']}").json()["contribution"]["contributor_email"]
        for name, caller in {"mia": mia, "pia": pia, "paul": people.maintainer}.items()
    }
    submitted = send(pia, "POST", f"/{made['id']}/submit").json()

    assert emails == {"mia": emails["paul"], "pia": None, "paul": made["contribution"]["contributor_email"]}
    assert submitted["contribution"]["contributor_email"] is None


def test_an_open_submission_is_for_everybody_without_its_content(people: People):
    draft = Draft.begin(people)
    send(people.contributor, "POST", f"/{draft.id}/community", {"is_open": True})
    send(people.contributor, "POST", f"/{draft.id}/submit")
    send(people.maintainer, "POST", f"/{draft.id}/comments", {"text": "A word among reviewers."})

    voted = send(people.stranger, "POST", f"/{draft.id}/votes", {"vote": 1})
    commented = send(people.stranger, "POST", f"/{draft.id}/comments", {"text": "I like it."})
    shown = [
        send(people.nobody, "GET", path) for path in (f"/{draft.id}/community", "/community", f"/{draft.id}/comments")
    ]

    assert (voted.status_code, commented.status_code) == (200, 201)
    assert shown[0].json()["contribution"]["votes_for"] == 1
    assert [each["text"] for each in shown[2].json()["comments"]] == ["I like it."]
    for secret in ("key to room", "accuse", "thief", "proof", "among reviewers"):
        assert secret not in "".join(answer.text for answer in shown)
    problem(send(people.nobody, "POST", f"/{draft.id}/comments", {"text": "Me too."}), 401)
    problem(send(people.contributor, "POST", f"/{draft.id}/votes", {"vote": 1}), 403, "own_contribution")
    for path in ("", "/preview", "/history", "/history/1", "/collaborators"):
        problem(send(people.stranger, "GET", f"/{draft.id}{path}"), 404)


def test_a_repeated_request_makes_one_draft_and_gives_its_token_again(people: People):
    headers, body = {"Idempotency-Key": uuid.uuid4().hex}, NOTHING_TO_FIX | mail() | {"description": "d" * 4_000}

    first, again = (people.nobody.http.post(ROOT, json=body, headers=headers) for _ in range(2))

    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert first.json()["token"].startswith("viva_contrib_")


def test_a_refused_submission_can_be_repeated_with_the_same_key(people: People):
    id_ = people.contributor.post(ROOT, {"name": "Unfinished"}).json()["id"]
    headers = {"Idempotency-Key": uuid.uuid4().hex}

    refused = people.contributor.http.post(f"{ROOT}/{id_}/submit", headers=headers)
    send(people.contributor, "PUT", f"/{id_}", NOTHING_TO_FIX)
    submitted = people.contributor.http.post(f"{ROOT}/{id_}/submit", headers=headers)
    repeated = people.contributor.http.post(f"{ROOT}/{id_}/submit", headers=headers)

    assert (refused.status_code, submitted.status_code, repeated.status_code) == (422, 200, 200)
    assert repeated.json() == submitted.json()


def test_an_unknown_token_is_refused_before_a_large_body_is_read(hub: Hub, people: People):
    draft = Draft.begin(people)
    body = {"config": {"text": "t" * 200_000}}

    problem(send(hub.caller("viva_contrib_made-up", {}), "PUT", f"/{draft.id}", body), 401, "wrong_key")
    problem(send(people.nobody, "POST", "", body | mail()), 413)
    assert send(people.contributor, "PUT", f"/{draft.id}", body).status_code == 200


def test_an_evaluation_is_forked_by_its_number(people: People):
    forked = people.nobody.post(f"{ROOT}/SIP-2/fork", mail())

    assert forked.status_code == 201
    assert forked.json()["token"]
    assert forked.json()["contribution"]["exemplars"] == []
    problem(people.nobody.post(f"{ROOT}/none/fork", mail()), 404, "no_such_evaluation")


def test_every_column_of_an_answer_can_be_sent_back():
    assert set(Contribution.__struct_fields__) <= set(DraftBody.__struct_fields__)
