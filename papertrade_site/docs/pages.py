"""The pages of the site: one list, from which addresses, navigation, llms.txt, sitemap and search are made.

How to add a page, or change one:

1. A page is a row of ``_PAGES`` below: its slug is its address (``docs/connect`` answers at
   ``<where the server begins>/docs/connect`` and, as Markdown, at ``....md``). Rows stand in the order of the
   navigation. ``{title}`` in a description is the server's title.
2. Its text is one Django template of Markdown: ``templates/docs/<server>/<template>``, or
   ``templates/docs/<template>`` when both servers share it; it begins with ``{% load site %}``. Title and
   description are not repeated in it: the page's head shows them, so a text begins with prose, and its
   headings with ``##``.
3. The same text is rendered twice, for people and as the Markdown twin. Nothing is escaped, since all text is
   ours; what came from outside goes through ``{{ value|fenced:"json" }}``.

In a text there are:

- ``server`` (its ``title``, ``tools``, ...), ``page``, ``tool`` (on a tool's page), ``limits`` (in force),
  ``base`` and ``endpoint`` (absolute), ``site`` (scheme and host), ``is_simulated``, and the facts of
  ``context.py``: ``lifetimes``, ``upstream``, ``protocol_versions``, ``window_seconds``, ...
- ``{% link "docs/security#limits" %}``: the address of a page, for ``[text]({% link ... %})``; the twin links
  to twins. ``{% link "docs/mcp" server="analytics" %}`` for the other server, ``{% tool_link tool %}`` for
  a tool's own page, ``{% file "llms.txt" %}`` for whatever is no page. A page that does not exist fails.
- ``{% call "get_bust_map" market="BTC" cascadePercent=1 %}``: a call of a tool as curl, Python, TypeScript
  and JSON-RPC; ``{% example "get_bust_map" ... %}``: what it found just now. ``wallet=some_trader`` is the
  wallet of somebody who has positions. ``{% curl %}{...}{% endcurl %}``: a message as a command.
- ``{% arguments tool %}``, ``{% returns tool %}``, ``{% annotations %}``: from the tool's schemas;
  ``{{ tool.description|prose }}`` sets the names of tools and figures in code.
- ``{% sources %}``: how each source is at this moment. ``{% tools %}``: cards of all tools.
- ``{% picture "ladder" market="BTC" alt="..." %}``, ``{% playground tool %}``, ``{% connect "cursor" %}``:
  components. Each is ``templates/components/<name>.html`` for people and ``<name>.md`` for the twin, and both
  see all that the page sees.
- After ``{% load status %}``: how the server is as a whole, its last day, its jobs and incidents; see
  ``service.py``.
- After ``{% load content %}``: what tools find now, worked examples, refusals and errors; see ``content.py``.
- ``> [!NOTE]`` (``IMPORTANT``, ``WARNING``) begins a callout.

A tool's page is ``templates/docs/tool.md``, made of its schemas; ``templates/docs/<server>/tools/<tool>.md``
fills in, in our words, when to use it, an example, how to read what it returns, and errors of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.docs.in_short import IN_SHORT
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool

HOME: Final = ""
"""Slug of the page where a server, or the project, begins."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes:
        slug: its address, counted from where the server begins, without a slash at either end.
        title: for its head and the navigation.
        description: one sentence, for search engines and lists.
        template: the file of its text.
        section: the heading under which the navigation lists it; empty for the home page.
        tool: the tool that it is about, if any.
        is_of_the_moment: shows how things are now, so that no copy of it is kept.
    """

    slug: str
    title: str
    description: str
    template: str
    section: str = ""
    tool: Tool[Any] | None = None
    is_of_the_moment: bool = False

    @property
    def path(self) -> str:
        """Its address from where the server begins, with a slash in front."""
        return f"/{self.slug}"

    @property
    def twin_path(self) -> str:
        """The address of its Markdown twin."""
        return f"/{self.slug or 'index'}.md"


LANDING: Final = Page(
    slug=HOME,
    title="Ask Papertrade from any AI client",
    description="Two MCP servers that read the Papertrade exchange: no sign-up, each figure with its age.",
    template="landing.md",
    is_of_the_moment=True,
)
"""The page at the project's root, which belongs to no server."""

_START: Final = "Start"
_TOOLS: Final = "Tools"
_SERVICE: Final = "Service"

_PAGES: Final = (
    Page(HOME, "{title}", "{description}", "home.md"),
    Page(
        "docs/connect",
        "Connect your AI",
        "Connect {title} to your AI client with one button or one line, and check that it works.",
        "connect.md",
        _START,
    ),
    Page(
        "docs/concepts",
        "Concepts",
        "What the figures of {title} mean, with the arithmetic behind them and worked examples.",
        "concepts.md",
        _START,
    ),
    Page(
        "docs/mcp",
        "MCP server",
        "Endpoint, protocol, limits, errors and the whole tool reference of {title} on one page.",
        "mcp.md",
        _START,
    ),
    Page(
        "docs/security",
        "Security and limits",
        "What {title} can and cannot do, what it logs, and how much one client may ask.",
        "security.md",
        _SERVICE,
    ),
    Page(
        "docs/changelog",
        "Changelog",
        "What has changed in {title}, what that means for you, and what to do.",
        "changelog.md",
        _SERVICE,
    ),
    Page(
        "status",
        "Status",
        "How {title} and its sources are at this moment, its last 24 hours, and incidents.",
        "status.md",
        _SERVICE,
        is_of_the_moment=True,
    ),
)


def pages_of(server: Server) -> tuple[Page, ...]:
    """All pages of a server, in the order of its navigation; each tool has one."""
    pages = [_of_server(page, server) for page in _PAGES]
    service = [page for page in pages if page.section == _SERVICE]
    others = [page for page in pages if page.section != _SERVICE]
    return (*others, *map(_page_of_tool, server.tools), *service)


def _of_server(page: Page, server: Server) -> Page:
    words = {"title": server.title, "description": server.description}
    return Page(
        slug=page.slug,
        title=page.title.format(**words),
        description=page.description.format(**words),
        template=page.template,
        section=page.section,
        is_of_the_moment=page.is_of_the_moment,
    )


def _page_of_tool(tool: Tool[Any]) -> Page:
    return Page(
        slug=f"docs/tools/{tool.name}",
        title=tool.title,
        description=IN_SHORT[tool.name],
        template=f"tools/{tool.name}.md",
        section=_TOOLS,
        tool=tool,
    )
