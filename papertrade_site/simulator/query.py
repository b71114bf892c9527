"""Reads and checks the query parameters of a request."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from papertrade_site.simulator.protocol import Request
from papertrade_site.simulator.refusal import RefusedRequestError

LARGEST_PAGE = 200
DEFAULT_PAGE = 25

_ADDRESS = re.compile(r"0x[0-9a-f]{40}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)

Choice = TypeVar("Choice", bound=StrEnum)


def single(request: Request, name: str) -> str:
    """The value of a parameter that must be there exactly once.

    Raises:
        RefusedRequestError: when it is not.
    """
    values = [value for key, value in request.query if key == name]
    if len(values) != 1:
        raise RefusedRequestError(f"send {name} exactly once")
    return values[0]


def choice(text: str, kind: type[Choice], *, name: str) -> Choice:
    """One of an enumeration's values.

    Raises:
        RefusedRequestError: when the text is none of them.
    """
    try:
        return kind(text)
    except ValueError as error:
        raise RefusedRequestError(f"{name} is one of {', '.join(kind)}") from error


def number(text: str, *, name: str, least: int, most: int) -> int:
    """A whole number within bounds, both included.

    Raises:
        RefusedRequestError: when the text is not one.
    """
    if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise RefusedRequestError(f"{name} is a whole number from {least} to {most}")
    return int(text)


def address(text: str) -> str:
    """A wallet address in lower-case hex.

    Raises:
        RefusedRequestError: when the text is not one.
    """
    if not _ADDRESS.fullmatch(text):
        raise RefusedRequestError("wallet is 0x and 40 lower-case hex digits")
    return text


def sorted_once(request: Request, allowed: Iterable[str]) -> dict[str, str]:
    """Parameters in alphabetical order, none of them twice, and none but those allowed.

    Raises:
        RefusedRequestError: when they are not like that.
    """
    names = [key for key, _ in request.query]
    if names != sorted(set(names)):
        raise RefusedRequestError("send each parameter at most once, in alphabetical order")
    if not set(names) <= set(allowed):
        raise RefusedRequestError("an unknown parameter")
    return dict(request.query)
