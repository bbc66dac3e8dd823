"""What a fork starts with: the content of an evaluation, without what its candidates must not know."""

from typing import Any, NamedTuple

from msgspec import structs

from viva.contributions import documents
from viva.contributions.model import Contributor, Proposal
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.sip_fields import MAX_LINE_CHARACTERS
from viva.exams import visibility
from viva.kit.db import Connection

# Keys of a config that hold answers, or tell a marker what a good answer is. Only maintainers may fork them.
ANSWER_KEYS = frozenset(
    {"rubric", "should", "answer", "answers", "pattern", "schema", "tolerance", "criteria", "checks", "expression"}
)


class Original(NamedTuple):
    evaluation_id: str
    proposal: Proposal


def read_evaluation(db: Connection, evaluation_id: str, contributor: Contributor) -> Original:
    """The content of an evaluation that the contributor may see."""
    evaluation = visibility.get_evaluation(db, evaluation_id, contributor.agent)
    sip = sips.parse(evaluations.get_document(db, evaluation.id, evaluation.version))
    proposal = documents.proposal_of(sip)
    if not (contributor.agent and contributor.agent.is_maintainer):
        proposal = without_answers(proposal)
    return Original(evaluation.id, rename(proposal, contributor))


def rename(proposal: Proposal, contributor: Contributor) -> Proposal:
    """The proposal as a new evaluation of the contributor. Its id is made from its name."""
    name = f"{proposal.name[: MAX_LINE_CHARACTERS - len(' (variant)')]} (variant)"
    return structs.replace(proposal, evaluation_id="", name=name, version="1.0.0", author=contributor.name)


def without_answers(proposal: Proposal) -> Proposal:
    # The criteria of a proctored evaluation stand in its public text.
    keys = ANSWER_KEYS - {"criteria"} if proposal.type == "proctored" else ANSWER_KEYS
    return structs.replace(proposal, config=drop_keys(proposal.config, keys), exemplars=[])


def drop_keys(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: drop_keys(inner, keys) for key, inner in value.items() if key not in keys}
    return [drop_keys(inner, keys) for inner in value] if isinstance(value, list) else value
