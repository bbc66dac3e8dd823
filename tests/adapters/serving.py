"""Agents on a real HTTP server: one function answers as an OpenAI-compatible endpoint, as an HTTP agent and over A2A."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[dict[str, str]]], str]


class AgentServer(ThreadingHTTPServer):
    """Knows the texts of A2A contexts, and what it was asked."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), AgentRoutes)
        self.answer = answer
        self.contexts: dict[str, list[dict[str, str]]] = {}
        self.tasks: dict[str, dict[str, Any]] = {}
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.busy = 0  # so many requests are answered with 503 first

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class AgentRoutes(BaseHTTPRequestHandler):
    server: AgentServer

    def do_GET(self) -> None:
        if self.path != "/.well-known/agent-card.json":
            self.send_error(404)
            return
        self.send_json({"name": "Ada", "url": "/a2a", "preferredTransport": "JSONRPC"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.headers.append(dict(self.headers))
        if self.server.busy:
            self.server.busy -= 1
            self.send_error(503)
            return
        routes = {"/v1/chat/completions": self.complete, "/agent": self.reply, "/a2a": self.send_message}
        if self.path not in routes:
            self.send_error(404, "No agent lives here")
            return
        self.send_json(routes[self.path](body))

    def complete(self, body: dict[str, Any]) -> Any:
        return {"choices": [{"message": {"role": "assistant", "content": self.server.answer(body["messages"])}}]}

    def reply(self, body: dict[str, Any]) -> Any:
        return {"content": self.server.answer(body["messages"])}

    def send_message(self, body: dict[str, Any]) -> Any:
        if body["method"] == "tasks/get":
            task = self.server.tasks[body["params"]["id"]]
            return {"jsonrpc": "2.0", "id": body["id"], "result": task}
        message = body["params"]["message"]
        context_id = message.get("contextId") or f"context-{len(self.server.contexts)}"
        said = self.server.contexts.setdefault(context_id, [])
        said.append({"role": "user", "content": message["parts"][0]["text"]})
        text = self.server.answer(said)
        said.append({"role": "assistant", "content": text})
        parts = [{"kind": "text", "text": text}]
        if text.startswith("slowly "):
            task_id = f"task-{len(self.server.tasks)}"
            done = {"kind": "task", "id": task_id, "contextId": context_id, "status": {"state": "completed"}}
            self.server.tasks[task_id] = done | {"artifacts": [{"parts": parts}]}
            working = done | {"status": {"state": "working"}}
            return {"jsonrpc": "2.0", "id": body["id"], "result": working}
        result = {"kind": "message", "role": "agent", "messageId": "m", "contextId": context_id, "parts": parts}
        return {"jsonrpc": "2.0", "id": body["id"], "result": result}

    def send_json(self, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read what was asked, not a log."""


@contextmanager
def serve_agent(answer: Answer) -> Iterator[AgentServer]:
    server = AgentServer(answer)
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
