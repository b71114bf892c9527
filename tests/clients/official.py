"""Where the official clients are, and what each is told to do."""

from __future__ import annotations

import itertools
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

from papertrade_site.env import BASE_DIR

HERE: Final = Path(__file__).parent
NODE_CLIENTS: Final = HERE / "node"
MODULES: Final = NODE_CLIENTS / "node_modules"
HOSTS: Final = {"liquidations": "liquidations.localhost", "analytics": "analytics.localhost"}
TRADER: Final = "a trader"
"""Stands in arguments for the wallet of a trader who holds positions, whom only the running service knows."""

_client_numbers = itertools.count(os.getpid() * 100)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; ``refused`` when its arguments are wrong."""

    name: str
    arguments: dict[str, Any]
    refused: bool = False

    def of(self, trader: str) -> dict[str, Any]:
        """The call as clients are told it, with a trader's wallet in its place."""
        arguments = {name: trader if value == TRADER else value for name, value in self.arguments.items()}
        return {"name": self.name, "arguments": arguments}


QUOTE: Final = {"symbol": "ETH", "side": "short", "marginUsd": 200, "leverage": 100, "priceMovePct": -0.5}
CALLS: Final = {
    "liquidations": [
        Call("get_bust_map", {"market": "BTC", "cascadePercent": 1}),
        Call("get_bust_map", {"market": "SOL"}, refused=True),
        Call("get_bust_cluster_summary", {}),
        Call("get_protocol_liquidation_map", {"bucketUsd": 25}),
        Call("get_closest_to_bust", {"market": "BTC", "limit": 3}),
        Call("get_closest_to_bust", {"limit": 51}, refused=True),
        Call("get_wallet_distance_to_bust", {"wallet": TRADER}),
        Call("get_wallet_distance_to_bust", {"wallet": "0x12"}, refused=True),
    ],
    "analytics": [
        Call("get_protocol_snapshot", {}),
        Call("get_history", {"metric": "volume", "interval": "1h", "mode": "per_bucket", "limit": 24}),
        Call("get_history", {"metric": "tvl", "mode": "per_bucket"}, refused=True),
        Call("get_open_interest", {"history": True}),
        Call("get_paper_economics", {}),
        Call("get_market_stats", {}),
        Call("get_top_traders", {"window": "7d", "limit": 5}),
        Call("get_top_traders", {"limit": 51}, refused=True),
        Call("get_position_insights", {"window": "all"}),
        Call("quote_position_outcome", QUOTE),
        Call("quote_position_outcome", {**QUOTE, "symbol": "DOGE"}, refused=True),
    ],
}
"""At least one call of each tool, and one that is refused."""


def missing(what: str, remedy: str = "`make clients` installs it") -> NoReturn:
    """Skip the test for want of a program; where everything must be there, fail it."""
    reason = f"{what} is not installed; {remedy}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def python_of(client: str) -> str:
    """The interpreter of the environment that holds a Python client."""
    python = BASE_DIR / ".venv" / "clients" / client / "bin" / "python"
    if not python.exists():
        missing(f"The Python client {client}")
    return str(python)


def node() -> str:
    """The Node that runs the JavaScript clients: the one installed with them, else the machine's own."""
    found = shutil.which("node", path=os.pathsep.join([str(MODULES / ".bin"), os.environ["PATH"]]))
    if found is None or not (MODULES / "installed").exists():
        missing("A JavaScript client")
    return str(found)


def new_client() -> dict[str, str]:
    """Headers of a client that nobody has seen yet, by way of the proxy that the service trusts."""
    number = next(_client_numbers)
    return {"X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"}
