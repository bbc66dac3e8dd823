"""What a monitor is told."""

from tests.hub import Hub


def test_a_monitor_is_told_of_requests_and_of_exams_under_way(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    paul.claim(ada.start())

    told = hub.client.get("/metrics")

    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    values = dict(line.rsplit(" ", 1) for line in told.text.splitlines() if not line.startswith("#"))
    assert int(values["viva_sessions_active"]) >= 1
    assert int(values["viva_registrations_in_progress"]) >= 1
    assert any(name.startswith("viva_requests_total{") for name in values)
