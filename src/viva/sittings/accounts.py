"""One account of a hub, and its calls of the API. The hub may run anywhere, also in this process."""

from typing import Any, Protocol, Self

from msgspec import UNSET

from viva.client.calls import Call
from viva.client.client import Client
from viva.client.key_files import KeyFile
from viva.client.retrying import HubError, HubUnreachable, fetch
from viva.sittings.model import HubSilent

CONFLICT_STATUSES = frozenset({409, 410})


class HubConnector(Protocol):
    """A hub that can be called: an embedded one, or one at an address."""

    def client(self, key: str | None = None) -> Client:
        """A client of the hub's API. Close it after use."""


class RemoteHub:
    """A hub at an address."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def client(self, key: str | None = None) -> Client:
        return Client(self.url, key or "")


class HubAccount:
    """An account with its key. Paths are those below /api/v1."""

    def __init__(self, client: Client, key: str, name: str) -> None:
        self.key = key
        self.name = name
        self._client = client

    @classmethod
    def register(cls, hub: HubConnector, name: str, description: str) -> Self:
        """A new account, whose key nobody keeps."""
        with hub.client() as client:
            made = call(client, "POST", "/agents/register", {"name": name, "description": description})
        return cls(hub.client(made["api_key"]), made["api_key"], made["agent"]["name"])

    @classmethod
    def register_or_load(cls, hub: RemoteHub, name: str, description: str, keys: KeyFile) -> Self:
        """The account of this name, whose key is kept in the file."""
        client = Client.register_or_load(name, description=description, url=hub.url, keys=keys)
        stored = keys.find(hub.url, name)
        return cls(client, stored.key if stored else "", name)

    @classmethod
    def open(cls, hub: HubConnector, key: str) -> Self:
        """The account of the key."""
        client = hub.client(key)
        return cls(client, key, call(client, "GET", "/agents/me")["agent"]["name"])

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        return call(self._client, "GET", path, query=query)

    def post(self, path: str, body: Any = UNSET) -> dict[str, Any]:
        return call(self._client, "POST", path, body)

    def close(self) -> None:
        self._client.close()


def call(
    client: Client, method: str, path: str, body: Any = UNSET, query: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The answer, or HubError with the hub's own words. A hub that is away for a moment is asked again."""
    request = Call(method, f"/api/v1{path}", dict[str, Any], query or {}, body)
    try:
        answer: dict[str, Any] = client.runner.run(fetch(request))
    except HubUnreachable as error:
        raise HubSilent(str(error)) from None
    return answer


def is_conflict(error: HubError) -> bool:
    return error.status in CONFLICT_STATUSES
