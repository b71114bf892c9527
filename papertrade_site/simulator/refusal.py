"""How the embedded exchange says that a request is wrong."""

from __future__ import annotations

from http import HTTPStatus


class RefusedRequestError(ValueError):
    """A request that is answered with an error status and a sentence."""

    def __init__(self, message: str, *, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(message)
        self.status = status
