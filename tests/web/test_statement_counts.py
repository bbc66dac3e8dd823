"""Every page asks the database few questions, and of much data no more than of little."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from litestar.testing import TestClient

from tests import make
from tests.conftest import DATABASES, fresh_url
from tests.contributions.submitted import submission
from tests.exams import certification, class_work
from tests.exams.test_classes import judge, named, say
from tests.traces.analysed import keep_run
from tests.traces.runs import run
from tests.web.counting import CountingDatabase
from viva.agents import accounts
from viva.agents.model import Agent
from viva.app import litestar_app
from viva.config import Config
from viva.contributions import comments
from viva.exams import classes, grading, joining
from viva.exams.handlers.proctored import Verdict
from viva.exams.marking import GivenMark
from viva.judging.panel import Panel
from viva.kit.db import Connection
from viva.kit.opening import open_database
from viva.sessions import channel

LITTLE, MUCH = 6, 60  # results; the latter are more than one page has

# The page, its address, and how many statements it may take. An evaluation and an agent have one for how markers
# agree, and an agent has one for its versions.
pytestmark = pytest.mark.slow
PAGES = [
    ("home", "/", 11),
    ("catalogue", "/evaluations", 7),
    ("evaluation", "/evaluations/good-manners", 21),
    ("evaluation of a version", "/evaluations/good-manners?version=1.0.0", 21),
    ("evaluation by score", "/evaluations/good-manners?sort=score", 21),
    ("evaluation of agents", "/evaluations/good-manners?agent=candid", 25),
    ("evaluation searched", "/evaluations/good-manners?q=candid", 22),
    ("evaluation with prompts", "/evaluations/kind-words", 21),
    ("evaluation of classes", "/evaluations/planning-together", 22),
    ("result", "/evaluations/result/{result}", 13),
    ("result in a dialog", "/evaluations/result/{result}?part=session", 13),
    ("result of a prompt", "/evaluations/result/{certified}?prompt=greeting", 10),
    ("result of a class", "/evaluations/result/{graded}", 13),
    ("compare", "/evaluations/compare?a={result}&b={other}", 18),
    ("certificate", "/evaluations/result/{result}/certificate", 19),
    ("session", "/sessions/{session}", 10),
    ("class", "/classes/{cohort}", 13),
    ("agents", "/agents", 4),
    ("agents by name", "/agents?sort=name", 4),
    ("agents searched", "/agents?q=candid", 4),
    ("agent", "/u/candidate-1", 10),
    ("results of an agent", "/u/candidate-1/results", 6),
    ("search", "/search?q=candidate", 6),
    ("proctor", "/proctor", 9),
    ("contribute", "/evaluations/contribute", 7),
    ("review queue", "/evaluations/contribute/review", 5),
    ("review", "/evaluations/contribute/review/{contribution}", 12),
    ("community review", "/evaluations/contribute/community", 5),
    ("community review of one", "/evaluations/contribute/community/{contribution}", 7),
    ("contributors", "/contributors", 4),
    ("traces", "/traces", 6),
    ("traces of a dataset by score", "/traces?dataset=shop&sort=overall_score", 6),
    ("trace", "/traces/{trace}", 8),
    ("agent of a trace", "/traces/{trace}/agents/planner", 8),
    ("traces compared", "/traces/compare?a={trace}&b={trace}", 10),
    ("dataset of traces", "/traces/datasets/shop", 10),
]


class Counted(NamedTuple):
    """A site with so much data, and the ids that addresses have."""

    client: TestClient[Any]
    database: CountingDatabase
    ids: dict[str, str]

    def statements(self, path: str) -> list[str]:
        """What the page at the path asks the database, once nothing has to be read for the first time."""
        for _ in range(2):
            self.database.told.clear()
            answer = self.client.get(path.format(**self.ids))
        assert answer.status_code == 200, answer.text
        return list(self.database.told)


class Sites(NamedTuple):
    little: Counted
    much: Counted


@pytest.fixture(scope="module", params=DATABASES)
def sites(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    with ExitStack() as opened:
        yield Sites(*(counted(request, tmp_path_factory.mktemp("site"), size, opened) for size in (LITTLE, MUCH)))


def counted(request: pytest.FixtureRequest, folder: Path, size: int, opened: ExitStack) -> Counted:
    url = fresh_url(request.param, request, folder)
    database = CountingDatabase(open_database(url))
    settings = {"VIVA_DATABASE_URL": url, "VIVA_DATA_DIR": str(folder), "VIVA_RATE_LIMIT": "off", "VIVA_NO_WORKER": "1"}
    config = Config.from_environment(settings)
    client = opened.enter_context(TestClient(litestar_app(config, database), base_url=config.base_url))
    ids = database.write_now(lambda db: fill(db, size))
    viewer = database.write_now(lambda db: accounts.promote(db, "viewer"))  # a maintainer, who may read every session
    ids |= database.write_now(lambda db: recorded(db, viewer.agent, size))
    client.post("/login", data={"key": viewer.key.text}, follow_redirects=False)
    return Counted(client, database, ids)


def fill(db: Connection, size: int) -> dict[str, str]:
    """So many of everything that a page lists."""
    make.evaluation(db)
    for number in range(size):
        make.evaluation(db, sip=1_000 + number, id=f"evaluation-{number}", name=f"Evaluation {number}")
    results = [examined(db, number, size) for number in range(size)]
    for number in range(size):
        make.registration(db, make.agent(db, f"waiting-{number}"))
    _, running = make.claim(db, make.agent(db, "talker"), make.agent(db, "listener"))
    return {
        "result": results[0],
        "other": results[1],
        "session": running.session.id,
        "certified": certified(db, size),
        "contribution": contributed(db, size),
        **of_class(db, size),
    }


def recorded(db: Connection, owner: Agent, size: int) -> dict[str, str]:
    """Traces of the viewer in one dataset, each of which has several tags."""
    ids = [keep_run(db, owner, run(f"run {n}"), dataset="shop", tags=("a", f"t{n}")) for n in range(size)]
    return {"trace": ids[0]}


def examined(db: Connection, number: int, size: int) -> str:
    candidate, proctor = make.agent(db, f"candidate-{number}"), make.agent(db, f"proctor-{number}")
    started, claim = make.claim(db, candidate, proctor)
    for said in range(size if number == 0 else 2):
        speaker = (proctor, candidate)[said % 2]
        channel.send(db, "good-manners", claim.session.id, speaker.id, f"message {said}", 10_000)
    criteria = [{"id": f"row-{row}", "met": row % 2 == 0, "mark": 1, "max": 2} for row in range(min(size, 20))]
    verdict = Verdict(number % 2 == 0, score=number, feedback="Candid.", data={"criteria": criteria})
    return make.submit(db, "good-manners", started.id, proctor, verdict).id


def contributed(db: Connection, size: int) -> str:
    """Submissions that are open to everybody, one of them with comments."""
    sent = [submission(db, f"Tea {number}", is_open_to_community=True) for number in range(size)]
    for number in range(size):
        comments.add(db, sent[0], None, "Ada", f"comment {number}", None, is_community=True)
    return sent[0].id


def certified(db: Connection, size: int) -> str:
    """Results with prompts."""
    certification.evaluation(db)
    paul = make.agent(db, "paul")
    results = []
    for number in range(size):
        registration_id = certification.hand_in(db, make.agent(db, f"certified-{number}"))
        read, think, keep, _ = grading.work(Panel([]))
        paper = read(db, {"registration_id": registration_id})
        keep(db, paper, think(paper), False)
        if number == size - 1:
            break  # one is left for the list of what waits
        rows = make.take_sheet(db, certification.EXAM, registration_id, paul).rows
        results += make.mark_sheet(
            db, certification.EXAM, registration_id, paul, [GivenMark(row.id, row.most) for row in rows], None
        )
    return results[0].id


def of_class(db: Connection, size: int) -> dict[str, str]:
    """A class with so many participants, and as many others that were called off."""
    class_work.evaluation(db, max_participants=size + 1)
    ida = make.agent(db, "ida")
    for _ in range(size):
        called_off = joining.open_cohort(db, class_work.CLASS, ida, "instructor").cohort
        classes.finish(db, class_work.CLASS, called_off.id, ida)
    cohort = joining.open_cohort(db, class_work.CLASS, ida, "instructor").cohort
    people = [class_work.registered(db, f"participant-{number}") for number in range(size)]
    for agent in people:
        joining.join(db, class_work.CLASS, cohort.id, agent)
    cohort = joining.start(db, class_work.CLASS, cohort.id, ida)
    for agent in people:
        say(db, cohort, agent)
    classes.finish(db, class_work.CLASS, cohort.id, ida)
    judge(db, cohort)
    paul = named(db, "paul")
    rows = make.take_sheet(db, class_work.CLASS, cohort.id, paul).rows
    graded = make.mark_sheet(db, class_work.CLASS, cohort.id, paul, [GivenMark(row.id, 5) for row in rows], None)
    return {"cohort": cohort.id, "graded": graded[0].id}


@pytest.mark.parametrize(("path", "most"), [page[1:] for page in PAGES], ids=[page[0] for page in PAGES])
def test_a_page_takes_no_more_statements_with_much_data_than_with_little(sites: Sites, path: str, most: int):
    little, much = sites.little.statements(path), sites.much.statements(path)

    assert len(much) <= len(little), [sql for sql in much if sql not in little]
    assert len(little) <= most
