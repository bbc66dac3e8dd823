"""Who sees which answers. Every way out of the hub asks here: pages, lists, exports, sums of results.

Answers to items that are in use are for their candidate, for those who examine, and for maintainers. They become public
when the version is retired and the current one no longer asks the same, unless the SIP says `always` or `never`."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from msgspec import structs

from viva.agents.model import Agent
from viva.evaluations import catalogue, items
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.evaluations.public_text import marker_body, public_body
from viva.evaluations.published_digest import digest_key
from viva.exams import appointments, authors, qualifying, store
from viva.exams.handlers.traits import traits_of
from viva.exams.model import HubFacts, ProctorPolicy
from viva.exams.redacting import (
    ALL_HIDDEN,
    NOTHING_HIDDEN,
    HiddenItems,
    VisiblePart,
    hides_feedback,
    redact_data,
)
from viva.kit.db import Connection
from viva.results.markers import proctors_of
from viva.results.model import NamedResult
from viva.sessions import store as sessions

DEFAULT_REVEAL = "on_retirement"
CLOSED_STATUS = "retired"


class ShownResult(NamedResult, frozen=True):
    """A result as somebody may see it. `shows` is `all`; `own` for the candidate of items in use, without the words of
    markers; or `marks`, without answers. `evaluation_digest` is keyed; `evaluation_digest_key` is the id of its key."""

    evaluation_digest_key: str | None
    shows: VisiblePart


DIGEST, DATA, FEEDBACK = map(
    NamedResult.__struct_fields__.index, ("evaluation_digest", "result_data", "proctor_feedback")
)


class Disclosure(NamedTuple):
    """What one viewer sees of the results of one version."""

    handler: str
    hidden: HiddenItems
    sees_all: bool
    viewer_id: str | None

    def part_of(self, agent_id: str, proctor_ids: Collection[str]) -> VisiblePart:
        """Which part of a result the viewer sees. Whoever marked it has read it already."""
        if self.sees_all or not self.hidden or self.viewer_id in proctor_ids:
            return "all"
        return "own" if self.viewer_id == agent_id else "marks"

    @property
    def hides_texts(self) -> bool:
        """Whether sums of results have to leave out texts of criteria, and what markers wrote."""
        return bool(self.hidden) and not self.sees_all

    @property
    def hides_feedback(self) -> bool:
        return hides_feedback(self.handler, self.hidden, "all" if self.sees_all else "marks")


def reveal_of(evaluation: Evaluation) -> str:
    return str(evaluation.config.get("reveal", DEFAULT_REVEAL))


def disclose(db: Connection, current: Evaluation, version: str | None, viewer: Agent | None) -> Disclosure:
    """What the viewer sees of a version; None stands for all versions, which hide what the current one hides."""
    hidden = find_hidden(db, current, version)
    sees_all = bool(hidden) and sees_everything(db, current, viewer)
    return Disclosure(current.handler, hidden, sees_all, viewer.id if viewer else None)


def find_hidden(db: Connection, current: Evaluation, version: str | None) -> HiddenItems:
    if not traits_of(current.handler).hides_answers:
        return ALL_HIDDEN if reveal_of(current) == "never" else NOTHING_HIDDEN
    old = find_version(db, current, version)
    if reveal_of(old) == "never":
        return ALL_HIDDEN
    if current.status == CLOSED_STATUS or reveal_of(current) == "always":
        return NOTHING_HIDDEN
    if old.version == current.version or store.is_being_taken(db, current.id, old.version):
        return NOTHING_HIDDEN if reveal_of(old) == "always" else ALL_HIDDEN
    return HiddenItems(items.ids_still_asked(old, current))


def find_version(db: Connection, current: Evaluation, version: str | None) -> Evaluation:
    """The evaluation in that version. A version without a document counts as the current one."""
    try:
        return catalogue.at_version(db, current, version)
    except evaluations.NoSuchVersion:
        return current


def sees_everything(db: Connection, evaluation: Evaluation, viewer: Agent | None) -> bool:
    """Whether the viewer sees answers, rubric and procedure: a maintainer; or its author or an appointed proctor, unless
    sitting the exam."""
    if viewer is None:
        return False
    if viewer.is_maintainer:
        return True
    is_chosen = authors.is_author(db, evaluation.id, viewer.id) or appointments.is_appointed(
        db, viewer.id, evaluation.id
    )
    return is_chosen and not store.find_open(db, viewer.id, evaluation.id)


class ResultView:
    """Shows results to one viewer. What is known of a version is read once."""

    def __init__(self, db: Connection, secret: bytes, viewer: Agent | None, *current: Evaluation) -> None:
        self.db = db
        self.key = digest_key(secret)
        self.viewer = viewer
        self.known: dict[tuple[str, str], Disclosure] = {}
        self.evaluations = {evaluation.id: evaluation for evaluation in current}

    def disclosure_of(self, evaluation_id: str, version: str) -> Disclosure:
        place = (evaluation_id, version)
        if place not in self.known:
            if evaluation_id not in self.evaluations:
                self.evaluations[evaluation_id] = evaluations.get(self.db, evaluation_id)
            self.known[place] = disclose(self.db, self.evaluations[evaluation_id], version, self.viewer)
        return self.known[place]

    def show(self, result: NamedResult) -> ShownResult:
        disclosure = self.disclosure_of(result.evaluation_id, result.evaluation_version)
        values = list(structs.astuple(result))  # in this order, a new struct takes half the time that it takes by name
        digest = values[DIGEST]
        values[DIGEST] = self.key.publish(digest)
        part: VisiblePart = "all"
        if disclosure.hides_texts:
            part = disclosure.part_of(result.agent_id, proctors_of(result.proctor_agent_id, result.result_data))
            values[DATA] = redact_data(result.result_data, disclosure.handler, disclosure.hidden, part)
            if hides_feedback(disclosure.handler, disclosure.hidden, part):
                values[FEEDBACK] = None
        values += [self.key.id if digest else None, part]
        return ShownResult(*values)


def show_result(
    db: Connection, hub: HubFacts, result: NamedResult, viewer: Agent | None, *current: Evaluation
) -> ShownResult:
    """The result as the viewer may see it. Evaluations that the caller has read already need not be read again."""
    return ResultView(db, hub.secret, viewer, *current).show(result)


def show_results(
    db: Connection, hub: HubFacts, results: Iterable[NamedResult], viewer: Agent | None, *current: Evaluation
) -> list[ShownResult]:
    view = ResultView(db, hub.secret, viewer, *current)
    return [view.show(result) for result in results]


def shown_body(
    db: Connection,
    policy: ProctorPolicy,
    current: Evaluation,
    evaluation: Evaluation,
    viewer: Agent | None,
    sees_all: bool | None = None,
) -> str:
    """The text of a version as the viewer may read it. A new version mostly keeps the procedure of the one before it,
    so the sections for proctors and markers stay hidden until the evaluation is closed. `sees_all` is what
    `sees_everything` says, if the caller has asked it."""
    if reads_procedure(db, policy, current, viewer, sees_all):
        return marker_body(evaluation)
    return public_body(evaluation.type, evaluation.body)


def reads_procedure(
    db: Connection, policy: ProctorPolicy, current: Evaluation, viewer: Agent | None, sees_all: bool | None = None
) -> bool:
    """Whether the viewer reads what is for proctors: a qualified one does while it holds a claim."""
    if current.status == CLOSED_STATUS and reveal_of(current) != "never":
        return True
    if viewer is None:
        return False
    if sees_everything(db, current, viewer) if sees_all is None else sees_all:
        return True
    return is_examining(db, current, viewer) and qualifying.assess(db, policy, current.id, viewer, None).official


def is_examining(db: Connection, evaluation: Evaluation, viewer: Agent) -> bool:
    """Whether the viewer holds a claim, and is not a candidate of the evaluation itself."""
    claims = [each for each in sessions.list_proctored_by(db, viewer.id) if each.evaluation_id == evaluation.id]
    return bool(claims) and not store.find_open(db, viewer.id, evaluation.id)
