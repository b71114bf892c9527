"""What the templates of the components for connecting and for trying are made with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.template import Context

from papertrade_site.docs import connect, forms, snippets
from papertrade_site.docs.connect_links import Entry
from papertrade_site.docs.connect_shapes import Client, Snippet
from papertrade_site.docs.markdown import code_html, fence, to_html
from papertrade_site.docs.samples import first_call, first_sample
from papertrade_site.mcp.tool import Tool

register = template.Library()


@dataclass(frozen=True, slots=True)
class Written:
    """A call in one language: its code with a gap for the arguments, and the sample call in colours."""

    slug: str
    title: str
    template: str
    html: str


@register.simple_tag(takes_context=True)
def clients(context: Context) -> tuple[Client, ...]:
    """How every client is connected to the server that the page is about."""
    return connect.clients(_entry(context))


@register.simple_tag(takes_context=True)
def client_named(context: Context, slug: str) -> Client:
    """How one client is connected.

    Raises:
        LookupError: when there are no instructions for it.
    """
    return {client.slug: client for client in clients(context)}[slug]


@register.filter
def is_local(url: str) -> bool:
    """Whether an address can be reached from this machine or its own network alone."""
    return connect.is_local(url)


@register.filter
def path_of(url: str) -> str:
    """The path of an absolute address."""
    return urlsplit(url).path


@register.filter
def coloured(snippet: Snippet) -> str:
    """A snippet in colours, as HTML."""
    return code_html(snippet.code, snippet.language)


@register.filter
def paragraphs(text: str) -> str:
    """Our own words in Markdown, as HTML."""
    return to_html(text).html


@register.filter
def as_fence(snippet: Snippet) -> str:
    """A snippet as a block of Markdown."""
    return fence(snippet.code, snippet.language)


@register.simple_tag(takes_context=True)
def fields(context: Context, tool: Tool[Any]) -> tuple[forms.Field, ...]:
    """The fields of a tool's form, which begins with the tool's sample call."""
    return forms.fields(tool.input_schema, first_call(tool, context["some_trader"]))


@register.simple_tag(takes_context=True)
def written(context: Context, tool: Tool[Any]) -> list[Written]:
    """The sample call of a tool in every language."""
    url, arguments = context["endpoint"], first_call(tool, context["some_trader"])
    return [
        Written(
            each.slug,
            each.title,
            each.template(url, tool.name),
            code_html(each.code(url, tool.name, arguments), each.lexer),
        )
        for each in snippets.LANGUAGES
    ]


def _entry(context: Context) -> Entry:
    server = context["server"]
    return Entry(
        name=server.info_name,
        url=context["endpoint"],
        description=server.description,
        sample=first_sample(server.tools),
    )
