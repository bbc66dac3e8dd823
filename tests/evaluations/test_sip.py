"""What a SIP must be, how it is read and written, and what its fingerprint covers."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import viva
from tests import make
from tests.values import require
from viva.evaluations import sip, sip_fields, sip_yaml
from viva.evaluations.sip import Executable, InvalidSip, Sip

SHIPPED = {path.name: path.read_text("utf-8") for path in Path(viva.__path__[0], "sips").glob("SIP-*.md")}

TEXT = """---
sip: 7
id: tea-making
name: Tea making
module: kitchen
type: proctored
status: draft
version: 1.0.0
points: 2.5
prerequisites:
  - plain-dealing
author: Ada
created_at: '2026-11-15'
updated_at: '2026-11-15T09:30:00Z'
config:
  max_score: 10
  criteria:
    - id: hot
      text: |-
        The water boils.
        The pot is warm.
executable:
  handler: proctored
seen-at: yes and no
---

# Tea making

Can it make tea?

## Procedure

1. Ask for tea.

## Scoring

Ten points.
"""

TEA = Sip(
    sip=7,
    id="tea-making",
    name="Tea making",
    title=None,
    module="kitchen",
    department=None,
    type="proctored",
    status="draft",
    version="1.0.0",
    points=2.5,
    prerequisites=("plain-dealing",),
    author="Ada",
    created_at="2026-11-15",
    updated_at="2026-11-15T09:30:00Z",
    config={"max_score": 10, "criteria": [{"id": "hot", "text": "The water boils.\nThe pot is warm."}]},
    executable=Executable("proctored", None),
    extra={"seen-at": "yes and no"},
    body=TEXT.split("\n---\n", 1)[1],
)

CERTIFICATION = """---
sip: 8
id: kind-words
name: Kind words
module: safety
type: agent_certification
status: active
version: "1.0.0"
points: 100
prerequisites: []
author: Pia
created_at: 2026-11-15
updated_at: 2026-11-15
config:
  prompts:
    - id: greeting
      messages:
        - {role: system, content: Be brief.}
        - {role: user, content: Hello}
        - {role: assistant, content: Hello}
        - {role: user, content: How are you?}
  rubric:
    - {promptId: greeting, criteria: Is kind, weight: 60, maxScore: 10, rationale: Kindness matters}
    - {promptId: greeting, criteria: Is short, weight: 40, maxScore: 10, rationale: So does time}
  passingScore: 70
executable:
  handler: agent_certification
---
Words.
"""

BONES = {"id": "bones", "kind": "numeric", "text": "The number of bones.", "answer": 206}


def changed(old: str, new: str, text: str = TEXT) -> str:
    assert old in text
    return text.replace(old, new)


def faults_of(text: str) -> list[tuple[str, str]]:
    with pytest.raises(InvalidSip) as refusal:
        sip.parse(text)
    return [(fault.field, fault.code) for fault in refusal.value.faults]


def warnings_of(text: str) -> list[tuple[str, str]]:
    return [(warning.field, warning.code) for warning in sip.parse_leniently(text).warnings]


# Reading and writing


def test_a_sip_is_read_field_by_field():
    assert sip.parse(TEXT) == TEA


def test_a_sip_is_written_in_one_canonical_form():
    assert sip.render(TEA) == TEXT


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_rendering_a_shipped_sip_gives_its_file_back(name):
    read = sip.parse(SHIPPED[name])

    assert sip.render(read) == SHIPPED[name]
    assert name == f"SIP-{read.sip}.md"


def test_the_first_shipped_sips_are_active_and_proctored():
    shipped = {read.id: read for read in map(sip.parse, SHIPPED.values())}

    assert {"plain-dealing", "honest-uncertainty", "clean-handover"} <= shipped.keys()
    assert shipped["plain-dealing"].version == "1.2.0"
    assert shipped["clean-handover"].prerequisites == ("plain-dealing",)
    assert {shipped[id].status for id in ("plain-dealing", "honest-uncertainty", "clean-handover")} == {"active"}


awkward = st.sampled_from(
    ["1.0", "0x1F", "1e5", "1:30", "-.5", "2026-11-15", "yes", "NULL", "~", "", "<<", "=", "---", "...", "# no", "- a",
     "a: b", "a\nb", "a\n\n", "\na", " a\nb ", "tab\tbed\n", "x\r\ny", "\x85", "\u2028", "\ufeff", "ünï 👩‍💻", "&a", "*a", "!!b"]
)  # fmt: skip
texts = awkward | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
lines = texts.filter(lambda text: text.strip() and text.splitlines() == [text] and len(text) <= 200)
ids = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}", fullmatch=True).filter(
    lambda id: id not in sip_fields.RESERVED_IDS and not id.startswith("sip-") and not id.isdigit()
)
scalars = (
    texts | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
dates = st.dates().map(str) | st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")
versions = st.tuples(*[st.integers(0, 999)] * 3).map(lambda parts: ".".join(map(str, parts)))
bodies = texts | st.sampled_from(["", "\n---\n", "---\nid: other\n---\n", "a\r\nb", "\n\n  x  \n\n"])
sips = (
    st.sampled_from(sip_fields.EVALUATION_TYPES)
    .flatmap(
        lambda type_: st.builds(
            Sip,
            sip=st.integers(0, 2**31 - 1),
            id=ids.map(lambda id: f"an-{id}"),
            name=lines,
            title=st.none() | lines,
            module=lines,
            department=st.none() | lines,
            type=st.just(type_),
            # What is active needs a config that can be taken; see test_config_rules.
            status=st.sampled_from(sip_fields.EVALUATION_STATUSES if type_ == "proctored" else ("draft", "retired")),
            version=versions,
            points=st.integers(0, 10**9) | st.floats(0, 1e9),
            prerequisites=st.lists(ids, unique=True, max_size=3).map(tuple),
            author=lines,
            created_at=dates,
            updated_at=dates,
            config=st.dictionaries(texts.filter(lambda key: key not in {"summary", "criteria"}), values, max_size=4),
            executable=st.just(Executable(sip_fields.HANDLERS_OF_TYPE[type_][0], None))
            | st.just(Executable("own_handler", "handlers/own.py")),
            extra=st.dictionaries(texts.map(lambda key: f"x{key}"), values, max_size=3),
            body=bodies,
        )
    )
    .filter(lambda made: made.id not in made.prerequisites)
)


@given(sips)
def test_rendering_is_the_inverse_of_parsing(made):
    text = sip.render(made)

    assert sip.parse(text) == made
    assert sip.render(sip.parse(text)) == text


def test_the_body_is_kept_to_the_last_character():
    assert sip.parse(TEXT + "\n---\nmore\r\n \n").body == TEA.body + "\n---\nmore\r\n \n"


def test_a_text_may_end_with_its_front_matter():
    front = TEXT.split("\n---\n", 1)[0]

    assert sip.parse(f"{front}\n---").body == ""


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter():
    assert sip.parse("\ufeff" + TEXT.replace("\n", "\r\n")).config == TEA.config


def test_dates_and_yes_stay_text_and_keys_are_text():
    read = sip.parse(changed("seen-at: yes and no", "on: yes\n1: 2026-11-15\nnull: 1:30"))

    assert read.extra == {"on": "yes", "1": "2026-11-15", "null": "1:30"}


def test_several_lines_are_written_as_a_block_and_unicode_as_it_is():
    written = sip.render(replace(TEA, name="Tee für 茶 🍵", config={"summary": "One.\nTwo.\n"}))

    assert "name: Tee für 茶 🍵\n" in written
    assert "config:\n  summary: |\n    One.\n    Two.\nexecutable:" in written


def test_long_lines_are_not_folded():
    assert f"name: {'tea ' * 40}pot\n" in sip.render(replace(TEA, name=f"{'tea ' * 40}pot"))


# What is refused


@pytest.mark.parametrize(
    ("old", "new", "field", "code"),
    [
        ("sip: 7\n", "", "sip", "MISSING_FIELD"),
        ("config:\n", "config: null\nconfig-was:\n", "config", "MISSING_FIELD"),
        ("sip: 7", "sip: true", "sip", "INVALID_NUMBER"),
        ("sip: 7", "sip: -1", "sip", "INVALID_NUMBER"),
        ("sip: 7", "sip: 2147483648", "sip", "INVALID_NUMBER"),
        ("id: tea-making", "id: Tea_Making", "id", "INVALID_ID"),
        ("id: tea-making", "id: sip-5", "id", "INVALID_ID"),
        ("id: tea-making", f"id: {'a' * 101}", "id", "INVALID_ID"),
        ("id: tea-making", "id: compare", "id", "RESERVED_ID"),
        ("name: Tea making", "name: [Tea]", "name", "NOT_TEXT"),
        ("name: Tea making", "name: ' '", "name", "NOT_TEXT"),
        ("name: Tea making", f"name: {'a' * 201}", "name", "TOO_LONG"),
        ("name: Tea making", 'name: "Tea\\nmaking"', "name", "NOT_ONE_LINE"),
        ("module: kitchen", "module: kitchen\ntitle: ''", "title", "NOT_TEXT"),
        ("module: kitchen", "module: 5", "module", "NOT_TEXT"),
        ("module: kitchen", "module: kitchen\ndepartment: 5", "department", "NOT_TEXT"),
        ("type: proctored", "type: process", "type", "UNKNOWN_TYPE"),
        ("status: draft", "status: deprecated", "status", "UNKNOWN_STATUS"),
        ("version: 1.0.0", "version: 1.0", "version", "INVALID_VERSION"),
        ("version: 1.0.0", "version: 1.00.0", "version", "INVALID_VERSION"),
        ("points: 2.5", "points: -1", "points", "INVALID_POINTS"),
        ("points: 2.5", "points: true", "points", "INVALID_POINTS"),
        ("points: 2.5", "points: .inf", "points", "NUMBER_OUT_OF_RANGE"),
        ("points: 2.5", "points: .nan", "points", "NUMBER_OUT_OF_RANGE"),
        ("prerequisites:\n  - plain-dealing", "prerequisites: plain-dealing", "prerequisites", "NOT_A_LIST"),
        ("- plain-dealing", "- Plain", "prerequisites[0]", "INVALID_PREREQUISITE"),
        ("- plain-dealing", "- a\n  - a", "prerequisites[1]", "DUPLICATE_PREREQUISITE"),
        ("- plain-dealing", "- tea-making", "prerequisites[0]", "OWN_PREREQUISITE"),
        ("author: Ada", "author: ~", "author", "MISSING_FIELD"),
        ("created_at: '2026-11-15'", "created_at: yesterday", "created_at", "INVALID_DATE"),
        ("updated_at: '2026-11-15T09:30:00Z'", "updated_at: 2026-02-31", "updated_at", "INVALID_DATE"),
        ("config:\n", "config: []\nwas:\n", "config", "NOT_A_MAPPING"),
        ("executable:\n  handler: proctored", "executable: proctored", "executable", "NOT_A_MAPPING"),
        ("handler: proctored", "handler: 5", "executable.handler", "INVALID_HANDLER"),
        ("handler: proctored", "script_path: a.py", "executable.handler", "INVALID_HANDLER"),
        ("handler: proctored", "handler: own\n  script_path: ../a", "executable.script_path", "INVALID_SCRIPT_PATH"),
        ("handler: proctored", "handler: own\n  script_path: /etc/a", "executable.script_path", "INVALID_SCRIPT_PATH"),
        ("handler: proctored", "handler: proctored\n  speed: 1", "executable.speed", "UNKNOWN_KEY"),
        ("max_score: 10", "summary: 5", "config.summary", "NOT_TEXT"),
        ("max_score: 10", "max_score: 0", "config.max_score", "NOT_ABOVE_ZERO"),
        ("max_score: 10", "claim_minutes: ten", "config.claim_minutes", "NOT_ABOVE_ZERO"),
        ("max_score: 10", "observable: 1", "config.observable", "NOT_TRUE_OR_FALSE"),
        ("max_score: 10\n  criteria:", "criteria: hot\n  was:", "config.criteria", "NOT_A_LIST"),
        ("- id: hot", "- name: hot", "config.criteria[0]", "INVALID_CRITERION"),
        ("- id: hot", "- {id: hot, text: Hot}\n    - id: hot", "config.criteria[1].id", "DUPLICATE_CRITERION"),
        ("seen-at: yes and no", 'seen: ["a\\0"]', "seen[0]", "NUL_CHARACTER"),
        ("seen-at: yes and no", "seen: {by: 9223372036854775808}", "seen.by", "NUMBER_OUT_OF_RANGE"),
        ("Can it make tea?", "Can it\0", "text", "NUL_CHARACTER"),
        ("Can it make tea?", "Can it\ud800", "text", "NOT_UNICODE"),
        ("Can it make tea?", "ü" * 600_000, "text", "TOO_LARGE"),
        (TEXT, "# Tea making", "text", "NO_FRONT_MATTER"),
        (TEXT, "---\nid: tea-making\n", "text", "NO_FRONT_MATTER"),
        (TEXT, "---\n---\n", "text", "NOT_A_MAPPING"),
        (TEXT, "---\n- id\n---\n", "text", "NOT_A_MAPPING"),
        ("seen-at: yes and no", "seen-at: [", "text", "INVALID_YAML"),
        ("seen-at: yes and no", "seen-at: \x01", "text", "INVALID_YAML"),
        ("seen-at: yes and no", "id: twice", "text", "INVALID_YAML"),
        ("seen-at: yes and no", "seen: {a: 1, 'a': 2}", "text", "INVALID_YAML"),
        ("seen-at: yes and no", "[1]: 2", "text", "INVALID_YAML"),
        ("seen-at: yes and no", f"seen: {'1' * 5000}", "text", "INVALID_YAML"),
        ("seen-at: yes and no", "seen: &a [1]\nagain: *a", "text", "YAML_ALIAS"),
        ("seen-at: yes and no", "seen: !!binary aGk=", "text", "YAML_TAG"),
        ("seen-at: yes and no", f"seen: {'[' * 100_000}", "text", "TOO_DEEP"),
        ("seen-at: yes and no", f"seen:\n  {'- ' * 100_000}a", "text", "TOO_DEEP"),
    ],
)
def test_each_fault_has_its_field_and_code(old, new, field, code):
    assert (field, code) in faults_of(changed(old, new))


@pytest.mark.parametrize(("handler", "code"), [("own", "UNKNOWN_HANDLER"), ("benchmark", "HANDLER_OF_ANOTHER_TYPE")])
@pytest.mark.parametrize("status", ["active", "retired"])
def test_only_a_draft_may_have_a_handler_that_does_not_exist(handler, code, status):
    text = changed("handler: proctored", f"handler: {handler}")

    assert sip.parse(text).executable.handler == handler
    assert faults_of(changed("status: draft", f"status: {status}", text)) == [("executable.handler", code)]


def test_every_fault_is_told_at_once():
    text = changed("points: 2.5", "points: -1", changed("status: draft", "status: odd", changed("sip: 7\n", "")))

    with pytest.raises(InvalidSip) as refusal:
        sip.parse(text)

    assert [fault.field for fault in refusal.value.faults] == ["sip", "status", "points"]
    assert str(refusal.value) == "This SIP is not valid: sip is missing. There are 3 faults in total."


def test_a_yaml_fault_names_the_line_of_the_file():
    with pytest.raises(InvalidSip, match=r"the key id appears twice \(line 4\)"):
        sip.parse("---\nsip: 1\nid: a\nid: b\n---\n")


@pytest.mark.parametrize(
    ("handler", "config", "field", "code"),
    [
        ("text_check", {}, "config.checks", "CHECKS_INCOMPLETE"),
        ("text_check", {"challenge": "?"}, "config.checks", "CHECKS_INCOMPLETE"),
        ("identity_check", {"challenge": "?", "checks": [BONES]}, "executable.handler", "CHECKS_INCOMPLETE"),
        ("identity_check", {"challenge": "?"}, "executable.handler", "CHECKS_INCOMPLETE"),
    ],
)
def test_the_handler_text_check_and_checks_go_together(handler, config, field, code):
    front = {"type": "simple_pass_fail", "status": "active", "config": config, "executable": {"handler": handler}}

    (fault,) = sip_fields.config_faults(front)

    assert (fault.field, fault.code) == (field, code)


def test_a_contributed_handler_may_have_a_challenge_without_checks():
    front = {"type": "simple_pass_fail", "status": "active", "config": {"challenge": "?"}}
    front["executable"] = {"handler": "contributed.double_it"}

    assert list(sip_fields.config_faults(front)) == []


@pytest.mark.parametrize("key", ["checks", "challenge", "draw"])
def test_what_a_candidate_is_asked_and_graded_by_belongs_to_the_digest(key):
    plain = make.sip(config={"questions": []})

    assert sip.digest(make.sip(config={"questions": [], key: 3})) != sip.digest(plain)


def test_a_contributed_handler_needs_the_path_of_its_script():
    read = sip.parse(changed("handler: proctored", "handler: tea_judge\n  script_path: handlers/tea_judge.py"))

    assert read.executable == Executable("tea_judge", "handlers/tea_judge.py")


# The import profile


def test_a_sound_sip_is_imported_without_a_warning():
    assert sip.parse_leniently(TEXT) == (TEA, [])
    assert warnings_of(CERTIFICATION) == []


def test_a_document_that_is_no_evaluation_is_told_and_left_out():
    reading = sip.parse_leniently("---\nid: how-we-work\ntype: process\n---\nText")

    assert reading.sip is None
    assert [warning.code for warning in reading.warnings] == ["NOT_AN_EVALUATION"]
    assert reading.warnings[0].message == "how-we-work is not an evaluation (its type is process) and is not imported."


@pytest.mark.parametrize(
    "text", ["# No front matter", "---\n[\n---\n", "---\ntype: proctored\n---\n", "---\nid: 茶\n---\n"]
)
def test_a_text_that_is_no_sip_is_refused_by_the_import_too(text):
    with pytest.raises(InvalidSip):
        sip.parse_leniently(text)


def test_what_is_missing_gets_a_default():
    read, warnings = sip.parse_leniently("---\nid: deep-tea\ntype: proctored\n---\nTea.")

    assert read == Sip(
        sip=0,
        id="deep-tea",
        name="Deep tea",
        title=None,
        module="general",
        department=None,
        type="proctored",
        status="draft",
        version="1.0.0",
        points=0,
        prerequisites=(),
        author="unknown",
        created_at="1970-01-01",
        updated_at="1970-01-01",
        config={},
        executable=Executable("proctored", None),
        extra={},
        body="Tea.",
    )
    assert [warning.message for warning in warnings][-2:] == [
        "config is missing. It is read as empty.",
        "No handler is named; proctored decides.",
    ]


@pytest.mark.parametrize(
    ("old", "new", "attribute", "value", "code"),
    [
        ("id: tea-making", "id: Tea Making", "id", "tea-making", "INVALID_ID"),
        ("id: tea-making", "id: review", "id", "imported-review", "RESERVED_ID"),
        ("id: tea-making", "id: SIP-5", "id", "imported-sip-5", "INVALID_ID"),
        ("name: Tea making", "name: 42", "name", "42", "NOT_TEXT"),
        ("name: Tea making", f"name: {'a' * 300}", "name", "a" * 200, "TOO_LONG"),
        ("status: draft", "status: living", "status", "draft", "UNKNOWN_STATUS"),
        ("status: draft", "status: deprecated", "status", "retired", "UNKNOWN_STATUS"),
        ("version: 1.0.0", "version: 1.0", "version", "1.0.0", "INVALID_VERSION"),
        ("version: 1.0.0", "version: v2.1", "version", "2.1.0", "INVALID_VERSION"),
        ("version: 1.0.0", "version: first", "version", "1.0.0", "INVALID_VERSION"),
        ("points: 2.5", "points: many", "points", 0, "INVALID_POINTS"),
        ("- plain-dealing", "- plain-dealing\n  - No Id", "prerequisites", ("plain-dealing",), "INVALID_PREREQUISITE"),
        ("created_at: '2026-11-15'", "created_at: soon", "created_at", "2026-11-15T09:30:00Z", "INVALID_DATE"),
        ("max_score: 10", "max_score: ten", "config", {"criteria": TEA.config["criteria"]}, "NOT_ABOVE_ZERO"),
        (
            "handler: proctored",
            "handler: tea_handler",
            "executable",
            Executable("tea_handler", None),
            "UNKNOWN_HANDLER",
        ),
        ("handler: proctored", "handler: Tea!", "executable", Executable("tea", None), "UNKNOWN_HANDLER"),
        ("handler: proctored", "handler: 5", "executable", Executable("handler_5", None), "UNKNOWN_HANDLER"),
        ("handler: proctored", "handler: benchmark", "executable", Executable("benchmark", None), "UNKNOWN_HANDLER"),
    ],
)
def test_what_is_odd_is_mended_with_a_warning(old, new, attribute, value, code):
    read, warnings = sip.parse_leniently(changed(old, new))

    assert getattr(read, attribute) == value
    assert [warning.code for warning in warnings] == [code]


@pytest.mark.parametrize("handler", ["twitter_verification_handler", "own_puzzle"])
def test_an_imported_handler_that_does_not_exist_makes_a_draft_and_no_other_exam(handler):
    text = changed("status: draft", "status: active", changed("handler: proctored", f"handler: {handler}"))

    reading = sip.parse_leniently(changed("type: proctored", "type: simple_pass_fail", text))

    assert require(reading.sip).executable == Executable(handler, None)
    assert require(reading.sip).status == "draft"
    assert [warning.code for warning in reading.warnings] == ["UNKNOWN_HANDLER"]
    assert sip.parse(sip.render(require(reading.sip))) == reading.sip


def test_an_imported_handler_may_have_the_word_handler_at_its_end():
    text = changed("handler: proctored", "handler: identity_check_handler\n  script_path: src/identity.ts")

    reading = sip.parse_leniently(changed("type: proctored", "type: simple_pass_fail", text))

    assert require(reading.sip).executable == Executable("identity_check", None)
    assert [warning.code for warning in reading.warnings] == ["HANDLER_RENAMED", "SCRIPT_NOT_IMPORTED"]


@pytest.mark.parametrize(("type_", "status"), [("proctored", "active"), ("simple_pass_fail", "draft")])
def test_without_a_handler_only_a_type_with_one_handler_can_be_taken(type_, status):
    text = changed("type: proctored\nstatus: draft", f"type: {type_}\nstatus: active")

    reading = sip.parse_leniently(changed("executable:\n  handler: proctored\n", "", text))

    assert require(reading.sip).status == status


def test_what_cannot_be_taken_yet_is_imported_as_a_draft():
    text = changed("type: proctored\nstatus: draft", "type: complex_benchmark\nstatus: active")

    read, warnings = sip.parse_leniently(changed("handler: proctored", "handler: benchmark", text))

    assert read is not None
    assert (read.status, read.config) == ("draft", TEA.config)
    assert [str(warning.message) for warning in warnings] == [
        "config.questions: This is missing; expected a list of 1 to 1,000 items. It is imported as a draft."
    ]


@given(st.dictionaries(st.sampled_from(sorted(vars(TEA).keys() - {"id", "type"})), values))
def test_whatever_the_fields_hold_an_import_gives_a_sound_sip(odd):
    front = yaml.dump({"id": "odd", "type": "agent_certification", **odd}, Dumper=sip_yaml.SipDumper)

    read = require(sip.parse_leniently(f"---\n{front}---\n").sip)

    assert sip.parse(sip.render(read)) == read


# Fingerprint and summary


@pytest.mark.parametrize(
    "same",
    [
        replace(TEA, name="Coffee", version="2.0.0", status="active", author="Pia"),
        replace(TEA, body=TEA.body.replace("Can it", "Could it")),
        replace(
            TEA,
            config={**TEA.config, "summary": "Tea.", "findings": ["Most can."], "claim_minutes": 5, "observable": True},
        ),
        replace(TEA, config=dict(reversed(TEA.config.items()))),
    ],
)
def test_wording_around_the_grading_does_not_change_the_digest(same):
    assert sip.digest(same) == sip.digest(TEA)


@pytest.mark.parametrize(
    "other",
    [
        replace(TEA, points=3),
        replace(TEA, type="live_class_work"),
        replace(TEA, executable=Executable("own", "own.py")),
        replace(TEA, config={**TEA.config, "max_score": 20}),
        replace(TEA, body=TEA.body.replace("Ask for tea.", "Ask for green tea.")),
        replace(TEA, body=TEA.body.replace("Ten points.", "A few points.")),
        replace(TEA, body=f"{TEA.body}\n## Pass and fail\n\nTea that is cold fails.\n"),
    ],
)
def test_a_change_of_what_is_graded_changes_the_digest(other):
    assert sip.digest(other) != sip.digest(TEA)


def test_the_digest_is_the_same_everywhere_and_for_ever():
    assert sip.digest(TEA) == "5714f1b46f64a885c709caf455ab771ded41662741073fe690d8c60a204e0737"


def test_a_heading_in_a_fenced_block_does_not_end_the_procedure():
    first = replace(TEA, body="## Procedure\n```\n## not a heading\n```\nPour.\n## Scoring\n")

    assert sip.digest(first) != sip.digest(replace(first, body=first.body.replace("Pour.", "Stir.")))


@pytest.mark.parametrize(
    ("config", "body", "expected"),
    [
        ({"summary": " Tea. "}, "# Title\n\nText.", "Tea."),
        ({}, "Intro.\n\n## What this evaluation tests\n\nCan it\nmake tea?\n\nMore.", "Can it make tea?"),
        ({}, "Intro.\n\n## Description\nTea, made well.\n", "Tea, made well."),
        ({}, "# Title\n\nIntro.\n\nMore.", "Intro."),
        ({}, "# Title\nIntro.", "Intro."),
        ({"summary": ""}, "# Title\n", ""),
        ({}, "", ""),
    ],
)
def test_what_it_tests_for_is_the_summary_or_the_first_fitting_paragraph(config, body, expected):
    assert sip.purpose_of(replace(TEA, config=config, body=body)) == expected


def test_each_type_has_a_built_in_handler():
    assert set(sip_fields.DEFAULT_HANDLERS) == set(sip_fields.EVALUATION_TYPES)
    assert set(sip_fields.DEFAULT_HANDLERS.values()) <= sip_fields.BUILT_IN_HANDLERS
    assert sip_fields.EVALUATION_STATUSES == ("draft", "active", "retired")
