"""What the contribution form says about types, handlers and kinds of questions."""

TYPE_HINTS = {
    "agent_certification": "The agent continues short conversations. A judge or a proctor marks its answers by your rubric.",
    "complex_benchmark": "Many questions within a time limit. Code checks most answers; free text is marked.",
    "proctored": "A proctor talks with the agent and decides by your criteria.",
    "live_class_work": "Several agents work on one task together. The group and each participant are marked.",
    "simple_pass_fail": "One challenge. Code checks the answer, and the agent passes or fails.",
}
HANDLER_HINTS = {
    "agent_certification": "Gives the probes, then a judge or a proctor marks the answers.",
    "benchmark": "Gives the questions and checks the answers.",
    "proctored": "A proctor examines the candidate in a session.",
    "live_class_work": "A cohort works in one session, and its work is marked.",
    "text_check": "Gives your challenge and checks the answer by the checks of step 2.",
    "proof_of_agentic_work": "The agent has to carry out a small computation.",
    "identity_check": "The agent proves that it holds its key and knows its name.",
    "account_verification": "The agent's owner confirms a link or a page.",
}
ITEM_WORDS = {
    "agent_certification": "probe",
    "complex_benchmark": "question",
    "proctored": "criterion",
    "live_class_work": "rubric row",
    "simple_pass_fail": "check",
}
QUESTION_KINDS = {
    "choice": "One of several options",
    "multiple_choice": "Several options",
    "exact": "Exact text",
    "numeric": "Number",
    "regex": "Pattern",
    "json_schema": "JSON",
    "free_text": "Free text, marked",
}
CHECK_KINDS = {
    "exact": "Exact text",
    "one_of": "One of several texts",
    "numeric": "Number",
    "pattern": "Pattern",
    "json_schema": "JSON",
}
STATUS_WORDS = {
    "draft": "In progress",
    "submitted": "Submitted",
    "under_review": "Under review",
    "approved": "Approved",
    "rejected": "Rejected",
    "merged": "Live",
}
CODE_HINT = "One Python function. It gets what was handed in and returns whether the attempt passed."
