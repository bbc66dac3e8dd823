"""Delivering: the background work that posts events to webhooks."""

import time
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

import msgspec

from viva.jobs.model import Work
from viva.kit.db import Connection
from viva.kit.fetch_addresses import NotFetchable
from viva.kit.fetching import Fetcher, Unreachable
from viva.notices import deliveries, webhooks
from viva.notices.model import Delivery, NoticeContent, Webhook
from viva.notices.notifying import notify
from viva.notices.settings import NoticeSettings
from viva.notices.signing import sign, webhook_secret
from viva.notices.webhook_urls import BadWebhookUrl, allowed_hosts, check_webhook_url

WEBHOOK_TIMEOUT_SECONDS = 5.0  # a receiver should answer at once and work later; a worker waits for it
DELIVERY_PAUSES = (timedelta(seconds=10), timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
MAX_FAILED_DELIVERIES = 5  # in a row, each after all its tries; then the webhook is switched off
TEST_EVENT = "webhook.test"
SWITCHED_OFF_EVENT = "webhook.switched_off"
WEBHOOK_EVENTS = {SWITCHED_OFF_EVENT: "A webhook of yours was switched off after failed deliveries"}
TEST_SENTENCE = "A test of the webhook"
SWITCHED_OFF = "The webhook is switched off."
TEST_CONTENT = NoticeContent(TEST_EVENT, "A test", "This event shows that the webhook works.", None, {})


class DeliveryTask(NamedTuple):
    delivery: Delivery
    webhook: Webhook


class DeliveryTry(NamedTuple):
    """How a try ended: the status that came back, if any, and why it failed."""

    response_status: int | None
    reason: str | None = None


def work(settings: NoticeSettings) -> Work:
    """The background work "deliver_webhook"."""
    fetcher = Fetcher(allowed_hosts(settings.webhook_hosts), WEBHOOK_TIMEOUT_SECONDS)
    return Work(read, partial(think, settings, fetcher), keep)


def read(db: Connection, data: dict[str, Any]) -> DeliveryTask | None:
    """The delivery; None if it has ended, or was deleted with its webhook."""
    delivery = deliveries.find_waiting(db, data["delivery_id"])
    webhook = webhooks.find_webhook(db, delivery.webhook_id) if delivery else None
    return DeliveryTask(delivery, webhook) if delivery and webhook else None


def think(settings: NoticeSettings, fetcher: Fetcher, task: DeliveryTask | None) -> DeliveryTry | None:
    """Post the event. If the worker dies before this is noted, it is posted again with the same delivery id."""
    if task is None:
        return None
    delivery, webhook = task
    if not webhook.is_active and delivery.event != TEST_EVENT:
        return DeliveryTry(None, SWITCHED_OFF)
    body = body_of(delivery, settings.base_url)
    try:
        check_webhook_url(webhook.url, settings.webhook_hosts)  # the list of hosts may have changed
        status = fetcher.post(webhook.url, body, headers_of(settings.secret, delivery, body)).status
    except (NotFetchable, Unreachable, BadWebhookUrl) as error:
        return DeliveryTry(None, str(error))
    return DeliveryTry(status, None if 200 <= status < 300 else f"The address answered with status {status}.")


def body_of(delivery: Delivery, base_url: str) -> bytes:
    link = delivery.content.get("link")
    content = {**delivery.content, "link": base_url + link if link else None}
    return msgspec.json.encode({"id": delivery.id, **content, "created_at": delivery.created_at})


def headers_of(hub_secret: bytes, delivery: Delivery, body: bytes) -> dict[str, str]:
    secret = webhook_secret(hub_secret, delivery.webhook_id)
    return {
        "Content-Type": "application/json",
        "Viva-Event": delivery.event,
        "Viva-Delivery": delivery.id,
        "Viva-Signature": sign(secret, int(time.time()), body),
    }


def keep(db: Connection, task: DeliveryTask | None, tried: DeliveryTry | None, is_last: bool) -> None:
    """Note how the try ended. A job of its own makes the next try, because its pause is longer than the queue's."""
    if task is None or tried is None:
        return
    delivery, webhook = task
    may_try_again = delivery.event != TEST_EVENT and delivery.tries < len(DELIVERY_PAUSES) and webhook.is_active
    if tried.reason is None:
        deliveries.end(db, delivery, "delivered", tried.response_status, None)
        webhooks.note_success(db, webhook.id)
    elif may_try_again:
        deliveries.retry_later(db, delivery, tried.response_status, tried.reason, DELIVERY_PAUSES[delivery.tries])
    else:
        deliveries.end(db, delivery, "failed", tried.response_status, tried.reason)
        if delivery.event != TEST_EVENT:  # its sender sees what became of it
            switch_off_if_failing(db, webhook.id)


def switch_off_if_failing(db: Connection, webhook_id: str) -> None:
    switched_off = webhooks.note_failure(db, webhook_id, MAX_FAILED_DELIVERIES)
    if switched_off:
        notify(
            db,
            SWITCHED_OFF_EVENT,
            [switched_off.account_id],
            "A webhook was switched off",
            f"{MAX_FAILED_DELIVERIES} deliveries in a row failed, so the hub sends no more events to {switched_off.url}. "
            "Repair it and send it a test event. If that is delivered, it works again.",
            "/notices/settings",
            {"webhook_id": webhook_id},
        )
