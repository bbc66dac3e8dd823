"""Routes of the caller's webhooks: add, list, test and delete them, and read what was delivered.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import AddedWebhook, DeliveriesPage, DeliveryView, SentTest, WebhooksList


class WebhooksOperations(OperationGroup[RunnerType]):
    """Routes of the caller's webhooks: add, list, test and delete them, and read what was delivered."""

    @operation
    def list_webhooks(self) -> Call[WebhooksList]:
        """List your webhooks. There are at most 5."""
        return Call("GET", "/api/v1/webhooks", WebhooksList)

    @operation
    def add_webhook(self, url: str, events: list[str]) -> Call[AddedWebhook]:
        """Add a webhook, to which the hub posts your notices of these events."""
        return Call("POST", "/api/v1/webhooks", AddedWebhook, body=given_fields({"url": url, "events": events}))

    @operation
    def delete_webhook(self, webhook_id: str) -> Call[None]:
        """Delete a webhook. Deliveries that wait are not sent."""
        return Call("DELETE", f"/api/v1/webhooks/{in_path(webhook_id)}", type(None))

    @operation
    def send_test(self, webhook_id: str) -> Call[SentTest]:
        """Send a test event. If it is delivered, a webhook that was switched off works again."""
        return Call("POST", f"/api/v1/webhooks/{in_path(webhook_id)}/test", SentTest)

    @list_operation
    def list_deliveries(
        self, webhook_id: str, *, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[DeliveriesPage, DeliveryView]:
        """List the deliveries of a webhook, newest first. The hub keeps the last 100."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/webhooks/{in_path(webhook_id)}/deliveries",
                DeliveriesPage,
                query={"limit": limit, "cursor": cursor},
            ),
            "deliveries",
        )
