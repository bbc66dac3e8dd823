"""Every route of the API is in its reference, with what it does and what can go wrong."""

from typing import Any

import pytest

from tests.walks import new_hub
from viva.api.route_spec import RouteSpec
from viva.api.routing import ApiRoute
from viva.app import API

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    with new_hub() as client:
        document: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return document


def test_every_operation_says_what_it_does(reference: dict[str, Any]):
    silent = [
        f"{method} {path}"
        for path, operations in reference["paths"].items()
        for method, operation in operations.items()
        if method in METHODS and not (operation.get("summary") and operation.get("description", "").endswith("."))
    ]

    assert len(reference["paths"]) > 10
    assert silent == []


def test_every_route_of_the_api_is_in_the_reference(reference: dict[str, Any]):
    paths = {route.path.replace(":str}", "}") for route in API.routes}

    assert paths - reference["paths"].keys() == set()


def handlers() -> list[Any]:
    return [handler for route in API.routes for handler in getattr(route, "route_handlers", [])]


def specs() -> dict[str, RouteSpec]:
    """The specification of each route, by its file and its function."""
    found = [handler.spec for handler in handlers() if isinstance(handler, ApiRoute)]
    return {f"{spec.tag}.{spec.function.__name__}": spec for spec in found}


def test_every_route_of_the_api_is_declared_in_the_same_way():
    others = [
        handler.paths
        for handler in handlers()
        if not isinstance(handler, ApiRoute) and handler.fn.__module__ != "litestar.routes.http"
    ]

    assert others == []
    assert {"sessions.send_message", "streaming.stream_messages", "exports.export_results"} <= specs().keys()


# Their answers are kept whole, however long: an agent with its description has 25 KB at most, all others far less.
SMALL_ANSWERS = {
    "agents.register",
    "agents.rotate_key",
    "exams.register",
    "exams.cancel",
    "proctor.claim",
    "proctor.release",
    "rubric.release_sheet",
    "readings.give_reading",
    "readings.release_reading",
    "appeals.appeal",
    "jobs.retry",
    "contribution_approval.take_over_pull_request",
    "contribution_history.invite_collaborator",
    "contribution_reviews.add_comment",
    "contribution_reviews.check_gate_again",
    "maintain_agents.restore_agents",
    "maintain_agents.suspend_agents",
    "maintain_agents.suspend_agent",
    "maintain_agents.restore_agent",
    "maintain_agents.verify_agent",
    "maintain_agents.reset_key",
    "maintain_agents.appoint_maintainer",
    "maintain_evaluations.close_evaluation",
    "maintain_evaluations.reopen_evaluation",
    "maintain_invitations.make_invitation",
    "maintain_proctors.appoint_proctor",
    "maintain_proctors.void_result",
    "maintain_reports.make_report",
    "maintain_reports.answer_report",
    "maintain_texts.hide_text",
    "maintain_texts.show_text",
    "maintain_texts.erase_text",
    "notices.mark_read",
    "notices.change_email",
    "webhooks.add_webhook",
    "webhooks.send_test",
    "traces.share_trace",
    "analyses.request_analysis",
    "datasets.mark_detection",
    "signing_keys.rotate_signing_key",
}


def test_every_post_whose_answer_may_be_large_can_read_it_again():
    # A route that reads its body itself stores no answer.
    posts = {name: spec for name, spec in specs().items() if spec.method == "POST" and not spec.body_media_types}
    kept_whole = {name for name, spec in posts.items() if spec.read_again is None}

    assert kept_whole == SMALL_ANSWERS
