"""What the hub has acknowledged, and what was sent. Afterwards, the database must hold exactly this."""

from typing import NamedTuple


class SentMessage(NamedTuple):
    """A message that the hub has acknowledged."""

    session_id: str
    sequence: int
    content: str


class Ledger:
    def __init__(self) -> None:
        self.sent_texts: set[str] = set()  # also those without an answer
        self.agents: dict[str, str] = {}  # names by id
        self.messages: dict[str, SentMessage] = {}  # by id
        self.claims: dict[str, str] = {}  # sessions by registration
        self.verdicts: dict[str, str] = {}  # results by registration
        self.marks: dict[str, str] = {}  # results by registration
        self.submissions: dict[str, str] = {}  # results by registration
        self.analyses: dict[str, str] = {}  # traces by analysis

    @property
    def results(self) -> dict[str, str]:
        return {**self.verdicts, **self.marks, **self.submissions}
