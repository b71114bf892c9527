"""What is shipped for servers: units and settings that fit the project as it is."""

from __future__ import annotations

import os
import re
from configparser import RawConfigParser
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.test import Client
from dotenv import dotenv_values
from pytest_django import Settings

from papertrade_site.checks import check_example_is_replaced, check_local_requests
from papertrade_site.env import BASE_DIR, CHECK_IDS, Environment, Problem, load
from papertrade_site.env_file import ENV_FILE_NAME
from papertrade_site.limits.bounds import SERVER_BOUNDS
from papertrade_site.limits.policy import DEFAULTS
from papertrade_site.ops.children import STOP_SECONDS
from papertrade_site.ops.jobs import JOBS
from papertrade_site.ops.request_lines import MOST_LINES
from papertrade_site.usage.ledger import MOST_MINUTES

DEPLOY = BASE_DIR / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
SERVICES = [path for path in UNITS if path.suffix == ".service"]
EXAMPLE = DEPLOY / "papertrade.env"


def _unit(path: Path) -> RawConfigParser:
    unit = RawConfigParser(strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(path.read_text(encoding="utf-8"))
    return unit


def test_the_target_starts_the_site_and_every_background_job() -> None:
    wanted = _unit(DEPLOY / "systemd" / "papertrade.target")["Unit"]["Wants"].split()
    assert wanted == ["papertrade-site.service", *(f"papertrade-job@{job.name}.service" for job in JOBS)]


def test_a_job_s_unit_runs_a_command_that_there_is() -> None:
    service = _unit(DEPLOY / "systemd" / "papertrade-job@.service")["Service"]
    assert service["ExecStart"] == "/opt/papertrade/.venv/bin/python manage.py %i"
    assert {job.name for job in JOBS} <= set(get_commands())


@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.name)
def test_what_ends_is_started_again_under_a_user_without_rights(path: Path) -> None:
    service = _unit(path)["Service"]
    assert (service["Restart"], service["User"], service["NoNewPrivileges"]) == (
        "always",
        "papertrade",
        "yes",
    )
    assert service["ProtectSystem"] == "strict"
    assert service["Environment"] == "PAPERTRADE_ENV_FILE=/etc/papertrade/papertrade.env"


def test_the_site_has_as_long_to_stop_as_requests_may_take() -> None:
    service = _unit(DEPLOY / "systemd" / "papertrade-site.service")["Service"]
    assert (service["Type"], service["KillMode"]) == ("notify", "mixed")
    assert int(service["TimeoutStopSec"]) == STOP_SECONDS


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> tuple[Environment, tuple[Problem, ...]]:
    """What the service reads of the example, as it is shipped."""
    for name in [name for name in os.environ if name in CHECK_IDS or name == ENV_FILE_NAME]:
        monkeypatch.delenv(name)
    monkeypatch.setitem(Environment.model_config, "env_file", EXAMPLE)
    return load()


def test_the_example_holds_settings_that_there_are_and_all_but_the_secret_are_right(
    example: tuple[Environment, tuple[Problem, ...]],
) -> None:
    environment, problems = example
    assert problems == ()
    assert environment.secret_key is None
    assert environment.public_scheme == "https"


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/readyz"])
def test_with_the_example_the_machine_itself_is_answered_at_the_service_s_own_port(
    path: str, example: tuple[Environment, tuple[Problem, ...]], settings: Settings, client: Client
) -> None:
    settings.ALLOWED_HOSTS = example[0].hosts
    assert client.get(path, headers={"host": f"127.0.0.1:{example[0].port}"}).status_code in {200, 503}
    assert client.get(path, headers={"host": "192.0.2.1"}).status_code == 400


def test_the_deployment_checks_name_what_is_left_of_the_example(
    example: tuple[Environment, tuple[Problem, ...]], settings: Settings
) -> None:
    def named() -> set[str]:
        found = check_example_is_replaced()
        assert {message.id for message in found} <= {"papertrade.E201"}
        return {message.msg.split()[0] for message in found}

    settings.ENVIRONMENT = example[0]
    hosts = {name for name in dotenv_values(EXAMPLE) if name.endswith(("_HOST", "_HOSTS"))}
    assert len(hosts) == 4
    assert named() == hosts
    offered = dict(re.findall(r"^#([A-Z]+_URL)=(.+)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))
    settings.ENVIRONMENT = Environment(_env_file=None, **offered)
    assert named() == {"DATABASE_URL", "REDIS_URL"}
    settings.ENVIRONMENT = Environment(_env_file=None)
    assert named() == set()


def test_the_deployment_checks_say_when_the_machine_itself_is_refused(
    example: tuple[Environment, tuple[Problem, ...]], settings: Settings
) -> None:
    settings.ENVIRONMENT = example[0]
    assert check_local_requests() == []
    settings.ENVIRONMENT = Environment(_env_file=None, PAPERTRADE_ALLOWED_HOSTS="mcp.example.com")
    assert [message.id for message in check_local_requests()] == ["papertrade.I202"]


def test_the_example_s_port_is_the_one_that_nginx_asks() -> None:
    asked = re.findall(r"^    server 127\.0\.0\.1:(\d+) ", (DEPLOY / "nginx.conf").read_text(), re.MULTILINE)
    assert asked == [dotenv_values(EXAMPLE)["PORT"]]


def test_the_example_trusts_the_proxy_beside_it() -> None:
    assert dotenv_values(EXAMPLE)["PAPERTRADE_TRUSTED_PROXIES"] == "127.0.0.1/32"


def test_every_metric_is_described_to_whoever_runs_it(client: Client) -> None:
    names = set(re.findall(r"^# TYPE (\S+)", client.get("/metrics").text, re.MULTILINE))
    described = (DEPLOY / "README.md").read_text(encoding="utf-8")
    assert len(names) >= 12
    assert {name for name in names if f"`{name}`" not in described} == set()


def test_the_text_says_of_each_job_when_it_is_late_and_how_long_counts_are_kept_without_redis() -> None:
    text = " ".join((DEPLOY / "README.md").read_text(encoding="utf-8").split())
    assert [job.name for job in JOBS if f"{job.late_after_s} seconds for `{job.name}`" not in text] == []
    assert f"its counts of the last {MOST_MINUTES} minutes" in text
    assert f"up to {MOST_LINES:,} lines" in text


def test_nginx_names_no_largest_body_which_an_operator_may_change() -> None:
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert str(DEFAULTS.servers["analytics"].body_bytes) not in text
    assert f"client_max_body_size {SERVER_BOUNDS['body_bytes'].most // 1024 + 8}k;" in text
