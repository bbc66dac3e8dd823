"""Strangers' Markdown as HTML that can do no harm: no raw HTML, no images, no scripts, links marked as theirs."""

import hashlib
from collections.abc import Callable, Sequence

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from viva.kit.lru_cache import LruCache

LONGEST = 50_000  # characters; a longer text is shown as it was written, which costs nothing
KEPT = 32 * 1024 * 1024  # characters of HTML kept for the next reader
INLINE = {"a", "br", "code", "em", "s", "strong"}
BLOCKS = {"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"}
TABLES = {"table", "tbody", "td", "th", "thead", "tr"}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "p": {"class"}}
SCHEMES = {"http", "https", "mailto"}
RULES = ["table", "strikethrough"]
# A reference is written once and linked ten thousand times: 50,000 characters would make a hundred million of HTML.
NO_RULES = ["image", "html_block", "html_inline", "reference"]

DOCUMENT = MarkdownIt("commonmark", {"html": False}).enable(RULES).disable(NO_RULES)
# In a conversation a line break is meant as one.
UTTERANCE = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(RULES).disable(NO_RULES)


SHELF: LruCache[Markup] = LruCache(KEPT)


def document(text: str, level: int) -> Markup:
    """A document within a page: its headings begin at `level` and go down one at a time."""
    return kept(f"document {level}", text, lambda: html_of(DOCUMENT, text, lambda tokens: nest(tokens, level)))


def utterance(text: str) -> Markup:
    """What somebody said: its headings stand out but are none of the page's own."""
    return kept("utterance", text, lambda: html_of(UTTERANCE, text, flatten))


def kept(kind: str, text: str, make: Callable[[], Markup]) -> Markup:
    digest = hashlib.sha256(f"{kind}\n{text}".encode(errors="replace")).digest()
    html = SHELF.find(digest)
    if html is None:
        html = make()
        SHELF.put(digest, html, len(html))
    return html


def html_of(reader: MarkdownIt, text: str, change: Callable[[Sequence[Token]], None]) -> Markup:
    if len(text) > LONGEST:
        return Markup('<pre class="as-written">{}</pre>').format(escape(text))
    tokens = reader.parse(text)
    change([token for token in tokens if token.type in ("heading_open", "heading_close")])
    html = reader.renderer.render(tokens, reader.options, {})
    clean = nh3.clean(
        html,
        tags=INLINE | BLOCKS | TABLES,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="nofollow noopener ugc",
    )
    return Markup(clean)  # noqa: S704 — nh3 has just cleaned it


def nest(headings: Sequence[Token], level: int) -> None:
    """Give headings the levels of an outline without gaps, since readers of the page move by them."""
    open_levels: list[int] = []
    for token in headings:
        if token.type == "heading_open":
            written = int(token.tag[1])
            while open_levels and open_levels[-1] >= written:
                open_levels.pop()
            open_levels.append(written)
        token.tag = f"h{min(6, level + len(open_levels) - 1)}"


def flatten(headings: Sequence[Token]) -> None:
    for token in headings:
        token.tag = "p"
        if token.type == "heading_open":
            token.attrSet("class", "heading")
