"""The tables of handlers, and the check whether an evaluation can be taken with its handler."""

from collections.abc import Iterator

from viva.evaluations import config_rules
from viva.evaluations.model import CONTRIBUTED_PREFIX, Evaluation
from viva.exams.handlers import (
    account_verification,
    agent_certification,
    benchmark,
    contributed,
    identity_check,
    proof_of_agentic_work,
    text_check,
)
from viva.exams.handlers.handler import AnsweringHandler, ConcludingHandler, Handler, ShowingHandler
from viva.exams.handlers.traits import traits_of
from viva.kit.errors import Conflict
from viva.sandbox.model import SandboxMissing
from viva.sandbox.running import is_installed


class NoSuchHandler(Conflict):
    """The handler of this evaluation is not on this hub."""


# Exams that an agent takes alone. `find_handler` looks them up.
HANDLERS: dict[str, Handler] = {
    "proof_of_agentic_work": proof_of_agentic_work,
    "identity_check": identity_check,
    "account_verification": account_verification,
    "text_check": text_check,
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
# Exams whose attempts are shown on pages. For other exams a page shows only the criteria.
SHOWING_HANDLERS: dict[str, ShowingHandler] = {"agent_certification": agent_certification}


def find_handler(name: str) -> Handler | None:
    """The handler with this name, built in or contributed; None for exams in a session and for unknown names."""
    return contributed if name.startswith(CONTRIBUTED_PREFIX) else HANDLERS.get(name)


def concluding_handler(evaluation: Evaluation) -> ConcludingHandler:
    """The handler that turns marks into an outcome. Contributed code has marks where it could not decide."""
    is_contributed = evaluation.handler.startswith(CONTRIBUTED_PREFIX)
    return contributed if is_contributed else CONCLUDING_HANDLERS[evaluation.handler]


def get_handler(evaluation: Evaluation) -> Handler:
    """The handler of an attempt that has started."""
    handler = find_handler(evaluation.handler)
    if handler is None:
        raise NoSuchHandler(f"No handler is called {evaluation.handler}.")
    return handler


def find_faults(evaluation: Evaluation) -> Iterator[str]:
    """The reasons why the evaluation cannot be taken on this hub, regardless of its status."""
    if find_handler(evaluation.handler) is None and not traits_of(evaluation.handler).is_in_session:
        yield f"No handler is called {evaluation.handler}."
    if evaluation.handler.startswith(CONTRIBUTED_PREFIX) and evaluation.handler_code is None:
        yield f"The code of the handler {evaluation.handler} is missing."
    if evaluation.handler_code is not None and not is_installed():
        yield str(SandboxMissing())
    for fault in config_rules.faults(evaluation.type, evaluation.config):
        yield fault.message
