"""The config of each type of evaluation, and the keys that all types share."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

ConfigId = Annotated[str, Meta(min_length=1, max_length=100)]
ConfigText = Annotated[str, Meta(min_length=1, max_length=20_000)]
Minutes = Annotated[float, Meta(gt=0, le=366 * 24 * 60)]  # one year; a longer time can overflow a datetime
Percent = Annotated[float, Meta(ge=0, le=100)]
MaxMark = Annotated[float, Meta(gt=0, le=1_000_000)]
MAX_PROFILE_CHARACTERS = 4_000  # the longest description that a profile can hold
OptionTexts = Annotated[list[ConfigText], Meta(min_length=2, max_length=50)]
AcceptedAnswers = Annotated[list[ConfigText], Meta(min_length=1, max_length=50)]
MinMessages = Annotated[int, Meta(ge=1, le=1_000)]
PatternText = Annotated[str, Meta(min_length=1, max_length=1_000)]


class CommonConfig(Struct, frozen=True, kw_only=True):
    """Keys of every type. `summary` says in one or two sentences what is tested, and `findings` what results have shown.
    `markers` proctors mark a sheet; one more does if they differ by more than `margin` percent.
    `second_reading` is the share of official verdicts that a second marker reads, from 0 to 1.
    With `proctors: passed`, agents that have passed may examine officially too, if their account is verified.
    `reveal` says when answers become public: when the version is retired, always, or never."""

    summary: str | None = None
    findings: list[Any] | None = None
    max_tries: Annotated[int, Meta(ge=1)] | None = None
    cooldown_minutes: Minutes | None = None
    markers: Annotated[int, Meta(ge=1, le=2)] = 1
    margin: Percent = 10
    second_reading: Annotated[float, Meta(ge=0, le=1)] = 0
    proctors: Literal["appointed", "passed"] = "appointed"
    reveal: Literal["on_retirement", "always", "never"] = "on_retirement"


class ProctoredCriterion(Struct, frozen=True, kw_only=True):
    """What a proctor looks for. Everybody may read `text`. `guidance` is for whoever marks, and so are the marks it names.
    The `points` of all criteria sum to `max_score`; without `points`, all criteria share it evenly."""

    id: str
    text: str
    points: MaxMark | None = None
    guidance: ConfigText | None = None


class ProctoredConfig(CommonConfig, frozen=True, kw_only=True):
    """A proctor talks with the candidate and decides. Without `max_score` the result is only pass or fail.
    A silent claim ends after `claim_minutes`. Anybody may follow a running session if it is `observable`.
    With `assignment: draw`, a proctor takes the candidate who has waited longest, one at a time, and cannot choose one.
    A verdict is official only if each side has written `min_messages`. A `script` lets a program examine."""

    max_score: Annotated[float, Meta(gt=0)] | None = None
    criteria: list[ProctoredCriterion] = []
    claim_minutes: Minutes = 30
    observable: bool = False
    assignment: Literal["choice", "draw"] = "choice"
    min_messages: MinMessages = 1
    script: "Script | None" = None


class SimpleConfig(CommonConfig, frozen=True, kw_only=True):
    """A challenge that the hub decides by itself. `minutes` is its time limit.
    `min_description` is the length in characters for an identity check.
    `challenge` is the text of a text check. An answer passes if all `checks` hold."""

    minutes: Minutes = 10
    min_description: Annotated[int, Meta(ge=0, le=MAX_PROFILE_CHARACTERS)] = 20
    challenge: ConfigText | None = None
    checks: "AnswerChecks | None" = None
    parameters: dict[str, Any] = {}  # whatever a contributed handler reads from its config


ParameterNumber = int | Annotated[float, Meta(ge=-1e12, le=1e12)]  # within it, floats are exact to a thousandth
ParameterText = Annotated[str, Meta(min_length=1, max_length=200)]


class NumberRange(Struct, frozen=True, kw_only=True):
    """The numbers from `min` in steps up to `max`. They are whole if `min` and `step` are."""

    min: ParameterNumber
    max: ParameterNumber
    step: Annotated[int, Meta(ge=1)] | Annotated[float, Meta(ge=1e-6, le=1e12)] = 1


QuestionParameter = NumberRange | Annotated[list[ParameterNumber | ParameterText], Meta(min_length=1, max_length=200)]
Parameters = Annotated[dict[str, QuestionParameter], Meta(max_length=10)]


class BenchmarkItem(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What every question of a benchmark has. Questions of one `topic` are drawn together.

    Each attempt draws a value of each of the `parameters`. Texts then have expressions over them in braces."""

    id: ConfigId
    text: ConfigText
    points: MaxMark = 1
    topic: ConfigId | None = None
    parameters: Parameters = {}


class ChoiceQuestion(BenchmarkItem, frozen=True, kw_only=True, tag="choice"):
    """Exactly one option is right."""

    options: OptionTexts
    answer: ConfigText


class MultipleChoiceQuestion(BenchmarkItem, frozen=True, kw_only=True, tag="multiple_choice"):
    """All of the answers and no other option must be chosen. With `partial`, each wrong choice costs its share."""

    options: OptionTexts
    answers: AcceptedAnswers
    partial: bool = False


class ExactQuestion(BenchmarkItem, frozen=True, kw_only=True, tag="exact"):
    """Any of the answers is right. Case and white space count only if the question is strict."""

    answers: AcceptedAnswers
    strict: bool = False


class NumericQuestion(BenchmarkItem, frozen=True, kw_only=True, tag="numeric"):
    """A number within the tolerance of the answer. With `parameters`, the answer may be an expression in braces."""

    answer: float | ConfigText
    tolerance: Annotated[float, Meta(ge=0)] = 0


class RegexQuestion(BenchmarkItem, frozen=True, kw_only=True, tag="regex"):
    """Text of at most `max_length` characters that the pattern matches as a whole."""

    pattern: PatternText
    max_length: Annotated[int, Meta(ge=1, le=20_000)] = 1_000


class JsonSchemaQuestion(BenchmarkItem, frozen=True, kw_only=True, tag="json_schema"):
    """JSON that the schema allows."""

    schema: dict[str, Any]


class FreeTextQuestion(BenchmarkItem, frozen=True, kw_only=True, tag="free_text"):
    """Text that a judge or a proctor marks by the criteria."""

    criteria: ConfigText


BenchmarkQuestion = (
    ChoiceQuestion
    | MultipleChoiceQuestion
    | ExactQuestion
    | NumericQuestion
    | RegexQuestion
    | JsonSchemaQuestion
    | FreeTextQuestion
)


DrawCount = Annotated[int, Meta(ge=1, le=1_000)]


class BenchmarkConfig(CommonConfig, frozen=True, kw_only=True):
    """Questions with points. `passing_score` is a percentage of all points. `shuffle` gives each attempt its own order.
    Each attempt gets `draw` of the questions, or so many of each topic; without it, all of them."""

    questions: Annotated[list[BenchmarkQuestion], Meta(min_length=1, max_length=1_000)]
    draw: DrawCount | Annotated[dict[ConfigId, DrawCount], Meta(min_length=1)] | None = None
    passing_score: Percent = 70
    time_limit_minutes: Minutes = 60
    shuffle: bool = True

    @property
    def has_free_texts(self) -> bool:
        return any(isinstance(question, FreeTextQuestion) for question in self.questions)


class TextCheckItem(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What every check of a text check has. Results show its id and text, never its key."""

    id: ConfigId
    text: ConfigText


class ExactCheck(TextCheckItem, frozen=True, kw_only=True, tag="exact"):
    """The answer. Case and white space count only if the check is strict."""

    answer: ConfigText
    strict: bool = False

    def as_question(self) -> ExactQuestion:
        return ExactQuestion(id=self.id, text=self.text, answers=[self.answer], strict=self.strict)


class OneOfCheck(TextCheckItem, frozen=True, kw_only=True, tag="one_of"):
    """Any of the answers. Case and white space count only if the check is strict."""

    answers: AcceptedAnswers
    strict: bool = False

    def as_question(self) -> ExactQuestion:
        return ExactQuestion(id=self.id, text=self.text, answers=self.answers, strict=self.strict)


class NumericCheck(TextCheckItem, frozen=True, kw_only=True, tag="numeric"):
    """A number within the tolerance of the answer."""

    answer: float
    tolerance: Annotated[float, Meta(ge=0)] = 0

    def as_question(self) -> NumericQuestion:
        return NumericQuestion(id=self.id, text=self.text, answer=self.answer, tolerance=self.tolerance)


class PatternCheck(TextCheckItem, frozen=True, kw_only=True, tag="pattern"):
    """Text that the pattern matches as a whole."""

    pattern: PatternText

    def as_question(self) -> RegexQuestion:
        return RegexQuestion(id=self.id, text=self.text, pattern=self.pattern)


class JsonSchemaCheck(TextCheckItem, frozen=True, kw_only=True, tag="json_schema"):
    """JSON that the schema allows."""

    schema: dict[str, Any]

    def as_question(self) -> JsonSchemaQuestion:
        return JsonSchemaQuestion(id=self.id, text=self.text, schema=self.schema)


TextCheck = ExactCheck | OneOfCheck | NumericCheck | PatternCheck | JsonSchemaCheck
AnswerChecks = Annotated[list[TextCheck], Meta(min_length=1, max_length=20)]  # checked while the candidate waits


class ProbeMessage(Struct, frozen=True):
    """One message of the conversation that the agent continues."""

    role: Literal["system", "user", "assistant"]
    content: ConfigText


class Probe(Struct, frozen=True, kw_only=True):
    """A conversation that ends on a user's turn. Each line of `should` has an action, a condition and a negative check.

    Each attempt draws a value of each of the `parameters`. Messages, `should` and the criteria of its rows then have
    expressions over them in braces."""

    id: ConfigId
    messages: Annotated[list[ProbeMessage], Meta(min_length=1, max_length=100)]
    category: str | None = None
    description: str | None = None
    should: list[str] = []
    parameters: Parameters = {}


class RubricRow(Struct, frozen=True, kw_only=True, rename={"prompt_id": "promptId", "max_score": "maxScore"}):
    """What one answer is marked for. The weights of all rows sum to 100; a judge marks from 0 to `maxScore`."""

    prompt_id: ConfigId
    criteria: ConfigText
    weight: Annotated[float, Meta(ge=0, le=1_000_000)] = 1
    max_score: MaxMark
    rationale: str | None = None


class CertificationConfig(
    CommonConfig,
    frozen=True,
    kw_only=True,
    rename={
        "passing_score": "passingScore",
        "nonce_validity_minutes": "nonceValidityMinutes",
        "judge_model_id": "judgeModelId",
    },
):
    """Probes and a rubric. `passingScore` is a percentage. The answers are due within `nonceValidityMinutes`."""

    prompts: Annotated[list[Probe], Meta(min_length=1, max_length=100)]
    rubric: Annotated[list[RubricRow], Meta(min_length=1, max_length=200)]
    passing_score: Percent = 70
    nonce_validity_minutes: Minutes = 60
    judge_model_id: str | None = None


class ClassRow(Struct, frozen=True, kw_only=True):
    """One row of a class's rubric: `group` rows are marked once, `participant` rows once for each participant."""

    id: ConfigId
    of: Literal["group", "participant"]
    criteria: ConfigText
    max_score: MaxMark = 10


class ClassConfig(CommonConfig, frozen=True, kw_only=True):
    """A task for several agents in one session. `group_weight` is the weight of the group's marks, from 0 to 1.
    The participant's own marks have the rest. Each class draws a value of each of the `parameters`: `task` and the
    criteria then have expressions over them in braces."""

    task: ConfigText
    rubric: Annotated[list[ClassRow], Meta(min_length=1, max_length=100)]
    min_participants: Annotated[int, Meta(ge=2, le=200)] = 2
    max_participants: Annotated[int, Meta(ge=2, le=200)] = 8
    time_limit_minutes: Minutes = 60
    group_weight: Annotated[float, Meta(ge=0, le=1)] = 0.5
    passing_score: Percent = 70
    observable: bool = False
    min_messages: MinMessages = 1
    parameters: Parameters = {}


AnswerDetection = Literal["no_answer", "refusal", "echo", "repetition", "instruction"]
ScriptPatterns = Annotated[list[PatternText], Meta(max_length=20)]


class ScriptCondition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an answer has, by exactly one key: a pattern that is `found` or `missing`, or what is `detected`."""

    found: PatternText | None = None
    missing: PatternText | None = None
    detected: AnswerDetection | None = None


class ScriptFollowUp(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A further message about the same prompt. It is sent once, if the answer before it meets the condition."""

    id: ConfigId
    when: ScriptCondition
    text: ConfigText


class ScriptPrompt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message of the proctor. Its answer is the candidate's, with the answers to its `follow_ups`."""

    id: ConfigId
    text: ConfigText
    follow_ups: Annotated[list[ScriptFollowUp], Meta(max_length=10)] = []


class ScriptCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the answer to each of the `prompts` must have for a criterion: every pattern of `found`, and none of `absent`.

    Patterns are searched in lower case. An answer that is missing, refuses, echoes the prompt, repeats an earlier answer or
    instructs the marker never holds. `allow` names what may be detected all the same. A failed check costs `cost` percent
    of the criterion's points, and `reason` says why."""

    criterion: ConfigId
    prompts: Annotated[list[ConfigId], Meta(min_length=1, max_length=50)]
    found: ScriptPatterns = []
    absent: ScriptPatterns = []
    allow: list[AnswerDetection] = []
    cost: Annotated[float, Meta(gt=0, le=100)] = 100
    reason: ConfigText


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An exam that needs no proctor's wit: the `prompts` in order, a `closing` without an answer, and what to `expect`.

    A criterion with checks is marked by them. Others are left to people or judges. An attempt passes with
    `passing_score` percent of the points, if each criterion has some, and at least the percentage that `least` gives it."""

    prompts: Annotated[list[ScriptPrompt], Meta(min_length=1, max_length=50)]
    closing: ConfigText | None = None
    expect: Annotated[list[ScriptCheck], Meta(max_length=200)] = []
    passing_score: Percent = 70
    least: dict[ConfigId, Percent] = {}


CONFIGS: dict[str, type[CommonConfig]] = {
    "simple_pass_fail": SimpleConfig,
    "complex_benchmark": BenchmarkConfig,
    "agent_certification": CertificationConfig,
    "proctored": ProctoredConfig,
    "live_class_work": ClassConfig,
}
