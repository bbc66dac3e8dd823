"""What the config of each type must be, told with the place of every fault."""

from typing import Any

import pytest

from tests.evaluations.test_script_rules import WRONG_SCRIPTS
from viva.evaluations import item_filling
from viva.evaluations.config_rules import CONFIG_FAULT_CODES, faults
from viva.evaluations.sip_fields import EVALUATION_TYPES
from viva.sandbox.model import SandboxUnavailable

CHOICE = {"id": "colour", "kind": "choice", "text": "Which?", "options": ["red", "blue"], "answer": "red"}
PROBE = {"id": "greeting", "messages": [{"role": "user", "content": "Hello."}]}
ROW = {"promptId": "greeting", "criteria": "Greets back.", "weight": 100, "maxScore": 10, "rationale": "Manners."}
CLASS_ROW = {"id": "plan", "of": "group", "criteria": "There is a plan."}

USABLE: dict[str, dict[str, Any]] = {
    "simple_pass_fail": {"minutes": 5},
    "complex_benchmark": {"questions": [CHOICE]},
    "agent_certification": {"prompts": [PROBE], "rubric": [ROW], "passingScore": 70},
    "proctored": {"max_score": 10},
    "live_class_work": {"task": "Plan a day.", "rubric": [CLASS_ROW]},
}


@pytest.mark.parametrize("type_", EVALUATION_TYPES)
def test_a_usable_config_has_no_fault(type_):
    assert list(faults(type_, USABLE[type_])) == []


def question(**changes: Any) -> dict[str, Any]:
    return {"questions": [CHOICE, CHOICE | {"id": "second"} | changes]}


def pool(draw: Any, topics: str = "aabb", **second: Any) -> dict[str, Any]:
    """A pool with a question for each letter, which is its topic; a dot is none."""
    questions = [
        CHOICE | {"id": f"q{at}"} | ({} if topic == "." else {"topic": topic}) for at, topic in enumerate(topics)
    ]
    return {"draw": draw, "questions": [questions[0], questions[1] | second, *questions[2:]]}


def drawn(**changes: Any) -> dict[str, Any]:
    """A question with parameters."""
    parameters = {"a": {"min": 2, "max": 99}, "b": {"min": 1, "max": 40}}
    numeric = {"id": "sum", "kind": "numeric", "text": "{a} times {b}?", "parameters": parameters, "answer": "{a * b}"}
    return {"questions": [numeric | changes]}


def checks(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"challenge": "How many bones has an adult?", "checks": list(rows), **more}


BONES = {"id": "bones", "kind": "numeric", "text": "The number of bones.", "answer": 206}


def criteria(*points: float | None, max_score: float | None = 10) -> dict[str, Any]:
    rows = [{"id": f"c{at}", "text": "?"} | ({"points": each} if each else {}) for at, each in enumerate(points)]
    return {"max_score": max_score, "criteria": rows}


WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("proctored", criteria(4, 5), "config.criteria", "POINTS_NOT_MAX_SCORE"),
    ("proctored", criteria(10, None), "config.criteria", "POINTS_NOT_MAX_SCORE"),
    ("proctored", criteria(10, max_score=None), "config.criteria", "POINTS_NOT_MAX_SCORE"),
    ("complex_benchmark", {}, "config.questions", "MISSING_FIELD"),
    ("complex_benchmark", {"questions": []}, "config.questions", "INVALID_CONFIG"),
    ("complex_benchmark", question(kind="riddle"), "config.questions[1].kind", "INVALID_CONFIG"),
    ("complex_benchmark", question(points=0), "config.questions[1].points", "INVALID_CONFIG"),
    ("complex_benchmark", question(options=["red"]), "config.questions[1].options", "INVALID_CONFIG"),
    ("complex_benchmark", question(id="colour"), "config.questions[1].id", "DUPLICATE_ID"),
    ("complex_benchmark", question(answer="green"), "config.questions[1]", "ANSWER_NOT_OFFERED"),
    (
        "complex_benchmark",
        question(kind="multiple_choice", answers=["red", "green"]),
        "config.questions[1]",
        "ANSWER_NOT_OFFERED",
    ),
    ("complex_benchmark", question(kind="regex", pattern="(open"), "config.questions[1]", "UNUSABLE_PATTERN"),
    ("complex_benchmark", question(kind="regex", pattern=r"\p{L}{10,200}"), "config.questions[1]", "UNUSABLE_PATTERN"),
    ("complex_benchmark", question(kind="json_schema", schema={"type": 7}), "config.questions[1]", "UNUSABLE_PATTERN"),
    ("complex_benchmark", {"questions": [CHOICE], "passing_score": 101}, "config.passing_score", "INVALID_CONFIG"),
    ("complex_benchmark", {"questions": [CHOICE], "max_tries": 0}, "config.max_tries", "INVALID_CONFIG"),
    (
        "agent_certification",
        {"prompts": [PROBE], "rubric": [ROW | {"promptId": "farewell"}]},
        "config.rubric[0].promptId",
        "UNKNOWN_PROBE",
    ),
    ("agent_certification", {"prompts": [PROBE, PROBE], "rubric": [ROW]}, "config.prompts[1].id", "DUPLICATE_ID"),
    (
        "agent_certification",
        {"prompts": [PROBE], "rubric": [ROW | {"maxScore": 0}]},
        "config.rubric[0].maxScore",
        "INVALID_CONFIG",
    ),
    ("complex_benchmark", pool(0), "config.draw", "INVALID_CONFIG"),
    ("complex_benchmark", pool(5), "config.draw", "DRAW_TOO_LARGE"),
    ("complex_benchmark", pool({"a": 3, "b": 1}), "config.draw", "DRAW_TOO_LARGE"),
    ("complex_benchmark", pool({"a": 1, "b": 1, "c": 1}), "config.draw.c", "UNKNOWN_TOPIC"),
    ("complex_benchmark", pool({"a": 1}), "config.draw", "TOPIC_NOT_DRAWN"),
    ("complex_benchmark", pool({"a": 1, "b": 1}, topics="aabb."), "config.draw", "TOPIC_NOT_DRAWN"),
    ("complex_benchmark", pool(2, topics="aaaaab"), "config.draw", "TOPIC_NOT_DRAWN"),
    ("complex_benchmark", pool(2, points=3), "config.draw", "UNEQUAL_POINTS"),
    ("complex_benchmark", drawn(parameters={}), "config.questions[0].answer", "INVALID_CONFIG"),
    ("complex_benchmark", drawn(parameters={"a": []}), "config.questions[0].parameters.a", "INVALID_CONFIG"),
    ("complex_benchmark", drawn(parameters={"if": [1]}), "config.questions[0].parameters", "INVALID_PARAMETER"),
    ("complex_benchmark", drawn(parameters={"math": [1]}), "config.questions[0].parameters", "INVALID_PARAMETER"),
    ("complex_benchmark", drawn(parameters={"a b": [1]}), "config.questions[0].parameters", "INVALID_PARAMETER"),
    (
        "complex_benchmark",
        drawn(parameters={"a": {"min": 2, "max": 1}, "b": [1]}),
        "config.questions[0].parameters.a",
        "INVALID_PARAMETER",
    ),
    ("complex_benchmark", drawn(text="{a} and {c}?"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(text="{a} and {b?"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(answer="a * b"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(answer="{a} {b}"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(answer="{a > b}"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(answer="{str(a)}"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(answer="{10 ** (a * 9)}"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(answer="{float('inf')}"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    ("complex_benchmark", drawn(answer="{1)], [(2}"), "config.questions[0]", "UNUSABLE_EXPRESSION"),
    (
        "complex_benchmark",
        drawn(kind="choice", options=["{a}", "{b}"], answer="{a}"),  # both may be the same
        "config.questions[0]",
        "UNUSABLE_EXPRESSION",
    ),
    (
        "complex_benchmark",
        drawn(kind="choice", options=["more", "less"], answer="{'more' if a > b else 'les'}"),
        "config.questions[0]",
        "UNUSABLE_EXPRESSION",
    ),
    (
        "complex_benchmark",
        {"questions": [drawn()["questions"][0] | {"id": f"q{at}"} for at in range(201)]},
        "config.questions",
        "TOO_MANY_PARAMETERS",
    ),
    ("simple_pass_fail", checks(BONES, BONES), "config.checks[1].id", "DUPLICATE_ID"),
    ("simple_pass_fail", checks(BONES | {"kind": "riddle"}), "config.checks[0].kind", "INVALID_CONFIG"),
    ("simple_pass_fail", checks(BONES | {"tolerance": -1}), "config.checks[0].tolerance", "INVALID_CONFIG"),
    ("simple_pass_fail", checks(BONES | {"kind": "pattern", "pattern": "(a"}), "config.checks[0]", "UNUSABLE_PATTERN"),
    (
        "simple_pass_fail",
        checks(BONES | {"kind": "json_schema", "schema": {"type": 7}}),
        "config.checks[0]",
        "UNUSABLE_PATTERN",
    ),
    ("simple_pass_fail", {"checks": [BONES]}, "config.challenge", "CHECKS_INCOMPLETE"),
    ("simple_pass_fail", {"minutes": 0}, "config.minutes", "INVALID_CONFIG"),
    ("proctored", {"cooldown_minutes": "soon"}, "config.cooldown_minutes", "INVALID_CONFIG"),
    (
        "live_class_work",
        USABLE["live_class_work"] | {"min_participants": 5, "max_participants": 4},
        "config.min_participants",
        "MIN_ABOVE_MAX",
    ),
    (
        "live_class_work",
        {"task": "Plan.", "rubric": [CLASS_ROW | {"id": f"row-{n}", "of": "participant"} for n in range(5)]}
        | {"max_participants": 81},
        "config.rubric",
        "TOO_MANY_ROWS",
    ),
    ("live_class_work", USABLE["live_class_work"] | {"group_weight": 2}, "config.group_weight", "INVALID_CONFIG"),
    ("live_class_work", {"task": "Plan.", "rubric": [CLASS_ROW, CLASS_ROW]}, "config.rubric[1].id", "DUPLICATE_ID"),
]


@pytest.mark.parametrize(("type_", "config", "field", "code"), WRONG)
def test_a_fault_is_told_with_its_place(type_, config, field, code):
    (fault,) = faults(type_, config)

    assert (fault.field, fault.code) == (field, code)
    assert fault.message.endswith(".")


@pytest.mark.parametrize("draw", [2, 3, 4, {"a": 2, "b": 1}])
def test_a_pool_that_gives_every_attempt_the_same_maximum_has_no_fault(draw):
    assert list(faults("complex_benchmark", pool(draw))) == []


def test_a_topic_that_is_drawn_whole_may_have_questions_of_unequal_points():
    assert list(faults("complex_benchmark", pool({"a": 2, "b": 1}, points=3))) == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("{100 / (a - 51)}", "sum cannot be made with a = 51, b = 40: ZeroDivisionError: division by zero."),
        ("{100 / (a - b)}", "sum cannot be made with a = 2, b = 2: ZeroDivisionError: division by zero."),
    ],
)
def test_the_values_for_which_an_expression_fails_are_found_and_told(answer, message):
    parameters = {"a": {"min": 2, "max": 99}, "b": {"min": 2, "max": 40}}

    (fault,) = faults("complex_benchmark", drawn(answer=answer, parameters=parameters))

    assert fault.message == message


def test_without_a_sandbox_an_expression_is_told_as_not_tried(monkeypatch):
    def refuse(expression: str, values: dict[str, Any]) -> None:
        raise SandboxUnavailable()

    monkeypatch.setattr(item_filling, "evaluate_expression", refuse)

    (fault,) = faults("complex_benchmark", drawn(answer="{math.floor(a * b) + 17}"))

    assert fault.message == "sum cannot be tried. The sandbox is busy or cannot start; try again later."


def test_of_many_bad_expressions_the_first_twenty_are_told():
    questions = [drawn(answer="{c}")["questions"][0] | {"id": f"q{at}"} for at in range(30)]

    assert len(list(faults("complex_benchmark", {"questions": questions}))) == 20


def test_all_faults_are_told_at_once_also_between_sound_parts():
    config = {
        "questions": [
            CHOICE | {"points": "many", "options": ["red"]},
            CHOICE | {"id": "second", "kind": "riddle"},
            CHOICE | {"id": "third", "answer": "green"},
            CHOICE | {"id": "third"},
        ],
        "passing_score": 101,
    }

    assert [(fault.field, fault.code) for fault in faults("complex_benchmark", config)] == [
        ("config.questions[0].points", "INVALID_CONFIG"),
        ("config.questions[0].options", "INVALID_CONFIG"),
        ("config.questions[1].kind", "INVALID_CONFIG"),
        ("config.passing_score", "INVALID_CONFIG"),
        ("config.questions[3].id", "DUPLICATE_ID"),
        ("config.questions[2]", "ANSWER_NOT_OFFERED"),
    ]


def test_every_code_is_known_and_tried():
    of_scripts = {code for _, code, _ in WRONG_SCRIPTS}
    assert {case[3] for case in WRONG} | of_scripts == CONFIG_FAULT_CODES


def test_a_schema_that_names_a_file_or_an_address_is_refused_and_nothing_is_fetched(tmp_path):
    (tmp_path / "schema.json").write_text('{"type": "string"}')
    asked = {"id": "point", "kind": "json_schema", "text": "?"}

    for schema in ({"$ref": (tmp_path / "schema.json").as_uri()}, {"$ref": "http://127.0.0.1:9/schema.json"}):
        (fault,) = faults("complex_benchmark", {"questions": [asked | {"schema": schema}]})
        assert (fault.field, fault.code) == ("config.questions[0]", "UNUSABLE_PATTERN")
