"""The forms of the settings of notices, each with what its button does."""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import parse_qs

from viva.agents.model import Agent
from viva.context import NOTICE_EVENTS, HubContext
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.notices import addresses, confirming, subscribing
from viva.web.forms import MAX_FORM_FIELDS

SETTINGS_PATH = "/notices/settings"


class SettingsForm(NamedTuple):
    """A form that the signed-in agent has sent, in the transaction that runs it."""

    db: Connection
    hub: HubContext
    viewer: Agent
    written: dict[str, str]
    events: list[str]


class FormOutcome(NamedTuple):
    """What a form did: where to go next, or the secret to show."""

    next: str
    secret: str = ""


class UnknownForm(Invalid):
    """The hub does not know the button of this form."""


def run_form(form: SettingsForm) -> FormOutcome:
    run = SETTINGS_FORMS.get(form.written.get("do", ""))
    if run is None:
        raise UnknownForm()
    return run(form)


def events_in(body: bytes) -> list[str]:
    """The events that were ticked; a form sends the same name for each."""
    return parse_qs(body.decode(errors="replace"), max_num_fields=MAX_FORM_FIELDS).get("event", [])


def ask_address(form: SettingsForm) -> FormOutcome:
    confirming.ask_confirmation(form.db, form.hub.secret, form.viewer.id, form.written.get("email", ""))
    return FormOutcome(f"{SETTINGS_PATH}?asked=1")


def drop_address(form: SettingsForm) -> FormOutcome:
    addresses.drop_address(form.db, form.viewer.id)
    return FormOutcome(f"{SETTINGS_PATH}?dropped=1")


def add_webhook(form: SettingsForm) -> FormOutcome:
    hub, url = form.hub, form.written.get("url", "")
    added = subscribing.subscribe(
        form.db, hub.secret, hub.webhook_hosts, form.viewer.id, url, form.events, NOTICE_EVENTS
    )
    return FormOutcome(SETTINGS_PATH, added.secret)


def send_test(form: SettingsForm) -> FormOutcome:
    subscribing.send_test(form.db, form.viewer.id, form.written.get("webhook", ""))
    return FormOutcome(f"{SETTINGS_PATH}?tested=1")


def delete_webhook(form: SettingsForm) -> FormOutcome:
    subscribing.unsubscribe(form.db, form.viewer.id, form.written.get("webhook", ""))
    return FormOutcome(f"{SETTINGS_PATH}?deleted=1")


SETTINGS_FORMS: dict[str, Callable[[SettingsForm], FormOutcome]] = {
    "ask-address": ask_address,
    "drop-address": drop_address,
    "add-webhook": add_webhook,
    "test-webhook": send_test,
    "delete-webhook": delete_webhook,
}
