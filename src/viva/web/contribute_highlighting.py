"""Colour a SIP document and a diff: each part of a line gets a class, and everything is escaped."""

import re

from markupsafe import Markup, escape

MAX_HIGHLIGHTED_LINES = 3_000  # of a document; the others are shown plain
MAX_HIGHLIGHTED_CHARACTERS = 1_000  # of a line; the patterns take quadratic time on a line of brackets
YAML_LINE = re.compile(r"(\s*(?:- )*)([A-Za-z_][\w-]*)(:)( .*|$)")
MARKDOWN_PARTS = re.compile(r"(`[^`]+`)|(\*\*[^*]+\*\*)|(\[[^\]]*\]\([^)]*\))")
MARKDOWN_CLASSES = ("code", "strong", "link")
DIFF_CLASSES = {"+": ("added", "Added: "), "-": ("removed", "Removed: "), "@": ("place", "")}


def highlight(document: str) -> Markup:
    """The document with classes for keys, values, headings, code and links."""
    lines = document.split("\n")
    front_end = next((at for at, line in enumerate(lines[1:], start=1) if line == "---"), 0)
    coloured = [
        front_line(line) if at <= front_end else body_line(line)
        for at, line in enumerate(lines[:MAX_HIGHLIGHTED_LINES])
    ]
    return Markup("\n").join([*coloured, *map(escape, lines[MAX_HIGHLIGHTED_LINES:])])


def span(name: str, text: str) -> Markup:
    return Markup('<span class="s-{}">{}</span>').format(name, text)


def front_line(line: str) -> Markup:
    if line == "---":
        return span("mark", line)
    found = YAML_LINE.fullmatch(line)
    if not found:
        return escape(line)
    indent, key, colon, value = found.groups()
    return escape(indent) + span("key", key) + escape(colon) + (span("value", value) if value else Markup())


def body_line(line: str) -> Markup:
    if re.match(r"#{1,6} ", line):
        return span("heading", line)
    if len(line) > MAX_HIGHLIGHTED_CHARACTERS:
        return escape(line)
    parts, last = [], 0
    for found in MARKDOWN_PARTS.finditer(line):
        parts += [escape(line[last : found.start()]), span(MARKDOWN_CLASSES[(found.lastindex or 1) - 1], found[0])]
        last = found.end()
    return Markup().join([*parts, escape(line[last:])])


def diff(text: str) -> Markup:
    """A unified diff as lines. Each says in words whether it was added or removed."""
    return Markup('<pre class="diff" tabindex="0" aria-label="Changes">{}</pre>').format(
        Markup().join(diff_line(line) for line in text.split("\n"))
    )


def diff_line(line: str) -> Markup:
    name, words = DIFF_CLASSES.get(line[:1], ("same", ""))
    return Markup('<span class="d-{}"><span class="hidden">{}</span>{}</span>').format(name, words, line)
