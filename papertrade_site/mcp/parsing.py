"""Reading a request body as JSON, strictly: what one parser might read in another way is refused."""

from __future__ import annotations

from typing import Final

from papertrade_site.mcp.errors import ParseError
from papertrade_site.strict_json import Json, StrictJsonError, decode

MOST_NESTING: Final = 64
"""Deepest nesting of arrays and objects in a body."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def parse_json(body: bytes) -> Json:
    """Decode one JSON document, before which one byte order mark is allowed.

    Raises:
        ParseError: saying what about it is not accepted.
    """
    try:
        return decode(body.removeprefix(_BYTE_ORDER_MARK), most_nesting=MOST_NESTING)
    except StrictJsonError as error:
        raise ParseError(f"The body {error}.") from None
