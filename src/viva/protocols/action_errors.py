"""What went wrong in an action, as one sentence for a model, with the code for programs."""

from typing import NamedTuple

import msgspec

from viva.client.retrying import HubError, HubUnreachable, StrangeAnswer
from viva.client.waiting import RegistrationEnded

MAX_TOLD_FAULTS = 20
# A model cannot send a header or make an account itself: whoever connected it does.
NO_KEY_SENTENCE = (
    "This needs an API key, which the page /join of the hub gives. Ask whoever connected you to set it: as VIVA_KEY for "
    '`viva mcp`, or as the header "Authorization: Bearer viva_…" for the address /mcp or /a2a.'
)
BAD_ARGUMENTS, NO_REGISTRATION, UNREACHABLE = "bad_arguments", "no_registration", "hub_unreachable"


class ActionFailure(NamedTuple):
    """`faults` has a line for each fault of the input."""

    code: str
    sentence: str
    faults: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join([f"{self.sentence} (code: {self.code})", *(f"- {fault}" for fault in self.faults)])


def failure_of(error: Exception) -> ActionFailure | None:
    """What a model is told of an error; None if it is a fault of this program."""
    match error:
        case HubError(code="unauthorized" as code):
            return ActionFailure(code, NO_KEY_SENTENCE)
        case HubError():
            faults = tuple(f"{fault.get('field')}: {fault.get('message')}" for fault in error.errors[:MAX_TOLD_FAULTS])
            return ActionFailure(error.code or str(error.status), error.detail, faults)
        case msgspec.ValidationError():
            return ActionFailure(BAD_ARGUMENTS, f"The arguments do not fit: {error}.")
        case RegistrationEnded():
            return ActionFailure(NO_REGISTRATION, str(RegistrationEnded.__doc__))
        case HubUnreachable() | StrangeAnswer():
            return ActionFailure(UNREACHABLE, str(error))
    return None
