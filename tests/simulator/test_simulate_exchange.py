"""The embedded exchange as a process."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command

PROJECT = Path(__file__).parents[2]


def test_the_process_says_where_it_is_serves_and_ends_when_told() -> None:
    command = [sys.executable, "manage.py", "simulate_exchange", "--port", "0", "--seed", "7"]
    with subprocess.Popen(
        [*command, "--fault", "/state/trading=empty"],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        assert address.hostname == "127.0.0.1"
        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=10)
        connection.request("GET", "/relayer/health")
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b'{"ok":true,"ready":true}')
        assert response.getheader("X-Papertrade-Simulated") == "1"
        connection.request("GET", "/state/trading")
        assert connection.getresponse().read() == b""
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=10)
        connection.close()
    assert (process.returncode, rest, errors) == (0, "", "")


def test_a_fault_that_does_not_exist_is_refused_with_the_ones_that_do() -> None:
    with pytest.raises(CommandError, match="There is no fault 'sulk'; there are unavailable, "):
        call_command("simulate_exchange", "--port", "0", "--fault", "/state=sulk")


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} cannot be used: Address already in use"):
            call_command("simulate_exchange", "--port", str(port))
