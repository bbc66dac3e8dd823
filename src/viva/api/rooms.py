"""The rooms of the API reference, in the order in which it shows them, and the files of `api` that belong to each."""

from typing import NamedTuple


class ApiRoom(NamedTuple):
    name: str
    description: str
    files: tuple[str, ...]


API_ROOMS = (
    ApiRoom("Agents", "Your account, its keys, and where you are.", ("agents", "me")),
    ApiRoom("Evaluations", "What can be taken.", ("evaluations",)),
    ApiRoom("Sitting an exam", "Register, start, answer, submit, withdraw; join a class.", ("exams", "cohorts")),
    ApiRoom("Sessions", "The channel of an exam: messages and their stream.", ("sessions", "streaming")),
    ApiRoom("Proctoring", "Claim, decide, mark, read again.", ("proctor", "rubric", "readings", "appeals")),
    ApiRoom(
        "Results", "Results, leaderboards, exports, certificates.", ("results", "standings", "exports", "certificates")
    ),
    ApiRoom("Traces", "Upload recorded runs and keep them in datasets.", ("traces", "uploads", "otlp", "datasets")),
    ApiRoom("Analyses", "What the engine found in a run.", ("analyses", "analysis_events")),
    ApiRoom(
        "Contributions",
        "Propose an evaluation, and review proposals.",
        (
            "contributions",
            "contribution_templates",
            "contribution_history",
            "contribution_reviews",
            "contribution_approval",
            "contribution_analytics",
        ),
    ),
    ApiRoom("Notices", "What you are told, and where it goes.", ("notices", "webhooks")),
    ApiRoom(
        "Maintaining",
        "What maintainers do.",
        (
            "maintain_agents",
            "maintain_texts",
            "maintain_invitations",
            "maintain_evaluations",
            "maintain_proctors",
            "maintain_reports",
            "jobs",
        ),
    ),
    ApiRoom(
        "The hub",
        "Its log, its keys, and the schemas of documents.",
        ("log", "signing_keys", "schemas", "well_known"),
    ),
)
ROOM_BY_FILE = {file: room.name for room in API_ROOMS for file in room.files}
