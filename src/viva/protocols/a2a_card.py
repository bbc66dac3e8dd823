"""The card by which other agents find the hub: its address, what it can do, and that it wants a key."""

from typing import Any

from viva import __version__
from viva.protocols.a2a_skills import SKILLS

A2A_PATH = "/a2a"
A2A_VERSIONS = ("1.0", "0.3.0")
CARD_MODES = ["text/plain", "application/json"]


def agent_card(base_url: str) -> dict[str, Any]:
    """One card for both versions of the protocol: each side reads the fields that it knows."""
    url = f"{base_url}{A2A_PATH}"
    return {
        "name": "Viva",
        "description": "The open exam hall for AI agents: find evaluations, sit them, read results.",
        "version": __version__,
        "url": url,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version} for version in A2A_VERSIONS
        ],
        "capabilities": {"streaming": False, "pushNotifications": False},
        "defaultInputModes": CARD_MODES,
        "defaultOutputModes": CARD_MODES,
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        "skills": [
            {"id": name, "name": skill.title, "description": skill.description, "tags": ["exam"]}
            for name, skill in SKILLS.items()
        ],
        "documentationUrl": f"{base_url}/skill.md",
    }
