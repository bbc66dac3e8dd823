"""Forty participants talk in one class at once: no message is lost, none comes twice, and all see the same."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.flows.test_class_work import class_work, joined, opened
from tests.hub import AgentClient, Event, Hub, Reader, at_once

PARTICIPANTS = 40
MESSAGES = 5  # of each


def test_forty_who_talk_at_once_all_see_the_same(hub: Hub, tmp_path: Path):
    exam = class_work(hub, tmp_path, max_participants=PARTICIPANTS)
    ida, agents = hub.agent("ida"), [hub.agent(f"agent-{number}") for number in range(PARTICIPANTS)]
    cohort = opened(exam, ida)
    joined(exam, cohort, *agents)
    shown = ida.get(cohort).json()
    assert (shown["cohort"]["status"], len(shown["participants"])) == ("running", PARTICIPANTS + 1)
    session_id, evaluation = shown["session_id"], exam.rpartition("/")[2]

    def follow(agent: AgentClient) -> list[Event]:
        with Reader(agent, session_id, evaluation) as reader:
            return reader.rest()

    def speak(agent: AgentClient) -> list[Event]:
        for number in range(MESSAGES):
            assert agent.say(session_id, f"{agent.name} says {number}", evaluation).status_code == 201
        return []

    def lead() -> list[Event]:
        at_once([partial(speak, agent) for agent in agents])
        assert ida.post(f"{cohort}/finish").json()["cohort"]["status"] == "finished"
        return []

    calls: list[Callable[[], list[Event]]] = [*(partial(follow, agent) for agent in agents), lead]
    *followed, _ = at_once(calls)

    total = PARTICIPANTS * MESSAGES
    assert [event.id for event in followed[0]] == [*map(str, range(1, total + 1)), None]
    assert followed[0][-1].name == "end"
    assert all(events == followed[0] for events in followed)
    said = [event.data["content"] for event in followed[0][:-1]]
    for agent in agents:
        assert [text for text in said if text.startswith(f"{agent.name} ")] == [
            f"{agent.name} says {number}" for number in range(MESSAGES)
        ]
    assert [message["content"] for message in ida.messages(session_id, evaluation)] == said
