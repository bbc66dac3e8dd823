"""Item statistics on the evaluation's page and in the API: for maintainers and the authors, and for nobody else."""

from typing import Any

import pytest

from tests import make
from tests.results.taken import keep, plain
from tests.web.test_drafts import bearer, maintainer, sign_in
from tests.web.test_evaluation_findings import HOSTILE, criteria, section
from viva.agents.accounts import Account
from viva.kit.clock import now
from viva.kit.db import Connection

PAGE, API = "/evaluations/good-manners", "/api/v1/evaluations/good-manners/items"


def contribute(site: Any, contributor: Account, status: str = "merged", evaluation_id: str = "good-manners") -> None:
    texts = ("title", "name", "description", "module", "type", "executable_handler", "version", "author")
    values: dict[str, Any] = dict.fromkeys(texts, "x") | dict.fromkeys(("config",), "{}") | {"points": 1}
    values |= dict.fromkeys(("prerequisites", "research_mapping", "exemplars"), "[]")
    values |= {"id": f"eval_contrib_{status}", "contributor_id": contributor.agent.id, "contributor_name": "x"}
    values |= {"evaluation_id": evaluation_id, "status": status}
    values |= dict.fromkeys(("created_at", "updated_at", "submitted_at"), now())
    values |= {"sip_number": 101, "merged_at": now()} if status == "merged" else {}
    values |= {"rejection_reason": "x"} if status == "rejected" else {}

    def insert(db: Connection) -> None:
        names = ", ".join(values)
        places = ", ".join(f":{name}" for name in values)
        db.execute(f"INSERT INTO evaluation_contributions ({names}) VALUES ({places})", values)

    site.database.write_now(insert)


def keep_results(site: Any, *data: dict[str, Any]) -> None:
    def unit(db: Connection) -> None:
        ann = make.agent(db, "ann")
        for each in data:
            keep(db, ann, plain(data=each))

    site.database.write_now(unit)


@pytest.fixture
def taken(site: Any) -> Any:
    keep_results(site, *(criteria(at % 4 != 0, at % 2 == 0, mark=5, text=HOSTILE) for at in range(20)))
    return site


def test_a_maintainer_sees_difficulty_and_discrimination_of_each_item(taken):
    sign_in(taken, maintainer(taken))

    items = section(taken.text(PAGE), "items")

    assert "It is about version 1.0.0 and all 20 results." in items
    assert items.index("10 of 20") < items.index("15 of 20")
    assert "30% to 70%" in items
    assert "all results alike" in items  # all marks are 5 of 10
    assert HOSTILE not in items
    assert "&lt;script&gt;" in items
    assert '<a href="#items">Items</a>' in taken.text(PAGE)


def test_the_api_has_the_same_figures(taken):
    answer = taken.get(API, headers=bearer(maintainer(taken)))

    assert answer.status_code == 200
    report = answer.json()["report"]
    assert (report["evaluation_version"], report["results"], report["all_results"]) == ("1.0.0", 20, 20)
    assert [(item["item_id"], item["right"], item["judged"]) for item in report["items"]] == [
        ("c1", 10, 20),
        ("c0", 15, 20),
    ]


def test_discrimination_is_shown_with_its_interval(site):
    keep_results(site, *(criteria(at % 2 == 0, at % 2 == 0, at < 10) for at in range(20)))
    sign_in(site, maintainer(site))

    items = section(site.text(PAGE), "items")

    assert '<td>0.71 <span class="small">0.39 to 0.88</span></td>' in items


def test_fewer_results_are_told_as_too_few(site):
    keep_results(site, criteria(True, False))
    sign_in(site, maintainer(site))

    assert "too few results" in section(site.text(PAGE), "items")
    assert "not known" in section(site.text(PAGE), "items")


def test_without_results_the_part_says_what_will_be_there(site):
    sign_in(site, maintainer(site))

    assert "appear here after the first result of version 1.0.0" in section(site.text(PAGE), "items")


def test_the_author_of_a_merged_contribution_sees_the_items(taken):
    ada = taken.account("ada")
    contribute(taken, ada)

    assert taken.get(API, headers=bearer(ada)).status_code == 200
    sign_in(taken, ada)
    assert 'id="items"' in taken.text(PAGE)


@pytest.mark.parametrize("status", ["draft", "submitted", "rejected"])
def test_a_contribution_that_was_not_merged_opens_nothing(taken, status):
    ada = taken.account("ada")
    contribute(taken, ada, status)

    answer = taken.get(API, headers=bearer(ada))

    assert (answer.status_code, answer.json()["code"]) == (403, "not_the_author")
    sign_in(taken, ada)
    assert 'id="items"' not in taken.text(PAGE)


def test_the_author_of_another_evaluation_and_strangers_see_no_items(taken):
    ada, bob = taken.account("ada"), taken.account("bob")
    contribute(taken, ada, evaluation_id="other")
    contribute(taken, bob, status="submitted")

    assert taken.get(API, headers=bearer(ada)).status_code == 403
    assert taken.get(API).status_code == 401
    assert "#items" not in taken.text(PAGE)
    assert 'id="items"' not in taken.text(PAGE)


def test_another_version_is_chosen_and_an_unknown_one_is_not_found(taken):
    taken.sip(version="2.0.0")
    headers = bearer(maintainer(taken))

    assert taken.get(API, headers=headers).json()["report"]["results"] == 0
    assert taken.get(f"{API}?version=1.0.0", headers=headers).json()["report"]["results"] == 20
    assert taken.get(f"{API}?version=9.0.0", headers=headers).status_code == 404
