"""The hub's calls reach an agent that is made with the official A2A package, in both versions of A2A."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message, new_text_status_update_event
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, Role, TaskState
from starlette.applications import Starlette

from tests.hub import free_port, until
from viva.exams.a2a_calls import A2aCaller, A2aMessage


class RepeatingAgent(AgentExecutor):
    """Says what it is told, with the context; as a task if it is asked to work."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = f"{context.context_id}: {context.get_user_input()}"
        assert context.message
        if "work" not in text:
            await event_queue.enqueue_event(new_text_message(text, role=Role.ROLE_AGENT))
            return
        task = new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        done = new_text_status_update_event(task.id, task.context_id, TaskState.TASK_STATE_COMPLETED, text)
        await event_queue.enqueue_event(done)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError


@contextmanager
def serve_official(version: str) -> Iterator[str]:
    """The host and port of the agent."""
    host = f"127.0.0.1:{free_port()}"
    interface = AgentInterface(url=f"http://{host}/rpc", protocol_binding="JSONRPC", protocol_version=version)
    card = AgentCard(
        name="Ada",
        description="Repeats.",
        version="1",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
    )
    handler = DefaultRequestHandler(RepeatingAgent(), InMemoryTaskStore(), card)
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=version == "0.3"),
    ]
    port = int(host.partition(":")[2])
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), port=port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield host
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("version", ["0.3", "1.0"])
def test_an_official_agent_answers_in_the_context_of_the_session(version: str):
    with serve_official(version) as host:
        caller = A2aCaller((host,))
        replies = [
            caller.ask(f"http://{host}", A2aMessage("m1", "eval_sess_1", "Hello.")),
            caller.ask(f"http://{host}", A2aMessage("m1", "eval_sess_1", "Hello.")),  # as after a kill
            caller.ask(f"http://{host}", A2aMessage("m2", "eval_sess_1", "Now work.")),
        ]

    assert replies == ["eval_sess_1: Hello.", "eval_sess_1: Hello.", "eval_sess_1: Now work."]
