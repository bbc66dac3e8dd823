"""Written runs of teams that research a question: peers with a terminal, and workers under a director; good, or with one fault."""

import random
from collections.abc import Iterator
from typing import NamedTuple

from training.planting import PlantedRun
from training.sources import SEED
from viva.engine.model import Interaction, Step, Trace, TraceAgent, Turn

DRAWS = 4  # runs of each question, with other values


class Question(NamedTuple):
    """A question that needs one look-up and one calculation. Braces hold drawn values."""

    task: str
    subject: str
    look: str
    page: str
    wrong_page: str
    answer: str


QUESTIONS = (
    Question("How many more bridges than tunnels were built in {a} before {b}?", "bridges and tunnels of {a}", "structures('{a}')",
             "The register of {a} lists {x} bridges and {y} tunnels before {b}.", "Ten painters who lived by the sea.", "{d} bridges"),
    Question("By how many kilometres is the {a} trail longer than the {b} trail?", "length of the {a} and {b} trails", "trails(['{a}', '{b}'])",
             "Trail {a} is {x} km long, trail {b} is {y} km long.", "Our shop sells boots in all sizes.", "{d} kilometres"),
    Question("What share of the votes in {a} did the winner of {b} get, in per cent?", "votes in {a} in {b}", "votes('{a}', {b})",
             "In {a} the winner of {b} got {x} of 100 votes.", "A recipe for bread with seeds.", "{x} per cent"),
    Question("How many species of moss were found in {a} in {b}?", "moss species in {a}", "species('{a}', {b})",
             "The survey of {b} found {x} species of moss in {a}, {y} of them twice.", "Sign in to see your letters.", "{x} species"),
    Question("How old was the mayor of {a} when the station opened in {b}?", "mayor and station of {a}", "mayor('{a}')",
             "The mayor of {a} was born {x} years before the station opened in {b}.", "Buy one lamp, get one free.", "{x} years"),
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
    rng = random.Random(f"{SEED} {question.answer} {number}")
    town, year = rng.choice(TOWNS), str(rng.randrange(1880, 1990))
    less, more = rng.randrange(11, 40), rng.randrange(11, 60)
    values = {"a": town, "b": year, "x": less + more, "y": less, "d": more}
    return Drawn(*(text.format(**values) for text in question))


class PeerStyle(NamedTuple):
    """How one team of peers speaks. Braces hold parts of the question. Each style is a source that can be left out."""

    source: str
    host: str
    coder: str
    expert: str
    checker: str
    shell: str
    brief: str
    looks: str
    output: str
    reads: str
    checks: str
    done: str
    broken: str
    mends: str
    guesses: str
    invented: str
    filters: str
    nothing: str
    zero: str
    claims: str
    lists: str
    hasty: str
    other_task: str
    stalled: tuple[str, str]
    no_means: str
    shrugs: str


PEERS = (
    PeerStyle(
        "peers", "host", "coder", "expert", "checker", "shell",
        "Welcome. The task is: {task} The coder looks up the {subject}, the expert reads it, the checker confirms.",
        "I look up the {subject}.\n```python\nprint({look})\n```", "exitcode: 0\n{page}", "{page} Therefore the answer is {answer}.",
        "I went through it once more, and {answer} agrees with the figures shown.", "FINISHED",
        "exitcode: 1\nTraceback (most recent call last): NameError: name is not defined",
        "The error is fixed now.\n```python\nimport tables\nprint({look})\n```",
        "There is no such table. Let us assume sample figures for the {subject}.\n```python\nprint(sum([30, 41]))\n```", "exitcode: 0\n71",
        "I filter the {subject}.\n```python\nprint([x for x in {look} if x.kind == 'none'])\n```", "exitcode: 0\n[]", "So the answer is 0.",
        "I have reviewed the {subject}. Here are the results: it is {answer}.", "Here are the figures for the {subject}: 12, 18 and 40.",
        "Thus the answer is 12.", "We shall debug a script somebody sent. Who has its source?",
        ("I need the source before I can start on anything.", "Nobody has sent a source so far, we should wait for it."),
        "I cannot access any register, so the {subject} must be checked manually.", "In that case nothing can be confirmed here.",
    ),
    PeerStyle(
        "lab", "chair", "programmer", "scientist", "reviewer", "notebook",
        "Our question today: {task} Programmer, please get the {subject}. Scientist, interpret them. Reviewer, sign off.",
        "Let me query the {subject} first:\n```py\nrows = {look}\nprint(rows)\n```", "{page}",
        "According to the rows, {page} This gives {answer}.", "Signed off: {answer} follows from the rows above.", "TERMINATE",
        "exit code 2\nModuleNotFoundError: No module named 'registry'", "That import was missing, next try:\n```py\nrows = {look}\nprint(rows)\n```",
        "For illustration I use a mock list in place of the {subject}:\n```py\nrows = [12, 59]\nprint(sum(rows))\n```", "71",
        "Selecting what matters:\n```py\nprint([r for r in {look} if r.year > 2999])\n```", "None", "None were found, which makes it 0.",
        "After checking the {subject} in the archive, I can tell you that it is {answer}.",
        "The {subject} are as follows: first 12, second 18, third 40.", "In conclusion it is 12.",
        "Let us plan the summer party of the institute. Which date suits everybody?",
        ("Any date will do, but somebody has to book the hall.", "The hall is closed in summer, let us wait for an offer."),
        "I am not able to reach the archive from here; the {subject} are not available.", "Then there is nothing to sign off.",
    ),
    PeerStyle(
        "newsroom", "editor", "data_desk", "writer", "fact_desk", "terminal",
        "Readers ask: {task} data_desk pulls the {subject}, writer turns them into a line, fact_desk compares.",
        "Pulling the {subject} now.\n```sh\nfetch \"{look}\"\n```", "Code output: {page}", "The line reads: {answer}. Source: {page}",
        "Compared with the source: {answer} is right.", "exit",
        "Execution failed: fetch: error: connection timed out", "Retrying with the other server.\n```sh\nfetch --mirror \"{look}\"\n```",
        "As a placeholder, suppose the {subject} add up like this:\n```sh\necho $((30 + 41))\n```", "Code output: 71",
        "Narrowing it down.\n```sh\nfetch \"{look}\" | grep zzz\n```", "Code output: ", "Nothing came up, so the line reads: 0.",
        "We have gone to the records and we verified the {subject}: it is {answer}.",
        "The following is known about the {subject}: 12 at first, then 18, then 40.", "Hence the line reads: 12.",
        "Please correct the spelling of yesterday's front page. Who has the file?",
        ("The file is with the printers.", "Without the file there is nothing to correct."),
        "Unfortunately we have no access to the records, the {subject} stay unknown.", "So the line cannot be printed.",
    ),
)  # fmt: skip


def peer_runs(style: PeerStyle, q: Drawn) -> Iterator[tuple[str, int | None, list[Interaction]]]:
    """Peers: one who sets the task, one who codes, one who knows the field, one who checks, and a shell."""
    s = style

    def said(agent_id: str, text: str) -> Interaction:
        return Interaction(agent_id, fill_in(text, q))

    def shown(text: str) -> Interaction:
        return Interaction(s.shell, None, (Step(observation=fill_in(text, q)),))

    brief, checks, done = said(s.host, s.brief), said(s.checker, s.checks), said(s.host, s.done)
    code, reads = [said(s.coder, s.looks), shown(s.output)], said(s.expert, s.reads)
    failing, blank = [said(s.coder, s.looks), shown(s.broken)], [said(s.coder, s.filters), shown(s.nothing)]
    mended = [said(s.coder, s.mends), shown(s.output)]
    guess = [said(s.coder, s.guesses), shown(s.invented), said(s.expert, s.hasty)]
    yield "", None, [brief, *code, reads, checks, done]
    yield "", None, [brief, *failing, *mended, reads, checks, done]
    yield "", None, [brief, *blank, *code, reads, checks, done]
    yield "assumed data", 1, [brief, *guess, checks, done]
    yield "code fails", 1, [brief, *failing, said(s.expert, "Without the table I would say {answer}."), checks, done]
    yield "code gives nothing", 1, [brief, *blank, said(s.expert, s.zero), checks, done]
    yield "claimed review", 1, [brief, said(s.expert, s.claims), checks, done]
    yield "unsourced list", 1, [brief, said(s.expert, s.lists), said(s.checker, s.hasty), done]
    yield (
        "hasty conclusion",
        3,
        [brief, *code, said(s.expert, s.hasty), said(s.checker, "That is what was said."), done],
    )
    yield (
        "off the task",
        0,
        [said(s.host, s.other_task), said(s.coder, s.stalled[0]), said(s.expert, s.stalled[1]), done],
    )
    yield "no means", 1, [brief, said(s.expert, s.no_means), said(s.checker, s.shrugs), done]
    # One mistake leads to others: the first is the decisive one.
    yield "fails, then assumed", 1, [brief, *failing, *guess, checks, done]
    yield "no means, then assumed", 1, [brief, said(s.expert, s.no_means), *guess, checks, done]
    yield "nothing, then claimed", 1, [brief, *blank, said(s.expert, s.claims), checks, done]


def fill_in(text: str, q: Drawn) -> str:
    return text.format(**q._asdict())


class DirectedStyle(NamedTuple):
    """How one director and the workers speak."""

    source: str
    director: str
    browser: str
    analyst: str
    action: str
    plan: str
    found: str
    reckon: str
    works: str
    end: str
    astray: str
    gives_up: str
    assumes: str
    beside: str
    other_order: str


DIRECTED = (
    DirectedStyle(
        "directed", "director", "browser", "analyst", "pass on to {}", "Please search the web for the {subject}.",
        "I searched for the {subject}. The first result says: {page}", "Please work out the answer to: {task}",
        "From what the browser found, the answer is {answer}.", "FINAL ANSWER: {answer}", "I clicked a link and see this: {wrong_page}",
        "I could not open any page, I am unable to go on.", "Let us assume hypothetical values of 30 and 41. The answer is 71.",
        "Here is a poem about the sea and the wind instead. {wrong_page}", "Please look for cheap hotels with a pool.",
    ),
    DirectedStyle(
        "crew", "captain", "scout", "reckoner", "next: {}", "We need the {subject}. Find a page about them.",
        "Page found for the {subject}: {page}", "Now give me a number for this: {task}",
        "Reading what the scout brought: {page} That makes {answer}.", "We are done. It is {answer}.", "I scrolled down. The page shows: {wrong_page}",
        "The site asks for a login, so the {subject} are not accessible to me.", "As no figures are at hand, suppose 30 and 41, together 71.",
        "I have sorted my notes by colour. {wrong_page}", "Go and compare prices of umbrellas.",
    ),
)  # fmt: skip


def directed_runs(style: DirectedStyle, q: Drawn) -> Iterator[tuple[str, int | None, list[Interaction]]]:
    """A director who sends a browser and an analyst."""
    s = style

    def order(text: str, to: str) -> Interaction:
        return Interaction(s.director, fill_in(text, q), (Step(action=s.action.format(to)),))

    def said(agent_id: str, text: str) -> Interaction:
        return Interaction(agent_id, fill_in(text, q))

    plan, found = order(s.plan, s.browser), said(s.browser, s.found)
    reckon, works = order(s.reckon, s.analyst), said(s.analyst, s.works)
    end = Interaction(s.director, fill_in(s.end, q), (Step(action="end"),))
    yield "", None, [plan, found, reckon, works, end]
    yield "", None, [plan, said(s.browser, s.gives_up), plan, found, reckon, works, end]
    yield "astray", 1, [plan, said(s.browser, s.astray), reckon, said(s.analyst, "I suppose it is {answer}."), end]
    yield "gives up", 1, [plan, said(s.browser, s.gives_up), end]
    yield "gives up, then assumed", 1, [plan, said(s.browser, s.gives_up), reckon, said(s.analyst, s.assumes), end]
    yield "assumed figures", 3, [plan, found, reckon, said(s.analyst, s.assumes), end]
    yield "beside the order", 3, [plan, found, reckon, said(s.analyst, s.beside), end]
    other = order(s.other_order, s.analyst)
    yield "order for something else", 2, [plan, found, other, said(s.analyst, s.other_order), end]


def teamwork_runs() -> Iterator[PlantedRun]:
    """Every run of every question, in every style."""
    for question in QUESTIONS:
        for number in range(DRAWS):
            q = draw(question, number)
            styles = [(style.source, peer_runs(style, q)) for style in PEERS]
            styles += [(style.source, directed_runs(style, q)) for style in DIRECTED]
            for source, runs in styles:
                for kind, part, acts in runs:
                    agents = tuple(map(TraceAgent, dict.fromkeys(act.agent_id for act in acts)))
                    trace = Trace("team", (Turn(0, q.task, None, tuple(acts)),), agents, q.task)
                    yield PlantedRun(trace, source, kind, part, bool(kind))
