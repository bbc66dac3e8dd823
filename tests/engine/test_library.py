"""The engine as a library: `from viva import analyze` brings no server, no database and no HTTP client with it."""

import subprocess
import sys

import msgspec

from tests.engine.refund import refund
from tests.values import UNTRACED

# What only a hub or a judge needs. A fresh interpreter shows what the engine itself loads.
UNWANTED = (
    "httpx httpcore h11 ssl litestar uvicorn sqlite3 psycopg sqlalchemy alembic jinja2 typer cryptography rich".split()
)
PROGRAM = """
import sys
from viva import analyze

found = analyze(__import__("msgspec").json.decode(sys.stdin.buffer.read()))
print(found.id, found.overall_score is not None)
print(*(name for name in sys.argv[1:] if name in sys.modules))
"""


def test_the_engine_loads_no_server_no_database_and_no_http_client():
    trace = msgspec.json.encode(refund())

    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *UNWANTED], input=trace, env=UNTRACED, capture_output=True, check=True
    )

    assert run.stdout.decode().splitlines() == [f"{refund().id} True", ""]
