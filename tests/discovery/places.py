"""The places that each server is reached at."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.server import Server

HOSTS = {"liquidations.example": "liquidations", "analytics.example": "analytics"}
SHARED_HOST = "both.example"


@dataclass(frozen=True, slots=True)
class Place:
    """A server in one of its two forms of address."""

    server: Server
    host: str
    prefix: str

    @property
    def base(self) -> str:
        return f"http://{self.host}{self.prefix}"

    def neutral(self, body: bytes) -> str:
        """A body with everything in it that depends on the form of address blotted out."""
        text = body.decode().replace(self.base, "BASE")
        return text.replace(f'"endpoint":"{self.prefix}/mcp"', '"endpoint":"/mcp"')


PLACES = [
    Place(server, host, prefix)
    for server in (LIQUIDATIONS, ANALYTICS)
    for host, prefix in ((f"{server.slug}.example", ""), (SHARED_HOST, f"/{server.slug}"))
]
