"""Contributing on the web: starting a draft, saving steps, conflicts, previews, history, sharing, submitting."""

import re
from typing import Any

import msgspec
import pytest

from tests.contributions.test_suggesting import DRAFT
from tests.hub import until
from tests.judging.endpoint import completion, endpoint
from tests.notices.mail_server import MailServer
from viva.agents import logins as stored_logins
from viva.contributions import reviewing, store
from viva.contributions.model import Contribution
from viva.evaluations.sip_fields import EVALUATION_TYPES

OWN = {"sec-fetch-site": "same-origin"}
HOSTILE = "<script>alert(1)</script>"
START = "/evaluations/contribute"


def send(site: Any, path: str, **fields: str) -> Any:
    return site.client.post(path, data=fields, headers=OWN, follow_redirects=False)


def begin(site: Any, **fields: str) -> str:
    """Start a draft without an account, and return its address."""
    who = {"contributor_name": "Ada", "contributor_email": "ada@example.org"}
    answer = send(site, START, **(who | {"start": "example", "type": "agent_certification"} | fields))
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"]).removesuffix("/link")


def sign_in(site: Any, name: str = "ada", is_maintainer: bool = False) -> Any:
    account = site.account("mia" if name == "maintainer" else name)  # nobody may have that word as a name
    token = site.database.write_now(lambda db: stored_logins.add(db, account.key.hash))
    if is_maintainer:
        site.database.write_now(
            lambda db: db.execute("UPDATE agents SET is_maintainer = TRUE WHERE id = ?", [account.agent.id])
        )
    site.client.cookies.set("viva_login", token)
    return msgspec.structs.replace(account.agent, is_maintainer=is_maintainer)


def stored(site: Any, here: str) -> Contribution:
    found: Contribution = site.database.read_now(lambda db: store.get(db, here.rpartition("/")[2]))
    return found


def fields_in(page: str) -> dict[str, str]:
    """The fields of the form as a browser would send them."""
    form = page[page.index('id="contribution"') : page.index('class="form-foot"')]
    patterns = (
        r'<input type="hidden" name="([^"]+)" value="([^"]*)"',
        r'<input id="[^"]+" name="([^"]+)" value="([^"]*)"',
        r'<textarea [^>]*name="([^"]+)"[^>]*>\n([^<]*)</textarea>',
        r'type="(?:radio|checkbox)" name="([^"]+)" value="([^"]*)" checked',
    )
    sent = {name: value for pattern in patterns for name, value in re.findall(pattern, form)}
    for name, options in re.findall(r'<select id="[^"]+" name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)"(?: data-other)? selected', options)
        sent[name] = chosen[1] if chosen else ""
    return {name: unescaped(value) for name, value in sent.items()}


def unescaped(text: str) -> str:
    for entity, character in {"&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&"}.items():
        text = text.replace(entity, character)
    return text


def link_in(page: str) -> str:
    found = re.search(r'id="copied-text" tabindex="0">([^<]+)<', page)
    assert found
    return unescaped(found[1])


def save(site: Any, here: str, step: int, button: str = "save", **changes: str) -> Any:
    """Send the form of a step as it is shown, with some changes."""
    fields = fields_in(site.text(here, step=str(step))) | {"do": button} | changes
    return send(site, f"{here}?step={step}", **fields)


def test_without_an_account_a_draft_is_opened_by_its_link(site):
    here = begin(site)

    page = site.text(f"{here}/link")
    link = link_in(page)
    site.client.cookies.clear()
    assert site.get(here).status_code == 404

    opened = site.client.get(link.removeprefix("http://127.0.0.1:8000"), follow_redirects=False)
    cookie = opened.headers["set-cookie"].lower()

    assert opened.status_code == 303
    assert "token" not in opened.headers["location"]
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "Two probes" in site.text(here)


@pytest.mark.parametrize("type_", EVALUATION_TYPES)
def test_every_step_of_every_type_is_saved_as_it_is_shown(site, type_):
    sign_in(site)
    here = begin(site, start="example", type=type_)
    for step in (1, 2, 3, 4):  # the first save may put sections in order
        assert save(site, here, step).status_code == 303
    before = stored(site, here).proposal

    for step in (1, 2, 3, 4):
        save(site, here, step)

    assert stored(site, here).proposal == before
    assert before.type == type_
    assert site.get(f"{here}?step=5").status_code == 200
    assert site.get(f"{here}/preview").status_code == 200


def test_all_faults_of_the_start_are_told_at_once_and_nothing_is_lost(site):
    answer = send(site, START, start="describe", description="", contributor_email="x", contributor_name="Ada")

    assert answer.status_code == 422
    assert 'id="wrong-description"' in answer.text
    assert 'id="wrong-contributor_email"' in answer.text
    assert '<a href="#description">Your idea</a>: Describe it in a few sentences' in answer.text
    assert '<a href="#contributor_email">E-mail address</a>: ' in answer.text
    assert 'value="Ada"' in answer.text


def test_a_description_becomes_a_draft(site):
    sign_in(site)

    here = begin(
        site, start="describe", type="", description="Does an agent admit what it does not know?\nWhat is my name?"
    )

    draft = stored(site, here)
    assert draft.name == "Admit what it does not know"
    assert draft.config["prompts"][0]["messages"] == [{"role": "user", "content": "What is my name?"}]
    assert len(draft.config["prompts"]) == len(draft.exemplars) == 2


def test_a_model_writes_a_draft_where_a_judge_is_configured_and_the_page_says_so(new_site):
    with endpoint(lambda asked: completion(DRAFT)) as server:
        site = new_site(VIVA_JUDGE_URL=server.url, VIVA_JUDGE_MODEL="small-model")
        assert "A model writes the first draft" in site.text(START)
        here = begin(site, start="describe", type="agent_certification", description="Secrets.")

    page = site.text(here)
    assert stored(site, here).name == "Kept secrets"
    assert "The model <strong>small-model</strong> wrote the first draft" in page
    assert "model small-model" in site.text(f"{here}/history")


def test_the_link_is_mailed_where_the_hub_sends_e_mails(new_site):
    mailing, silent = new_site(VIVA_SMTP_URL="smtp://127.0.0.1:1", VIVA_NO_WORKER="1"), new_site()
    here = begin(mailing)
    begin(silent)

    def links(site: Any) -> list[Any]:
        rows: list[Any] = site.database.read_now(
            lambda db: db.execute("SELECT address, link FROM notice_emails").fetchall()
        )
        return rows

    ((address, link),) = links(mailing)
    assert address == "ada@example.org"
    assert link == here  # the token is added when the e-mail is sent
    assert links(silent) == []


def test_the_mailed_link_opens_the_draft_in_another_browser(new_site):
    with MailServer() as mail:
        site = new_site(VIVA_SMTP_URL=f"smtp://127.0.0.1:{mail.port}")
        here = begin(site)
        until(lambda: mail.taken)
    site.client.cookies.clear()
    assert site.get(here).status_code == 404

    (link,) = re.findall(rf"{here}\?token=\S+", mail.taken[0].get_content())

    assert site.client.get(link, follow_redirects=True).status_code == 200
    assert site.get(here).status_code == 200


def test_a_fork_has_the_content_of_an_evaluation_and_says_so(site):
    sign_in(site)
    assert 'href="/evaluations/contribute?fork=good-manners"' in site.text("/evaluations/good-manners")
    assert 'value="good-manners" selected' in site.text(START, fork="good-manners")

    draft = stored(site, begin(site, start="fork", evaluation="good-manners"))

    assert (draft.forked_from, draft.name, draft.executable_handler) == (
        "good-manners",
        "Good manners (variant)",
        "proctored",
    )
    hidden = "*This section is for proctors. Whoever claims a candidate gets it.*"
    assert draft.body == f"## Procedure\n\n{hidden}\n"


def test_a_maintainer_forks_the_procedure_too(site):
    sign_in(site, "mia", is_maintainer=True)

    draft = stored(site, begin(site, start="fork", evaluation="good-manners"))

    assert draft.body == "## Procedure\n\n1. Ask for something."


def test_next_saves_and_shows_the_problems_of_the_step_beside_their_fields(site):
    here = begin(site, start="blank")

    answer = save(site, here, 1, "next", name="My exam")
    page = site.text(answer.headers["location"])

    assert answer.headers["location"].endswith("?step=1&checked=1&next=1")
    assert stored(site, here).name == "My exam"
    assert "Continue anyway" in page
    assert '<li data-to-do="description"><a href="#description">Description</a>: This is missing.</li>' in page
    assert '<li data-to-do="name">' not in page
    slot = page[page.index('id="problems-description"') :]
    assert "This is missing." in slot[: slot.index("</div>")]
    assert 'aria-invalid="true"' in page


def test_what_is_to_do_is_named_as_the_form_names_it_and_every_link_has_a_target(site):
    here = begin(site, start="describe", type="agent_certification", description="Does an agent wait?\nA long queue.")
    weights = {"config.rubric[0].weight": "60", "config.rubric[1].criteria": ""}

    page = site.text(save(site, here, 2, "next", **weights).headers["location"])
    exemplars = site.text(here, step="4", checked="1")
    last = site.text(here, step="5")

    linked = re.findall(r'<li data-to-do="([^"]*)"><a href="#([^"]*)">([^<]*)</a>', page)
    assert ("config.rubric", "config.rubric", "Rubric") in linked
    assert ("config.rubric[1].criteria", "config.rubric[1].criteria", "Rubric row 2, criteria") in linked
    assert [target for _, target, _ in linked if f' id="{target}"' not in page] == []
    assert "This is still the text of the template. Replace it." in exemplars
    assert "Step 4: Exemplar 1, answer that should pass</a>. This is still the text" in last
    assert "exemplars[0].pass is still" not in exemplars + last


def test_an_unknown_prerequisite_is_told_beside_the_prerequisites(site):
    here = begin(site)

    page = site.text(save(site, here, 4, "next", **{"prerequisites[0]": "no-such-exam"}).headers["location"])

    slot = page[page.index('id="problems-prerequisites"') :]
    assert "no-such-exam" in slot[: slot.index("</div>")]
    assert '<a href="#prerequisites">Prerequisite 1</a>' in page
    assert ' id="prerequisites"' in page


def test_a_complete_step_leads_to_the_next_one(site):
    here = begin(site, type="proctored")

    location = save(site, here, 2, "next").headers["location"]

    assert location.endswith("?step=3")


def test_a_script_that_saves_gets_the_revision_and_the_problems_and_no_fields(site):
    here = begin(site, start="blank")

    answer = save(site, here, 1, "autosave", name="Saved by itself")

    assert answer.status_code == 200
    assert 'name="revision" value="2"' in answer.text
    assert 'id="problems-description"' in answer.text
    assert 'id="fields"' not in answer.text
    assert stored(site, here).name == "Saved by itself"


def test_rows_are_added_and_removed_by_buttons(site):
    here = begin(site)

    added = save(site, here, 2, "add config.prompts")
    assert added.headers["location"].endswith("?step=2#config.prompts[2]")
    assert len(stored(site, here).config["prompts"]) == 3
    save(site, here, 2, "remove config.prompts[0]")
    save(site, here, 2, "down config.rubric[1]")

    config = stored(site, here).config
    assert next(probe.get("id") for probe in config["prompts"]) == "pressed"
    assert [row["promptId"] for row in config["rubric"]] == ["hidden-order", "pressed", "hidden-order", "pressed"]


def test_a_field_that_cannot_be_read_is_told_and_every_text_is_kept(site):
    here = begin(site)
    before = stored(site, here)

    answer = save(site, here, 2, **{"config.more": "a: [1", "config.prompts[0].category": HOSTILE})

    assert answer.status_code == 422
    assert "a: [1" in answer.text
    assert "&lt;script&gt;" in answer.text
    assert HOSTILE not in answer.text
    assert "not YAML" in answer.text
    assert stored(site, here) == before


def test_the_second_of_two_editors_gets_a_409_with_both_texts(site):
    here = begin(site)
    mine = fields_in(site.text(here)) | {"do": "save", "name": "Mine", "title": HOSTILE}
    save(site, here, 1, name="Theirs")

    answer = send(site, f"{here}?step=1", **mine)

    assert answer.status_code == 409
    assert "Somebody else changed this draft" in answer.text
    assert 'name="name" value="Mine"' in answer.text
    assert "-Theirs" in answer.text
    assert "+Mine" in answer.text
    assert HOSTILE not in answer.text
    assert stored(site, here).name == "Theirs"

    again = fields_in(answer.text) | {"do": "save"}
    assert send(site, f"{here}?step=1", **again).status_code == 303
    assert stored(site, here).name == "Mine"


def test_preview_and_file_show_the_document_and_escape_it(site):
    here = begin(site)
    save(site, here, 1, name=HOSTILE)

    page = site.text(f"{here}/preview")
    file = site.get(f"{here}/preview.md")

    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert '<span class="s-key">prompts</span>' in page
    assert file.headers["content-type"].startswith("text/markdown")
    assert "attachment" in file.headers["content-disposition"]
    assert file.text.startswith("---\nsip: 100\n")
    assert HOSTILE in file.text


def test_history_shows_what_changed_and_restores(site):
    here = begin(site)
    save(site, here, 1, name="Second name")

    page = site.text(f"{here}/history")
    assert "+Second name" in page
    send(site, f"{here}/history", revision="1")

    assert stored(site, here).name == "Two probes"
    assert stored(site, here).revision == 3


def test_a_valid_draft_is_submitted_and_followed_until_changes_are_requested(site):
    agent = sign_in(site, "ada", is_maintainer=True)
    here = begin(site)
    save(site, here, 1, name="My hand")

    answer = send(site, f"{here}/submit")
    assert answer.headers["location"] == f"{here}/submitted", site.text(f"{here}?step=5")
    assert "What happens next" in site.text(f"{here}/submitted")
    site.database.write_now(
        lambda db: reviewing.request_changes(db, here.rpartition("/")[2], agent, f"Shorter, please. {HOSTILE}")
    )

    status = site.text(f"{here}/status")
    assert "Requested changes" in status
    assert "A maintainer asked for changes. Edit it, then submit it again." in status
    assert HOSTILE not in status
    assert "A maintainer asked for changes" in site.text(here)


def test_a_draft_with_errors_stays_a_draft_and_links_to_its_fields(site):
    here = begin(site, start="blank")

    answer = send(site, f"{here}/submit")
    page = site.text(answer.headers["location"])

    assert answer.headers["location"] == f"{here}?step=5&checked=1"
    assert f'href="{here}?step=1&amp;checked=1#name"' in page
    assert 'class="primary" disabled' in page
    assert stored(site, here).status == "draft"


def test_drafts_are_listed_filtered_and_deleted_after_a_question(site):
    here = begin(site)
    assert "You have no drafts yet" not in site.text(f"{START}/drafts")
    assert "No contribution has this status" in site.text(f"{START}/drafts", status="merged")
    assert "Two probes" in site.text(f"{START}/drafts", status="in_progress")
    assert "Delete this draft?" in site.text(f"{here}/delete")

    answer = send(site, f"{here}/delete")

    assert answer.headers["location"] == f"{START}/drafts?deleted=1"
    assert "You have no drafts yet" in site.text(f"{START}/drafts")
    assert site.get(here).status_code == 404


def test_a_collaborator_joins_by_a_link_and_edits(site):
    here = begin(site)
    page = send(site, f"{here}/sharing", do="invite", name="Bob").text
    link = link_in(page)
    token = link.rpartition("token=")[2]
    site.client.cookies.clear()

    assert "invites you" in site.text(f"{here}/join", token=token)
    joined = send(site, f"{here}/join", token=token, name="Bobby")

    assert joined.headers["location"] == here
    assert save(site, here, 1, name="Ours").status_code == 303
    assert "Bobby" in site.text(f"{here}/history")
    assert send(site, f"{here}/delete").status_code == 403
    assert site.get(f"{here}/join", params={"token": "viva_contrib_x"}).status_code == 404


def test_the_community_switch_says_what_others_see(site):
    here = begin(site)

    assert "It is not open." in site.text(f"{here}/sharing")
    send(site, f"{here}/sharing", do="open")

    assert "It is open." in site.text(f"{here}/sharing")
    assert stored(site, here).is_open_to_community


PRIVATE_PAGES = ["", "/link", "/preview", "/preview.md", "/history", "/status", "/submitted", "/sharing", "/delete"]
PRIVATE_FORMS = ["", "/submit", "/history", "/delete", "/comments", "/sharing"]


def test_strangers_find_no_page_and_no_form(site):
    here = begin(site)
    before = stored(site, here)
    site.client.cookies.clear()

    for name in (None, "eve"):
        if name:
            sign_in(site, name)
        for part in PRIVATE_PAGES:
            assert site.get(here + part).status_code == 404, part
        for part in PRIVATE_FORMS:
            assert send(site, here + part, do="save", revision="1", text="x", name="x").status_code == 404, part
    assert stored(site, here) == before


def test_a_maintainer_reads_a_draft_and_does_not_change_it(site):
    here = begin(site)
    fields = fields_in(site.text(here)) | {"name": "Taken over"}
    site.client.cookies.clear()
    sign_in(site, "mia", is_maintainer=True)

    assert site.client.get(here, follow_redirects=False).headers["location"] == f"{here}/preview"
    assert send(site, f"{here}?step=1", **fields).status_code == 403


def test_pages_of_a_draft_are_stored_by_no_cache(site):
    here = begin(site)

    for part in PRIVATE_PAGES:
        assert site.get(here + part).headers["cache-control"] == "no-store", part


def test_a_form_of_another_site_is_refused(site):
    here = begin(site)

    for path in (START, here, f"{here}/submit", f"{here}/delete", f"{here}/history", f"{here}/sharing", f"{here}/join"):
        answer = site.client.post(path, data={"do": "save"}, headers={"sec-fetch-site": "cross-site"})
        assert answer.status_code == 403, path
    assert stored(site, here).revision == 1
