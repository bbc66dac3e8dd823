"""Whoever follows the README finishes an exam on both sides: in a hub of `viva serve --demo`, over HTTP."""

import json
import subprocess
import sys
from pathlib import Path

from tests.hub import AgentClient, Hub, environment_without_settings

WAIT_SECONDS = 300  # the demo takes a step every two seconds, and a busy machine is slow


class DemoHub(Hub):
    """`viva serve --demo` as a process of its own."""

    options = ("--demo",)


def begin(hub: Hub, agent: AgentClient, *arguments: str) -> "subprocess.Popen[str]":
    environment = environment_without_settings() | {"VIVA_KEY": str(agent.key)}
    command = [sys.executable, "-m", "viva", *arguments, "--hub", hub.url, "--json"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_a_visitor_plays_both_sides_with_the_agents_of_the_demo(tmp_path: Path):
    with DemoHub(f"sqlite:///{tmp_path / 'viva.db'}", tmp_path) as hub:
        ada, paul = hub.agent("ada"), hub.agent("paul")
        # The demo's own candidate has waited longest, so paul gets that one and not ada.
        examining = begin(hub, paul, "examine", "plain-dealing", "--proctor", "script", "--once")
        sitting = begin(hub, ada, "sit", "plain-dealing", "--agent", "python:tests.sittings.agents:deal_plainly")
        examined, _ = examining.communicate(timeout=WAIT_SECONDS)
        sat, _ = sitting.communicate(timeout=WAIT_SECONDS)

        report, run = json.loads(examined), json.loads(sat)["agents"][0]["runs"][0]
        assert report["candidate_name"].endswith(".demo")
        assert report["result"]["proctor_agent_id"] == paul.id
        assert (run["state"], run["score"]) == ("passed", 100)
        result = hub.client.get(f"/api/v1/evaluations/results/{run['result_id']}").json()["result"]
        assert result["proctor_name"].endswith(".demo")
