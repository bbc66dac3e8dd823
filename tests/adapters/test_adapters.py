"""Each form of agent is asked for the next message, and names the agent's fault if there is none."""

import socket
import sys
import textwrap
import threading
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path

import pytest

from tests.adapters.serving import serve_agent
from viva.adapters.model import AgentFault, AskedAgent, AskedConversation, BadAgentName, ChatMessage, ReplyLimits
from viva.adapters.opening import open_agent

HELLO = AskedConversation([ChatMessage("system", "Be brief."), ChatMessage("user", "Hello")], "plain-dealing", "s1")
SHORT = ReplyLimits(seconds=0.5, text_bytes=1_000, envelope_bytes=5_000)


def count_messages(messages: list[dict[str, str]]) -> str:
    return f"{len(messages)}: {messages[-1]['content']}"


def next_turn(before: AskedConversation, answer: str, said: str) -> AskedConversation:
    messages = [*before.messages, ChatMessage("assistant", answer), ChatMessage("user", said)]
    return AskedConversation(messages, before.evaluation, before.session_id)


def program(folder: Path, code: str) -> str:
    path = folder / "agent.py"
    path.write_text(textwrap.dedent(code))
    return f"command:{sys.executable} {path}"


def open_context(named: str, limits: ReplyLimits | None = None) -> AbstractContextManager[AskedAgent]:
    return closing(open_agent(named, limits))


def ask(named: str, limits: ReplyLimits | None = None, said: AskedConversation = HELLO) -> str:
    with open_context(named, limits) as agent:
        return agent.reply(said)


@pytest.fixture
def base_url(monkeypatch: pytest.MonkeyPatch):
    def use(url: str) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")

    return use


def test_a_model_behind_an_endpoint_gets_the_messages_and_the_key(base_url):
    with serve_agent(count_messages) as server:
        base_url(server.url)

        assert ask("openai:small-model") == "2: Hello"

    assert server.asked[0]["model"] == "small-model"
    assert server.headers[0]["Authorization"] == "Bearer sk-of-the-test"


def test_a_busy_endpoint_is_asked_again(base_url, monkeypatch):
    monkeypatch.setattr("viva.adapters.posting.FIRST_POST_PAUSE_SECONDS", 0.01)
    with serve_agent(count_messages) as server:
        base_url(server.url)
        server.busy = 2

        assert ask("openai:small-model") == "2: Hello"


def test_an_http_agent_gets_the_evaluation_and_the_session():
    with serve_agent(count_messages) as server:
        assert ask(f"http:{server.url}/agent") == "2: Hello"

    assert (server.asked[0]["evaluation"], server.asked[0]["session_id"]) == ("plain-dealing", "s1")


def test_an_address_alone_is_an_http_agent():
    with serve_agent(count_messages) as server:
        assert ask(f"{server.url}/agent") == "2: Hello"


def test_an_a2a_agent_is_found_by_its_card_and_keeps_its_context():
    with serve_agent(count_messages) as server, open_context(f"a2a:{server.url}") as agent:
        first = agent.reply(HELLO)
        second = agent.reply(next_turn(HELLO, first, "And now?"))

    assert first == "1: Instructions:\nBe brief.\n\nUser:\nHello"
    assert second == "3: And now?"
    assert list(server.contexts) == ["context-0"]


def chat_with(*said: tuple[str, str]) -> AskedConversation:
    return AskedConversation([ChatMessage(role, content) for role, content in said], "plain-dealing", "s1")


@pytest.mark.parametrize(
    ("chats", "sent"),
    [
        pytest.param(
            [
                chat_with(("system", "Be brief."), ("user", "Begin.")),
                chat_with(("system", "Be brief."), ("assistant", "Are you there?"), ("user", "Yes.")),
                chat_with(
                    ("system", "Be brief."),
                    ("assistant", "Are you there?"),
                    ("user", "Yes."),
                    ("assistant", "Good."),
                    ("user", "Yes."),
                ),
            ],
            ["Instructions:\nBe brief.\n\nUser:\nBegin.", "Yes.", "Yes."],
            id="an order that stands in no transcript",
        ),
        pytest.param(
            [
                chat_with(("user", "I have the boat.")),
                chat_with(("user", "I have the boat."), ("user", "I have the oars.")),
                chat_with(
                    ("user", "I have the boat."), ("user", "I have the oars."), ("user", "I"), ("user", "agree.")
                ),
            ],
            ["I have the boat.", "I have the oars.", "I\n\nagree."],
            id="a reply that was not sent on",
        ),
    ],
)
def test_an_a2a_agent_gets_each_message_once(chats, sent):
    with serve_agent(lambda messages: "PASS") as server, open_context(f"a2a:{server.url}") as agent:
        for chat in chats:
            agent.reply(chat)

    (said,) = server.contexts.values()
    assert [each["content"] for each in said if each["role"] == "user"] == sent


def test_an_agent_without_a_memory_gets_turns():
    chat = chat_with(("user", "I have the boat."), ("user", "I have the oars."))
    with serve_agent(count_messages) as server:
        assert ask(f"http:{server.url}/agent", said=chat) == "1: I have the boat.\n\nI have the oars."


def test_an_a2a_agent_may_work_on_a_task():
    with serve_agent(lambda messages: "slowly done") as server, open_context(f"a2a:{server.url}/a2a") as agent:
        assert agent.reply(HELLO) == "slowly done"


def test_another_conversation_is_another_context():
    with serve_agent(count_messages) as server, open_context(f"a2a:{server.url}") as agent:
        agent.reply(HELLO)
        agent.reply(AskedConversation([ChatMessage("user", "Hello")], "plain-dealing", "s2"))

    assert len(server.contexts) == 2


def test_a_program_that_stays_answers_line_by_line(tmp_path):
    code = """
        import json, os, sys
        for line in sys.stdin:
            asked = json.loads(line)
            print(json.dumps({"content": f"{os.getpid()} {len(asked['messages'])}"}), flush=True)
    """
    with open_context(program(tmp_path, code)) as agent:
        first, second = agent.reply(HELLO).split(), agent.reply(next_turn(HELLO, "Hi", "And?")).split()

    assert first[0] == second[0]
    assert (first[1], second[1]) == ("2", "4")


def test_a_program_that_answers_once_is_started_for_each_line(tmp_path):
    code = """
        import json
        asked = json.loads(input())
        print(json.dumps({"content": asked["messages"][-1]["content"]}))
    """
    with open_context(program(tmp_path, code)) as agent:
        answers = [agent.reply(HELLO), agent.reply(next_turn(HELLO, "Hi", "And?")), agent.reply(HELLO)]

    assert answers == ["Hello", "And?", "Hello"]


def test_the_children_of_a_program_end_with_it(tmp_path):
    code = """
        import json, subprocess, sys
        child = subprocess.Popen(["sleep", "60"])
        input()
        print(json.dumps({"content": str(child.pid)}), flush=True)
        sys.stdin.read()
    """
    with open_context(program(tmp_path, code)) as agent:
        child = int(agent.reply(HELLO))

    assert is_gone(child)


def is_gone(process_id: int) -> bool:
    """Wait until the system has taken the process away, or until it is a zombie that nobody waits for."""
    process = Path(f"/proc/{process_id}/stat")
    for _ in range(1_000):
        if not process.exists() or process.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        threading.Event().wait(0.01)
    return False


def test_a_function_gets_the_messages(tmp_path, monkeypatch):
    (tmp_path / "shouting_agent.py").write_text("def answer(messages):\n    return messages[-1]['content'].upper()\n")
    monkeypatch.chdir(tmp_path)

    assert ask("python:shouting_agent:answer") == "HELLO"


def test_an_asynchronous_function_is_awaited(tmp_path, monkeypatch):
    (tmp_path / "waiting_agent.py").write_text("async def answer(messages):\n    return 'later'\n")
    monkeypatch.chdir(tmp_path)

    assert ask("python:waiting_agent:answer") == "later"


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("raise SystemExit('no model loaded')", "ended with exit code 1 and without an answer: no model loaded"),
        ("import os; os.kill(os.getpid(), 9)", "ended with the signal 9"),
        ("print('I am not JSON')", "not JSON of the form"),
        ("import time; time.sleep(60)", "gave no answer within 0.5 seconds"),
        ("import sys; sys.stderr.write('thinking hard'); sys.stderr.flush(); sys.stdin.read(); import time; time.sleep(60)", "It wrote: thinking hard"),
        ("while True: print('a' * 1000, end='')", "a line of more than 5,000 bytes"),
        ("import json; print(json.dumps({'content': 'a' * 2000}))", "2,000 bytes; at most 1,000"),
        ("print('{\"content\": 7}')", "not JSON of the form"),
        ("print('{\"content\": \"a\\\\u0000b\"}')", "null character"),
        ("print('{\"content\": \"\\\\ud800\"}')", "The agent's answer"),
        ("pass", "ended with exit code 0 and without an answer"),
        ("import os; os.close(1); import time; time.sleep(60)", "ended with the signal 9"),
    ],
)  # fmt: skip
def test_the_fault_of_a_program_is_named(tmp_path, code, fault, monkeypatch):
    monkeypatch.setattr("viva.adapters.process.END_SECONDS", 0.2)
    # The program has to be up before its time runs: the start of Python is not what is tested.
    limits = SHORT if "seconds" in fault or "thinking" in fault else SHORT._replace(seconds=30)
    with open_context(program(tmp_path, code), limits) as agent, pytest.raises(AgentFault, match=fault):
        agent.reply(HELLO)


def test_a_program_that_fails_after_an_answer_is_not_started_again(tmp_path):
    code = """
        import json
        input()
        print(json.dumps({"content": "once"}), flush=True)
        input()
        raise SystemExit("out of memory")
    """
    with open_context(program(tmp_path, code)) as agent:
        agent.reply(HELLO)

        with pytest.raises(AgentFault, match="exit code 1 and without an answer: out of memory"):
            agent.reply(HELLO)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda messages: 1 / 0, "failed: ZeroDivisionError"),
        (lambda messages: None, "has to return a text, not NoneType"),
        (lambda messages: threading.Event().wait(30), "gave no answer within 0.5 seconds"),
        (lambda messages: "a" * 2_000, "2,000 bytes"),
    ],
)
def test_the_fault_of_a_function_is_named(answer, fault, monkeypatch):
    monkeypatch.setattr("tests.adapters.test_adapters.count_messages", answer)

    with pytest.raises(AgentFault, match=fault):
        ask("python:tests.adapters.test_adapters:count_messages", SHORT)


def test_the_status_of_an_address_is_named():
    with (
        serve_agent(count_messages) as server,
        pytest.raises(AgentFault, match=r"HTTP status 404.*No agent lives here"),
    ):
        ask(f"http:{server.url}/nobody")


def test_an_address_that_nobody_serves_does_not_answer():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"

        with pytest.raises(AgentFault, match="does not answer"):
            ask(f"http:{url}")


def test_a_silent_address_is_left_after_the_time():
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(AgentFault, match="no whole answer within"):
        ask(f"http:http://127.0.0.1:{silent.getsockname()[1]}/", SHORT)


@pytest.mark.parametrize(
    ("part", "fault"), [(b"a" * 4_000, "more than 5,000 bytes"), (b"a", "no whole answer within 0.5 seconds")]
)
def test_an_endless_answer_is_left(part, fault):
    """It comes fast, or slowly enough that no single read takes long."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = threading.Thread(target=answer_for_ever, args=[server, part], daemon=True)
        answering.start()

        with pytest.raises(AgentFault, match=fault):
            ask(f"http:http://127.0.0.1:{server.getsockname()[1]}/", SHORT)

        answering.join()


def answer_for_ever(server: socket.socket, part: bytes) -> None:
    connection, _ = server.accept()
    with connection, suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            connection.sendall(part)
            threading.Event().wait(0.05)


@pytest.mark.parametrize(
    "named", ["", "gpt", "openai:", "openai", "http:localhost", "a2a:somewhere", "python:os", "python:no_such_module:f", "python:os:no_such_function", "command:'unclosed"]
)  # fmt: skip
def test_a_name_that_is_no_agent_is_refused(named):
    with pytest.raises(BadAgentName):
        open_agent(named)


def test_a_module_that_ends_the_program_is_refused(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "leaving.py").write_text("raise SystemExit(3)\n")

    with pytest.raises(BadAgentName, match="cannot be imported: SystemExit: 3"):
        open_agent("python:leaving:answer")


def test_a_model_without_key_and_address_is_refused_before_anything_is_sent(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    with pytest.raises(BadAgentName, match="openai:model-a needs OPENAI_API_KEY, or OPENAI_BASE_URL"):
        open_agent("openai:model-a")


def test_a_program_that_does_not_exist_is_refused():
    with pytest.raises(BadAgentName, match="cannot be started"):
        ask("command:no-such-program-anywhere")
