"""The page on which an agent sets where its notices go: an e-mail address, and webhooks."""

from dataclasses import dataclass, field
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.context import NOTICE_EVENTS, hub_of
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Invalid, NotFound, TooMany
from viva.notices import addresses, deliveries, webhooks
from viva.notices.delivering import TEST_EVENT, TEST_SENTENCE
from viva.notices.model import Delivery, Webhook
from viva.notices.webhooks import ALL_EVENTS, MAX_WEBHOOKS_PER_ACCOUNT
from viva.web import logins, notice_forms, pages
from viva.web.forms import fields_in
from viva.web.notice_forms import SETTINGS_PATH, FormOutcome, SettingsForm, run_form
from viva.web.origins import check_own_form
from viva.web.queries import word

MAX_SETTINGS_FORM_BYTES = 16 * 1024  # an address of 2,000 characters, and the names of events
DELIVERIES_SHOWN = 10  # of each webhook; the API has all
# The notice after a form was sent, by query parameter.
SETTINGS_NOTICES = {
    "asked": "The hub has sent a link to this address. Open it to confirm the address.",
    "dropped": "You get no more e-mails.",
    "tested": "A test event is on its way. Reload this page to see what became of it.",
    "deleted": "The webhook is deleted.",
}


SENTENCES = {**NOTICE_EVENTS, ALL_EVENTS: "All of them", TEST_EVENT: TEST_SENTENCE}


class ShownWebhook(NamedTuple):
    webhook: Webhook
    deliveries: list[Delivery]


@dataclass(frozen=True)
class NoticeSettingsPage:
    address: str | None
    sends_email: bool
    webhooks: list[ShownWebhook] = field(default_factory=list)
    events: tuple[tuple[str, str], ...] = tuple(NOTICE_EVENTS.items())
    max_webhooks: int = MAX_WEBHOOKS_PER_ACCOUNT
    secret: str = ""  # of the webhook that was just added; shown once
    notice: str = ""
    fault: str = ""
    url: str = ""  # as it was written, if it was refused

    def sentence_of(self, event: str) -> str:
        return SENTENCES.get(event, event)  # of an earlier release


@get("/notices/settings")
async def show_settings(request: Request) -> Response[str]:
    notice = next((text for name, text in SETTINGS_NOTICES.items() if word(request, name)), "")
    return await answer(request, notice=notice)


async def answer(
    request: Request, status: int = 200, notice: str = "", fault: str = "", secret: str = "", url: str = ""
) -> Response[str]:
    hub = hub_of(request)

    def read(db: Connection) -> NoticeSettingsPage | None:
        viewer = pages.frame_of(request).viewer
        if viewer is None:
            return None
        shown = [
            ShownWebhook(webhook, deliveries.list_deliveries(db, webhook.id, DELIVERIES_SHOWN, None).items)
            for webhook in webhooks.list_of_accounts(db, [viewer.id])
        ]
        address = addresses.find_address(db, viewer.id)
        return NoticeSettingsPage(address, hub.sends_email, shown, secret=secret, notice=notice, fault=fault, url=url)

    return await pages.show(request, "notices/settings.html", read, status)


@post("/notices/settings", request_max_body_size=MAX_SETTINGS_FORM_BYTES)
async def change_settings(request: Request) -> Response[str] | Redirect:
    """Run the form whose button was pressed. A fault is shown on the page itself."""
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    body = await request.body()
    written = fields_in(body)

    def unit(db: Connection) -> FormOutcome:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return FormOutcome(f"/login?next={SETTINGS_PATH}")
        return run_form(SettingsForm(db, hub, viewer, written, notice_forms.events_in(body)))

    try:
        outcome = await pages.write(request, unit)
    except (Invalid, Conflict, NotFound, TooMany) as error:
        return await answer(request, error.status, fault=str(error), url=written.get("url", ""))
    if outcome.secret:
        return await answer(request, secret=outcome.secret)
    return Redirect(outcome.next, status_code=303)
