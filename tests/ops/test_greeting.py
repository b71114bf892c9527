"""What ``manage.py run`` says once everything is up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from papertrade_site.env import Environment
from papertrade_site.ops.greeting import greeting

HOSTS = {
    "PAPERTRADE_LIQUIDATIONS_HOST": "liquidations.localhost",
    "PAPERTRADE_ANALYTICS_HOST": "analytics.localhost",
}


def _lines(settings: Mapping[str, Any], *, is_ready: bool = True, has_operators: bool = True) -> list[str]:
    text = greeting(Environment(**settings), is_ready=is_ready, has_operators=has_operators)
    return text.splitlines()


def test_it_lists_the_addresses_by_path() -> None:
    assert _lines({"PORT": 8123})[:-2] == [
        "Papertrade MCP is serving simulated data.",
        "  liquidations  http://127.0.0.1:8123/liquidations/mcp",
        "  analytics     http://127.0.0.1:8123/analytics/mcp",
        "  site          http://127.0.0.1:8123/",
        "  readiness     http://127.0.0.1:8123/readyz",
        "  dashboard     http://127.0.0.1:8123/admin/",
        "  exchange      http://127.0.0.1:8124  (embedded, simulated)",
    ]


@pytest.mark.parametrize(
    ("scheme", "liquidations", "analytics"),
    [
        ({}, "http://liquidations.localhost:8123/mcp", "http://analytics.localhost:8123/mcp"),
        (
            {"PAPERTRADE_PUBLIC_SCHEME": "https"},
            "https://liquidations.localhost/mcp",
            "https://analytics.localhost/mcp",
        ),
    ],
)
def test_a_server_with_a_host_name_has_its_address_there_too(
    scheme: dict[str, str], liquidations: str, analytics: str
) -> None:
    assert [line.split()[-1] for line in _lines({"PORT": 8123, **HOSTS, **scheme})[1:5]] == [
        "http://127.0.0.1:8123/liquidations/mcp",
        liquidations,
        "http://127.0.0.1:8123/analytics/mcp",
        analytics,
    ]


def test_only_the_server_that_has_a_host_name_gets_a_second_line() -> None:
    lines = _lines({"PAPERTRADE_ANALYTICS_HOST": "analytics.localhost"})
    assert [line for line in lines if line.endswith(".localhost:8000/mcp")] == [
        "                http://analytics.localhost:8000/mcp"
    ]


def test_it_says_when_nothing_could_be_read_yet() -> None:
    lines = _lines({}, is_ready=False)
    assert lines[1] == "No source could be read yet; the readiness address says why."


def test_the_dashboard_is_at_the_host_that_is_set_for_it() -> None:
    assert "  dashboard     http://ops.localhost:8000/admin/" in _lines(
        {"PAPERTRADE_ADMIN_HOST": "ops.localhost"}
    )


def test_it_tells_how_to_make_the_first_user_only_while_there_is_none() -> None:
    assert not any("createsuperuser" in line or "demo-admin" in line for line in _lines({}))
    lines = _lines({}, has_operators=False)
    place = lines.index("  dashboard     http://127.0.0.1:8000/admin/")
    assert "manage.py createsuperuser" in lines[place + 1]
    assert "make demo-admin" in lines[place + 2]


def test_the_embedded_exchange_has_its_own_address_though_another_is_read_as_the_venue() -> None:
    lines = _lines({"PORT": 8123, "PAPERTRADE_EXCHANGE_URL": "http://127.0.0.1:9"})
    assert "  exchange      http://127.0.0.1:8124  (embedded, simulated)" in lines
