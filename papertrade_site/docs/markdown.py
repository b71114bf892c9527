"""Markdown as HTML: headings with anchors, code in colours, tables that scroll, tabs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

_UNSHOWN: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_FENCE: Final = re.compile(r"`{3,}")
_SPECIAL: Final = re.compile(r"([\\`*\[\]<|])")
_SPACE_BEFORE: Final = re.compile(r"\s+([,.;:)]|\s)")
_FORMATTER: Final = HtmlFormatter(nowrap=True)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that can be linked to: level 2 or 3, its anchor and its text."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A section of a text: its heading, anchor and words; neither of the first two before any heading."""

    heading: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Html:
    """A text as HTML, and its headings."""

    html: str
    headings: tuple[Heading, ...]


def anchor_of(title: str) -> str:
    """The anchor of a heading: ``get_history`` has ``get-history``."""
    return _UNSHOWN.sub("-", title.lower()).strip("-")


def fence(code: str, language: str = "") -> str:
    """Any text as a fenced block that nothing in it can end."""
    longest = max((len(run) for run in _LONGEST_FENCE.findall(code)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{code}\n{ticks}"


def escaped(text: str) -> str:
    """Plain words as Markdown shows them unchanged, on one line, in a cell of a table too."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; cells are Markdown in which a bar has to be escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def to_html(text: str) -> Html:
    """A text as HTML."""
    environment: dict[str, Any] = {}
    tokens = _PARSER.parse(text, environment)
    headings = tuple(_headings(tokens))
    return Html(_PARSER.renderer.render(tokens, _PARSER.options, environment), headings)


def parts(text: str) -> list[Part]:
    """A text cut at its headings, in plain words without blocks of code; what comes before them is first."""
    found = [Part("", "", "")]
    tokens = _PARSER.parse(text)
    for before, token in pairwise(tokens):
        if token.type != "inline" or before.tag == "h1":
            continue
        words = _words(token)
        if before.type == "heading_open":
            found.append(Part(words, str(before.attrGet("id")), ""))
        elif before.type != "th_open" and words:
            apart = " · " if before.type == "td_open" else " "
            found[-1] = replace(found[-1], text=f"{found[-1].text}{apart}{words}".strip(" ·"))
    return found


def _words(token: Token) -> str:
    """What a reader sees of a text, on one line."""
    parts = (child.content for child in token.children or () if child.content)
    return _SPACE_BEFORE.sub(r"\1", " ".join(parts))


def code_lines(text: str) -> frozenset[int]:
    """The numbers of the lines that belong to blocks of code, with their fences; the first line is 0."""
    blocks = (token.map for token in _PARSER.parse(text) if token.type == "fence" and token.map)
    return frozenset(number for start, end in blocks for number in range(start, end))


def code_html(code: str, language: str) -> str:
    """A block of code in colours, or without where the language is unknown or none."""
    coloured = highlight(code, get_lexer_by_name(language), _FORMATTER) if language else escape(code)
    return f'<pre class="code"><code>{coloured.rstrip()}</code></pre>'


def _headings(tokens: Sequence[Token]) -> list[Heading]:
    found = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.tag in {"h2", "h3"}:
            words = (child.content for child in inline.children or ())
            found.append(Heading(int(token.tag[1]), str(token.attrGet("id")), "".join(words)))
    return found


def _render_fence(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    code, language = tokens[index].content, tokens[index].info.split(" ", 1)[0]
    return f'<div class="block">{code_html(code, language)}</div>\n'


def _render_heading_close(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    opening, tag = tokens[index - 2], tokens[index].tag
    anchor = opening.attrGet("id")
    if anchor is None:
        return f"</{tag}>\n"
    return f' <a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></{tag}>\n'


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "alerts": True})
    parser.enable("table")
    parser.use(anchors_plugin, min_level=2, max_level=3, slug_func=anchor_of)
    parser.add_render_rule("fence", _render_fence)
    parser.add_render_rule("heading_close", _render_heading_close)
    parser.add_render_rule("table_open", lambda *_: '<div class="table"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


_PARSER: Final = _parser()
