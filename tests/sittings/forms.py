"""Every form of agent with the same behaviour: a model, a program, an address, an A2A agent and a function."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from tests.adapters.serving import serve_agent
from tests.sittings import agents

FORMS = ("openai", "command", "http", "a2a", "python")
PROGRAM = """
import json, sys
sys.path.insert(0, {root!r})
from tests.sittings import agents
for line in sys.stdin:
    print(json.dumps({{"content": agents.{behaviour}(json.loads(line)["messages"])}}), flush=True)
"""
ROOT = Path(__file__).parents[2]


@contextmanager
def agent_of(form: str, behaviour: str, folder: Path) -> Iterator[str]:
    """The name by which a command finds an agent of this form."""
    with ExitStack() as stack:
        if form == "python":
            yield f"python:tests.sittings.agents:{behaviour}"
        elif form == "command":
            program = folder / f"{behaviour}.py"
            program.write_text(PROGRAM.format(root=str(ROOT), behaviour=behaviour))
            yield f"command:{sys.executable} {program}"
        else:
            server = stack.enter_context(serve_agent(getattr(agents, behaviour)))
            settings = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-of-the-test"}
            stack.enter_context(patch.dict("os.environ", settings))
            yield {"openai": "openai:small-model", "http": f"http:{server.url}/agent", "a2a": f"a2a:{server.url}"}[form]
