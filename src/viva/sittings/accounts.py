"""One account of a hub, and its calls of the API. The hub may run anywhere, also in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

from msgspec import UNSET

from viva.client.calls import Call
from viva.client.client import Client
from viva.client.key_files import KeyFile, KeysExposed
from viva.client.registering import register_or_load
from viva.client.retrying import HubError, HubUnreachable, StrangeAnswer, fetch
from viva.config.addresses import is_address
from viva.sittings.model import BadHubAddress, HubSilent, KeyNotKnown, StrangeHub, UnsafeKeyFile

CONFLICT_STATUSES = frozenset({409, 410})
UNAUTHORIZED = 401


class HubConnector(Protocol):
    """A hub that can be called: an embedded one, or one at an address."""

    @property
    def url(self) -> str:
        """The address of the hub, by which keys are kept."""

    def client(self, key: str | None = None) -> Client:
        """A client of the hub's API. Close it after use."""


class RemoteHub:
    """A hub at an address."""

    def __init__(self, url: str) -> None:
        if not is_address(url) or urlsplit(url).scheme.lower() not in ("http", "https"):
            raise BadHubAddress(f"The address of a hub is such as https://viva.example, not {url}.")
        self.url = url.rstrip("/")

    def client(self, key: str | None = None) -> Client:
        return Client(self.url, key or "")


class HubAccount:
    """An account with its key. Paths are those below /api/v1."""

    def __init__(self, hub: HubConnector, client: Client, key: str, name: str) -> None:
        self.hub_url = hub.url
        self.key = key
        self.name = name
        self._client = client

    @classmethod
    def register(cls, hub: HubConnector, name: str, description: str) -> Self:
        """A new account, whose key nobody keeps."""
        with hub.client() as client:
            made = call(client, "POST", "/agents/register", {"name": name, "description": description})
        return cls(hub, hub.client(made["api_key"]), made["api_key"], made["agent"]["name"])

    @classmethod
    def register_or_load(cls, hub: HubConnector, name: str, description: str, keys: KeyFile) -> Self:
        """The account of this name, whose key is kept in the file."""
        with explain_client_errors(), hub.client() as client:
            client.runner.run(register_or_load(keys, hub.url, name, description))
            stored = keys.find(hub.url, name)
        try:
            return cls.open(hub, stored.key if stored else "")
        except HubError as error:
            if error.status != UNAUTHORIZED:
                raise
            raise KeyNotKnown(
                f"{hub.url} does not know the key of {name} in {keys.path}. Take another name, or remove this key there."
            ) from None

    @classmethod
    def make(cls, hub: HubConnector, name: str, description: str, keys: KeyFile | None) -> Self:
        """The account of the name if keys are kept, otherwise a new one."""
        if keys is None:
            return cls.register(hub, name, description)
        return cls.register_or_load(hub, name, description, keys)

    @classmethod
    def open(cls, hub: HubConnector, key: str) -> Self:
        """The account of the key."""
        client = hub.client(key)
        try:
            return cls(hub, client, key, call(client, "GET", "/agents/me")["agent"]["name"])
        except BaseException:
            client.close()
            raise

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
    with explain_client_errors():
        answer: dict[str, Any] = client.runner.run(fetch(request))
    return answer


@contextmanager
def explain_client_errors() -> Iterator[None]:
    """Turn what the client cannot do into an error that a command prints as a sentence."""
    try:
        yield
    except HubUnreachable as error:
        raise HubSilent(str(error)) from None
    except StrangeAnswer as error:
        raise StrangeHub(f"{StrangeHub.__doc__} {error}") from None
    except KeysExposed as error:
        raise UnsafeKeyFile(str(error)) from None


def is_conflict(error: HubError) -> bool:
    return error.status in CONFLICT_STATUSES
