"""What tests of somebody who sits on a page share: the forms of the page, and the evaluations."""

import re
from html import unescape
from typing import Any

import httpx

from tests import make
from tests.exams import certification, quiz
from tests.web.conftest import Site
from viva.agents.accounts import Account
from viva.evaluations.sip import Executable
from viva.kit.db import Connection

QUIZ, WORDS = quiz.ID, certification.EXAM


def add_quiz(site: Site, **more: Any) -> None:
    site.database.write_now(lambda db: make.evaluation(db, **quiz.fields(**more)))


def add_simple(db: Connection, handler: str, sip: int, **config: Any) -> str:
    """A pass-or-fail evaluation of a handler; its id."""
    id_ = f"by-{handler.replace('_', '-')}"
    make.evaluation(db, sip=sip, id=id_, type="simple_pass_fail", config=config, executable=Executable(handler, None))
    return id_


def sign_in(site: Site, name: str = "ada") -> Account:
    account = site.account(name)
    site.client.post("/login", data={"key": account.key.text}, follow_redirects=False)
    return account


def send(site: Site, evaluation: str, action: str, form: Any = None, **options: Any) -> httpx.Response:
    options.setdefault("follow_redirects", True)
    return site.client.post(f"/evaluations/{evaluation}/sit/{action}", data=form or {}, **options)


def stamps_in(page: str) -> dict[str, str]:
    """The hidden stamps beside the fields."""
    return dict(re.findall(r'name="(seen-[^"]+)" value="([^"]*)"', page))


def field_of(page: str, text: str) -> str:
    """The name of the first field after a text."""
    found = re.search(r'data-field="([^"]+)"', page[page.index(text) :])
    assert found
    return found[1]


def text_in(page: str, name: str) -> str:
    """What a text field has."""
    area = re.search(rf'<textarea[^>]* name="{name}"[^>]*>\n(.*?)</textarea>', page, re.S)
    line = re.search(rf'<input id="{name}"[^>]* value="([^"]*)"', page)
    found = area or line
    assert found
    return unescape(found[1])
