"""The embedded exchange as a process."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.test import override_settings

from papertrade_site.env import Problem
from papertrade_site.simulator.management.commands.simulate_exchange import market_speed
from tests.running import manage, newcomers_environ, running

NEVER_SERVES = ("--port", "0", "--fault", "/=sulk")
"""A fault that does not exist, so that a command which ought to be stopped sooner ends all the same."""


def test_the_process_says_where_it_is_serves_and_ends_when_told() -> None:
    command = manage("simulate_exchange", "--port", "0", "--seed", "7", "--fault", "/state/trading=empty")
    with running(command, newcomers_environ()) as exchange:
        address = urlsplit(exchange.out.line().rpartition(" ")[2])
        assert address.hostname == "127.0.0.1"
        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=10)
        connection.request("GET", "/relayer/health")
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b'{"ok":true,"ready":true}')
        assert response.getheader("X-Papertrade-Simulated") == "1"
        connection.request("GET", "/state/trading")
        assert connection.getresponse().read() == b""
        status = exchange.ask_to_end()
        connection.close()
        assert (status, exchange.out.rest(), exchange.err.rest()) == (0, "", "")


def test_a_fault_that_does_not_exist_is_refused_with_the_ones_that_do() -> None:
    with pytest.raises(CommandError, match="There is no fault 'sulk'; there are unavailable, "):
        call_command("simulate_exchange", "--port", "0", "--fault", "/state=sulk")


@override_settings(
    ENVIRONMENT_PROBLEMS=(Problem("papertrade.E012", "PORT", "is 'eight': input should be a valid integer"),)
)
def test_a_wrong_setting_stops_it_by_name() -> None:
    with pytest.raises(SystemCheckError, match="PORT is 'eight'"):
        call_command("simulate_exchange", *NEVER_SERVES, skip_checks=False)


@pytest.mark.parametrize(("text", "speed"), [("0.001", 0.001), ("1", 1.0), ("3600", 3600.0)])
def test_a_market_may_be_slower_and_up_to_an_hour_a_second(text: str, speed: float) -> None:
    assert market_speed(text) == speed


@pytest.mark.parametrize("text", ["0", "-1", "3600.001", "inf", "nan", "fast", ""])
def test_any_other_speed_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="--speed: a market's speed is above 0 and at most 3600"):
        call_command("simulate_exchange", *NEVER_SERVES, f"--speed={text}")


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} cannot be used: Address already in use"):
            call_command("simulate_exchange", "--port", str(port))
