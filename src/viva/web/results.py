"""The page of one result: what was said, and why this verdict."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, visibility
from viva.exams.handlers.transcripts import ProbeConversation
from viva.kit.db import Connection
from viva.results import neighbours, store
from viva.results.matrix import Cell
from viva.results.model import NamedResult
from viva.results.neighbours import AttemptLine
from viva.results.prompt_results import PromptResult, list_prompt_results
from viva.web import pages
from viva.web.conversations import ConversationView, TranscriptView, transcript_of
from viva.web.criteria import ShownCriteria, criteria_of
from viva.web.handed_in import is_answer_in_criteria, shown_of
from viva.web.queries import count, word
from viva.web.verdicts import ScorePart, judges_of, markers_in, parts_in, rest_of
from viva.web.wording import address, path_part

ATTEMPTS_SHOWN = 11  # few enough to see this one among them
PROMPTS_SHOWN = 100
PAGE_PARTS = {"session": "results/_session.html"}  # what can be had alone, to be shown over another page


class Steps(NamedTuple):
    """The results before and after this one in the list beside it."""

    previous: str | None
    next: str | None


@dataclass(frozen=True)
class ResultPage:
    result: NamedResult
    evaluation: Evaluation  # as it was in the result's version
    version: str  # the one among whose attempts it is shown, or nothing
    prompt: str  # the one prompt that is shown, or nothing
    prompts: list[str]  # all there are
    transcript: TranscriptView
    handed_in: list[ProbeConversation]
    criteria: ShownCriteria
    judges: list[str]  # models, where no proctor decided
    names: dict[str, str]  # of the proctors who marked, by their ids
    other_data: dict[str, Any]
    attempts: list[AttemptLine]  # around this one, where all of it is shown
    on_prompt: list[PromptResult]  # this one and others', where one prompt is
    attempt_count: int
    parts: list[ScorePart]  # of class work: the group's and the participant's own
    is_undecided: bool  # marks that are missing could have turned the verdict

    @property
    def evaluation_name(self) -> str:
        return self.evaluation.title or self.evaluation.name

    @property
    def heading(self) -> str:
        return f"{self.evaluation_name} – Prompt: {self.prompt}" if self.prompt else self.result.agent_name

    @property
    def title(self) -> str:
        """What a reader is told who cannot see what stands around it."""
        of_prompt = f" – Prompt: {self.prompt}" if self.prompt else ""
        return f"Session transcript for {self.result.agent_name}, {self.evaluation_name}{of_prompt}"

    @property
    def is_criteria_alone(self) -> bool:
        """Whether there is nothing to read but the criteria, which then have the room of the conversation."""
        return bool(self.criteria.all) and not self.handed_in and self.transcript.session is None

    @property
    def evidence_is_answer(self) -> bool:
        return is_answer_in_criteria(self.evaluation)

    @property
    def own_cell(self) -> Cell | None:
        """What the result has for the prompt that is shown."""
        return next(line.cell for line in self.on_prompt if line.id == self.result.id)

    @property
    def steps(self) -> Steps:
        ids = [line.id for line in self.on_prompt or self.attempts]
        at = ids.index(self.result.id)
        return Steps(ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None)

    def here(self, **query: object) -> str:
        """An address of this result, of the same prompt if one is shown."""
        return result_address(self.result.id, **({"version": self.version, "prompt": self.prompt} | query))

    def at(self, result_id: str) -> str:
        """Another result's address, at the same prompt if one is shown."""
        return result_address(result_id, version=self.version, prompt=self.prompt)

    @property
    def at_all(self) -> str:
        return result_address(self.result.id, version=self.version)

    @property
    def all_attempts(self) -> str:
        query = address("", version=self.version, sort="-score")
        return f"/evaluations/{path_part(self.result.evaluation_id)}{query}#results"

    def message_address(self, sequence: int) -> str:
        """An address that shows the message, wherever in the conversation it stands."""
        return self.here(message=sequence)

    def compared_with(self, result_id: str) -> str:
        return address("/evaluations/compare", a=self.result.id, b=result_id)


def result_address(result_id: str, **query: object) -> str:
    return address(f"/evaluations/result/{path_part(result_id)}", **query)


@get("/evaluations/result/{result_id:str}")
async def show_result(request: Request, result_id: str) -> Response[str]:
    where = ConversationView(word(request, "prompt"), count(request, "after"), count(request, "message"))
    version = word(request, "version")
    template = PAGE_PARTS.get(word(request, "part"), "results/show.html")

    def read(db: Connection) -> ResultPage:
        return result_page(db, result_id, where, version, pages.frame_of(request).viewer)

    return await pages.show(request, template, read)


def result_page(
    db: Connection, result_id: str, where: ConversationView, version: str = "", viewer: Agent | None = None
) -> ResultPage:
    """Among the attempts of its version if that was asked for, else among those of all."""
    result, current = visibility.get_result(db, result_id, viewer)
    version = version if version == result.evaluation_version else ""
    evaluation = catalogue.at_known_version(db, current, result.evaluation_version)
    criteria = criteria_of(result.result_data, evaluation.config)
    handed_in = shown_of(evaluation, attempts.find_of(db, result.registration_id))
    data = result.result_data or {}
    return ResultPage(
        result=result,
        evaluation=evaluation,
        version=version,
        prompt=where.prompt,
        prompts=list(dict.fromkeys([*(probe.id for probe in handed_in), *criteria.prompts]))[:PROMPTS_SHOWN],
        transcript=transcript_of(db, result, evaluation, where),
        handed_in=[probe for probe in handed_in if where.prompt in ("", probe.id)],
        criteria=criteria.of_prompt(where.prompt) if where.prompt else criteria,
        judges=judges_of(result),
        names=agents.names(db, markers_in(criteria)),
        other_data={} if where.prompt else rest_of(result, criteria),
        attempts=[]
        if where.prompt
        else neighbours.list_neighbours(db, result, ATTEMPTS_SHOWN, of_version=bool(version)),
        on_prompt=list_prompt_results(db, result, where.prompt) if where.prompt else [],
        attempt_count=store.tally(db, result.evaluation_id, version or None).attempts,
        parts=parts_in(data),
        is_undecided=data.get("is_undecided") is True,
    )
