"""Subscribing: an account adds a webhook for some events, tests it, and deletes it."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid, TooMany
from viva.kit.limits import DAY_SECONDS, end_of_period, seconds_until
from viva.notices import deliveries, webhooks
from viva.notices.delivering import TEST_CONTENT
from viva.notices.model import Webhook
from viva.notices.signing import webhook_secret
from viva.notices.webhook_urls import check_webhook_url
from viva.notices.webhooks import ALL_EVENTS


class UnknownEvent(Invalid):
    """This hub has no event with this name."""

    def __init__(self, known: Collection[str] = ()) -> None:
        message = f"This is not an event. The events are: {', '.join([ALL_EVENTS, *known])}."
        super().__init__(message, faults=(Fault("events", "unknown_event", message),))


class TooManyDeliveries(TooMany):
    """This webhook has had 200 deliveries today; try again tomorrow."""


class Subscription(NamedTuple):
    """A new webhook, and its secret, which is shown once."""

    webhook: Webhook
    secret: str


def subscribe(
    db: Connection,
    secret: bytes,
    hosts: tuple[str, ...],
    account_id: str,
    url: str,
    wanted: Sequence[str],
    known: Collection[str],
) -> Subscription:
    """Add a webhook for the wanted events. `hosts` may be reached by http; `known` are all events."""
    check_webhook_url(url, hosts)
    if not wanted or not {ALL_EVENTS, *known}.issuperset(wanted):
        raise UnknownEvent(known)

    webhook = webhooks.add(db, account_id, url, list(dict.fromkeys(wanted)))
    events.record(db, "webhook.added", "webhook", webhook.id)
    return Subscription(webhook, webhook_secret(secret, webhook.id))


def unsubscribe(db: Connection, account_id: str, webhook_id: str) -> None:
    webhooks.drop(db, account_id, webhook_id)
    events.record(db, "webhook.deleted", "webhook", webhook_id)


def send_test(db: Connection, account_id: str, webhook_id: str) -> str:
    """Send a test event, also to a webhook that is switched off. Returns the id of the delivery."""
    webhook = webhooks.get(db, account_id, webhook_id)
    delivery_id = deliveries.add(db, webhook.id, TEST_CONTENT)
    if delivery_id is None:
        raise TooManyDeliveries(retry_after=seconds_until(end_of_period(DAY_SECONDS)))
    return delivery_id
