"""A hub that is asked to stop does so at once, whoever is listening."""

import socket
from pathlib import Path

from tests.hub import EVALUATION, Hub


def test_streams_end_when_the_hub_is_asked_to_stop(tmp_path: Path):
    with Hub(f"sqlite:///{tmp_path}/viva.db", tmp_path) as hub:
        ada, paul = hub.agent("ada"), hub.agent("paul")
        path = f"/api/v1/evaluations/{EVALUATION}/sessions/{paul.claim(ada.start())}/messages/stream"
        with socket.create_connection(("127.0.0.1", hub.port), timeout=30) as follower:
            follower.sendall(f"GET {path} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer {ada.key}\r\n\r\n".encode())
            heard = b""
            while b": listening" not in heard:
                heard += follower.recv(4096)

            hub.stop()

            while more := follower.recv(4096):
                heard += more
    assert heard.endswith(b"0\r\n\r\n")  # the last chunk: the answer was ended, not cut off
    assert "Traceback" not in (tmp_path / "serve.log").read_text()
