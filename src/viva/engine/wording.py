"""The wording of reports: each detection, reason and issue with its code and severity."""

from typing import NamedTuple

from viva.engine.evidence import DetectionType, Severity


class DetectionWording(NamedTuple):
    """The label of a detection, and the advice if it is frequent."""

    label: str
    advice: str


class IssueWording(NamedTuple):
    """The severity and label of an issue, its message, and the advice for the agent's developer."""

    severity: Severity
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

# Why a user seems dissatisfied (rdm), by the feature that says so.
REACTION_REASONS = {
    "next_complaint": "the user complains",
    "next_blames": "the user says what the agent did wrong",
    "next_corrects": "the user corrects the answer",
    "corrects_refusing": "the user refuses and corrects",
    "not_pair": "the user negates words of the answer",
    "next_gives_up": "the user gives up",
    "next_loud": "the user is impatient",
    "next_again": "the user has to say it again",
    "repeats_request": "the user repeats the request",
    "same_request": "the user makes the same request",
    "repeats_earlier": "the user repeats an earlier request",
    "declines_proposal": "the user declines what was proposed",
    "refuses_answer": "the user refuses the answer",
    "refuses_confirmation": "the user does not confirm",
    "next_refuses": "the user says no",
    "next_alternatives": "the user asks for something else",
    "other_than_proposed": "the user wants something other than proposed",
    "retries_failure": "the user tries again after a failure",
    "answer_fails": "the answer reports a failure",
    "answer_sorry": "the answer is an excuse",
    "answer_denies": "the answer is a denial",
    "accepts_failure": "the user puts up with a failure",
}
USER_GOES_ON = "the user goes on"
USER_DOES_NOT_GO_ON = "the user does not go on"
ANSWER_NOT_TAKEN_UP = "the next message does not take the answer up"

# Whether a later message asks the same again (ccm).
ASKED_AGAIN = "the user asks again"
ASKED_AGAIN_LATER = "the user comes back to the same request"
ASKED_SOMETHING_ELSE = "what follows asks for something else"

# Why a reply does not fit what was said to it, by the feature that says so.
REPLY_REASONS = {
    "unlike": "the answer is about something else",
    "yes_no_missed": "a yes-or-no question got neither",
    "yes_no_to_open": "a question got a mere yes or no",
    "other_kind": "the answer is not of the kind that was asked for",
    "question_for_question": "the question was answered by a question",
    "greets_late": "a greeting in the middle of the talk",
    "repeats_itself": "the answer repeats an earlier one",
    "repeats_user": "the answer repeats the user's words",
    "parrots": "the answer only gives back what was said",
    "evades": "the answer evades",
    "coarse": "the answer is coarse",
    "broken": "the answer is broken off or garbled",
    "only_filler": "the answer says nothing",
    "vague": "the answer says nothing definite",
    "answer_fails": "the answer reports a failure",
    "answer_denies": "the answer is a denial",
}
NOBODY_ANSWERED = "nobody answered"
REPLY_DOES_NOT_FIT = "the answer does not fit what was said"
REPLY_SERVED = "the answer served"
NOTHING_AGAINST_REPLY = "nothing was found against this answer"
REPLY_FITS_ANYWAY = "{reason}, but the answer fits what was said"

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
VALUE_KINDS = {
    "amount": "number",
    "date": "date",
    "time": "time",
    "weekday": "day",
    "code": "code",
    "name": "name",
}

# The message of the schema validator; several kinds of issue use it.
SCHEMA_BREACH = "'{tool}': {why}"
ISSUES: dict[str, IssueWording] = {
    "UNAUTHORIZED_TOOL": IssueWording(
        "high",
        "Unauthorized tool",
        "Used '{tool}' but only has: {names}",
        "Name to {agent} only tools that it has, or declare what it needs: {what}",
    ),
    "PARAMETER_HALLUCINATION": IssueWording(
        "medium",
        "Tool parameter hallucination",
        "'{name}' is not a parameter of '{tool}'",
        "Validate {agent}'s parameters against the schema before execution: {what}",
    ),
    "MISSING_REQUIRED_PARAM": IssueWording(
        "medium",
        "Missing required parameter",
        SCHEMA_BREACH,
        "Let {agent} ask for what a call requires before it calls: {what}",
    ),
    "INVALID_PARAM_TYPE": IssueWording(
        "medium",
        "Parameter of a wrong type",
        SCHEMA_BREACH,
        "Convert {agent}'s values to the types of the schema: {what}",
    ),
    "INVALID_PARAM_VALUE": IssueWording(
        "low",
        "Parameter value not allowed",
        SCHEMA_BREACH,
        "Let {agent} choose among the values that the schema allows: {what}",
    ),
    "UNGROUNDED_ARGUMENT": IssueWording(
        "low",
        "Argument from nowhere",
        "'{tool}' was given {argument}, found nowhere in what the agent could know",
        "Let {agent} take values from the request or from results, or ask for them: {what}",
    ),
    "DUPLICATE_CALL": IssueWording(
        "low",
        "Duplicate call",
        "'{tool}' was called before with the same arguments",
        "Let {agent} keep the results it has instead of calling again: {what}",
    ),
    "IGNORED_ERROR": IssueWording(
        "medium",
        "Ignored error",
        "'{tool}' failed; it was neither repaired nor mentioned afterwards",
        "Let {agent} read errors and act on them before it goes on: {what}",
    ),
    "REPEATED_FAILURE": IssueWording(
        "medium",
        "Repeated failure",
        "'{tool}' failed again ({times} times in a row)",
        "Let {agent} change its call after an error, not repeat it: {what}",
    ),
}
UNREPAIRED_CALL = "a call that failed and was not repaired"

# Coordination problems between the agents of one run.
COORDINATION_CASES = {
    "duplicate_work": "Work done twice",
    "context_lost": "Lost on the way from one to the other",
    "role_breaches": "Stepped out of a role",
    "ping_pong": "To and fro without progress",
    "deadlock": "Waited for each other",
}

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
