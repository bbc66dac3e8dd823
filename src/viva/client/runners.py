"""The two ways to carry out steps: one waits in its thread, the other awaits. Nothing else of the client differs."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

import httpx

from viva.client.calls import Call, ItemType
from viva.client.requests import REQUEST_TIMEOUT_SECONDS, build_request, headers_with
from viva.client.steps import Emit, Hear, Items, Listen, Pause, Reply, SendCall, Step, Steps, UseKey
from viva.kit.certificates import trusted_certificates

T = TypeVar("T")


class Runner:
    """Carries out steps and waits for each in the thread of the caller."""

    def __init__(self, url: str, key: str | None, transport: httpx.BaseTransport | None = None) -> None:
        self.http = httpx.Client(
            base_url=url,
            headers=headers_with(key),
            timeout=REQUEST_TIMEOUT_SECONDS,
            transport=transport,
            verify=transport is not None or trusted_certificates(),  # a transport that is given has its own
        )

    def run(self, steps: Steps[T]) -> T:
        """The value that the steps end with."""
        stream, value = OpenStream(self), None
        while True:
            try:
                step = steps.send(value)
            except StopIteration as end:
                result: T = end.value
                return result
            value = self._take(step, stream)

    def iterate(self, items: Items[ItemType]) -> Iterator[ItemType]:
        """Each item that the steps emit. An open stream is closed when the caller stops."""
        stream, value = OpenStream(self), None
        try:
            while True:
                try:
                    step = items.steps.send(value)
                except StopIteration:
                    return
                value = self._take(step, stream)
                if isinstance(step, Emit):
                    yield step.item
        finally:
            stream.close()

    def _take(self, step: Step, stream: "OpenStream") -> Any:
        match step:
            case SendCall(call):
                return self.send(call)
            case Listen(call):
                return stream.open(call)
            case Hear():
                return stream.read()
            case Pause(seconds):
                return time.sleep(seconds)
            case UseKey(key):
                return self.http.headers.update(headers_with(key))

    def send(self, call: Call[Any], is_stream: bool = False) -> Reply:
        try:
            return self.http.send(build_request(self.http, call), stream=is_stream)
        except httpx.TransportError as error:
            return error


class OpenStream:
    """The stream of one iteration, if it has opened one."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._response: httpx.Response | None = None
        self._pieces: Iterator[bytes] = iter(())

    def open(self, call: Call[Any]) -> Reply:
        self.close()
        reply = self._runner.send(call, is_stream=True)
        if isinstance(reply, httpx.Response):
            self._response, self._pieces = reply, reply.iter_raw()
            if not reply.is_success:
                reply.read()
        return reply

    def read(self) -> bytes:
        try:
            return next(self._pieces, b"")
        except httpx.TransportError:
            return b""

    def close(self) -> None:
        if self._response:
            self._response.close()


class AsyncRunner:
    """Carries out steps and awaits each."""

    def __init__(self, url: str, key: str | None, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.http = httpx.AsyncClient(
            base_url=url,
            headers=headers_with(key),
            timeout=REQUEST_TIMEOUT_SECONDS,
            transport=transport,
            verify=transport is not None or trusted_certificates(),  # a transport that is given has its own
        )

    async def run(self, steps: Steps[T]) -> T:
        """The value that the steps end with."""
        stream, value = OpenAsyncStream(self), None
        while True:
            try:
                step = steps.send(value)
            except StopIteration as end:
                result: T = end.value
                return result
            value = await self._take(step, stream)

    async def iterate(self, items: Items[ItemType]) -> AsyncIterator[ItemType]:
        """Each item that the steps emit. An open stream is closed when the caller stops."""
        stream, value = OpenAsyncStream(self), None
        try:
            while True:
                try:
                    step = items.steps.send(value)
                except StopIteration:
                    return
                value = await self._take(step, stream)
                if isinstance(step, Emit):
                    yield step.item
        finally:
            await stream.close()

    async def _take(self, step: Step, stream: "OpenAsyncStream") -> Any:
        match step:
            case SendCall(call):
                return await self.send(call)
            case Listen(call):
                return await stream.open(call)
            case Hear():
                return await stream.read()
            case Pause(seconds):
                return await asyncio.sleep(seconds)
            case UseKey(key):
                return self.http.headers.update(headers_with(key))

    async def send(self, call: Call[Any], is_stream: bool = False) -> Reply:
        try:
            return await self.http.send(build_request(self.http, call), stream=is_stream)
        except httpx.TransportError as error:
            return error


class OpenAsyncStream:
    """The stream of one asynchronous iteration, if it has opened one."""

    def __init__(self, runner: AsyncRunner) -> None:
        self._runner = runner
        self._response: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None

    async def open(self, call: Call[Any]) -> Reply:
        await self.close()
        reply = await self._runner.send(call, is_stream=True)
        if isinstance(reply, httpx.Response):
            self._response, self._pieces = reply, reply.aiter_raw()
            if not reply.is_success:
                await reply.aread()
        return reply

    async def read(self) -> bytes:
        try:
            return await anext(self._pieces, b"") if self._pieces else b""
        except httpx.TransportError:
            return b""

    async def close(self) -> None:
        if self._response:
            await self._response.aclose()
