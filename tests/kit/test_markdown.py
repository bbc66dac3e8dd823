"""Strangers' Markdown as HTML, within a budget."""

import sys

import pytest

from viva.kit.markdown import (
    MAX_MARKDOWN_CHARACTERS,
    StepBudget,
    TooCostly,
    render_document,
    render_plain,
    render_utterance,
)

CALLS_PER_STEP = 40  # of functions; the dearest rule, which fills up rows of a table, makes 29


def endless() -> StepBudget:
    return StepBudget(sys.maxsize)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](data:text/html,hi)", "<p>[x](data:text/html,hi)</p>"),
        (
            "![x](https://a.example/x.png)",
            '<p>!<a href="https://a.example/x.png" rel="nofollow noopener ugc">x</a></p>',
        ),
        ("# Loud", '<p class="heading">Loud</p>'),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
    ],
)
def test_what_is_said_becomes_harmless_html(text, html):
    assert render_utterance(text, endless()).strip() == html


def test_a_plain_text_is_escaped_and_keeps_its_lines():
    assert render_plain("<b>\n*a*") == '<pre class="as-written">&lt;b&gt;\n*a*</pre>'


def test_a_documents_headings_make_an_outline_without_gaps():
    html = render_document("# A\n\n### B\n\n## C\n\n#### D\n\n# E\n", 3, endless())

    assert html.split() == ["<h3>A</h3>", "<h4>B</h4>", "<h4>C</h4>", "<h5>D</h5>", "<h3>E</h3>"]


def backtick_runs() -> str:
    return "a".join("`" * length for length in range(1, 300))


HOSTILE = {
    "opened brackets": "[" * 20_000,
    "opened images": "![" * 10_000,
    "brackets in brackets": "[" * 10_000 + "]" * 10_000,
    "opened links": "[a](" * 5_000,
    "emphasis in turns": "*_" * 10_000,
    "emphasis runs": "***a " * 4_000,
    "emphasis never closed": "*a" * 10_000,
    "strikethrough": "~~a ~~~b " * 2_000,
    "backtick runs": backtick_runs(),
    "quotes with lazy lines": (">" * 20 + "a\n" + "b\n" * 40) * 200,
    "quotes in quotes": ("> " * 40 + "a\n") * 200,
    "list in list": "".join(" " * (2 * (line % 40)) + "- a\n" for line in range(1_000)),
    "lists in quotes": ("> - " * 10 + "a\n" + "b\n" * 5) * 300,
    "list items": "- a\n" * 5_000,
    "headings": "# a\n" * 5_000,
    "table": "|a|b|\n|-|-|\n" + "|*a*|`b`|\n" * 2_000,
    "table with empty cells": "|a" * 100 + "|\n" + "|-" * 100 + "|\n" + "|a\n" * 2_000,
    "link reference definitions": "[a]: b\n" * 3_000,
    "entities": "&" * 20_000,
    "autolinks": "<a@b" * 5_000,
    "links": "a[b](c) " * 2_500,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_ends_with_its_budget(name):
    """Counted in function calls, which depend on no machine's speed."""
    budget, calls = StepBudget(5_000), 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        render_utterance(HOSTILE[name], budget)
    except TooCostly:
        assert budget.left < 0
    finally:
        sys.setprofile(before)
    assert calls < CALLS_PER_STEP * 5_000


def test_an_ordinary_text_takes_few_steps():
    budget = StepBudget(200)

    render_utterance(
        "Hello **you**.\n\n- one\n- [two](https://a.example)\n\n```\ncode\n```\nThank you for asking me that.", budget
    )


def test_a_text_that_is_too_long_takes_no_step():
    with pytest.raises(TooCostly):
        render_utterance("a" * (MAX_MARKDOWN_CHARACTERS + 1), endless())


def test_a_text_does_not_grow_by_linking_the_same_address_again_and_again():
    text = f"[a]: /{'u' * 20_000}\n\n" + "[a]" * 9_000

    assert len(render_utterance(text, endless())) < 2 * len(text)
    assert len(render_document(text, 2, endless())) < 2 * len(text)


def test_a_table_does_not_grow_by_filling_up_its_rows():
    text = "|a" * 100 + "|\n" + "|-" * 100 + "|\n" + "|a\n" * 300

    with pytest.raises(TooCostly):
        render_utterance(text, endless())
