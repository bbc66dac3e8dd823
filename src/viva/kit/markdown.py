"""Renders strangers' Markdown as safe HTML, within a budget of steps. A text beyond it stays plain."""

from collections.abc import Callable, Sequence
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

MAX_MARKDOWN_CHARACTERS = 50_000
MAX_HTML_GROWTH = 12  # times the text; a link of 7 characters makes 46, and a table can repeat a row without end
SMALL_HTML_CHARACTERS = 2_000  # HTML of this size is always allowed
CHARACTERS_PER_STEP = 10  # scanning costs at most 0.7 µs per character, a step about 1 µs
INLINE_TAGS = {"a", "br", "code", "em", "s", "strong"}
BLOCK_TAGS = {"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"}
TABLE_TAGS = {"table", "tbody", "td", "th", "thead", "tr"}
ALLOWED_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "p": {"class"}}
ALLOWED_URL_SCHEMES = {"http", "https", "mailto"}
ENABLED_RULES = ["table", "strikethrough"]
# One reference can be linked ten thousand times, so 50,000 characters would make a hundred million of HTML.
DISABLED_RULES = ["image", "html_block", "html_inline", "reference"]


class TooCostly(Exception):
    """The text would exceed its steps or its size of HTML."""


class StepBudget:
    """The steps that are left. A step is one call of a Markdown rule or one token, about a microsecond."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooCostly()


class CountedTokens(list[Token]):
    """Tokens that spend the budget, since one call of the table rule can add 200,000."""

    def __init__(self, budget: StepBudget) -> None:
        super().__init__()
        self.budget = budget

    def append(self, token: Token) -> None:
        self.budget.spend(1)
        super().append(token)


def counting_parser(**options: bool) -> MarkdownIt:
    """A parser whose rules spend the budget in the `env` of each parse."""
    parser = MarkdownIt("commonmark", {"html": False, **options}).enable(ENABLED_RULES).disable(DISABLED_RULES)
    for ruler in (parser.block.ruler, parser.inline.ruler, parser.inline.ruler2):
        count_rules(ruler)
    return parser


def count_rules(ruler: "Ruler[Any]") -> None:
    for rule in ruler.__rules__:
        ruler.at(rule.name, count_calls(rule.fn), {"alt": rule.alt})


def count_calls(rule: Callable[..., Any]) -> Callable[..., Any]:
    def run(state: Any, *rest: Any) -> Any:
        state.env["budget"].spend(1)
        return rule(state, *rest)

    return run


DOCUMENT = counting_parser()
UTTERANCE = counting_parser(breaks=True)  # in a conversation a line break is intended


def render_document(text: str, level: int, budget: StepBudget) -> Markup:
    """Render a document within a page. Its headings begin at `level` and descend without gaps."""
    return render(DOCUMENT, text, lambda headings: nest(headings, level), budget)


def render_utterance(text: str, budget: StepBudget) -> Markup:
    """Render a message. Its headings are styled but are not headings of the page."""
    return render(UTTERANCE, text, flatten, budget)


def render_plain(text: str) -> Markup:
    """The text as it was written, without parsing."""
    return Markup('<pre class="as-written">{}</pre>').format(escape(text))


def render(parser: MarkdownIt, text: str, change: Callable[[Sequence[Token]], None], budget: StepBudget) -> Markup:
    if len(text) > MAX_MARKDOWN_CHARACTERS:
        raise TooCostly()
    budget.spend(len(text) // CHARACTERS_PER_STEP)
    state = StateCore(text, parser, {"budget": budget})
    state.tokens = CountedTokens(budget)
    parser.core.process(state)
    change([token for token in state.tokens if token.type in ("heading_open", "heading_close")])
    html = parser.renderer.render(state.tokens, parser.options, {})
    if len(html) > max(SMALL_HTML_CHARACTERS, MAX_HTML_GROWTH * len(text)):
        raise TooCostly()
    return clean(html)


def clean(html: str) -> Markup:
    cleaned = nh3.clean(
        html,
        tags=INLINE_TAGS | BLOCK_TAGS | TABLE_TAGS,
        attributes=ALLOWED_ATTRIBUTES,
        url_schemes=ALLOWED_URL_SCHEMES,
        link_rel="nofollow noopener ugc",
    )
    return Markup(cleaned)  # noqa: S704 — nh3 has just cleaned it


def nest(headings: Sequence[Token], level: int) -> None:
    """Give headings the levels of an outline without gaps, since screen readers navigate by them."""
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
