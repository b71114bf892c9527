"""One page in the making: which form it gets, and the components that stand in its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from django.template import Context, Engine
from django.utils.safestring import SafeString

from papertrade_site.docs.pages import Page
from papertrade_site.docs.place import Place
from papertrade_site.mcp.server import Server

_MARK: Final = re.compile(r"<!--component ([0-9]+)-->")


class Form(StrEnum):
    """The two forms of every page, by the ending that templates of components have."""

    HTML = "html"
    MARKDOWN = "md"


@dataclass(frozen=True, slots=True)
class Rendering:
    """What template tags know of the page that they stand in.

    Attributes:
        form: the form that is being made.
        server: whose page it is; None on the landing page.
        page: the page.
        place: the addresses that it gives out.
        choices: what its reader has chosen of its pictures; see ``pictures.live``.
    """

    form: Form
    server: Server | None
    page: Page
    place: Place
    choices: Mapping[str, str] = field(default_factory=dict)
    _components: list[str] = field(default_factory=list)
    _begun: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, context: Context) -> Rendering:
        """The one that the template of a page is rendered for."""
        rendering: Rendering = context["rendering"]
        return rendering

    def new_id(self, prefix: str) -> str:
        """An id that no other component of the page has, as long as each asks once before it is made."""
        return f"{prefix}-{len(self._components) + 1}"

    def is_first(self, kind: str) -> bool:
        """Whether the page had none of a kind of component before; the next one of it is told no."""
        is_first = kind not in self._begun
        self._begun.add(kind)
        return is_first

    def component(self, html: str) -> SafeString:
        """A mark that Markdown leaves alone, in whose place ``completed`` puts the HTML."""
        self._components.append(html)
        return SafeString(f"<!--component {len(self._components) - 1}-->")

    def completed(self, html: str) -> str:
        """HTML with every component in its place, and those within components in theirs."""
        return _MARK.sub(lambda mark: self.completed(self._components[int(mark[1])]), html)


def render_text(templates: list[str], values: Mapping[str, Any]) -> str:
    """The first of the templates that exists, as text in which nothing is escaped as HTML would need it.

    Raises:
        TemplateDoesNotExist: when none exists.
    """
    template = Engine.get_default().select_template(templates)
    return template.render(Context(dict(values), autoescape=False))
