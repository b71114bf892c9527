"""What every answer of the documentation site carries beside its content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

from papertrade_site.discovery.documents import Document
from papertrade_site.refusals import SECURITY_HEADERS

CACHED_FOR_A_MINUTE: Final = "public, max-age=60"
"""A page shows limits and figures that may change; readers ask again with its tag, which costs little."""

CACHED_FOR_SECONDS: Final = "public, max-age=5"
"""For what tells of the moment: it is another one each second, so that a tag would never be met again."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entry of the ``Link`` header (RFC 8288)."""

    address: str
    relation: str
    content_type: str = ""

    def __str__(self) -> str:
        """The entry as the header has it."""
        kind = f'; type="{self.content_type}"' if self.content_type else ""
        return f'<{self.address}>; rel="{self.relation}"{kind}'


def page_response(
    request: HttpRequest,
    document: Document,
    *,
    content_type: str,
    links: Sequence[Link] = (),
    cache_control: str = CACHED_FOR_A_MINUTE,
) -> HttpResponseBase:
    """The document, or 304 for a reader that has it already.

    Args:
        request: it may name the tag of the reader's copy.
        document: the content.
        content_type: of the content.
        links: what the ``Link`` header names.
        cache_control: how long a copy may be kept.
    """
    headers = {
        **SECURITY_HEADERS,
        "Cache-Control": cache_control,
        **({"Link": ", ".join(map(str, links))} if links else {}),
    }
    response = HttpResponse(document.content, content_type=content_type, headers=headers)
    if cache_control == CACHED_FOR_SECONDS:
        return response
    response["ETag"] = document.etag
    return get_conditional_response(request, etag=document.etag, response=response) or response
