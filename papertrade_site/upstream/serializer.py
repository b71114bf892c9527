"""How the shared cache's values are written: JSON, so that a stored value can never run code."""

from __future__ import annotations

import json


class JsonSerializer:
    """Serialiser for Django's ``RedisCache``; named in the ``CACHES`` setting."""

    def dumps(self, value: object) -> bytes | int:
        """Write a value; an integer stays a plain number, so that the server can count with it.

        Raises:
            ValueError: for NaN and infinities, which JSON does not have.
            TypeError: for a value that JSON cannot hold.
        """
        if type(value) is int:
            return value
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")

    def loads(self, data: bytes) -> object:
        """Read a value back; bytes that are not JSON become None, which readers take as absent.

        Raising would take the other rows of the same round trip along with the broken one.
        """
        try:
            return _DECODER.decode(data.decode("utf-8"))
        except (ValueError, RecursionError):
            return None


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
