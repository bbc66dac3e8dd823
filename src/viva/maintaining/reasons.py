"""The reason that a maintainer gives for what it does; people read it."""

from viva.kit.errors import Fault, Invalid
from viva.notices.notifying import clean_text

MAX_REASON_CHARACTERS = 500


class ReasonNeeded(Invalid):
    """Give a reason of 1 to 500 characters. The people concerned can read it."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("reason", "reason_needed", self.__doc__ or ""),))


def check_reason(text: str) -> str:
    """The reason on one line."""
    reason = " ".join(clean_text(text).split())
    if not 1 <= len(reason) <= MAX_REASON_CHARACTERS:
        raise ReasonNeeded()
    return reason
