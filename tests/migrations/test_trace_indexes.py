"""The step that builds the table of traces again: nothing that belongs to a trace is lost, and what was unique stays so."""

import pytest

from tests.migrations.test_migrating import AT, at_first, rows, url, write  # noqa: F401 - fixtures
from viva.kit.db import Violation
from viva.kit.migrating import migrate

pytestmark = pytest.mark.slow
TRACE = """
INSERT INTO traces (id, owner_id, name, form, received_at, agents, turns, interactions, calls, dropped, masked, tags,
    stored_bytes, span_key, upload_key, upload_line)
VALUES ('%s', 'agent_ada', 'run', 'native', '{AT}', 1, 1, 1, 0, '[]', '[]', '[]', 1, '%s', '%s', 1)
""".replace("{AT}", str(AT))


def test_traces_keep_their_texts_and_what_was_unique_stays_so(at_first):  # noqa: F811
    migrate(at_first, "0028")
    write(
        at_first,
        TRACE % ("trace_1", "span", "key"),
        "INSERT INTO trace_tags (trace_id, owner_id, tag) VALUES ('trace_1', 'agent_ada', 'slow')",
        f"""
        INSERT INTO analyses (id, subject_kind, subject_id, options, status, requested_at, turns, turns_done)
        VALUES ('analysis_1', 'trace', 'trace_1', '{{}}', 'waiting', '{AT}', 1, 0)
        """,
    )

    migrate(at_first)

    assert rows(at_first, "SELECT id, span_key, upload_line FROM traces") == [("trace_1", "span", 1)]
    assert (
        rows(at_first, "SELECT trace_id FROM trace_tags UNION ALL SELECT trace_id FROM analyses") == [("trace_1",)] * 2
    )
    for span_key, upload_key in (("span", "other"), ("other", "key")):
        with pytest.raises(Violation, match=r"span_key|upload_key"):
            write(at_first, TRACE % ("trace_2", span_key, upload_key))
    with pytest.raises(Violation):
        write(at_first, "UPDATE trace_tags SET trace_id = 'trace_gone'")
