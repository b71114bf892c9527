"""A resource together with whom to ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Resource, Value
from papertrade_site.upstream.rows import CacheKeys, keys_of


@dataclass(frozen=True, slots=True)
class Want(Generic[Value]):
    """A resource, the client of the host that has it, and the origin.

    ``origin`` says which source (``live`` or ``simulated``) at which base address the client reads.
    """

    resource: Resource[Value]
    client: HttpClient
    origin: str

    @property
    def keys(self) -> CacheKeys:
        """What is read is kept under these."""
        return keys_of(self.origin, self.resource.key)
