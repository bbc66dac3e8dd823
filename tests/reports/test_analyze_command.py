"""`viva analyze`: what it prints and writes, and how it ends."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import psutil
import pytest

from tests.engine.refund import refund
from tests.hub import environment_without_settings, run_viva
from tests.judging.endpoint import endpoint, ruled
from viva.engine.analyze import analyze

REFUND = msgspec.to_builtins(refund())
SWIM = {
    "id": "swim",
    "turns": [
        {"user_message": "When does the pool open?", "agent_response": "The pool opens at 8."},
        {"user_message": "Great, thank you!", "agent_response": "You are welcome."},
    ],
}

HERE = ("--jobs", 1)  # in this process; several jobs are processes, and each loads the engine


def viva(*arguments: object, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    return run_viva(["analyze", *map(str, arguments)], environment_without_settings() | settings, stdin)


def viva_as_process(*arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    """For what happens to a process, and for several: they are not forked from one that has threads."""
    command = [sys.executable, "-m", "viva", "analyze", *map(str, arguments)]
    environment = environment_without_settings() | settings
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A file of many traces, so many that several processes share them."""
    path = tmp_path / "runs.jsonl"
    lines = [json.dumps((REFUND, SWIM)[n % 2] | {"id": f"run-{n}"}) for n in range(40)]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def one(tmp_path: Path) -> Path:
    path = tmp_path / "refund.json"
    path.write_text(json.dumps(REFUND))
    return path


def test_one_trace_is_shown_as_tables_of_agents_bad_turns_and_advice(one):
    done = viva(one)

    assert (done.returncode, done.stderr) == (0, "")
    for words in ("refund", "planner", "executor", "Bad turns", "the user corrected it", "PARAMETER_HALLUCINATION"):
        assert words in done.stdout
    assert "\x1b" not in done.stdout


def test_explain_adds_the_words_that_scores_rest_on(one):
    plain, explained = viva(one).stdout, viva(one, "--explain").stdout

    assert "anna@example.org" in explained
    assert len(explained) > len(plain)


def test_many_traces_are_summed_up_with_the_lowest_named(runs):
    done = viva(runs, *HERE)

    assert done.returncode == 0
    assert "40 traces" in done.stdout
    assert "run-0" in done.stdout
    assert "run-1" not in done.stdout.split()


@pytest.mark.slow
def test_the_bytes_are_the_same_whatever_the_number_of_jobs_and_keep_the_order(runs, tmp_path):
    written = []
    for seed, jobs in enumerate([[], ["--jobs", 1], ["--jobs", 3]]):  # without a number there is a job for each core
        out = tmp_path / f"{seed}.jsonl"
        assert viva_as_process(runs, "-o", out, *jobs, PYTHONHASHSEED=str(seed)).returncode == 0
        written.append(out.read_bytes())

    assert [json.loads(line)["id"] for line in written[0].splitlines()] == [f"run-{n}" for n in range(40)]
    assert written[0] == written[1] == written[2]


def test_a_trace_gives_the_same_analysis_alone_and_among_others(runs, one, tmp_path):
    viva(runs, "-o", tmp_path / "many.jsonl", *HERE)
    viva(one, "-o", tmp_path / "one.json")

    among = json.loads((tmp_path / "many.jsonl").read_text().splitlines()[0])
    assert among | {"id": "refund"} == json.loads((tmp_path / "one.json").read_text())


def test_json_of_one_trace_is_an_object_and_of_many_a_list(one, runs):
    assert isinstance(json.loads(viva(one, "--format", "json").stdout), dict)
    assert len(json.loads(viva(runs, "--format", "json", *HERE).stdout)) == 40


def test_packed_files_and_standard_input_are_read(one, tmp_path):
    packed = tmp_path / "refund.json.gz"
    packed.write_bytes(gzip.compress(one.read_bytes()))

    plain = viva(one, "--format", "json").stdout

    assert viva(packed, "--format", "json").stdout == plain
    assert viva("-", "--format", "json", stdin=one.read_text()).stdout == plain


def test_the_base_rate_moves_the_probability_of_a_bad_answer(one):
    rare, frequent = (
        json.loads(viva(one, "--format", "json", "--base-rate", rate).stdout)["turn_results"][0]["bad_score"]
        for rate in ("0.02", "0.6")
    )

    assert rare < frequent


def test_fast_gives_the_analysis_without_the_sentence_model(one):
    fast = json.loads(viva(one, "--format", "json", "--fast").stdout)

    assert fast == json.loads(msgspec.json.encode(analyze(refund(), sentence_model=False)))


def test_findings_of_less_confidence_are_left_out_on_request(one):
    assert json.loads(viva(one, "--format", "json").stdout)["issues"]
    assert not json.loads(viva(one, "--format", "json", "--min-confidence", "1").stdout)["failure_attribution"]


def test_under_the_threshold_the_exit_code_is_100(one):
    assert viva(one, "--fail-under", "0.99").returncode == 100
    assert viva(one, "--fail-under", "0.01").returncode == 0


def test_junit_has_a_failure_for_each_trace_under_the_threshold(runs):
    from xml.etree import ElementTree

    done = viva(runs, "--format", "junit", "--fail-under", "0.9999", *HERE)

    suite = ElementTree.fromstring(done.stdout)
    assert len(suite.findall(".//testcase")) == 40
    assert 20 <= len(suite.findall(".//failure")) <= 40
    assert done.returncode == 100


def test_every_fault_is_told_with_its_path_and_nothing_is_written(tmp_path):
    bad = json.loads(json.dumps(REFUND))
    del bad["turns"][2]["agent_interactions"][0]["agent_id"]
    bad["turns"][0]["user_message"] = 7
    path, out = tmp_path / "runs.jsonl", tmp_path / "out.jsonl"
    path.write_text("\n".join(map(json.dumps, [REFUND, bad, SWIM, {"turns": "none"}])))

    done = viva(path, "-o", out)

    assert done.returncode == 2
    assert "turns[2].agent_interactions[0].agent_id: missing" in done.stderr
    assert "turns[0].user_message: expected text, got a number" in done.stderr
    assert "runs.jsonl:2" in done.stderr
    assert "runs.jsonl:4" in done.stderr
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.json"], "nowhere.json cannot be read"),
        (["{one}", "-o", "out.docx"], "Which format?"),
        (["{one}", "-o", "nowhere/out.json"], "There is no folder nowhere"),
        (["{one}", "--judge"], "VIVA_JUDGE_URL"),
        (["{one}", "--engine", "ray"], "pip install 'viva[ray]'"),
        (["{one}", "--fail-under", "7"], "fail-under"),
    ],
)
def test_bad_use_is_told_in_a_sentence(one, arguments, told):
    done = viva(*(str(one) if argument == "{one}" else argument for argument in arguments))

    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_the_judge_speaks_on_turns_that_no_detector_found_bad(one, tmp_path):
    with endpoint(lambda asked: ruled("yes", 0.95, "It is evasive.")) as server:
        done = viva(one, "--format", "json", "--judge", VIVA_JUDGE_URL=server.url, VIVA_JUDGE_MODEL="small")

    analysis = json.loads(done.stdout)
    kinds = [turn["detection_type"] for turn in analysis["turn_results"]]
    assert kinds[2] == "rdm"
    assert "llm_judge" in kinds
    asked = len(server.requests)
    assert analysis["judge"] == {"model": "small", "calls": asked, "tokens": 10 * asked, "asked": asked, "unscored": 0}
    assert analysis["conversation"]["llm_judge_detections"] == kinds.count("llm_judge")


def test_a_judge_that_fails_changes_nothing_but_what_was_asked(one):
    plain = json.loads(viva(one, "--format", "json").stdout)

    with endpoint(lambda asked: ruled("PASS")) as server:
        judged = viva(one, "--format", "json", "--judge", VIVA_JUDGE_URL=server.url, VIVA_JUDGE_MODEL="small")

    found = json.loads(judged.stdout)
    asked = found.pop("judge")
    assert asked["asked"] == asked["unscored"] > 0
    assert f"the judge did not rule on {asked['unscored']} of {asked['asked']} answers" in judged.stderr
    assert [turn["signals"].pop("llm_judge") for turn in found["turn_results"]] == [None] * 4
    plain.pop("judge")
    assert found == plain


def test_hostile_words_reach_a_terminal_as_text(tmp_path):
    path = tmp_path / "hostile.json"
    evil = "\x1b[2J\x1b]0;owned\x07 [bold]x[/bold] \u202e"
    trace = {
        "id": evil,
        "turns": [{"user_message": evil, "agent_interactions": [{"agent_id": evil, "agent_response": evil}]}],
    }
    path.write_text(json.dumps(trace))

    done = viva(path, "--explain")

    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "[bold]x[/bold]" in done.stdout


def test_a_file_without_traces_is_bad_input(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n\n")

    done = viva(tmp_path / "empty.jsonl", "-o", tmp_path / "out.json")

    assert done.returncode == 2
    assert "no traces" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_silence_is_under_every_threshold(tmp_path):
    path = tmp_path / "silent.json"
    path.write_text(json.dumps({"turns": [{"user_message": "Cancel order 55.", "agent_response": ""}]}))

    assert viva(path, "--fail-under", "0.5").returncode == 100


@pytest.mark.parametrize("format_", ["table", "html", "junit", "json"])
def test_ids_that_look_like_markup_are_shown_as_they_are(tmp_path, format_):
    path = tmp_path / "markup.jsonl"
    traces = [SWIM | {"id": f"[/red] [link=x]y {n}", "agents": [{"id": "[/bold]"}]} for n in range(2)]
    path.write_text("\n".join(map(json.dumps, traces)))

    done = viva(path, "--format", format_)

    assert (done.returncode, done.stderr) == (0, "")
    assert "[/red] [link=x]y" in done.stdout


def test_a_pipe_or_a_linked_file_is_written_to_and_not_replaced(one, tmp_path):
    pipe, link, linked = tmp_path / "pipe.json", tmp_path / "link.json", tmp_path / "linked.json"
    os.mkfifo(pipe)
    linked.write_text("old")
    link.symlink_to(linked)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        done = viva(one, "-o", pipe)
        read = reader.communicate(timeout=30)[0]

    assert done.returncode == 0
    assert json.loads(read)["id"] == "refund"
    assert viva(one, "-o", link).returncode == 0
    assert link.is_symlink()
    assert json.loads(linked.read_text())["id"] == "refund"


@pytest.mark.parametrize(
    ("out", "code", "told"),
    [
        ("{folder}", 2, "is a folder."),
        ("/dev/full", 1, "/dev/full cannot be written: No space left on device."),
        ("{one}", 2, "one of the files to read"),
    ],
)
def test_what_cannot_be_written_is_told_in_a_sentence(one, tmp_path, out, code, told):
    name = out.format(folder=tmp_path, one=one)

    done = viva(one, "-o", name, "--format", "json")

    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_terminal_without_unicode_gets_what_it_can_show(one):
    assert viva_as_process(one, PYTHONIOENCODING="ascii").returncode == 0
    assert json.loads(viva_as_process(one, "--format", "json", PYTHONIOENCODING="ascii").stdout)["id"] == "refund"


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_the_processes_end_with_the_one_that_started_them(tmp_path, end):
    fifo = tmp_path / "endless.jsonl"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "viva", "analyze", str(fifo), "--jobs", "2", "-o", str(tmp_path / "out.jsonl")]
    with subprocess.Popen(command) as process, fifo.open("w") as feed:
        for n in range(400):
            feed.write(json.dumps(SWIM | {"id": str(n)}) + "\n")
        feed.flush()
        children = waited_for(lambda: psutil.Process(process.pid).children())
        process.send_signal(end)

    assert waited_for(lambda: not any(child.is_running() for child in children))
    assert list(tmp_path.iterdir()) == [fifo]


def waited_for(found):
    """What a function finds, as soon as it finds something."""
    for _ in range(200):
        if result := found():
            return result
        time.sleep(0.1)
    return None
