"""What tests of the pages of people share."""

import re
from typing import Any

from tests import make
from viva.agents import store
from viva.agents.model import name_key
from viva.kit.db import Connection
from viva.results.model import NamedResult

HOSTILE_NAME = "<img src=x onerror=alert(1)>"


def agent(db: Connection, name: str) -> Any:
    return store.find_by_name(db, name_key(name)) or make.agent(db, name)


def attempt(
    site: Any, name: str, passed: bool = True, evaluation: str = "good-manners", proctor: str = "paul", **verdict: Any
) -> NamedResult:
    """A decided exam of somebody who may have had others."""

    def unit(db: Connection) -> NamedResult:
        return make.result(db, agent(db, name), agent(db, proctor), passed, evaluation, **verdict)

    done: NamedResult = site.database.write_now(unit)
    return done


def links_in(page: str, address: str) -> list[str]:
    """The texts of the links whose address has this in it, in their order."""
    return re.findall(rf'<a[^>]* href="[^"]*{address}[^"]*"[^>]*>([^<]*)<', page)


def main_of(page: str) -> str:
    return page[page.index("<main") : page.index("</main>")]


def next_page(page: str) -> str | None:
    found = re.search(r'<a href="([^"]+)" rel="next"', page)
    return found[1].replace("&amp;", "&") if found else None


def over_all_pages(site: Any, path: str | None, address: str) -> list[str]:
    found: list[str] = []
    while path:
        page = site.text(path)
        found += links_in(main_of(page), address)
        path = next_page(page)
    return found
