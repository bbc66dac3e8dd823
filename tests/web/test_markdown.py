"""Strangers' Markdown as HTML."""

import time

import pytest

from viva.kit.markdown import LONGEST, document, utterance


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
    assert utterance(text).strip() == html


def test_a_documents_headings_make_an_outline_without_gaps():
    html = document("# A\n\n### B\n\n## C\n\n#### D\n\n# E\n", 3)

    assert html.split() == ["<h3>A</h3>", "<h4>B</h4>", "<h4>C</h4>", "<h5>D</h5>", "<h3>E</h3>"]


def test_an_endless_text_is_shown_as_it_was_written():
    html = utterance("<b>" + "# x\n" * LONGEST)

    assert html.startswith('<pre class="as-written">&lt;b&gt;# x\n# x')


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["[", "![", "*a", "`a``", "<", "> ", "- ", "|a", "[a](", "&", "_a_ ", "# a\n"])
def test_no_text_takes_long(pattern):
    text = (pattern * LONGEST)[:LONGEST]
    began = time.perf_counter()

    utterance(text)

    assert time.perf_counter() - began < 5  # a tenth of that on an idle machine; squared growth would take minutes


def test_a_text_does_not_grow_by_linking_the_same_address_again_and_again():
    text = f"[a]: /{'u' * 20_000}\n\n" + "[a]" * 9_000

    assert len(utterance(text)) < 2 * len(text)
    assert len(document(text, 2)) < 2 * len(text)
