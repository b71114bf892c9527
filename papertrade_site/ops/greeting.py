"""What ``manage.py run`` says once everything is up: where to look, and what to try."""

from __future__ import annotations

from collections.abc import Iterator

from papertrade_site.env import Environment
from papertrade_site.hosts import host_url, own_host_url
from papertrade_site.limits.bounds import SLUGS


def greeting(environment: Environment, *, is_ready: bool, has_operators: bool) -> str:
    """The addresses of everything, one a line.

    Args:
        environment: what was started.
        is_ready: whether any source could be read.
        has_operators: whether anybody can sign in to the dashboard.
    """
    return "\n".join(_lines(environment, is_ready=is_ready, has_operators=has_operators))


def dashboard_url(environment: Environment) -> str:
    """Where operators sign in, as seen from this machine."""
    host = environment.admin_host
    site = f"http://127.0.0.1:{environment.port}" if host is None else host_url(environment, host)
    return f"{site}/admin/"


def _lines(environment: Environment, *, is_ready: bool, has_operators: bool) -> Iterator[str]:
    site = f"http://127.0.0.1:{environment.port}"
    yield f"Papertrade MCP is serving {environment.source.value} data."
    if not is_ready:
        yield "No source could be read yet; the readiness address says why."
    for server in SLUGS:
        yield f"  {server:<12}  {site}/{server}/mcp"
        own = own_host_url(environment, server)
        if own is not None:
            yield f"  {'':<12}  {own}/mcp"
    yield f"  site          {site}/"
    yield f"  readiness     {site}/readyz"
    yield f"  dashboard     {dashboard_url(environment)}"
    if not has_operators:
        yield "                nobody can sign in yet: .venv/bin/python manage.py createsuperuser"
        yield "                or, for a look on this machine: make demo-admin"
    if environment.runs_exchange:
        yield f"  exchange      http://127.0.0.1:{environment.embedded_exchange_port}  (embedded, simulated)"
    yield (
        f"Try: curl -s {site}/analytics/mcp -H 'content-type: application/json'"
        """ -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_market_stats"}}'"""
    )
    yield "Ctrl-C stops everything."
