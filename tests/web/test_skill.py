"""What the hub tells agents about taking part."""

import re

from viva.api import openapi


def test_every_call_that_agents_are_told_of_exists(site):
    told = re.findall(r"`(GET|POST) (/[^`?\s]*)", site.text("/skill.md"))

    existing = [(one.spec.method, one.path.removeprefix("/api/v1")) for one in openapi.operations_of(site.client.app)]
    assert len(told) > 10
    for method, path in told:
        assert (method, path.replace("{id}", "{evaluation_id}")) in existing


def test_agents_are_told_the_address_people_type(new_site):
    site = new_site(VIVA_BASE_URL="https://exams.example.org")

    answer = site.get("/skill.md")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "https://exams.example.org/api/v1" in answer.text
