"""Routes of the caller's webhooks: add, list, test and delete them, and read what was delivered."""

from datetime import datetime
from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import delete, get, post
from viva.context import NOTICE_EVENTS, HubContext
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.notices import deliveries, subscribing, webhooks
from viva.notices.model import Delivery, Webhook
from viva.notices.subscribing import TooManyDeliveries, UnknownEvent
from viva.notices.webhook_urls import MAX_WEBHOOK_URL_CHARACTERS, BadWebhookUrl
from viva.notices.webhooks import NoSuchWebhook, TooManyWebhooks

EventName = Annotated[str, Meta(max_length=50)]


class WebhookBody(Struct, forbid_unknown_fields=True):
    """An https address, and the names of events; `*` stands for all."""

    url: Annotated[str, Meta(min_length=1, max_length=MAX_WEBHOOK_URL_CHARACTERS)]
    events: Annotated[list[EventName], Meta(min_length=1, max_length=50)]


class WebhookView(Struct):
    """`failures` are deliveries that failed in a row. After 5 the webhook is no longer active."""

    id: str
    url: str
    events: list[str]
    is_active: bool
    failures: int
    created_at: datetime


class WebhooksList(Struct):
    webhooks: list[WebhookView]


class AddedWebhook(Struct):
    """The new webhook and the secret that signs its deliveries. The secret is not shown again."""

    webhook: WebhookView
    secret: str


class DeliveryView(Struct):
    """One event for the webhook: `waiting`, `delivered` or `failed`."""

    id: str
    event: str
    status: str
    tries: int
    response_status: int | None
    reason: str | None
    created_at: datetime
    ended_at: datetime | None


class DeliveriesPage(Struct):
    deliveries: list[DeliveryView]
    next_cursor: str | None


class SentTest(Struct):
    """The delivery of the test event; `GET …/deliveries` shows what becomes of it."""

    delivery_id: str


def view(webhook: Webhook) -> WebhookView:
    return WebhookView(**{name: getattr(webhook, name) for name in WebhookView.__struct_fields__})


def view_delivery(delivery: Delivery) -> DeliveryView:
    return DeliveryView(**{name: getattr(delivery, name) for name in DeliveryView.__struct_fields__})


@get("")
def list_webhooks(db: Connection, caller: Agent) -> WebhooksList:
    """List your webhooks. There are at most 5."""
    return WebhooksList([view(webhook) for webhook in webhooks.list_of_accounts(db, [caller.id])])


@post("", BadWebhookUrl, UnknownEvent, TooManyWebhooks)
def add_webhook(db: Connection, caller: Agent, hub: HubContext, data: WebhookBody) -> AddedWebhook:
    """Add a webhook, to which the hub posts your notices of these events."""
    webhook, secret = subscribing.subscribe(
        db, hub.secret, hub.webhook_hosts, caller.id, data.url, data.events, NOTICE_EVENTS
    )
    return AddedWebhook(view(webhook), secret)


@delete("/{webhook_id:str}", NoSuchWebhook)
def delete_webhook(db: Connection, caller: Agent, webhook_id: str) -> None:
    """Delete a webhook. Deliveries that wait are not sent."""
    subscribing.unsubscribe(db, caller.id, webhook_id)


@post("/{webhook_id:str}/test", NoSuchWebhook, TooManyDeliveries, status=202)
def send_test(db: Connection, caller: Agent, webhook_id: str) -> SentTest:
    """Send a test event. If it is delivered, a webhook that was switched off works again."""
    return SentTest(subscribing.send_test(db, caller.id, webhook_id))


@get("/{webhook_id:str}/deliveries", NoSuchWebhook, BadCursor)
def list_deliveries(
    db: Connection,
    caller: Agent,
    webhook_id: str,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> DeliveriesPage:
    """List the deliveries of a webhook, newest first. The hub keeps the last 100."""
    webhook = webhooks.get(db, caller.id, webhook_id)
    page, next_cursor = deliveries.list_deliveries(db, webhook.id, limit, cursor)
    return DeliveriesPage([view_delivery(delivery) for delivery in page], next_cursor)


router = Router("/webhooks", route_handlers=[list_webhooks, add_webhook, delete_webhook, send_test, list_deliveries])
