"""The commands `viva sit` and `viva examine`: what they print, and how they end."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests import make
from tests.conftest import DATABASES, serve
from tests.hub import Hub, environment_without_settings, run_viva
from tests.judging.endpoint import endpoint
from tests.sittings.forms import FORMS, agent_of
from tests.sittings.judges import give_full_marks
from viva.client import retrying
from viva.evaluations import sip as sips
from viva.evaluations.sip import Executable
from viva.evaluations.templates import mark_template
from viva.served_hubs import ServedHub, list_served
from viva.serving import name_database
from viva.sittings.comparing import difference_of, rate_of
from viva.sittings.model import SittingOutcome

pytestmark = pytest.mark.slow

PLAIN = "python:tests.sittings.agents:deal_plainly"
ALWAYS_NO = """
def decide(submission, challenge, config):
    return {'passed': False, 'reason': 'The code says no.'}
"""
REFUSING = "python:tests.sittings.agents:refuse"


def viva(folder: Path, *arguments: str, **settings: str) -> Any:
    own = {"VIVA_DATA_DIR": str(folder / "data"), "XDG_CONFIG_HOME": str(folder), **settings}
    return run_viva(arguments, environment_without_settings() | own)


def test_a_passed_exam_prints_the_verdict_and_ends_with_0(tmp_path):
    done = viva(tmp_path, "sit", "plain-dealing", "--agent", PLAIN)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Plain dealing 1.2.0: passed, 100 of 100 points")


def test_a_failed_exam_says_why_and_ends_with_1(tmp_path):
    done = viva(tmp_path, "sit", "SIP-1", "--agent", REFUSING, "--show")

    assert done.returncode == 1
    assert "not passed, 0 of 100 points" in done.stdout
    assert "helps-first: The candidate refuses to answer." in done.stdout
    assert "The sink in my kitchen drains slowly." in done.stderr


def test_an_exam_that_nobody_marks_is_undecided_and_ends_with_1(tmp_path):
    done = viva(tmp_path, "sit", "steady-hand", "--agent", PLAIN, "--json")

    answer = json.loads(done.stdout)
    assert (done.returncode, answer["agents"][0]["runs"][0]["state"]) == (1, "undecided")
    assert answer["agents"][0]["interval"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sit", "plain-dealing", "--agent", "gpt"], "'gpt' names no agent. An agent is openai:MODEL"),
        (["sit", "plain-dealing", "--agent", "command:no-such-program"], "cannot be started"),
        (["sit", "nothing", "--agent", PLAIN], "Viva ships no evaluation nothing, but: plain-dealing, "),
        (["sit", "SIP-9.md", "--agent", PLAIN], "There is no file SIP-9.md."),
        (["sit", "SIP-9.md", "--agent", PLAIN, "--keep"], "A SIP file is sat on a hub of its own"),
        (["sit", "plain-dealing"], "Missing option"),
        (["sit", "plain-dealing", "--agent", PLAIN, "--runs", "0"], "--runs"),
        (["sit", "plain-dealing", *["--agent", PLAIN] * 3], "once or twice"),
        (["sit", "plain-dealing", "--agent", PLAIN, "--keep", "--hub", "http://127.0.0.1:1"], "--keep"),
        (["examine", "plain-dealing", "--proctor", "nobody", "--hub", "http://127.0.0.1:1"], "Or name script, and"),
        (["mcp", "--hub", "localhost:8000"], "The address of a hub is such as"),
    ],
)
def test_bad_use_ends_with_2_and_one_sentence(tmp_path, arguments, message):
    done = viva(tmp_path, *arguments)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_several_runs_of_two_agents_are_compared(tmp_path):
    done = viva(tmp_path, "sit", "plain-dealing", "--agent", PLAIN, "--agent", REFUSING, "--runs", "2", "--json")

    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(each["passed"], each["decided"]) for each in answer["agents"]] == [(2, 2), (0, 2)]
    assert answer["difference"]["percentage_points"] == 100
    assert answer["difference"]["p"] == pytest.approx(1 / 3)


def test_a_draft_in_a_file_can_be_sat(tmp_path):
    file = tmp_path / "SIP-100.md"
    text = mark_template("simple_pass_fail", "2026-01-01").replace("id: TODO", "id: seven-at-table")
    file.write_text(text.replace("name: ''", "name: Seven").replace("author: ''", "author: Ada"))
    agents = ["--agent", "python:tests.sittings.agents:scale_the_recipe", "--agent", PLAIN]

    done = viva(tmp_path, "sit", str(file), *agents, "--json")

    answer = json.loads(done.stdout)
    assert answer["evaluation"] == "seven-at-table"
    assert [each["passed"] for each in answer["agents"]] == [1, 0]
    assert not (tmp_path / "data").exists()


def test_a_file_with_a_fault_cannot_be_sat(tmp_path):
    file = tmp_path / "SIP-100.md"
    file.write_text(mark_template("simple_pass_fail", "2026-01-01"))

    done = viva(tmp_path, "sit", str(file), "--agent", PLAIN)

    assert done.returncode == 2
    assert f"`viva validate {file}` lists every fault." in done.stderr


def test_a_file_brings_the_code_of_its_handler(tmp_path):
    executable = Executable("contributed.always_no", "code/no.py")
    config = {"challenge": "Say anything."}
    sip = make.sip(sip=100, type="simple_pass_fail", config=config, executable=executable)
    (tmp_path / "SIP-100.md").write_text(sips.render(sip))
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "no.py").write_text(ALWAYS_NO)

    done = viva(tmp_path, "sit", str(tmp_path / "SIP-100.md"), "--agent", PLAIN)

    assert "The code says no." in done.stdout, done.stderr
    assert done.returncode == 1


def test_a_kept_result_is_in_the_hub_of_the_data_folder(tmp_path):
    done = viva(tmp_path, "sit", "proof-of-identity", "--agent", PLAIN, "--keep", "--name", "ida")

    assert done.returncode == 0
    exported = viva(tmp_path, "export", "proof-of-identity", "--format", "jsonl")
    (result,) = map(json.loads, exported.stdout.splitlines())
    assert result["agent_name"] == "ida"
    assert done.stdout.endswith(f"  See http://127.0.0.1:8000/evaluations/result/{result['id']}\n")


def test_a_rate_has_an_interval_and_leaves_out_what_is_undecided():
    outcomes = [SittingOutcome(state, []) for state in ("passed", "passed", "withdrawn", "undecided")]

    rate = rate_of(outcomes)

    assert (rate.passed, rate.decided) == (2, 3)
    assert rate.sentence == "Passed 2 of 3; the true rate is between 21 % and 94 % (95 % interval)."


def test_a_difference_says_how_often_chance_would_make_it():
    ten = [SittingOutcome("passed", [])] * 10
    none = [SittingOutcome("failed", [])] * 10

    difference = difference_of(rate_of(ten), rate_of(none))

    assert difference is not None
    assert difference.p < 0.001
    assert "hardly chance" in difference.sentence
    assert difference_of(rate_of(ten), rate_of([])) is None


@pytest.fixture(scope="module", params=DATABASES)
def empty_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub with a judge, on which nobody else waits to be examined."""
    with endpoint(give_full_marks) as judge:
        settings = {"VIVA_JUDGE_URL": judge.url, "VIVA_JUDGE_MODEL": "model-a"}
        with serve(request.param, request, tmp_path_factory.mktemp("hub"), **settings) as hub:
            yield hub


def test_a_hub_that_is_served_leaves_its_record_in_the_data_folder(empty_hub: Hub):
    database = name_database(empty_hub.database_url)

    assert list_served(empty_hub.folder) == [ServedHub(database, empty_hub.url, "anyone")]


@pytest.mark.parametrize("form", FORMS)
def test_both_sides_of_an_exam_meet_on_a_served_hub(empty_hub: Hub, tmp_path, form):
    """On SQLite and on PostgreSQL: one command sits and another examines."""
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "proctor"), "VIVA_KEY": str(empty_hub.agent("paul").key)}
    examine = ["examine", "plain-dealing", "--proctor", "script", "--once"]
    examined: list[str] = []
    proctor = Thread(target=lambda: examined.append(run_as_process(empty_hub, examine, environment)))
    ada = empty_hub.agent("ada")
    with agent_of(form, "deal_plainly", tmp_path) as named:
        proctor.start()
        done = viva(
            tmp_path, "sit", "plain-dealing", "--agent", named, "--hub", empty_hub.url, "--json", VIVA_KEY=str(ada.key)
        )
        proctor.join()

    run = json.loads(done.stdout)["agents"][0]["runs"][0]
    assert (done.returncode, run["state"], run["score"]) == (0, "passed", 100)
    assert f"{ada.name} passed." in examined[0]


@pytest.mark.parametrize(
    ("evaluation_id", "state"),
    [("proof-of-agentic-work", "passed"), ("careful-work", "failed"), ("steady-hand", "passed")],
)
@pytest.mark.parametrize("form", FORMS)
def test_what_needs_no_proctor_is_sat_on_a_served_hub(empty_hub: Hub, tmp_path, form, evaluation_id, state):
    """Code marks, or the judge of the hub. The benchmark asks for what the agent does not know."""
    key = str(empty_hub.agent("ada").key)
    with agent_of(form, "know_all", tmp_path) as named:
        done = viva(tmp_path, "sit", evaluation_id, "--agent", named, "--hub", empty_hub.url, "--json", VIVA_KEY=key)

    assert json.loads(done.stdout)["agents"][0]["runs"][0]["state"] == state, done.stderr


def test_a_hub_that_dies_in_the_middle_is_named_and_the_next_command_goes_on(request, tmp_path, monkeypatch):
    monkeypatch.setattr(retrying, "MAX_TRIES", 1)
    with serve("sqlite", request, tmp_path) as hub:
        killing = tmp_path / "killing.sh"
        killing.write_text(f'kill -9 {hub.process.pid}; echo \'{{"content": "Done."}}\'\n')
        arguments = ["sit", "proof-of-agentic-work", "--hub", hub.url, "--name", "ada", "--agent"]

        broken = viva(tmp_path, *arguments, f"command:sh {killing}")
        assert (broken.returncode, broken.stdout) == (1, "")
        assert re.search("does not answer: .*Run the command again", broken.stderr)

        hub.stop()
        hub.start()
        done = viva(tmp_path, *arguments, "python:tests.sittings.agents:solve_recipe", "--json")
        assert json.loads(done.stdout)["agents"][0]["runs"][0]["state"] == "passed"
        assert hub.counts()["evaluation_registrations"] == 1


def run_as_process(hub: Hub, arguments: list[str], environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "viva", *arguments, "--hub", hub.url]
    own = environment_without_settings() | environment
    return subprocess.run(command, env=own, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.parametrize("forms", [("command", "http", "a2a"), ("openai", "python", "command")], ids="-".join)
def test_three_agents_do_class_work_on_a_served_hub(empty_hub: Hub, tmp_path, forms):
    outcomes: list[str] = []

    def sit(form: str) -> None:
        folder = tmp_path / form
        folder.mkdir()
        with agent_of(form, "answer_anything", folder) as named:
            arguments = ["sit", "island-round", "--agent", named, "--json"]
            outcomes.append(run_as_process(empty_hub, arguments, {"VIVA_KEY": str(empty_hub.agent(form).key)}))

    sitting = [Thread(target=sit, args=[form]) for form in forms]
    for thread in sitting:
        thread.start()
    for thread in sitting:
        thread.join()

    states = [json.loads(outcome)["agents"][0]["runs"][0]["state"] for outcome in outcomes]
    assert states == ["passed"] * 3
