"""The private companion of a SIP: what it may hold, how it is merged, and what a split keeps back."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import make
from viva.config import SHIPPED_SIPS
from viva.evaluations import catalogue, companions, sip_yaml, store
from viva.evaluations import sip as sips
from viva.evaluations.sip import Executable, Sip
from viva.evaluations.sip_yaml import InvalidSip

QUESTION = {"id": "tea", "kind": "exact", "text": "Which tea?", "answers": ["oolong"]}
SHIPPED = [sips.parse(path.read_text()) for path in sorted(SHIPPED_SIPS.glob("SIP-*.md"))]
PRIVATE_WORDS = (
    "answer:",
    "answers:",
    "pattern:",
    "schema:",
    "tolerance:",
    "rubric:",
    "should:",
    "guidance:",
    "exemplars:",
)


def quiz(**changes: Any) -> Sip:
    fields = {"sip": 42, "id": "tea", "type": "complex_benchmark", "executable": Executable("benchmark", None)}
    return make.sip(**{**fields, "config": {"questions": [QUESTION]}, **changes})


def write(folder: Path, sip: Sip, keys: str | None) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"SIP-{sip.sip}.md").write_text(companions.render_public(sip))
    if keys is not None:
        (folder / f"SIP-{sip.sip}.keys.yaml").write_text(keys)


@pytest.mark.parametrize("sip", SHIPPED, ids=lambda sip: sip.id)
def test_split_and_merged_again_a_sip_is_the_same_and_its_public_part_has_no_key(sip: Sip, tmp_path: Path):
    write(tmp_path, sip, companions.render_keys(sip))
    public = (tmp_path / f"SIP-{sip.sip}.md").read_text()

    merged = companions.parse_with_companion(tmp_path / f"SIP-{sip.sip}.md", public)

    assert sips.digest(merged) == sips.digest(sip)
    assert merged.exemplars == sip.exemplars
    assert merged.body == sip.body
    front = public.partition("\n---\n")[0]
    assert not [word for word in PRIVATE_WORDS if f"\n  {word}" in front or f" {word}" in front]


def test_a_sync_reads_the_companion_beside_the_sip_or_in_another_folder_of_the_hub(db, tmp_path):
    ours, data = tmp_path / "ours", tmp_path / "data"
    write(ours, quiz(), None)
    write(data, quiz(), companions.render_keys(quiz()))
    (data / "SIP-42.md").unlink()

    assert catalogue.sync(db, [ours, data]) == []
    assert store.get(db, "tea").config["questions"] == [QUESTION]


def test_without_its_companion_a_sip_is_refused_and_says_what_is_missing(db, tmp_path):
    write(tmp_path, quiz(), None)

    (refused,) = catalogue.sync(db, [tmp_path])

    assert [fault.field for fault in refused.error.faults] == ["config.questions[0].answers"]


def test_a_companion_of_another_evaluation_is_left_alone(db, tmp_path):
    write(
        tmp_path, quiz(), yaml.safe_dump({"id": "coffee", "config": {"questions": [{"id": "tea", "answers": ["no"]}]}})
    )

    (refused,) = catalogue.sync(db, [tmp_path])

    assert "answers" in str(refused.error)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"config": {"questions": [{"id": "milk", "answers": ["no"]}]}}, "a row that the SIP does not have"),
        ({"config": {"questions": [{"id": "tea", "text": "Another?"}]}}, "stands in the SIP and in its companion"),
        ({"name": "Another"}, "id, config, exemplars and sections"),
        ({"sections": [{"heading": "Answers", "text": "Oolong."}]}, "section Answers .* has no empty place"),
        ({"sections": ["Oolong."]}, "rows with heading and text"),
    ],
)
def test_a_companion_never_replaces_what_is_public(tmp_path, keys, message):
    write(tmp_path, quiz(), yaml.safe_dump(keys))
    path = tmp_path / "SIP-42.md"

    with pytest.raises(InvalidSip, match=message):
        companions.merge_companion(path, sip_yaml.read(path.read_text()))


SECTIONED = "Tea.\n\n## Procedure\n\nAsk twice.\n\n```md\n## Not a heading\n```\n\n## How to take part\n\nSay hello.\n\n## Answer key\n\nOolong.\n\n## Answer key\n\n  Sencha.  \n"


def test_the_public_body_has_no_section_that_gives_answers_and_the_companion_brings_them_back(tmp_path):
    sip = make.sip(sip=42, id="tea", type="proctored", body=SECTIONED)
    write(tmp_path, sip, companions.render_keys(sip))
    public = (tmp_path / "SIP-42.md").read_text()

    assert not [word for word in ("Ask twice", "Not a heading", "Oolong", "Sencha") if word in public]
    assert "Say hello." in public
    assert companions.parse_with_companion(tmp_path / "SIP-42.md", public).body == SECTIONED


def test_sections_of_a_companion_written_by_hand_go_below_their_empty_heading(tmp_path):
    sip = make.sip(sip=42, id="tea", type="complex_benchmark", body="## Answers\n\n## Thanks\n\nGoodbye.\n")
    write(tmp_path, sip, yaml.safe_dump({"id": "tea", "sections": [{"heading": "Answers", "text": "Oolong."}]}))
    path = tmp_path / "SIP-42.md"

    merged = companions.merge_companion(path, sip_yaml.read(path.read_text()))

    assert merged.body == "## Answers\n\nOolong.\n\n## Thanks\n\nGoodbye.\n"


def test_the_parameters_of_contributed_code_are_private():
    config = {"minutes": 5, "parameters": {"secret": "oolong"}}
    sip = make.sip(type="simple_pass_fail", config=config, executable=Executable("contributed.tea", None))

    assert "oolong" not in companions.render_public(sip)
    assert "oolong" in (companions.render_keys(sip) or "")


def test_the_code_of_a_handler_may_be_where_companions_are(db, tmp_path):
    ours, data = tmp_path / "ours", tmp_path / "data"
    sip = make.sip(sip=42, id="tea", type="simple_pass_fail", config={}, executable=Executable("contributed.tea", None))
    write(ours, sip, None)
    data.mkdir()
    (data / "SIP-42.py").write_text("def decide(submission, challenge, config):\n    return {'passed': True}\n")

    assert catalogue.sync(db, [ours], [data]) == []
