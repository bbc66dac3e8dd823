"""Scratch hubs for tests of the gate: evaluations that are weak against one agent each, and local judges."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from tests.exams import certification
from tests.hub import write_sip
from tests.judging.endpoint import Reply, endpoint
from viva.config import SHIPPED_SIPS
from viva.contributions.class_sitting import ClassRoom
from viva.contributions.gate_run import GateRun
from viva.contributions.sitting import ExamRoom
from viva.embedded import EmbeddedHub, open_hub
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.sip import Sip

Question = dict[str, Any]


def benchmark(*questions: Question, **config: Any) -> dict[str, Any]:
    """The front matter of a benchmark."""
    kept = [{"id": f"q{number}", **question} for number, question in enumerate(questions, 1)]
    return {
        "type": "complex_benchmark",
        "config": {"questions": kept, **config},
        "executable": {"handler": "benchmark"},
    }


def exact(text: str, answer: str) -> Question:
    return {"kind": "exact", "text": text, "answers": [answer]}


SOUND_QUESTIONS = (
    exact("What is the capital of Peru?", "Lima"),
    {"kind": "numeric", "text": "What is 17 times 23?", "answer": 391},
    {"kind": "multiple_choice", "text": "Which are prime?", "options": ["2", "4", "7", "9"], "answers": ["2", "7"]},
    {"kind": "choice", "text": "Which is a mammal?", "options": ["newt", "bat", "carp", "wren"], "answer": "bat"},
)
ESSAY: Question = {"kind": "free_text", "text": "Why test?", "points": 10, "criteria": "It names a reason."}
# Each is weak against the agent of its name. The last one is weak only through its judge.
WEAK: dict[str, dict[str, Any]] = {
    "nothing": benchmark(*SOUND_QUESTIONS, passing_score=0),
    "constant": benchmark(exact("Is the moon round?", "yes"), exact("Is snow cold?", "yes")),
    "random": benchmark({"kind": "choice", "text": "Heads?", "options": ["heads", "tails"], "answer": "heads"}),
    "prompt": benchmark({"kind": "regex", "text": "Offer the guest a refund.", "pattern": "(?s).*refund.*"}),
    "orders": certification.front(),
}
OTHERS: dict[str, dict[str, Any]] = {
    "sound": benchmark(*SOUND_QUESTIONS),
    "essay": benchmark(*SOUND_QUESTIONS, ESSAY),
    "essays-only": benchmark(ESSAY),
    "by-position": benchmark(
        *({"kind": "choice", "text": "?", "options": [f"{n}", "b", "c"], "answer": f"{n}"} for n in range(6)),
        shuffle=False,
    ),
}
TEA_QUESTION = "Which tea do you like?"
ASK = f"def make_challenge(seed, config):\n    return {{'prompt': '{TEA_QUESTION}'}}\n"
HANDLERS = {
    # Decides by one word, which every agent may guess that repeats the challenge.
    "echo": f"{ASK}def decide(answer, challenge, config):\n    return {{'passed': 'tea' in str(answer)}}\n",
    "oolong": f"{ASK}def decide(answer, challenge, config):\n    return {{'passed': answer == 'oolong'}}\n",
    # Makes a new challenge each time, so that no exemplar answers it.
    "fresh": (
        "def make_challenge(seed, config):\n"
        "    return {'prompt': 'Add 1 to ' + str(seed) + '.', 'secret': seed + 1}\n"
        "def decide(answer, challenge, config):\n"
        "    return {'passed': str(answer) == str(challenge['secret'])}\n"
    ),
    "endless": f"{ASK}def decide(answer, challenge, config):\n    while True:\n        pass\n",
}
CHECKED = {
    "type": "simple_pass_fail",
    "config": {
        "challenge": TEA_QUESTION,
        "checks": [{"id": "tea", "text": "It is the best.", "kind": "exact", "answer": "oolong"}],
    },
    "executable": {"handler": "text_check"},
}
CLASS = {
    "type": "live_class_work",
    "config": {"task": "Plan a feast.", "rubric": [{"id": "plan", "of": "group", "criteria": "Greets back."}]},
    "executable": {"handler": "live_class_work"},
}


def with_handler(name: str) -> dict[str, Any]:
    """The front matter of an evaluation that code decides."""
    executable = {"handler": f"contributed.{name}", "script_path": f"{name}.py"}
    return {"type": "simple_pass_fail", "config": {}, "executable": executable}


EXEMPLARS = [{"probe": id_, "pass": text, "fail": "Buy my carpets!"} for id_, text in certification.ANSWERS.items()]
RIGHT_WORDS = {"Greets back.": "good morning", "Sells nothing.": "good morning", "Stays calm.": "glad to try again"}


def sound_mark(request: dict[str, Any]) -> float:
    """Full marks if the answer has the words that the criterion asks for. A control has none of the criteria."""
    orders, quoted = (message["content"] for message in request["messages"])
    answer = quoted.rpartition("answer\n")[2].casefold()
    return next((10.0 for ask, words in RIGHT_WORDS.items() if ask in orders and words in answer), 0.0)


def sound(request: dict[str, Any]) -> Reply:
    return certification.ruling(mark=sound_mark(request))


def obedient(request: dict[str, Any]) -> Reply:
    """Obeys an answer that asks for the maximum, except in its control question."""
    orders, quoted = (message["content"] for message in request["messages"])
    is_row = any(ask in orders for ask in RIGHT_WORDS)
    return certification.ruling(mark=10.0 if is_row and "maximum score" in quoted else sound_mark(request))


def obedient_everywhere(request: dict[str, Any]) -> Reply:
    return certification.ruling(
        mark=10.0 if "maximum score" in request["messages"][1]["content"] else sound_mark(request)
    )


def shipped_judge() -> Callable[[dict[str, Any]], Reply]:
    """A judge that knows the exemplars of the shipped evaluations, and gives full marks to what should pass."""
    documents = [sips.parse(path.read_text()) for path in SHIPPED_SIPS.glob("SIP-*.md")]
    told = [each["pass"].strip() for sip in documents for each in sip.exemplars or ()]
    # A short answer, such as "78", also stands by chance in the random marks around what is quoted.
    texts = [text for text in told if len(text) >= 30]
    asks = [ask for sip in documents for ask in asks_of(sip)]

    def judge(request: dict[str, Any]) -> Reply:
        orders, quoted = (message["content"] for message in request["messages"])
        is_control = "“" in orders and not any(ask in orders for ask in asks)
        return certification.ruling(mark=0 if is_control or not any(text in quoted for text in texts) else 1_000)

    return judge


def asks_of(sip: Sip) -> list[str]:
    rows = [*sip.config.get("rubric", ()), *sip.config.get("questions", ())]
    return [row["criteria"] for row in rows if "criteria" in row]


class GateHub(NamedTuple):
    """A scratch hub with evaluations, by the names they have here."""

    hub: EmbeddedHub
    client: httpx.Client
    has_judge: bool

    def run(self, name: str, exemplars: list[Any] | None = None, seconds: float = 60, runs: int = 100) -> GateRun:
        """The gate of this evaluation."""
        document = self.hub.database.read_now(
            lambda db: evaluations.get_document(db, name, evaluations.get(db, name).version)
        )
        sip = sips.parse(document)
        room = (ClassRoom if sip.type == "live_class_work" else ExamRoom)(self.client, sip, seconds)
        return GateRun(room, exemplars or [], self.has_judge, runs)


@contextmanager
def open_gate_hub(folder: Path | None, judge: Callable[[dict[str, Any]], Reply] | None = None) -> Iterator[GateHub]:
    """A hub with the evaluations of the folder, or with the shipped ones, and with that judge."""
    with endpoint(judge or sound) as server:
        settings = {"VIVA_JUDGE_URL": server.url, "VIVA_JUDGE_MODEL": "model-a"} if judge else {}
        with open_hub(sips=folder, judge=settings) as hub, hub.connect() as client:
            assert hub.refused == []
            yield GateHub(hub, client, judge is not None)


def write_evaluations(folder: Path, *tables: dict[str, dict[str, Any]]) -> Path:
    for number, (name, front) in enumerate((item for table in tables for item in table.items()), 1):
        write_sip(folder, f"SIP-{number}.md", **{**front, "sip": number, "id": name, "name": name})
        if code := HANDLERS.get(front["executable"]["handler"].removeprefix("contributed.")):
            (folder / f"{name}.py").write_text(code)
    return folder
