"""An exam with the client: waiting or awaiting, over HTTP, in the hub's own process, and in an embedded hub."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import assert_type

import pytest

from tests.conftest import DATABASES, fresh_url
from tests.exams.certification import ROWS, answers, front
from tests.hub import EVALUATION, Hub, free_port, until, write_sip
from viva import AsyncClient, Client
from viva.api.requests import Requests
from viva.app import litestar_app
from viva.client.app_transport import AppTransport
from viva.client.deadlines import WaitedTooLong
from viva.client.retrying import HubError
from viva.client.structs import EvaluationsPage, EvaluationView, MarkBody, Message, OneAgent
from viva.client.waiting import RegistrationEnded
from viva.config import Config
from viva.embedded import open_hub
from viva.evaluations import catalogue
from viva.kit.opening import open_database


def client_of(hub: Hub, name: str) -> Client:
    return Client(hub.url, hub.agent(name).key)


def test_an_exam_with_a_proctor(hub):
    with client_of(hub, "ada") as ada, client_of(hub, "paul") as paul, ThreadPoolExecutor(1) as pool:
        registration = ada.exams.register(EVALUATION).registration
        ada.exams.start(EVALUATION)
        session = pool.submit(ada.wait_for_session, EVALUATION, timeout=60)
        assert registration.id in [each.registration_id for each in paul.proctor.pending.each(EVALUATION, limit=1)]
        claim = paul.proctor.claim(EVALUATION, registration.id)
        assert session.result().session_id == claim.session_id

        asking, answering = (each.conversation(EVALUATION, claim.session_id) for each in (paul, ada))
        asking.send("Who are you?", prompt_id="p1")
        (question,) = answering.wait_for_messages()
        verdict = pool.submit(ada.wait_for_verdict, registration.id, timeout=60)
        answering.send("Ada.")
        result = paul.proctor.submit(EVALUATION, registration.id, True, proctor_feedback="Well done.").result

        assert (question.content, question.prompt_id) == ("Who are you?", "p1")
        decided = verdict.result()
        assert decided is not None
        assert decided.id == result.id
        assert [message.content for message in asking.messages(since=1)] == ["Ada."]
        assert answering.wait_for_messages(since=2) == []
        assert asking.show().session.status == "ended"


def test_a_result_that_somebody_has_to_mark_is_waited_for(hub, tmp_path: Path):
    evaluation = hub.evaluation(tmp_path, **front())
    with client_of(hub, "ada") as ada, client_of(hub, "paul") as paul, ThreadPoolExecutor(1) as pool:
        ada.exams.register(evaluation)
        started = ada.exams.start(evaluation)
        submitted = ada.exams.submit(evaluation, {"nonce": started["nonce"], "transcript": answers()})
        result = pool.submit(ada.wait_for_result, evaluation, submitted, timeout=60)
        marks = [MarkBody(row_id=row, mark=10) for row in ROWS]
        until(lambda: paul.proctor.pending(evaluation).pending)  # once it is known that there is no judge
        sheet = paul.rubric.take_sheet(evaluation, registration_id=started["registration"]["id"])
        marked = paul.rubric.mark(evaluation, marks, registration_id=sheet.registration_id)

        assert marked.result is not None
        assert result.result().id == marked.result.id


def test_who_waits_in_vain_is_told(hub):
    with client_of(hub, "ada") as ada:
        with pytest.raises(RegistrationEnded):
            ada.wait_for_session(EVALUATION)
        registration = ada.exams.register(EVALUATION).registration
        ada.exams.start(EVALUATION)
        with pytest.raises(WaitedTooLong, match=r"0\.5 seconds"):
            ada.wait_for_session(EVALUATION, timeout=0.5)
        ada.exams.cancel(EVALUATION)
        assert ada.wait_for_verdict(registration.id) is None


def test_lists_turn_their_pages(hub):
    with client_of(hub, "ada") as ada:
        page = ada.evaluations.list_evaluations(limit=2)
        ids = [each.id for each in ada.evaluations.list_evaluations.each(limit=2)]
        mine = [ada.contributions.create_contribution(title=f"Draft {number}").id for number in range(3)]
        drafts = [each.id for each in ada.contributions.list_drafts.each(limit=2)]

    assert ids[:2] == [each.id for each in page.evaluations]
    assert len(ids) == len(set(ids)) > 2
    assert sorted(drafts) == sorted(mine)


def test_the_types_are_known(hub):
    """The type checker reads this too: `make check` fails where a type is lost."""

    async def types() -> None:
        async with AsyncClient(hub.url, "") as client:
            assert_type(client.agents.show_me(), Awaitable[OneAgent])
            assert_type(client.evaluations.list_evaluations.each(), AsyncIterator[EvaluationView])
            assert_type(client.conversation("", "").stream(), AsyncIterator[Message])

    with client_of(hub, "ada") as ada:
        assert_type(ada.agents.show_me(), OneAgent)
        assert_type(ada.evaluations.list_evaluations(), EvaluationsPage)
        assert_type(ada.evaluations.list_evaluations.each(q="none of them"), Iterator[EvaluationView])
        assert_type(ada.wait_for_verdict.__name__, str)
        assert ada.agents.register.__doc__ == "Register an agent and get its key."
        with pytest.raises(TypeError, match="unknown"):
            ada.agents.register("ada", unknown=True)  # type: ignore[call-arg]
    assert asyncio.iscoroutinefunction(types)


@asynccontextmanager
async def app_in_this_loop(url: str, folder: Path, sips: Path) -> AsyncIterator[AppTransport]:
    settings = {"VIVA_DATA_DIR": str(folder), "VIVA_DATABASE_URL": url, "VIVA_SIPS_DIR": str(sips)}
    config = Config.from_environment({**settings, "VIVA_RATE_LIMIT": "off"})
    database = open_database(url)
    database.write_now(lambda db: catalogue.sync(db, config.sip_folders))
    app = litestar_app(config, database)
    async with app.lifespan():
        yield AppTransport(Requests(app, config.log), address="192.0.2.7")


@pytest.mark.parametrize("kind", DATABASES)
def test_an_app_in_the_same_loop_is_called_with_the_callers_key(kind, request, tmp_path):
    sips = tmp_path / "sips"
    sips.mkdir()
    evaluation = write_sip(sips)

    async def sit() -> tuple[str, list[str]]:
        url = fresh_url(kind, request, tmp_path)
        async with app_in_this_loop(url, tmp_path, sips) as transport:

            async def join(name: str) -> AsyncClient:
                nobody = AsyncClient("http://app", "", transport=transport)
                return AsyncClient("http://app", (await nobody.agents.register(name)).api_key, transport=transport)

            ada, paul = await join("ada"), await join("paul")
            registration = (await ada.exams.register(evaluation)).registration
            await ada.exams.start(evaluation)
            claim = await paul.proctor.claim(evaluation, registration.id)
            stream = ada.conversation(evaluation, claim.session_id).stream()
            first = asyncio.ensure_future(anext(stream))
            await paul.conversation(evaluation, claim.session_id).send("Please?")
            said = [(await first).content]
            await paul.proctor.submit(evaluation, registration.id, False)
            return (await ada.agents.show_me()).agent.name, said + [each.content async for each in stream]

    assert asyncio.run(sit()) == ("ada", ["Please?"])


def test_an_embedded_hub_is_called_from_threads_and_from_other_loops(monkeypatch):
    monkeypatch.setenv("VIVA_KEY", "viva_of_another_hub")
    with open_hub() as hub, hub.client() as nobody:
        with pytest.raises(HubError, match="401"):
            nobody.agents.show_me()
        keys = [nobody.agents.register(name).api_key for name in ("ada", "paul")]
        with hub.client(keys[0]) as ada, ThreadPoolExecutor(1) as pool:
            registration = ada.exams.register(EVALUATION).registration
            ada.exams.start(EVALUATION)
            session = pool.submit(ada.wait_for_session, EVALUATION, timeout=60)
            claimed = asyncio.run(examine(hub.async_client(keys[1]), registration.id))

            assert session.result().session_id == claimed
            assert [each.content for each in ada.conversation(EVALUATION, claimed).stream()] == ["Hello?"]


async def examine(paul: AsyncClient, registration_id: str) -> str:
    async with paul:
        session_id = (await paul.proctor.claim(EVALUATION, registration_id)).session_id
        talk = paul.conversation(EVALUATION, session_id)
        stream = talk.stream()
        await talk.send("Hello?")
        assert (await anext(stream)).content == "Hello?"
        await stream.aclose()  # type: ignore[attr-defined]
        await paul.proctor.submit(EVALUATION, registration_id, True)
        return session_id


def test_a_hub_that_is_not_there_is_named_by_its_address():
    from viva.client import retrying

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrying, "RETRY_SECONDS", 0)
        url = f"http://127.0.0.1:{free_port()}"
        with Client(url, "") as client, pytest.raises(retrying.HubUnreachable, match=url):
            client.evaluations.list_evaluations()
