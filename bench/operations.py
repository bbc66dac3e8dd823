"""The operations whose costs are measured, and two mixes of them."""

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from bench.cost_model import LONE_POST, POST
from bench.metering import Call
from bench.sample_traces import make_trace
from bench.soak.acting import MARK, QUIZ, QUIZ_QUESTIONS, TALK
from tests.exams.certification import ROWS, answers

MESSAGES_EACH = 5  # of a candidate and of its proctor
CANDIDATES_OF_PROCTOR = 3
CONTENT = "I would first read what is asked, and then say what I do not know. " * 3
Send = Callable[[Call], Any]
SendAll = Callable[[Sequence[Call]], list[Any]]
READS = {
    "read results": f"/api/v1/evaluations/{TALK}/results?limit=50",
    "read a leaderboard": f"/api/v1/evaluations/{TALK}/leaderboard",
    "read the page of an evaluation": f"/evaluations/{TALK}",
}


class Exams(NamedTuple):
    """Exams that are under way: keys of candidates and of proctors, and the ids they share."""

    candidates: list[str]
    proctors: list[str]
    registrations: list[str]
    sessions: list[str]


def call_of(operation: str, evaluation: str, part: str, key: str = "", body: Any = None, method: str = "POST") -> Call:
    return Call(operation, method, f"/api/v1/evaluations/{evaluation}/{part}", key, body)


def register_agent() -> Call:
    return Call("register an agent", "POST", "/api/v1/agents/register", "", {"name": f"cost-{uuid.uuid4().hex[:12]}"})


def register(key: str, evaluation: str = TALK) -> Call:
    return call_of("register for an exam", evaluation, "register", key)


def start(key: str, evaluation: str = TALK) -> Call:
    return call_of("start an exam", evaluation, "start", key)


def claim(key: str, registration_id: str) -> Call:
    return call_of("claim", TALK, "proctor/claim", key, {"registration_id": registration_id})


def post(key: str, session_id: str) -> Call:
    return call_of(POST, TALK, f"sessions/{session_id}/messages", key, {"content": CONTENT})


def read(key: str, session_id: str, since: int = 0) -> Call:
    return call_of("read messages", TALK, f"sessions/{session_id}/messages?since={since}", key, method="GET")


def give_verdict(key: str, registration_id: str) -> Call:
    body = {"registration_id": registration_id, "passed": True, "score": 40, "proctor_feedback": "It answered."}
    return call_of("give a verdict", TALK, "proctor/submit", key, body)


def upload_trace(key: str, number: int) -> Call:
    return Call("upload a trace", "POST", "/api/v1/traces", key, json.loads(make_trace(number)))


def get(operation: str) -> Call:
    return Call(operation, "GET", READS[operation])


def begin_exams(send: SendAll, count: int) -> Exams:
    """Exams up to the first message, each step for all candidates at once."""
    candidates, proctors = make_agents(send, count), make_agents(send, -(-count // CANDIDATES_OF_PROCTOR))
    send([register(key) for key in candidates])
    registrations = [each["registration"]["id"] for each in send([start(key) for key in candidates])]
    examined_by = [proctors[number // CANDIDATES_OF_PROCTOR] for number in range(count)]
    claimed = send([claim(*pair) for pair in zip(examined_by, registrations, strict=True)])
    return Exams(candidates, examined_by, registrations, [each["session_id"] for each in claimed])


def make_agents(send: SendAll, count: int) -> list[str]:
    """The keys of new agents."""
    return [each["api_key"] for each in send([register_agent() for _ in range(count)])]


def hold_exams(send: SendAll, exams: Exams) -> None:
    """Messages of both sides, reads and verdicts. Both sides read each page, so the hub makes every second one anew."""
    speakers = list(zip(exams.candidates, exams.proctors, exams.sessions, strict=True))
    turns = range(0, 2 * MESSAGES_EACH, 2)
    send([post(key, session) for _ in turns for *keys, session in speakers for key in keys])
    send([read(key, session, since) for since in turns for *keys, session in speakers for key in keys])
    send([give_verdict(*pair) for pair in zip(exams.proctors, exams.registrations, strict=True)])


def answer_quizzes(send: SendAll, begin: SendAll, count: int) -> None:
    keys = make_agents(begin, count)
    begin([register(key, QUIZ) for key in keys])
    begin([start(key, QUIZ) for key in keys])
    body = {"answers": {question["id"]: question["answer"] for question in QUIZ_QUESTIONS}}
    send([call_of("submit a benchmark", QUIZ, "submit", key, body) for key in keys])


def hand_in_texts(send: SendAll, begin: SendAll, count: int) -> list[str]:
    """Texts for markers; the registrations."""
    keys = make_agents(begin, count)
    begin([register(key, MARK) for key in keys])
    started = begin([start(key, MARK) for key in keys])
    works = [{"nonce": each["nonce"], "transcript": answers()} for each in started]
    send([call_of("hand in texts", MARK, "submit", *pair) for pair in zip(keys, works, strict=True)])
    return [each["registration"]["id"] for each in started]


def mark_texts(send: SendAll, begin: SendAll, registrations: Sequence[str]) -> None:
    markers = list(zip(make_agents(begin, len(registrations)), registrations, strict=True))
    send([call_of("take a sheet", MARK, "proctor/rubric/take", key, {"registration_id": id_}) for key, id_ in markers])
    marks = [{"row_id": row_id, "mark": 8} for row_id in ROWS]
    bodies = [(key, {"registration_id": id_, "marks": marks}) for key, id_ in markers]
    send([call_of("mark a sheet", MARK, "proctor/rubric", *body) for body in bodies])


def read_pages(send: SendAll, count: int) -> None:
    for operation in READS:
        send([get(operation)] * count)


def sit_whole_exam(proctor: str, send: Send) -> None:
    """One exam from the account to the verdict, one request after the other, and what its candidate then looks at."""
    candidate = send(register_agent())["api_key"]
    send(register(candidate))
    registration_id = send(start(candidate))["registration"]["id"]
    session_id = send(claim(proctor, registration_id))["session_id"]
    for _ in range(MESSAGES_EACH):
        for speaker, listener in ((proctor, candidate), (candidate, proctor)):
            send(post(speaker, session_id))
            send(read(listener, session_id))
            send(read(speaker, session_id))
    send(give_verdict(proctor, registration_id))
    send(get("read results"))
    send(get("read the page of an evaluation"))


def whole_exams(begin: SendAll, count: int) -> list[Callable[[Send], None]]:
    return [partial(sit_whole_exam, proctor) for proctor in make_agents(begin, count)]


def post_alone(send: SendAll, begin: SendAll, count: int) -> None:
    """Messages that meet no other on their way, so that each has a transaction of its own."""
    exams = begin_exams(begin, count)
    posts = [post(*pair) for pair in zip(exams.candidates, exams.sessions, strict=True)]
    send([call._replace(operation=LONE_POST) for call in posts])


def readers(begin: SendAll, count: int) -> list[Callable[[Send], None]]:
    """Who reads, and posts one message for nine reads."""
    exams = begin_exams(begin, count)

    def run(number: int, send: Send) -> None:
        for call in reader_calls(exams, number):
            send(call)

    return [partial(run, number) for number in range(count)]


def reader_calls(exams: Exams, number: int) -> Iterator[Call]:
    yield post(exams.candidates[number], exams.sessions[number])
    for turn in range(9):
        yield get(list(READS)[(number + turn) % len(READS)])


MIXES = {"whole exams with their reads": whole_exams, "readers, and one post in ten requests": readers}
