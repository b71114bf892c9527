"""What the text of a page is made with, beside Markdown; ``pages.py`` tells how each is used.

A tag yields Markdown in both forms, or a component: HTML in the one and Markdown in the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from papertrade_site.docs import reference, snippets
from papertrade_site.docs.connect_shapes import Client
from papertrade_site.docs.found import CUT, SHOWN_ROWS, example_of
from papertrade_site.docs.in_short import IN_SHORT
from papertrade_site.docs.links import page_link
from papertrade_site.docs.markdown import anchor_of, code_html, escaped, fence, to_html
from papertrade_site.docs.pages import pages_of
from papertrade_site.docs.rendering import Form, Rendering, render_text
from papertrade_site.docs.service import Service
from papertrade_site.docs.snippets import LANGUAGES, Value
from papertrade_site.limits.in_force import limits_for
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import Tool
from papertrade_site.ops import health
from papertrade_site.ops.models import Incident
from papertrade_site.servers import SERVERS
from papertrade_site.upstream.readiness import SourceState

register = template.Library()

_FIELD: Final = re.compile(r"<tr>\s*<td><code>[^<]*")
_PART_ENDS: Final = re.compile(r"(?<=[_.])(?=\w)")
_STEP: Final = re.compile(r"(?<=[^/:])(?=/)")
_NAME: Final = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[a-z]+[0-9]*(?:[A-Z][A-Za-z0-9]*)+)\b")


def _slug(rendering: Rendering, server: str | None) -> str | None:
    own = rendering.server.slug if rendering.server else None
    return server or own


# Addresses


@register.simple_tag(takes_context=True)
def link(context: Context, slug: str, server: str | None = None) -> str:
    """The address of a page, for people within the site and for readers of a twin in full.

    Raises:
        LookupError: when there is no such page.
    """
    rendering = Rendering.of(context)
    return page_link(rendering.place, _slug(rendering, server), slug, is_twin=rendering.form is Form.MARKDOWN)


@register.simple_tag(takes_context=True)
def tool_link(context: Context, tool: Tool[Any]) -> str:
    """The address of a tool's own page."""
    return link(context, f"docs/tools/{tool.name}")


@register.filter
def anchor(title: str) -> str:
    """The anchor that a heading has."""
    return anchor_of(title)


@register.simple_tag(takes_context=True)
def file(context: Context, path: str, server: str | None = None) -> str:
    """The address of whatever is no page, such as ``llms.txt``."""
    rendering = Rendering.of(context)
    slug, address = _slug(rendering, server), f"/{path}"
    if rendering.form is Form.MARKDOWN:
        return rendering.place.base(slug) + address
    return rendering.place.path(slug, address)


# Words and code


@register.filter
def prose(text: str) -> str:
    """Words of a tool as Markdown, with the names of tools, arguments and figures in code."""
    return _NAME.sub(r"`\g<0>`", escaped(text))


@register.filter
def breakable(name: str) -> SafeString:
    """A name as HTML that may break after each underscore and dot in it."""
    return format_html_join(SafeString("<wbr>"), "{}", ((part,) for part in _PART_ENDS.split(name)))


@register.filter
def in_short(tool: Tool[Any]) -> str:
    """What a tool is for, in one sentence."""
    return IN_SHORT[tool.name]


@register.filter
def breakable_url(url: str) -> SafeString:
    """An address as HTML that may break before each step of its path."""
    return format_html_join(SafeString("<wbr>"), "{}", ((part,) for part in _STEP.split(url)))


@register.filter
def cell(text: str) -> str:
    """Plain words as they stand in a text or in a cell of a table."""
    return escaped(text)


@register.filter
def fenced(value: object, language: str = "") -> str:
    """Any text, also what came from outside, as a block of code."""
    return fence(str(value), language)


@register.simple_tag(takes_context=True)
def call(context: Context, tool: str, **arguments: Value) -> str:
    """A call of a tool in every form, for people as tabs."""
    rendering = Rendering.of(context)
    written = [(each, each.code(context["endpoint"], tool, arguments)) for each in LANGUAGES]
    if rendering.form is Form.MARKDOWN:
        return "\n\n".join(fence(code, f'{each.lexer} title="{each.title}"') for each, code in written)
    blocks = [{"title": each.title, "html": code_html(code, each.lexer)} for each, code in written]
    values = {"blocks": blocks, "group": rendering.new_id("tabs")}
    return rendering.component(render_to_string("components/code.html", values))


@register.simple_block_tag(takes_context=True)
def curl(context: Context, content: str) -> str:
    """The message between the tags, sent to the page's server by curl."""
    return fence(snippets.curl(context["endpoint"], content), "bash")


@register.simple_tag(takes_context=True)
def example(context: Context, tool: str, **arguments: Value) -> str:
    """What a tool finds for some arguments, or why it finds nothing at the moment.

    The twin shows the call too, which people see in the form that the tool is tried in.
    """
    try:
        found, language = example_of(context["server"].tools_by_name[tool], arguments), "json"
    except ToolError as error:
        found, language = str(error), ""
    asked = f"With `{json.dumps(arguments)}`" if arguments else "Without arguments"
    note = f" (lists are cut to {SHOWN_ROWS} rows)" if CUT in found else ""
    blocks = [f"{asked}{note}:", fence(found, language)]
    if Rendering.of(context).form is Form.MARKDOWN:
        blocks.insert(0, call(context, tool, **arguments))
    return "\n\n".join(blocks)


# Tables of a tool


@register.simple_tag(takes_context=True, name="arguments")
def arguments_of(context: Context, tool: Tool[Any]) -> str:
    """The table of what a tool takes."""
    line_break = " " if Rendering.of(context).form is Form.MARKDOWN else "<br>"
    return _fields(context, reference.arguments_table(tool, line_break=line_break), "arguments")


@register.simple_tag(takes_context=True)
def returns(context: Context, tool: Tool[Any]) -> str:
    """The table of what a tool gives."""
    return _fields(context, reference.returns_table(tool), "returns")


def _fields(context: Context, table: str, kind: str) -> str:
    """A table that people see with a style of its own, since its rows are long."""
    rendering = Rendering.of(context)
    if rendering.form is Form.MARKDOWN:
        return table
    names_that_break = _FIELD.sub(lambda cell: cell[0].replace(".", ".<wbr>"), to_html(table).html)
    return rendering.component(f'<div class="stacking fields {kind}">{names_that_break}</div>')


@register.simple_block_tag(takes_context=True)
def changes(context: Context, content: str) -> str:
    """The table between the tags, which people see as cards where it has no room."""
    rendering = Rendering.of(context)
    if rendering.form is Form.MARKDOWN:
        return content.strip()
    return rendering.component(f'<div class="stacking changes">{to_html(content.strip()).html}</div>')


@register.simple_tag(name="annotations")
def annotations_of_every_tool() -> str:
    """What every tool tells clients about itself."""
    return reference.annotations_line()


# Components


@register.simple_tag(takes_context=True)
def tools(context: Context) -> str:
    """Every tool of the server: its title, name and what it is for."""
    return _component(context, "tools", {})


@register.simple_tag(takes_context=True)
def start(context: Context) -> str:
    """The endpoint's address, to be copied, and the ways on from the home page."""
    return _component(context, "start", {})


@register.simple_tag(takes_context=True)
def ask(context: Context, *questions: str) -> str:
    """Questions for the reader's AI client, to be copied."""
    return _component(context, "ask", {"questions": questions})


@register.simple_tag(takes_context=True)
def servers(context: Context) -> str:
    """Both servers with their tools, for the landing page."""
    place = Rendering.of(context).place
    rows = [
        {
            "slug": server.slug,
            "title": server.title,
            "description": server.description,
            "endpoint": place.endpoint(server.slug),
            "tools": [page for page in pages_of(server) if page.tool],
            "limits": limits_for(server.slug),
        }
        for server in SERVERS.values()
    ]
    return _component(context, "servers", {"servers": rows})


@register.simple_tag(takes_context=True)
def sources(context: Context, states: Sequence[SourceState] | None = None) -> str:
    """How each source is at this moment, as it has just been read or is read now."""
    shown = health.current_sources() if states is None else states
    return _component(context, "sources", {"sources": shown})


@register.simple_tag(takes_context=True)
def verdict(context: Context, service: Service) -> str:
    """How the page's server is as a whole, and why."""
    return _component(context, "verdict", {"service": service})


@register.simple_tag(takes_context=True)
def incidents(context: Context, shown: Sequence[Incident]) -> str:
    """Incidents, with what operators say of them; nothing without any."""
    return _component(context, "incidents", {"incidents": shown}) if shown else ""


@register.simple_tag(takes_context=True)
def picture(context: Context, name: str, alt: str = "", **query: str | int) -> str:
    """A live picture; ``query`` is what it is asked for, such as its market.

    The templates see ``name``, ``alt``, ``query`` and ``address``, the picture's address without its ending.
    """
    address = file(context, f"pictures/{name}")
    values = {"name": name, "alt": alt, "query": query, "query_string": urlencode(query), "address": address}
    return _component(context, "picture", values)


@register.simple_tag(takes_context=True)
def playground(context: Context, tool: Tool[Any]) -> str:
    """The form in which a tool is tried; the templates see ``tool``."""
    return _component(context, "playground", {"tool": tool})


@register.simple_tag(takes_context=True)
def chooser(context: Context, clients: Sequence[Client]) -> str:
    """The list of clients by which people choose whose instructions they see."""
    return _component(context, "chooser", {"clients": clients})


@register.simple_tag(takes_context=True)
def connect(context: Context, client: str) -> str:
    """How one client is connected; the templates see ``client``, its short name."""
    return _component(context, "connect", {"client": client})


def _component(context: Context, name: str, values: Mapping[str, Any]) -> str:
    """A component's own template for the form, which sees all that the page sees as well."""
    rendering = Rendering.of(context)
    seen = {str(key): value for key, value in context.flatten().items()} | dict(values)
    if rendering.form is Form.MARKDOWN:
        return render_text([f"components/{name}.md"], seen).strip()
    return rendering.component(render_to_string(f"components/{name}.html", seen))
