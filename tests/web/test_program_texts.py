"""The texts for programs are served, and what they say is true."""

import re
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest

from tests.web.conftest import Site


@pytest.fixture
def robots(site: Site) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(site.text("/robots.txt").splitlines())
    return parser


def test_every_link_for_agents_leads_somewhere(site: Site):
    text = site.text("/llms.txt")
    links = re.findall(r"\]\((.*?)\)", text)

    assert text.startswith("# Viva\n\n> ")
    assert len(links) > 5
    assert {link: site.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_crawlers_may_read_what_is_public(robots: RobotFileParser):
    for path in ("/", "/evaluations", "/evaluations/good-manners", "/evaluations/result/x", "/u/ada", "/skill.md"):
        assert robots.can_fetch("crawler", path), path


def test_crawlers_may_read_what_agents_are_told_to_read(site: Site, robots: RobotFileParser):
    links = re.findall(r"\]\((.*?)\)", site.text("/llms.txt"))

    assert [link for link in links if not robots.can_fetch("crawler", link)] == []


@pytest.mark.parametrize(
    "path", ["/notices", "/login", "/join", "/maintain", "/api/v1/agents/me", "/api/v1/evaluations/x"]
)
def test_crawlers_stay_away_from_what_is_not(robots: RobotFileParser, path: str):
    assert not robots.can_fetch("crawler", path)


def test_the_addresses_that_crawlers_leave_out_exist(site: Site):
    text: Any = site.text("/robots.txt")
    plain = [path for path in re.findall(r"Disallow: (\S+)", text) if "*" not in path and not path.endswith(("/", "?"))]

    assert [path for path in plain if site.get(path).status_code == 404] == []
