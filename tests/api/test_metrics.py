"""What a monitor is told."""

import re

from tests.hub import Hub

SAMPLE = re.compile(r'([a-z_]+)(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [0-9.e+-]+')
KINDS = {"gauge", "counter", "histogram"}


def values_of(text: str) -> dict[str, float]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_a_monitor_is_told_of_requests_and_of_exams_under_way(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    paul.claim(ada.start())

    told = hub.client.get("/metrics")

    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    values = values_of(told.text)
    assert values["viva_sessions_active"] >= 1
    assert values["viva_registrations_in_progress"] >= 1
    assert values["viva_connections_open"] >= 1
    assert values["process_resident_memory_bytes"] > 10_000_000
    assert values['viva_disk_free_bytes{place="data"}'] > 0
    assert values['viva_jobs{status="waiting"}'] >= 0
    assert values["viva_jobs_oldest_waiting_seconds"] >= 0


def test_every_line_can_be_read_and_every_metric_says_what_it_is(hub: Hub):
    text = hub.client.get("/metrics").text

    helped = re.findall(r"^# HELP ([a-z_]+) [A-Z].+\.$", text, re.MULTILINE)
    typed = re.findall(r"^# TYPE ([a-z_]+) (\w+)$", text, re.MULTILINE)
    assert helped == [name for name, _ in typed]
    assert len(set(helped)) == len(helped)
    assert {kind for _, kind in typed} <= KINDS
    for line in text.splitlines():
        if not line.startswith("#"):
            found = SAMPLE.fullmatch(line)
            assert found, line
            assert found[1] in helped or re.sub("_(bucket|sum|count)$", "", found[1]) in helped


def test_a_histogram_counts_up_to_all_answers(hub: Hub):
    for _ in range(3):
        hub.client.get("/healthz")

    values = values_of(hub.client.get("/metrics").text)

    labels = 'method="GET",route="/healthz",status="200"'
    buckets = [
        value for name, value in values.items() if name.startswith(f"viva_request_duration_seconds_bucket{{{labels}")
    ]
    assert buckets == sorted(buckets)
    assert buckets[-1] == values[f"viva_request_duration_seconds_count{{{labels}}}"] >= 1
    assert values[f"viva_request_duration_seconds_sum{{{labels}}}"] > 0


def test_clients_cannot_invent_labels(hub: Hub):
    for number in range(20):
        hub.client.get(f"/no/such/page-{number}")
        hub.client.get(f"/claim/nobody-{number}")

    hub.client.request("PROPFIND", "/healthz")
    text = hub.client.get("/metrics").text

    assert "page-" not in text
    assert "nobody-" not in text
    assert "PROPFIND" not in text
    assert 'method="other",' in text
    assert 'route="/claim/{token}",status="404"' in text
    assert 'method="GET",route="other",status="404"' in text
