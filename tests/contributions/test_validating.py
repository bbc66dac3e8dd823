"""Validation spares work: a plain document is not written and read again, and an outcome is used once more."""

from typing import Any

import pytest

from tests import make
from tests.contributions.proposals import by_agent, by_mail, proposal
from tests.contributions.submitted import maintainer
from viva.contributions import documents, drafting, kept_validations, store
from viva.contributions.model import Validation
from viva.contributions.validating import (
    MAX_LINE_MARGIN,
    document_faults,
    is_surely_readable,
    validate,
    validate_with,
)
from viva.evaluations import sip as sips
from viva.evaluations import sip_yaml
from viva.evaluations.sip import Sip
from viva.evaluations.validation import KnownCatalogue
from viva.kit.db import Connection


def sip_with(config: Any, body: str = "Text.") -> Sip:
    return documents.sip_of(proposal(config=config, body=body), 0, "draft")


@pytest.mark.parametrize(
    "text", ["plain", "yes", "- a\n  b", "---\n", "a: b # c", "'\"\\", "\t", "e\r\n", "é 😀", " ", "\n\n", "k" * 2000]
)
def test_a_plain_document_is_what_is_read_from_it(text: str) -> None:
    config = {"x": text, text: [text, {"deep": text}], "n": [1, -2.5, True, None, {}, []]}
    sip = sip_with(config, text)
    assert is_surely_readable(sip)
    assert sip_yaml.read(sips.render(sip)) == (sips.front_of(sip), sip.body)


def test_the_estimate_is_never_below_the_size() -> None:
    """The worst growth: escapes of 10 bytes for characters of 4, and short lines at the deepest level."""
    for value in ("😀\x20\n" * 15_000, "'\n" * 15_000, ["😀 \n"] * 3_000):
        config: Any = value
        for _ in range(17):
            config = {"k": config}
        sip = sip_with(config)
        assert not is_surely_readable(sip) or len(sips.render(sip).encode()) < sip_yaml.MAX_SIP_BYTES
    assert MAX_LINE_MARGIN > 2 * 21


@pytest.mark.parametrize(
    ("config", "body"),
    [
        ({"x": "\0"}, ""),
        ({"x": "\ud800"}, ""),
        ({"x": 2**64}, ""),
        ({"x": float("nan")}, ""),
        ({"x": "long " * 250_000}, ""),
        ({"x": 1}, "\0"),
        ({"x": 1}, "long " * 250_000),
    ],
)
def test_what_cannot_be_read_again_is_a_fault(config: Any, body: str) -> None:
    assert list(document_faults(sip_with(config, body)))


def test_an_outcome_is_kept_only_for_the_same_proposal_and_catalogue() -> None:
    known = KnownCatalogue()
    sound = validate_with(known, proposal())
    assert kept_validations.find_kept(proposal(), known) is sound
    assert kept_validations.find_kept(proposal(points=11), known) is None
    assert kept_validations.find_kept(proposal(), KnownCatalogue(versions={"other": "1.0.0"})) is None


def test_a_draft_that_changed_after_its_validation_is_validated_again(db: Connection) -> None:
    draft = drafting.create(db, make.HALL, proposal(), by_mail()).contribution
    assert validate(db, draft).is_valid
    assert not validate(db, store.save(db, draft.id, proposal(name=""), 1)).is_valid


def test_another_module_or_department_is_a_warning_for_contributors_and_fine_for_maintainers(db: Connection) -> None:
    own = proposal(module="kitchen", department="Tea room")
    ada, mia = make.agent(db, "ada"), maintainer(db)

    drafts = [
        drafting.create(db, make.HALL, own, who).contribution for who in (by_mail(), by_agent(ada), by_agent(mia))
    ]
    codes = [[problem.code for problem in validate(db, draft).warnings] for draft in drafts]

    assert codes == [["UNKNOWN_MODULE", "UNKNOWN_DEPARTMENT"]] * 2 + [[]]


def test_the_oldest_outcome_is_dropped() -> None:
    known = KnownCatalogue()
    for points in range(kept_validations.MAX_KEPT_VALIDATIONS + 1):
        kept_validations.keep(proposal(points=points), known, Validation(True, [], []))
    assert kept_validations.find_kept(proposal(points=0), known) is None
    assert kept_validations.find_kept(proposal(points=points), known)
