"""What a start loads: a server only what every request needs, and the help of the command nothing but the commands."""

import subprocess
import sys

import pytest

from tests.values import UNTRACED

# Libraries and files that some requests and jobs need. Each takes 10 to 400 ms to load.
NEEDED_LATER = (
    "aiosmtplib alembic cryptography dulwich glin_profanity httpx jsonschema_rs numpy onnxruntime psycopg pydantic_monty "
    "pygments rich sqlalchemy viva.demo viva.engine.analyze viva.judging.phrases"
).split()
NOT_FOR_HELP = [*NEEDED_LATER, *"jinja2 litestar markdown_it sqlite3 uvicorn viva.app viva.serving yaml".split()]
# httpx loads the other two.
NOT_FOR_THE_CLIENT = [name for name in NOT_FOR_HELP if name not in ("httpx", "pygments", "rich")]
PROGRAM = "import sys; {}; print(*(name for name in sys.argv[1:] if name in sys.modules))"


@pytest.mark.parametrize(
    ("loaded", "unwanted"),
    [
        ("import viva.serving, viva.app", NEEDED_LATER),
        ("from viva import cli; cli.make_app()", NOT_FOR_HELP),
        ("import viva", [*NOT_FOR_HELP, "msgspec", "viva.client", "viva.engine"]),
        ("from viva import Client; Client('http://127.0.0.1:9', '')", NOT_FOR_THE_CLIENT),
    ],
    ids=["server", "help", "package", "client"],
)
def test_a_start_loads_nothing_that_is_needed_later_or_never(loaded, unwanted):
    command = [sys.executable, "-c", PROGRAM.format(loaded), *unwanted]

    run = subprocess.run(command, env=UNTRACED, capture_output=True, text=True, check=True)

    assert run.stdout.split() == []
