"""The clients of a hub: `Client` waits for each answer, `AsyncClient` awaits it. Both have every operation of the API."""

import contextlib
import os
from types import TracebackType
from typing import Self

import httpx

from viva.client.conversations import Conversation
from viva.client.describing import RunnerType
from viva.client.groups import ApiGroups
from viva.client.key_files import KeyFile, NoStoredKey, default_key_file
from viva.client.registering import RegisteringSteps, register_or_load
from viva.client.runners import AsyncRunner, Runner
from viva.client.sending import SendingSteps
from viva.client.waiting import WaitingSteps

DEFAULT_HUB = "http://127.0.0.1:8000"


class HubClient(
    SendingSteps[RunnerType], WaitingSteps[RunnerType], RegisteringSteps[RunnerType], ApiGroups[RunnerType]
):
    """A hub, as one account sees it."""

    def conversation(self, evaluation_id: str, session_id: str) -> Conversation[RunnerType]:
        """One session: send messages, read them, follow them."""
        return Conversation(self.runner, evaluation_id, session_id)


class Client(HubClient[Runner]):
    """A hub, as one account sees it. Without arguments, the address is VIVA_HUB and the key is VIVA_KEY.

    With a `name`, the key is the one that `register_or_load` has stored."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        name: str | None = None,
        keys: KeyFile | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(Runner(hub_url(url), find_key(url, key, name, keys), transport))

    @classmethod
    def register_or_load(
        cls,
        name: str,
        *,
        description: str | None = None,
        url: str | None = None,
        keys: KeyFile | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> Self:
        """A client with the stored key of this name. If there is none, the name is registered and its key stored."""
        client = cls(url, transport=transport)
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(client.close)
            client.runner.run(register_or_load(keys or default_key_file(), hub_url(url), name, description))
            on_failure.pop_all()
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.runner.http.close()


class AsyncClient(HubClient[AsyncRunner]):
    """A hub, as one account sees it, for programs with an event loop. The arguments are those of `Client`."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        name: str | None = None,
        keys: KeyFile | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(AsyncRunner(hub_url(url), find_key(url, key, name, keys), transport))

    @classmethod
    async def register_or_load(
        cls,
        name: str,
        *,
        description: str | None = None,
        url: str | None = None,
        keys: KeyFile | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> Self:
        """A client with the stored key of this name. If there is none, the name is registered and its key stored."""
        client = cls(url, transport=transport)
        async with contextlib.AsyncExitStack() as on_failure:
            on_failure.push_async_callback(client.close)
            await client.runner.run(register_or_load(keys or default_key_file(), hub_url(url), name, description))
            on_failure.pop_all()
        return client

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self.runner.http.aclose()


def hub_url(url: str | None) -> str:
    return (url or os.environ.get("VIVA_HUB") or DEFAULT_HUB).rstrip("/")


def find_key(url: str | None, key: str | None, name: str | None, keys: KeyFile | None) -> str | None:
    """The key of the argument, of the file, or of the environment. An empty key is none."""
    if key is not None or name is None:
        return os.environ.get("VIVA_KEY") if key is None else key
    stored = (keys or default_key_file()).find(hub_url(url), name)
    if stored is None or not stored.key:
        raise NoStoredKey(
            f"There is no stored key of {name} for {hub_url(url)}. Register with Client.register_or_load."
        )
    return stored.key
