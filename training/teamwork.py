"""Written runs of teams that research a question: peers with a terminal, and workers under a director; good, or with one fault."""

import random
from collections.abc import Iterator
from typing import NamedTuple

from training.planting import PlantedRun
from training.sources import SEED
from viva.engine.model import Interaction, Step, Trace, TraceAgent, Turn

DRAWS = 8  # runs of each question, with other values


class Question(NamedTuple):
    """A question that needs one look-up and one calculation. Braces hold drawn values."""

    task: str
    subject: str
    look: str
    page: str
    wrong_page: str
    unit: str


QUESTIONS = (
    Question("How many more bridges than tunnels were built in {a} before {b}?", "bridges and tunnels of {a}", "structures('{a}')",
             "The register of {a} lists 64 bridges and 21 tunnels before {b}.", "Ten painters who lived by the sea.", "bridges"),
    Question("By how many kilometres is the {a} trail longer than the {b} trail?", "length of the {a} and {b} trails", "trails(['{a}', '{b}'])",
             "Trail {a} is 88 km long, trail {b} is 51 km long.", "Our shop sells boots in all sizes.", "kilometres"),
    Question("What share of the votes in {a} did the winner of {b} get, in per cent?", "votes in {a} in {b}", "votes('{a}', {b})",
             "In {a} the winner of {b} got 4300 of 9100 votes.", "A recipe for bread with seeds.", "per cent"),
    Question("How many species of moss were found in {a} in {b}?", "moss species in {a}", "species('{a}', {b})",
             "The survey of {b} found 132 species of moss in {a}, 17 of them twice.", "Sign in to see your letters.", "species"),
    Question("How old was the mayor of {a} when the station opened in {b}?", "mayor and station of {a}", "mayor('{a}')",
             "The mayor of {a} was born 47 years before the station opened in {b}.", "Buy one lamp, get one free.", "years"),
)  # fmt: skip
TOWNS = ("Arlund", "Besk", "Corvan", "Dellmar", "Ostrey", "Pirna", "Quill", "Rovik")


class Drawn(NamedTuple):
    """A question with its values."""

    task: str
    subject: str
    look: str
    page: str
    wrong_page: str
    answer: str


def draw(question: Question, number: int) -> Drawn:
    rng = random.Random(f"{SEED} {question.unit} {number}")
    town, year, value = rng.choice(TOWNS), str(rng.randrange(1880, 1990)), rng.randrange(21, 99)
    task, subject, look, page, wrong_page = (text.format(a=town, b=year) for text in question[:5])
    return Drawn(task, subject, look, page, wrong_page, f"{value} {question.unit}")


def said(agent_id: str, text: str) -> Interaction:
    return Interaction(agent_id, text)


def shown(text: str) -> Interaction:
    return Interaction("shell", None, (Step(observation=text),))


def peer_runs(q: Drawn) -> Iterator[tuple[str, int | None, list[Interaction]]]:
    """Peers: a host who sets the task, one who codes, one who knows the field, one who checks, a shell."""
    brief = said(
        "host",
        f"Welcome. The task is: {q.task} The coder looks up the {q.subject}, the expert reads it, the checker confirms.",
    )
    code = said("coder", f"I look up the {q.subject}.\n```python\nprint({q.look})\n```")
    out = shown(f"exitcode: 0\n{q.page}")
    reads = said("expert", f"{q.page} Therefore the answer is {q.answer}.")
    checks = said("checker", f"I went through it once more, and {q.answer} agrees with the figures shown.")
    done = said("host", "FINISHED")
    broken = shown("exitcode: 1\nTraceback (most recent call last): NameError: name is not defined")
    guess = said(
        "coder",
        f"There is no such table. Let us assume sample figures for the {q.subject}.\n```python\nprint(sum([30, 41]))\n```",
    )
    blank = said(
        "coder", f"I filter the {q.subject}.\n```python\nprint([x for x in {q.look} if x.kind == 'none'])\n```"
    )
    yield "", None, [brief, code, out, reads, checks, done]
    yield (
        "",
        None,
        [
            brief,
            code,
            broken,
            said("coder", f"The error is fixed now.\n```python\nimport tables\nprint({q.look})\n```"),
            out,
            reads,
            checks,
            done,
        ],
    )
    yield (
        "assumed data",
        1,
        [brief, guess, shown("exitcode: 0\n71"), said("expert", "Therefore the answer is 71."), checks, done],
    )
    yield (
        "code fails",
        1,
        [brief, code, broken, said("expert", f"Without the table I would say {q.answer}."), checks, done],
    )
    yield (
        "code gives nothing",
        1,
        [brief, blank, shown("exitcode: 0\n[]"), said("expert", "So the answer is 0."), checks, done],
    )
    yield (
        "claimed review",
        1,
        [
            brief,
            said("expert", f"I have reviewed the {q.subject}. Here are the results: it is {q.answer}."),
            checks,
            done,
        ],
    )
    yield (
        "hasty conclusion",
        3,
        [
            brief,
            code,
            out,
            said("expert", "Thus the answer is 12."),
            said("checker", "12 agrees with what was said."),
            done,
        ],
    )
    yield "off the task", 0, [
        said("host", "We shall debug a script somebody sent. Who has its source?"), said("coder", "I need the source before I can start on anything."),
        said("expert", "Nobody has sent a source so far, we should wait for it."), done,
    ]  # fmt: skip
    yield "no means", 1, [
        brief, said("expert", f"I cannot access any register, so the {q.subject} must be checked manually."),
        said("checker", "In that case nothing can be confirmed here."), done,
    ]  # fmt: skip


def directed_runs(q: Drawn) -> Iterator[tuple[str, int | None, list[Interaction]]]:
    """A director who sends a browser and an analyst."""

    def order(text: str, to: str) -> Interaction:
        return Interaction("director", text, (Step(action=f"pass on to {to}"),))

    plan = order(f"Please search the web for the {q.subject}.", "browser")
    found = said("browser", f"I searched for the {q.subject}. The first result says: {q.page}")
    reckon = order(f"Please work out the answer to: {q.task}", "analyst")
    works = said("analyst", f"From what the browser found, the answer is {q.answer}.")
    end = Interaction("director", f"FINAL ANSWER: {q.answer}", (Step(action="end"),))
    astray = said("browser", f"I clicked a link and see this: {q.wrong_page}")
    yield "", None, [plan, found, reckon, works, end]
    yield "astray", 1, [plan, astray, reckon, said("analyst", f"I suppose it is {q.answer}."), end]
    yield "gives up", 1, [plan, said("browser", "I could not open any page, I am unable to go on."), end]
    yield (
        "assumed figures",
        3,
        [
            plan,
            found,
            reckon,
            said("analyst", "Let us assume hypothetical values of 30 and 41. The answer is 71."),
            end,
        ],
    )
    yield (
        "beside the order",
        3,
        [
            plan,
            found,
            reckon,
            said("analyst", f"Here is a poem about the sea and the wind instead. {q.wrong_page}"),
            end,
        ],
    )
    yield "order for something else", 2, [
        plan, found, order("Please look for cheap hotels with a pool.", "analyst"),
        said("analyst", "Cheap hotels with a pool are listed by price."), Interaction("director", "FINAL ANSWER: a hotel", (Step(action="end"),)),
    ]  # fmt: skip


def teamwork_runs() -> Iterator[PlantedRun]:
    """Every run of every question."""
    for question in QUESTIONS:
        for number in range(DRAWS):
            q = draw(question, number)
            for source, runs in (("peers", peer_runs(q)), ("directed", directed_runs(q))):
                for kind, part, acts in runs:
                    agents = tuple(map(TraceAgent, dict.fromkeys(act.agent_id for act in acts)))
                    trace = Trace("team", (Turn(0, q.task, None, tuple(acts)),), agents, q.task)
                    yield PlantedRun(trace, source, kind, part, bool(kind))
