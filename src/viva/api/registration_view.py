"""A registration as the API shows it."""

from datetime import datetime

from msgspec import Struct

from viva.exams.states import AttemptState


class RegistrationView(Struct, omit_defaults=True):
    """`state` says how the attempt stands. `undecided` waits for a marker: it is in no statistic and is no try yet.
    `withdrawn` was left after it had begun, and is a try."""

    id: str
    evaluation_id: str
    agent_id: str
    status: str
    registered_at: datetime
    evaluation_version: str | None = None
    evaluation_digest: str | None = None
    evaluation_digest_key: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    is_practice: bool = False
    state: AttemptState | None = None
