"""Reading a request body as JSON, strictly: what one parser might read in another way is refused.

Refused are NaN and infinities, numbers that overflow into one, duplicate keys, encodings other than
UTF-8, lone surrogates, and nesting deeper than ``MAX_NESTING``. One leading byte order mark is allowed.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Final, NoReturn

from papertrade_site.mcp.errors import ParseError

MAX_NESTING: Final = 64
"""Deepest nesting of arrays and objects in a body."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def parse_json(body: bytes) -> Any:  # noqa: ANN401
    """Decode one JSON document.

    Raises:
        ParseError: saying what about it is not accepted.
    """
    try:
        text = body.removeprefix(_BYTE_ORDER_MARK).decode("utf-8")
        document = _DECODER.decode(text)
        if "\\u" in text:
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError:
        raise ParseError("The body is not UTF-8.") from None
    except UnicodeEncodeError:
        raise ParseError("The body holds half of a surrogate pair.") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise ParseError("The body is not valid JSON.") from None
    _check_nesting(document)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ParseError("The body holds an object with the same key twice.")
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise ParseError("The body holds a number that JSON does not have (NaN or an infinity).")


def _finite(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise ParseError("The body holds a number that is too large.")
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite
)


def _check_nesting(document: Any) -> None:  # noqa: ANN401
    level = [document]
    for _ in range(MAX_NESTING):
        level = [child for node in level for child in _children(node)]
        if not level:
            return
    raise _too_deep()


def _children(node: Any) -> list[Any]:  # noqa: ANN401
    members = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [member for member in members if isinstance(member, dict | list)]


def _too_deep() -> ParseError:
    return ParseError(f"The body nests deeper than {MAX_NESTING} levels.")
