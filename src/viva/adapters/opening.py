"""Opening the agent that a command names: the form before the colon, and what it needs after it."""

from collections.abc import Callable

from viva.adapters.a2a_agent import A2aAgent
from viva.adapters.command_agent import CommandAgent
from viva.adapters.http_agent import HttpAgent
from viva.adapters.model import AskedAgent, BadAgentName, NoAgentNamed, ReplyLimits
from viva.adapters.openai_agent import OpenAiAgent
from viva.adapters.python_agent import PythonAgent

AGENT_FORMS: dict[str, Callable[[str, ReplyLimits], AskedAgent]] = {
    "openai": OpenAiAgent,
    "command": CommandAgent,
    "http": lambda url, limits: HttpAgent(check_url("http", url), limits),
    "a2a": lambda url, limits: A2aAgent(check_url("a2a", url), limits),
    "python": PythonAgent,
}
WEB_SCHEMES = ("http://", "https://")


def open_agent(named: str, limits: ReplyLimits | None = None) -> AskedAgent:
    """The agent, or BadAgentName. Close it after use."""
    if named.startswith(WEB_SCHEMES):  # an address alone can only be meant as http:URL
        named = f"http:{named}"
    form, _, rest = named.partition(":")
    if form not in AGENT_FORMS or not rest.strip():
        raise NoAgentNamed(f"{named!r} names no agent. {BadAgentName.__doc__}")
    return AGENT_FORMS[form](rest.strip(), limits or ReplyLimits())


def check_url(form: str, url: str) -> str:
    if not url.startswith(WEB_SCHEMES):
        raise BadAgentName(f"{form}:{url} needs a whole address, as in {form}:http://127.0.0.1:9000/agent.")
    return url
