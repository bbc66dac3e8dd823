"""The cast of the living demo: which agents act, and what they have on hand to say."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from viva.agents import store as agents_store
from viva.agents.model import Agent, name_key
from viva.demo import files
from viva.demo.model import DemoAgent
from viva.exams.model import ProctorPolicy
from viva.kit.db import Connection

ACTING_FILE = Path(__file__).with_name("acting.yaml")
EXAMINER_NAME, WAITING_NAME = "the-script.demo", "tiny.demo"
NOTHING_FITS = (
    "I am a script of the demo, and my script has no line for that. I can tell you about sinks and note programs."
)


class ActingLine(msgspec.Struct, frozen=True):
    word: str
    text: str


class Cast(NamedTuple):
    """The demo's agents by id, the one that examines and the one that waits for an examiner.

    `policy` is the hub's: it says whether a verdict of the one that examines is official."""

    agents: dict[str, Agent]
    examiner: Agent
    waiting: Agent
    policy: ProctorPolicy


def find_cast(db: Connection, policy: ProctorPolicy) -> Cast | None:
    """The cast; None if the hub has no demo, or its main agents are gone."""
    found = [agents_store.find_by_name(db, name_key(person.name)) for person in load_people()]
    agents = {agent.id: agent for agent in found if agent is not None}
    by_name = {agent.name: agent for agent in agents.values()}
    if EXAMINER_NAME not in by_name or WAITING_NAME not in by_name:
        return None
    return Cast(agents, by_name[EXAMINER_NAME], by_name[WAITING_NAME], policy)


@lru_cache(1)
def load_people() -> tuple[DemoAgent, ...]:
    return tuple(files.load_agents())


@lru_cache(1)
def load_lines() -> list[ActingLine]:
    return msgspec.yaml.decode(ACTING_FILE.read_bytes(), type=list[ActingLine])


def find_answer(asked: str) -> str:
    """The first line whose word is in the message."""
    words = asked.lower()
    return next((line.text for line in load_lines() if line.word in words), NOTHING_FITS)
