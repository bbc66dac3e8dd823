"""Every page and form of a contribution for every role, and every route once the review is over."""

from typing import Any, NamedTuple

import pytest

from tests.api.test_contributions import ON_A_DRAFT
from tests.contributions.proposals import by_agent, by_mail, proposal
from tests.contributions.submitted import submission
from tests.contributions.test_announcing import collaborate
from tests.make import HALL
from tests.web.test_contribute import OWN, sign_in
from viva.agents import accounts
from viva.agents.model import Agent
from viva.contributions import drafting, store
from viva.contributions.model import Contribution
from viva.web.contribute_access import CONTRIBUTE_PATH
from viva.web.review_actions import REVIEW_ACTIONS
from viva.web.routes import router

ROLES = ("nobody", "stranger", "other", "maintainer", "collaborator", "contributor")
ACTIONS = {"review": (*REVIEW_ACTIONS, "try"), "community": ("comment", "vote")}
HIDDEN = (404, 404, 404)  # for nobody, strangers and the holder of the token of another draft
NOWHERE = (404,) * 6
SIGN_IN = (303, 403, 303)  # nobody and the holder of a token are asked to sign in
ENDED = (*SIGN_IN, 409, 403, 403)  # a draft is not decided on
Fields = dict[str, str]
# What each role is answered about a draft. A page that another one replaces leads there with 303.
ON_A_DRAFT_PAGE: dict[tuple[str, str], tuple[Fields, tuple[int, ...]]] = {
    ("GET", "/{id}"): ({}, (*HIDDEN, 303, 200, 200)),
    ("POST", "/{id}"): ({"do": "save", "revision": "1", "name": "Changed"}, (*HIDDEN, 403, 303, 303)),
    ("POST", "/{id}/submit"): ({}, (*HIDDEN, 403, 303, 303)),
    ("GET", "/{id}/link"): ({}, (*HIDDEN, 200, 200, 200)),
    ("GET", "/{id}/preview"): ({}, (*HIDDEN, 200, 200, 200)),
    ("GET", "/{id}/preview.md"): ({}, (*HIDDEN, 200, 200, 200)),
    ("GET", "/{id}/history"): ({}, (*HIDDEN, 200, 200, 200)),
    ("POST", "/{id}/history"): ({"revision": "1"}, (*HIDDEN, 403, 303, 303)),
    ("GET", "/{id}/delete"): ({}, (*HIDDEN, 403, 403, 200)),
    ("POST", "/{id}/delete"): ({}, (*HIDDEN, 403, 403, 303)),
    ("GET", "/{id}/status"): ({}, (*HIDDEN, 200, 200, 200)),
    ("GET", "/{id}/submitted"): ({}, (*HIDDEN, 303, 303, 303)),
    ("POST", "/{id}/comments"): ({"text": "Why?"}, (*HIDDEN, 303, 303, 303)),
    ("GET", "/{id}/sharing"): ({}, (*HIDDEN, 200, 200, 200)),
    ("POST", "/{id}/sharing"): ({"do": "open"}, (*HIDDEN, 403, 403, 303)),
    ("GET", "/{id}/join"): ({}, NOWHERE),  # without the token of an invitation
    ("POST", "/{id}/join"): ({"token": "viva_contrib_x", "name": "Eve"}, NOWHERE),
    ("GET", "/community/{id}"): ({}, NOWHERE),  # not open to the community
    ("POST", "/community/{id}/comment"): ({"text": "Why?"}, (303, 404, 303, 404, 404, 404)),
    ("POST", "/community/{id}/vote"): ({"vote": "for"}, (303, 404, 303, 404, 404, 404)),
    ("GET", "/review/{id}"): ({}, (*SIGN_IN, 200, 403, 403)),
    ("POST", "/review/{id}/comment"): ({"text": "Why?"}, (*SIGN_IN, 303, 403, 403)),
    ("POST", "/review/{id}/try"): ({}, (*SIGN_IN, 200, 403, 403)),
    ("POST", "/review/{id}/gate"): ({}, ENDED),
    ("POST", "/review/{id}/approve"): ({"way": "merge", "gate_ticked": "1", "confirmed": "1", "revision": "1"}, ENDED),
    ("POST", "/review/{id}/request-changes"): ({"feedback": "Please.", "confirmed": "1"}, ENDED),
    ("POST", "/review/{id}/reject"): ({"reason": "No.", "confirmed": "1"}, ENDED),
}
# Pages that are about no contribution in particular; their own tests are with their files.
ABOUT_NO_DRAFT = {("POST", ""), *(("GET", path) for path in ("", "/drafts", "/review", "/community"))}


def page_routes() -> set[tuple[str, str]]:
    """Every page and form below /evaluations/contribute, with a row for each action."""
    found = set[tuple[str, str]]()
    for route in router.routes:
        if route.path.startswith(CONTRIBUTE_PATH):
            path = route.path.removeprefix(CONTRIBUTE_PATH).replace("{contribution_id:str}", "{id}")
            for method in route.methods - {"OPTIONS", "HEAD"}:
                actions = ACTIONS.get(path.split("/")[1], ()) if "{action:str}" in path else [""]
                found |= {(method, path.replace("{action:str}", action)) for action in actions}
    return found


def test_every_page_says_who_may_open_it():
    assert page_routes() == ABOUT_NO_DRAFT | ON_A_DRAFT_PAGE.keys()


class People(NamedTuple):
    """The accounts of a site by their role, and what their browsers and programs send."""

    agents: dict[str, Agent]
    keys: dict[str, str]
    cookies: dict[str, dict[str, str]]


@pytest.fixture
def people(site: Any) -> People:
    other = site.database.write_now(lambda db: drafting.create(db, HALL, proposal(), by_mail()))
    found = People({}, {}, {"nobody": {}, "other": {"viva_contributions": f"{other.contribution.id}:{other.token}"}})
    for role in ("stranger", "maintainer", "collaborator", "contributor"):
        agent = sign_in(site, role, is_maintainer=role == "maintainer")
        found.agents[role] = agent
        found.keys[role] = site.database.write_now(lambda db, agent=agent: accounts.add_key(db, agent)).text
        found.cookies[role] = dict(site.client.cookies)
        site.client.cookies.clear()
    return found


def begin(site: Any, people: People) -> Contribution:
    """A draft of the contributor with the collaborator."""

    def unit(db: Any) -> Contribution:
        draft = drafting.create(db, HALL, proposal(), by_agent(people.agents["contributor"])).contribution
        collaborate(db, draft.id, people.agents["collaborator"])
        return draft

    begun: Contribution = site.database.write_now(unit)
    return begun


def send(site: Any, people: People, role: str, method: str, path: str, **content: Any) -> Any:
    site.client.cookies.clear()
    for name, value in people.cookies[role].items():
        site.client.cookies.set(name, value)
    return site.client.request(method, path, headers=OWN, follow_redirects=False, **content)


def stored(site: Any, draft: Contribution) -> Contribution | None:
    found: Contribution | None = site.database.read_now(lambda db: store.find_by_id(db, draft.id))
    return found


@pytest.mark.parametrize(("method", "path"), sorted(ON_A_DRAFT_PAGE))
def test_nobody_opens_or_changes_the_draft_of_another(site, people, method, path):
    fields, expected = ON_A_DRAFT_PAGE[method, path]
    answers = {}
    for role in ROLES:
        draft = begin(site, people)
        address = CONTRIBUTE_PATH + path.format(id=draft.id)
        answers[role] = send(site, people, role, method, address, data=fields or None)
        if role in ROLES[:3]:
            missing = CONTRIBUTE_PATH + path.format(id="eval_contrib_none")
            absent = send(site, people, role, method, missing, data=fields or None)
            assert absent.status_code == answers[role].status_code, role
            assert "Kind refusals" not in answers[role].text
        if role in ROLES[:4]:
            assert stored(site, draft) == draft, role

    assert {role: answer.status_code for role, answer in answers.items()} == dict(zip(ROLES, expected, strict=True))


# After the review

FINAL: dict[str, dict[str, Any]] = {
    "approved": {"sip_number": 100, "auto_merge": False},
    "rejected": {"rejection_reason": "No."},
    "merged": {"sip_number": 100, "merged_at": "2026-11-15T09:30:00.000000Z"},
}
CHANGING_FORMS = {key: fields for key, (fields, _) in ON_A_DRAFT_PAGE.items() if key[0] == "POST"}
CHANGING_CALLS = {key: body for key, (body, _) in ON_A_DRAFT.items() if key[0] != "GET"}
# What may still be done with a contribution when its review is over. None of it changes the contribution.
HARMLESS = {"validate", "fork", "comments", "comment", "vote", "votes", "try", "join", "collaborators/{invited}"}


@pytest.mark.parametrize("status", FINAL)
def test_after_the_review_nobody_changes_or_decides_it(site, people, status):
    draft = site.database.write_now(lambda db: end_review(db, people, status))
    before, answers = stored(site, draft), {}

    for role in ("contributor", "collaborator", "maintainer"):
        for (method, path), fields in CHANGING_FORMS.items():
            address = CONTRIBUTE_PATH + path.format(id=draft.id)
            answers[role, path] = send(site, people, role, method, address, data=fields or None).status_code
            assert stored(site, draft) == before, (role, path)
        for (method, path), body in CHANGING_CALLS.items():
            address = f"/api/v1{CONTRIBUTE_PATH}{path.format(id=draft.id, invited='none')}"
            headers = {"authorization": f"Bearer {people.keys[role]}"}
            site.client.cookies.clear()
            answer = site.client.request(method, address, json=body, headers=headers)
            answers[role, f"{method} {path}"] = answer.status_code
            assert stored(site, draft) == before, (role, method, path)

    refused = {place: code for place, code in answers.items() if place[1].partition("{id}/")[2] not in HARMLESS}
    assert len(refused) > 40
    assert set(refused.values()) <= {403, 404, 409}, refused
    decisions = [
        answers["maintainer", f"POST /{{id}}/{name}"] for name in ("approve", "reject", "request-changes", "gate")
    ]
    assert decisions == [409] * 4
    assert [answers["contributor", f"{method} /{{id}}"] for method in ("PUT", "DELETE")] == [409, 409]


def end_review(db: Any, people: People, status: str) -> Contribution:
    ended = submission(db, contributor_id=people.agents["contributor"].id, status=status, **FINAL[status])
    collaborate(db, ended.id, people.agents["collaborator"])
    return ended
