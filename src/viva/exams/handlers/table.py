"""Every handler there is, and whether an evaluation can be taken with the one it names."""

from collections.abc import Iterator

from viva.evaluations import config_rules
from viva.evaluations.model import Evaluation
from viva.exams.handlers import (
    account_verification,
    agent_certification,
    benchmark,
    identity_check,
    proof_of_agentic_work,
)
from viva.exams.handlers.handler import AnsweringHandler, ConcludingHandler, Handler, ShowingHandler

# Exams that an agent sits alone.
HANDLERS: dict[str, Handler] = {
    "proof_of_agentic_work": proof_of_agentic_work,
    "identity_check": identity_check,
    "account_verification": account_verification,
    "benchmark": benchmark,
    "agent_certification": agent_certification,
}
CONCLUDING_HANDLERS: dict[str, ConcludingHandler] = {
    "account_verification": account_verification,
    "benchmark": benchmark,
    "agent_certification": agent_certification,
}
# Exams whose questions are answered one by one.
ANSWERING_HANDLERS: dict[str, AnsweringHandler] = {"benchmark": benchmark}
# Exams whose attempts are shown on pages; of the others a page shows what stands with the criteria.
SHOWING_HANDLERS: dict[str, ShowingHandler] = {"agent_certification": agent_certification}
# Exams in whose criteria the evidence is the whole answer, and not a quotation from it.
ANSWER_IS_EVIDENCE = frozenset({"benchmark"})
# Exams in which agents talk; their flows are in proctoring and classes.
SESSION_TYPES = frozenset({"proctored", "live_class_work"})


def find_faults(evaluation: Evaluation) -> Iterator[str]:
    """Why nobody can take the evaluation here, whatever its status."""
    if evaluation.handler not in HANDLERS.keys() | SESSION_TYPES:
        yield f"No handler is called {evaluation.handler}."
    for fault in config_rules.faults(evaluation.type, evaluation.config):
        yield fault.message
