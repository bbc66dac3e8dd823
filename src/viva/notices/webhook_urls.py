"""The addresses that the hub posts to for an account: https to any public host, or anything to a host that the hub lists."""

from viva.kit.errors import Fault, Invalid
from viva.kit.fetch_addresses import ANY_HOST, NotFetchable, check_fetchable

MAX_WEBHOOK_URL_CHARACTERS = 2_000


class NotPublicHttps(NotFetchable):
    """It has to be an https address of a public host, without name and password."""


class BadWebhookUrl(Invalid):
    """A webhook needs an https address of a public host, without name and password."""

    def __init__(self, reason: str = "") -> None:
        message = reason or self.__doc__ or ""
        super().__init__(message, faults=(Fault("url", "bad_webhook_url", message),))


def check_webhook_url(url: str, hosts: tuple[str, ...]) -> None:
    """Check the address. Its host is resolved and checked at each delivery, since its name may change."""
    try:
        check_postable(url, hosts)
    except NotPublicHttps:
        raise BadWebhookUrl() from None
    except NotFetchable as error:
        raise BadWebhookUrl(str(error)) from None


def check_postable(url: str, hosts: tuple[str, ...]) -> None:
    """Check that the hub may post to the address: https to any public host, or anything to a listed one."""
    if len(url) > MAX_WEBHOOK_URL_CHARACTERS or not url.isprintable():
        raise NotPublicHttps(NotPublicHttps.__doc__)
    parsed = check_fetchable(url, allowed_hosts(hosts))
    if parsed.url.scheme != "https" and not parsed.is_listed:
        raise NotPublicHttps(NotPublicHttps.__doc__)


def allowed_hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    return (ANY_HOST, *hosts)
