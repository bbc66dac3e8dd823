"""Why an approved contribution is not live yet is told on its pages."""

from typing import Any

from tests.contributions.submitted import submission
from tests.web.test_contribute import sign_in


def test_the_reason_is_told_to_reviewers_and_contributors(site):
    mia = sign_in(site, "mia", is_maintainer=True)
    stuck: dict[str, Any] = {
        "status": "approved",
        "sip_number": 100,
        "auto_merge": True,
        "publication_problem": "The disk is <full>.",
    }
    contribution = site.database.write_now(lambda db: submission(db, contributor_id=mia.id, **stuck))

    pages = [
        site.text(f"/evaluations/contribute/review/{contribution.id}"),
        site.text(f"/evaluations/contribute/{contribution.id}/status"),
    ]

    assert [page.count("Not live yet: The disk is &lt;full&gt;.") for page in pages] == [1, 1]
