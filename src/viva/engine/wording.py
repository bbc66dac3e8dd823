"""The wording of reports: each detection, reason and issue with its code and severity."""

from typing import NamedTuple

from viva.engine.evidence import DetectionType, Severity


class DetectionWording(NamedTuple):
    """The label of a detection, and the advice if it is frequent."""

    label: str
    advice: str


class IssueWording(NamedTuple):
    """The severity of an issue, how often it is one, its label, its message, and the advice for the agent's developer.

    `confidence` is the share of such issues that are faults; where it depends on the case, the issue has its own.
    """

    severity: Severity
    confidence: float
    label: str
    message: str
    advice: str


DETECTIONS: dict[DetectionType, DetectionWording] = {
    "rdm": DetectionWording("the user corrected it", "Users are frequently correcting responses - improve accuracy"),
    "ccm": DetectionWording("the user asked again", "Users are re-asking questions - improve response completeness"),
    "hallucination": DetectionWording(
        "not supported by what was known",
        "Responses say what their sources do not - answer from the knowledge and tool results given",
    ),
    "llm_judge": DetectionWording(
        "the judge found it wanting", "The judge finds answers that do not serve the user - read the turns it names"
    ),
    "none": DetectionWording("it did not serve the user", ""),
}

# The same in an exam, where the proctor is the user. A proctor may object to a right answer to test the candidate, so
# these say how the next message reads, and not that the answer was wrong.
PROCTORED_DETECTIONS: dict[DetectionType, str] = {
    "rdm": "The proctor’s next message reads like an objection",
    "ccm": "The proctor’s next message reads like the same question",
    "hallucination": "Not supported by what was said before",
    "llm_judge": "The judge found this answer wanting",
    "none": "This did not answer the proctor",
}

# What the user's next message says about an answer (rdm). The reasons against it are in dialogue/reactions.py.
USER_GOES_ON = "nothing in the next message speaks against the answer"
LANGUAGE_NOT_COVERED = "The language of the user is not covered: only English, German and Spanish reactions are read."

# Whether a later message asks the same again (ccm).
ASKED_AGAIN = "the user asks again"
ASKED_AGAIN_LATER = "the user comes back to the same request"
ASKED_SOMETHING_ELSE = "what follows asks for something else"

# Whether an answer served.
NOBODY_ANSWERED = "nobody answered"
REPLY_SERVED = "the answer served"
NOTHING_AGAINST_REPLY = "nothing was found against this answer"
NOT_ENOUGH = "{reason}, but that is not enough to call the answer bad"

# Whether what was known supports an answer (hallucination); the reasons are the meanings of the features.
NO_ANSWER = "There is no answer."
NO_SOURCE = "There is neither knowledge nor a tool result to compare the answer with."
SUPPORTED = "The knowledge supports the answer."
NOTHING_TO_CHECK = "The answer says nothing that can be checked."
OTHER_WORD = "The answer says “{word}” where “{other}” is known."
WORD_NOT_KNOWN = "“{word}” is not in the knowledge."
LEAST_SUPPORTED = "The knowledge supports this least."
NEAREST_SENTENCE = "The nearest sentence of the knowledge."
FACTS_SEEN = "Every fact of the answer that can be checked was seen before."
FACT_NOT_SEEN = "No tool result or message has this {kind}: “{fact}”."
SEEN_INSTEAD = "What was seen of the same thing is “{fact}”."
TOLD_AS_DONE = "The answer tells this as done."
CAME_BACK = "But this came back from the tool."
VALUE_KINDS = {"amount": "number", "date": "date", "time": "time", "weekday": "day", "code": "code", "name": "name"}

# The message of the schema validator; several kinds of issue use it.
SCHEMA_BREACH = "'{tool}': {why}"
ISSUES: dict[str, IssueWording] = {
    "UNAUTHORIZED_TOOL": IssueWording(
        "HIGH", 0.99, "Unauthorized tool", "Used '{tool}' but only has: {names}",
        "Name to {agent} only tools that it has, or declare what it needs: {what}",
    ),
    "PARAMETER_HALLUCINATION": IssueWording(
        "MEDIUM", 0.97, "Tool parameter hallucination", "'{name}' is not a parameter of '{tool}'",
        "Validate {agent}'s parameters against the schema before execution: {what}",
    ),
    "MISSING_REQUIRED_PARAM": IssueWording(
        "MEDIUM", 0.97, "Missing required parameter", SCHEMA_BREACH,
        "Let {agent} ask for what a call requires before it calls: {what}",
    ),
    "INVALID_PARAM_TYPE": IssueWording(
        "MEDIUM", 0.95, "Parameter of a wrong type", SCHEMA_BREACH,
        "Convert {agent}'s values to the types of the schema: {what}",
    ),
    "INVALID_PARAM_VALUE": IssueWording(
        "LOW", 0.9, "Parameter value not allowed", SCHEMA_BREACH,
        "Let {agent} choose among the values that the schema allows: {what}",
    ),
    "UNGROUNDED_ARGUMENT": IssueWording(
        "LOW", 0.6, "Argument from nowhere", "'{tool}' was given {argument}, found nowhere in what the agent could know",
        "Let {agent} take values from the request or from results, or ask for them: {what}",
    ),
    "DUPLICATE_CALL": IssueWording(
        "LOW", 0.9, "Duplicate call", "'{tool}' was called before with the same arguments",
        "Let {agent} keep the results it has instead of calling again: {what}",
    ),
    "IGNORED_ERROR": IssueWording(
        "MEDIUM", 0.8, "Ignored error", "'{tool}' failed; it was neither repaired nor mentioned afterwards",
        "Let {agent} read errors and act on them before it goes on: {what}",
    ),
    "REPEATED_FAILURE": IssueWording(
        "MEDIUM", 0.9, "Repeated failure", "'{tool}' failed again ({times} times in a row)",
        "Let {agent} change its call after an error, not repeat it: {what}",
    ),
}  # fmt: skip
UNREPAIRED_CALL = "a call that failed and was not repaired"

# Coordination problems between the agents of one run.
COORDINATION_CASES = {
    "duplicate_work": "Work done twice",
    "context_lost": "Lost on the way from one to the other",
    "role_breaches": "Stepped out of a role",
    "contradictions": "Said otherwise than it was given",
    "ping_pong": "To and fro without progress",
    "deadlock": "Waited for each other",
}

# Those that fit a class, where nobody delegates and nobody has a role to keep to.
CLASS_CASES = {kind: COORDINATION_CASES[kind] for kind in ("duplicate_work", "contradictions", "ping_pong", "deadlock")}

# Advice on a low score, by the name of the score.
AGENT_ADVICE = {
    "tool_use": "Consider improving tool selection logic for {agent}",
    "handoff": "Agent {agent} should pass more context when delegating",
    "reasoning": "Agent {agent}'s reasoning could be more structured",
}
SESSION_ADVICE = {
    "coordination": "Agents are not coordinating well - consider clearer role definitions",
    "on_task": "Agents left the goal of their user - treat what tools return as data, never as orders",
}
