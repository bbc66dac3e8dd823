"""The page of one result: its verdict, conversation and criteria."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.context import hub_of
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import appealing, revealing, visibility
from viva.exams.handlers.transcripts import ProbeConversation
from viva.exams.model import HubFacts
from viva.exams.revealing import ShownResult
from viva.kit.db import Connection
from viva.results import neighbours, reading_reports, store
from viva.results.appeals import Appeal
from viva.results.markers import judges_of
from viva.results.matrix import Cell
from viva.results.neighbours import AttemptLine
from viva.results.prompt_results import PromptResult, list_prompt_results
from viva.results.reading_reports import ReadingReport
from viva.web import pages
from viva.web.conversations import ConversationView, TranscriptView, transcript_of
from viva.web.criteria import ShownCriteria, criteria_of
from viva.web.handed_in import is_answer_in_criteria, read_handed_in
from viva.web.queries import count, word
from viva.web.verdicts import ScorePart, markers_in, parts_in, rest_of
from viva.web.wording import address, path_part

ATTEMPTS_SHOWN = 11  # few enough to see this one among them
PROMPTS_SHOWN = 100
PAGE_PARTS = {"session": "results/_session.html"}  # parts that the session dialog loads


class Steps(NamedTuple):
    """The previous and the next result in the list beside this one."""

    previous: str | None
    next: str | None


@dataclass(frozen=True)
class ResultPage:
    result: ShownResult
    evaluation: Evaluation  # as it was in the result's version
    version: str  # the version that the attempts list is filtered by, or empty
    prompt: str  # the prompt that is shown, or empty for all
    prompts: list[str]  # all prompts of the result
    transcript: TranscriptView
    handed_in: list[ProbeConversation]
    criteria: ShownCriteria
    judges: list[str]  # models, if no proctor decided
    names: dict[str, str]  # of the proctors who marked, by their ids
    other_data: dict[str, Any]
    attempts: list[AttemptLine]  # around this one, if all prompts are shown
    on_prompt: list[PromptResult]  # results of several agents, if one prompt is shown
    attempt_count: int
    parts: list[ScorePart]  # of class work: the group's part and the participant's own part
    is_undecided: bool  # missing marks could have changed the verdict
    readings: list[ReadingReport]  # second readings, oldest first
    appeal: Appeal | None
    may_appeal: bool
    appeal_text: str = ""  # of a form that was refused
    appeal_fault: str = ""

    @property
    def evaluation_name(self) -> str:
        return self.evaluation.title or self.evaluation.name

    @property
    def heading(self) -> str:
        return f"{self.evaluation_name} – Prompt: {self.prompt}" if self.prompt else self.result.agent_name

    @property
    def title(self) -> str:
        """The title of the dialog, which must be clear without the page around it."""
        of_prompt = f" – Prompt: {self.prompt}" if self.prompt else ""
        return f"Session transcript for {self.result.agent_name}, {self.evaluation_name}{of_prompt}"

    @property
    def is_criteria_alone(self) -> bool:
        """Whether there is no conversation. The criteria then take its place on the page."""
        return bool(self.criteria.all) and not self.handed_in and self.transcript.session is None

    @property
    def evidence_is_answer(self) -> bool:
        return is_answer_in_criteria(self.evaluation)

    @property
    def own_cell(self) -> Cell | None:
        """This result's marks for the prompt that is shown."""
        return next(line.cell for line in self.on_prompt if line.id == self.result.id)

    @property
    def steps(self) -> Steps:
        ids = [line.id for line in self.on_prompt or self.attempts]
        at = ids.index(self.result.id)
        return Steps(ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None)

    @property
    def here_path(self) -> str:
        return result_address(self.result.id)

    @property
    def order(self) -> str:
        """The order in which the previous and the next one stand."""
        if self.prompt:
            return "Agents, best first"
        return "Attempts, newest first" if self.result.score is None else "Attempts by score, best first"

    def here(self, **query: object) -> str:
        """Return an address of this result, with the same prompt if one is shown."""
        return result_address(self.result.id, **({"version": self.version, "prompt": self.prompt} | query))

    def at(self, result_id: str) -> str:
        """Return the address of another result, with the same prompt if one is shown."""
        return result_address(result_id, version=self.version, prompt=self.prompt)

    @property
    def at_all(self) -> str:
        return result_address(self.result.id, version=self.version)

    @property
    def all_attempts(self) -> str:
        query = address("", version=self.version, sort="-score")
        return f"/evaluations/{path_part(self.result.evaluation_id)}{query}#results"

    def message_address(self, sequence: int) -> str:
        """Return the address of the page that contains the message."""
        return self.here(message=sequence)

    def compare_address(self, result_id: str) -> str:
        return address("/evaluations/compare", a=self.result.id, b=result_id)


def result_address(result_id: str, **query: object) -> str:
    return address(f"/evaluations/result/{path_part(result_id)}", **query)


@get("/evaluations/result/{result_id:str}")
async def show_result(request: Request, result_id: str) -> Response[str]:
    where = ConversationView(word(request, "prompt"), count(request, "after"), count(request, "message"))
    version = word(request, "version")
    template = PAGE_PARTS.get(word(request, "part"), "results/show.html")

    def read(db: Connection) -> ResultPage:
        return result_page(db, hub_of(request), result_id, where, version, pages.frame_of(request).viewer)

    return await pages.show(request, template, read)


async def show_with_fault(request: Request, result_id: str, appeal_text: str, fault: str, status: int) -> Response[str]:
    """Show the result with an appeal that was refused."""

    def read(db: Connection) -> ResultPage:
        viewer = pages.frame_of(request).viewer
        page = result_page(db, hub_of(request), result_id, ConversationView("", 0, 0), "", viewer)
        return replace(page, appeal_text=appeal_text, appeal_fault=fault)

    return await pages.show(request, "results/show.html", read, status)


def result_page(
    db: Connection,
    hub: HubFacts,
    result_id: str,
    where: ConversationView,
    version: str = "",
    viewer: Agent | None = None,
) -> ResultPage:
    """Read the result. `version` filters the attempts list if it is the result's own version."""
    stored, current = visibility.get_result(db, result_id, viewer)
    result = revealing.show_result(db, hub, stored, viewer, current)
    version = version if version == result.evaluation_version else ""
    evaluation = catalogue.at_known_version(db, current, result.evaluation_version)
    criteria = criteria_of(result.result_data, evaluation.config)
    handed_in = read_handed_in(db, evaluation, result)
    data = result.result_data or {}
    return ResultPage(
        result=result,
        evaluation=evaluation,
        version=version,
        prompt=where.prompt,
        prompts=list(dict.fromkeys([*(probe.id for probe in handed_in), *criteria.prompts]))[:PROMPTS_SHOWN],
        transcript=transcript_of(db, result, evaluation, where, viewer),
        handed_in=[probe for probe in handed_in if where.prompt in ("", probe.id)],
        criteria=criteria.of_prompt(where.prompt) if where.prompt else criteria,
        judges=judges_of(result),
        names=agents.names(db, markers_in(criteria)),
        other_data={} if where.prompt else rest_of(result, criteria),
        attempts=[]
        if where.prompt
        else neighbours.list_neighbours(db, result, ATTEMPTS_SHOWN, of_version=bool(version)),
        on_prompt=list_prompt_results(db, result, where.prompt) if where.prompt else [],
        attempt_count=store.tally(db, result.evaluation_id, version or None, neighbours.scope_around(result)).attempts,
        parts=parts_in(data),
        is_undecided=data.get("is_undecided") is True,
        readings=reading_reports.list_reports(db, result, with_feedback=result.shows == "all"),
        appeal=appealing.find_shown(db, result, viewer),
        may_appeal=appealing.may_appeal(db, result, viewer),
    )
