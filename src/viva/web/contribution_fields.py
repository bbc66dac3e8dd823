"""The fields of the contribution form: the path of each in a proposal, and how its text is read."""

import re
from typing import Literal

FieldKind = Literal["line", "text", "number", "yes_no", "lines", "yaml", "mapping", "row"]
MAX_FORM_ROWS = 200  # a row has up to 16 fields, and a form at most 5,000; longer lists are edited as YAML
MORE = "more"  # the field with all other keys of a row or of the config, as YAML

COMMON_FIELDS: dict[str, FieldKind] = {
    "max_tries": "number",
    "cooldown_minutes": "number",
    "markers": "number",
    "margin": "number",
    MORE: "mapping",
}
QUESTION_FIELDS: dict[str, FieldKind] = {
    "questions[]": "row",
    "questions[].id": "line",
    "questions[].kind": "line",
    "questions[].text": "text",
    "questions[].points": "number",
    "questions[].options": "lines",
    "questions[].answer": "line",
    "questions[].answers": "lines",
    "questions[].tolerance": "number",
    "questions[].partial": "yes_no",
    "questions[].strict": "yes_no",
    "questions[].pattern": "line",
    "questions[].max_length": "number",
    "questions[].schema": "yaml",
    "questions[].criteria": "text",
    "questions[].more": "mapping",
}
CONFIG_FIELDS: dict[str, dict[str, FieldKind]] = {
    "agent_certification": {
        "prompts[]": "row",
        "prompts[].id": "line",
        "prompts[].category": "line",
        "prompts[].description": "line",
        "prompts[].messages[]": "row",
        "prompts[].messages[].role": "line",
        "prompts[].messages[].content": "text",
        "prompts[].should": "lines",
        "prompts[].more": "mapping",
        "rubric[]": "row",
        "rubric[].promptId": "line",
        "rubric[].criteria": "text",
        "rubric[].weight": "number",
        "rubric[].maxScore": "number",
        "rubric[].rationale": "text",
        "rubric[].more": "mapping",
        "passingScore": "number",
        "nonceValidityMinutes": "number",
        "judgeModelId": "line",
    },
    "complex_benchmark": QUESTION_FIELDS
    | {"passing_score": "number", "time_limit_minutes": "number", "shuffle": "yes_no"},
    "proctored": {
        "max_score": "number",
        "criteria[]": "row",
        "criteria[].id": "line",
        "criteria[].text": "text",
        "criteria[].more": "mapping",
        "claim_minutes": "number",
        "observable": "yes_no",
    },
    "live_class_work": {
        "task": "text",
        "rubric[]": "row",
        "rubric[].id": "line",
        "rubric[].of": "line",
        "rubric[].criteria": "text",
        "rubric[].max_score": "number",
        "rubric[].more": "mapping",
        "min_participants": "number",
        "max_participants": "number",
        "time_limit_minutes": "number",
        "group_weight": "number",
        "passing_score": "number",
    },
    "simple_pass_fail": {
        "challenge": "text",
        "checks[]": "row",
        "checks[].id": "line",
        "checks[].kind": "line",
        "checks[].text": "text",
        "checks[].answer": "line",
        "checks[].answers": "lines",
        "checks[].tolerance": "number",
        "checks[].strict": "yes_no",
        "checks[].pattern": "line",
        "checks[].schema": "yaml",
        "checks[].more": "mapping",
        "minutes": "number",
        "min_description": "number",
    },
}
STEP_FIELDS: dict[int, dict[str, FieldKind]] = {
    1: {
        "name": "line",
        "description": "text",
        "type": "line",
        "module": "line",
        "module_own": "line",
        "department": "line",
        "department_own": "line",
        "evaluation_id": "line",
        "title": "line",
        "version": "line",
        "author": "line",
    },
    2: {
        "points": "number",
        "body.procedure": "text",
        "body.pass_and_fail": "text",
        "body.scoring": "text",
        "body.other": "text",
    },
    3: {"handler": "line", "executable_handler": "line", "executable_code": "text"},
    4: {
        "research_basis": "text",
        "research_mapping[]": "row",
        "research_mapping[].research": "text",
        "research_mapping[].probe": "line",
        "exemplars[]": "row",
        "exemplars[].probe": "line",
        "exemplars[].pass": "text",
        "exemplars[].fail": "text",
        "prerequisites[]": "line",
        "prerequisites_other": "lines",
    },
    5: {},
}
STEP_NAMES = {1: "Basics", 2: "Configuration", 3: "Handler", 4: "Research", 5: "Review"}


def fields_of(step: int, type_: str) -> dict[str, FieldKind]:
    """The fields of a step. Those of step 2 depend on the type of the evaluation."""
    own = STEP_FIELDS[step]
    if step != 2:
        return own
    config = COMMON_FIELDS | CONFIG_FIELDS.get(type_, {})
    return own | {f"config.{path}": kind for path, kind in config.items()}


def pattern_of(path: str) -> str:
    """`config.prompts[3].id` as `config.prompts[].id`."""
    return re.sub(r"\[\d+\]", "[]", path)
