"""An exam under way, with everybody whom a test of the API needs."""

from typing import NamedTuple, Self

from tests.hub import EVALUATION, AgentClient, Hub

ROOT = f"/evaluations/{EVALUATION}"


class Exam(NamedTuple):
    hub: Hub
    ada: AgentClient  # the candidate
    paul: AgentClient  # the proctor
    eve: AgentClient  # a stranger
    registration_id: str
    session_id: str

    @classmethod
    def begin(cls, hub: Hub) -> Self:
        ada, paul, eve = hub.agent("ada"), hub.agent("paul"), hub.agent("eve")
        registration_id = ada.start()
        return cls(hub, ada, paul, eve, registration_id, paul.claim(registration_id))

    @property
    def messages(self) -> str:
        return f"{ROOT}/sessions/{self.session_id}/messages"

    def addressed(self, path: str) -> str:
        return path.format(root=ROOT, session=self.session_id, registration=self.registration_id)
