"""What a fork starts with: the content of an evaluation, without what its candidates must not know."""

from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct, structs

from viva.contributions import documents
from viva.contributions.model import Contributor, Proposal
from viva.evaluations import configs
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.public_text import public_body
from viva.evaluations.sip_fields import MAX_LINE_CHARACTERS, PROCTORED_RULES
from viva.exams import revealing, visibility
from viva.kit.db import Connection

# Keys of a config that hold answers, or tell a marker what a good answer is. Only maintainers may fork them, and keys
# that no config knows: anything may stand there.
ANSWER_KEYS = frozenset(
    {"rubric", "should", "answer", "answers", "pattern", "schema", "tolerance", "criteria", "checks", "expression"}
    | {"guidance", "script", "expect"}
)
ITEM_KEYS = frozenset({"questions", "prompts", "challenge", "task"})  # what an attempt is given; nobody sees it before

NAMED_BY_AUTHOR = frozenset({"draw", "parameters"})  # keys whose value has keys of the author's own: topics and names


class Original(NamedTuple):
    evaluation_id: str
    proposal: Proposal


def read_evaluation(db: Connection, evaluation_id: str, contributor: Contributor) -> Original:
    """The content of an evaluation that the contributor may see."""
    evaluation = visibility.get_evaluation(db, evaluation_id, contributor.agent)
    sip = sips.parse(evaluations.get_document(db, evaluation.id, evaluation.version))
    proposal = documents.proposal_of(sip)
    if not revealing.sees_everything(db, evaluation, contributor.agent):
        is_open = not revealing.disclose(db, evaluation, None, contributor.agent).hides_texts
        proposal = without_answers(proposal, with_items=is_open)
    return Original(evaluation.id, rename(proposal, contributor))


def rename(proposal: Proposal, contributor: Contributor) -> Proposal:
    """The proposal as a new evaluation of the contributor. Its id is made from its name."""
    name = f"{proposal.name[: MAX_LINE_CHARACTERS - len(' (variant)')]} (variant)"
    return structs.replace(proposal, evaluation_id="", name=name, version="1.0.0", author=contributor.name)


def without_answers(proposal: Proposal, with_items: bool = True) -> Proposal:
    """The proposal as candidates may know it. Without `with_items` it has no questions or probes: they are in use."""
    # The names of a proctored evaluation's criteria are public.
    hidden = ANSWER_KEYS - {"criteria"} if proposal.type == "proctored" else ANSWER_KEYS
    hidden |= frozenset() if with_items else ITEM_KEYS
    if proposal.type == "simple_pass_fail":
        hidden |= {"parameters"}  # of contributed code, which may compare an answer with them
    return structs.replace(
        proposal,
        config=keep_keys(proposal.config, list_config_keys() - hidden),
        exemplars=[],
        body=public_body(proposal.type, proposal.body),
    )


@cache
def list_config_keys() -> frozenset[str]:
    """Every key that a config of any type knows, at any depth."""
    kinds = [kind for kind in vars(configs).values() if isinstance(kind, type) and issubclass(kind, Struct)]
    names = {field.encode_name for kind in kinds for field in structs.fields(kind)}
    return frozenset(names | PROCTORED_RULES.keys() | {"kind"})


def keep_keys(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: inner if key in NAMED_BY_AUTHOR else keep_keys(inner, keys)
            for key, inner in value.items()
            if key in keys
        }
    return [keep_keys(inner, keys) for inner in value] if isinstance(value, list) else value
