"""An agent made with the official A2A package is asked, in both versions of the protocol."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from a2a.helpers.proto_helpers import get_message_text, new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface
from starlette.applications import Starlette

from tests.hub import free_port
from viva.adapters.model import AskedConversation, ChatMessage, ReplyLimits
from viva.adapters.opening import open_agent


class Echo(AgentExecutor):
    """Says what it heard, and in which conversation."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        heard = get_message_text(context.message)
        await event_queue.enqueue_event(
            new_text_message(f"I heard {heard!r}.", context_id=context.context_id, task_id=None)
        )

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError


@contextmanager
def official_agent(*versions: str) -> Iterator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    interfaces = [
        AgentInterface(url=f"{url}/rpc", protocol_binding="JSONRPC", protocol_version=each) for each in versions
    ]
    card = AgentCard(
        name="Echo",
        description="Says what it heard.",
        version="1",
        capabilities=AgentCapabilities(),
        supported_interfaces=interfaces,
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat="0.3" in versions),
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield url
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize("versions", [("1.0",), ("0.3",), ("0.3", "1.0")], ids=" and ".join)
def test_an_agent_of_the_official_package_answers(versions):
    with official_agent(*versions) as url:
        agent = open_agent(f"a2a:{url}", ReplyLimits(seconds=30))
        first = [ChatMessage("user", "Who are you?")]
        replied = agent.reply(AskedConversation(first, "plain-dealing", "s1"))
        more = [*first, ChatMessage("assistant", replied), ChatMessage("user", "And now?")]
        again = agent.reply(AskedConversation(more, "plain-dealing", "s1"))
        agent.close()

    assert replied == "I heard 'Who are you?'."
    assert again == "I heard 'And now?'."  # the agent knows the rest by the id of the conversation
