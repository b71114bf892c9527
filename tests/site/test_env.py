"""Settings from the environment: typed, all faults at once, never mixing live and simulated."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from papertrade_site.env import (
    BASE_DIR,
    CHECK_IDS,
    MAX_SOCKET_PATH_BYTES,
    Environment,
    Source,
    load,
)
from papertrade_site.env_file import ENV_FILE_NAME, chosen_file

BAD_VALUES = {
    "PAPERTRADE_SOURCE": "both",
    "PAPERTRADE_EXCHANGE_URL": "ftp://127.0.0.1",
    "PAPERTRADE_HYPERLIQUID_URL": "http://127.0.0.1/?key=1",
    "PAPERTRADE_HYPEREVM_URL": "127.0.0.1:80",
    "PAPERTRADE_LIQUIDATION_MAP_PATH": "/state/liquidation-map",
    "PAPERTRADE_BEST_POSITIONS_PATH": "https://elsewhere.example/x",
    "PAPERTRADE_SECRET_KEY": "short",
    "PAPERTRADE_DEBUG": "perhaps",
    "PAPERTRADE_ALLOWED_HOSTS": ",",
    "DATABASE_URL": "mysql://root:hunter2@db/x",
    "REDIS_URL": "http://:hunter2@cache",
    "PORT": "70000",
    "PAPERTRADE_SIMULATOR_PORT": "0",
    "PAPERTRADE_SIMULATOR_SEED": "-1",
    "WEB_CONCURRENCY": "0",
    "PAPERTRADE_THREADS": "1",
    "PAPERTRADE_LOG_LEVEL": "loud",
    "PAPERTRADE_TRUSTED_PROXIES": "0.0.0.0/0",
    "PAPERTRADE_REQUEST_LOG": "sometimes",
    "PAPERTRADE_METRICS_NETWORKS": "::/0",
    "PAPERTRADE_LIQUIDATIONS_HOST": "https://liquidations.example",
    "PAPERTRADE_ANALYTICS_HOST": "*.example",
    "PAPERTRADE_LIQUIDATIONS_NAME": "liquidations",
    "PAPERTRADE_ANALYTICS_NAME": "a/b/c",
    "PAPERTRADE_ADMIN_HOST": "https://admin.example",
    "PAPERTRADE_PUBLIC_SCHEME": "ftp",
    "PAPERTRADE_REPOSITORY_URL": "https://elsewhere.example/x/y",
}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name in CHECK_IDS or name.startswith("PAPERTRADE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setitem(Environment.model_config, "env_file", None)


def test_an_empty_environment_serves_simulated_data_from_this_machine() -> None:
    environment, problems = load()
    assert problems == ()
    assert environment.source is Source.SIMULATED
    assert environment.exchange == "http://127.0.0.1:8001"
    assert environment.hyperevm == "http://127.0.0.1:8001/evm"
    assert environment.runs_exchange
    assert environment.redis.startswith("unix://")


def test_live_uses_the_venue_and_runs_no_embedded_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_SOURCE", "live")
    environment, problems = load()
    assert problems == ()
    assert environment.exchange == "https://exchange.papertrade.xyz"
    assert environment.hyperliquid == "https://api.hyperliquid.xyz"
    assert environment.hyperevm == "https://rpc.hyperliquid.xyz/evm"
    assert not environment.runs_exchange


def test_every_setting_has_a_check_of_its_own_and_a_bad_value_here() -> None:
    settings = {str(field.validation_alias) for field in Environment.model_fields.values()}
    assert settings == set(CHECK_IDS) == set(BAD_VALUES)
    assert len(set(CHECK_IDS.values())) == len(CHECK_IDS)


def test_all_faults_are_reported_at_once_each_under_its_own_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting, value in BAD_VALUES.items():
        monkeypatch.setenv(setting, value)
    environment, problems = load()
    assert {problem.setting: problem.id for problem in problems} == CHECK_IDS
    assert environment.port == 8000


@pytest.mark.parametrize("setting", sorted(BAD_VALUES))
def test_a_bad_value_is_named_with_its_setting_unless_it_may_hold_a_password(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, BAD_VALUES[setting])
    _, (problem,) = load()
    assert problem.setting == setting
    assert "hunter2" not in problem.message
    assert ("has a wrong value" in problem.message) == (
        setting in {"DATABASE_URL", "REDIS_URL", "PAPERTRADE_SECRET_KEY"}
    )


def test_the_example_file_names_every_setting_with_its_default() -> None:
    example = (BASE_DIR / ".env.example").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^#([A-Z_]+)=(.*)$", example, re.MULTILINE))
    assert set(shown) == set(CHECK_IDS)
    defaults = {str(field.validation_alias): field.default for field in Environment.model_fields.values()}
    for setting, text in shown.items():
        default = defaults[setting]
        if setting == "DATABASE_URL" or default is None:
            assert text == ""
        elif isinstance(default, list):
            assert text == ",".join(map(str, default))
        else:
            assert text.lower() == str(default).lower()


@pytest.mark.parametrize(
    "url",
    [
        "http://exchange.example",
        "https://localhost",
        "https://localhost.",
        "https://db.localhost",
        "https://127.0.0.1",
        "https://127.0.0.2",
        "https://0",
        "https://2130706433",
        "https://[::1]",
        "https://[::ffff:127.0.0.1]",
        "https://10.0.0.1",
    ],
)
def test_live_refuses_a_source_without_tls_or_a_public_name(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERTRADE_SOURCE", "live")
    monkeypatch.setenv("PAPERTRADE_EXCHANGE_URL", url)
    assert [problem.id for problem in load()[1]] == ["papertrade.E101"]


def test_simulated_refuses_a_source_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_HYPERLIQUID_URL", "https://api.hyperliquid.xyz")
    assert [problem.id for problem in load()[1]] == ["papertrade.E102"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("PAPERTRADE_EXCHANGE_URL", "http://127.0.0.1:99999"),
        ("PAPERTRADE_EXCHANGE_URL", "http://127.0.0.1:x"),
        ("PAPERTRADE_EXCHANGE_URL", "http://"),
        ("PAPERTRADE_EXCHANGE_URL", "http://[::1"),
        ("PAPERTRADE_EXCHANGE_URL", "http://127.0.0.1/\x07"),
        ("PAPERTRADE_EXCHANGE_URL", "http://127.0.0.1/a b"),
        ("PAPERTRADE_SECRET_KEY", " " * 60),
        ("REDIS_URL", "redis://host:abc"),
        ("REDIS_URL", "redis://host/0?socket_timeout=x"),
        ("REDIS_URL", "redis://host/0?foo=bar"),
        ("REDIS_URL", "redis://"),
        ("REDIS_URL", "unix://"),
        ("DATABASE_URL", "postgres://host:abc/x"),
        ("DATABASE_URL", "postgres://"),
        ("PAPERTRADE_LIQUIDATION_MAP_PATH", "/a?x={id}&y={0}"),
        ("PAPERTRADE_LIQUIDATION_MAP_PATH", "//elsewhere.example/{id}"),
        ("PAPERTRADE_BEST_POSITIONS_PATH", "//elsewhere.example/x"),
        ("PAPERTRADE_BEST_POSITIONS_PATH", "/a/../b"),
        ("PAPERTRADE_BEST_POSITIONS_PATH", "/a b"),
        ("PAPERTRADE_BEST_POSITIONS_PATH", "/a\r\nX: y"),
        ("PAPERTRADE_ALLOWED_HOSTS", "a b"),
    ],
)
def test_a_malformed_address_is_refused_at_boot_rather_than_at_the_first_read(
    setting: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, value)
    assert [problem.setting for problem in load()[1]] == [setting]


@pytest.mark.parametrize(
    ("port", "exchange_port"), [("65535", None), ("9000", "9000")], ids=["none after it", "the same"]
)
def test_the_embedded_exchange_needs_a_port_of_its_own(
    port: str, exchange_port: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", port)
    if exchange_port is not None:
        monkeypatch.setenv("PAPERTRADE_SIMULATOR_PORT", exchange_port)
    assert [problem.id for problem in load()[1]] == ["papertrade.E105"]
    monkeypatch.setenv("PAPERTRADE_SOURCE", "live")
    assert load()[1] == ()


def test_the_embedded_exchange_runs_while_any_source_is_read_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_EXCHANGE_URL", "http://127.0.0.1:9000")
    assert load()[0].runs_exchange
    monkeypatch.setenv("PAPERTRADE_HYPERLIQUID_URL", "http://127.0.0.1:9000")
    monkeypatch.setenv("PAPERTRADE_HYPEREVM_URL", "http://127.0.0.1:9000/evm")
    assert not load()[0].runs_exchange


def test_an_env_file_that_is_not_text_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"PORT=9000\n\xff\xfe")
    monkeypatch.setitem(Environment.model_config, "env_file", tmp_path / ".env")
    environment, problems = load()
    assert [problem.setting for problem in problems] == [".env"]
    assert environment.port == 8000


@pytest.mark.parametrize(
    ("name", "fault"),
    [("missing.env", "which is not there"), ("folder", "which is not a file"), ("bytes.env", "not a text")],
)
def test_a_file_that_is_named_and_cannot_be_read_is_refused(
    name: str, fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes.env").write_bytes(b"PORT=9000\n\xff\xfe")
    monkeypatch.setenv(ENV_FILE_NAME, str(tmp_path / name))
    monkeypatch.setitem(Environment.model_config, "env_file", chosen_file(BASE_DIR / ".env"))
    environment, (problem,) = load()
    assert (problem.id, problem.setting) == ("papertrade.E106", ENV_FILE_NAME)
    assert str(tmp_path / name) in problem.message
    assert fault in problem.message
    assert environment.port == 8000


def test_the_usual_file_may_be_missing_and_an_empty_name_stands_for_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = tmp_path / ".env"
    assert chosen_file(usual) == usual
    monkeypatch.setitem(Environment.model_config, "env_file", usual)
    assert load()[1] == ()
    monkeypatch.setenv(ENV_FILE_NAME, "")
    assert chosen_file(usual) is None
    assert load()[1] == ()


def test_a_password_in_any_address_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in ("PAPERTRADE_EXCHANGE_URL", "PAPERTRADE_HYPERLIQUID_URL", "PAPERTRADE_HYPEREVM_URL"):
        monkeypatch.setenv(setting, "https://user:hunter2@exchange.example")
    problems = load()[1]
    assert len(problems) == 3
    assert "hunter2" not in str(problems)


def test_a_name_with_a_slip_of_the_pen_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_SIMULATOR_SEEDS", "7")
    monkeypatch.setenv("papertrade_debugg", "1")
    monkeypatch.setenv("SOMETHING_ELSE", "1")
    assert [(problem.id, problem.setting) for problem in load()[1]] == [
        ("papertrade.E108", "PAPERTRADE_SIMULATOR_SEEDS"),
        ("papertrade.E108", "papertrade_debugg"),
    ]


def test_a_file_of_settings_holds_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slips = ("DATABSE_URL", "PAPERTRADE_SOURSE", "PORTT", "REDIS_URI", "WEB_CONCURENCY")
    text = "".join(f"{name}=1\n" for name in slips)
    (tmp_path / ".env").write_text(f"{text}PORT=9000\npapertrade_simulator_seed=7\n", encoding="utf-8")
    monkeypatch.setitem(Environment.model_config, "env_file", tmp_path / ".env")
    environment, problems = load()
    assert [(problem.id, problem.setting) for problem in problems] == [
        ("papertrade.E108", name) for name in slips
    ]
    assert (environment.port, environment.simulator_seed) == (9000, 7)


def test_the_log_level_may_be_written_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_LOG_LEVEL", "warning")
    assert load()[0].log_level == "WARNING"


def test_the_env_file_gives_way_to_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=9000\nPAPERTRADE_SIMULATOR_SEED=7\n", encoding="utf-8")
    monkeypatch.setitem(Environment.model_config, "env_file", tmp_path / ".env")
    monkeypatch.setenv("PORT", "9500")
    environment, problems = load()
    assert (environment.port, environment.simulator_seed, problems) == (9500, 7, ())


def test_a_wildcard_host_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_ALLOWED_HOSTS", "a.example, *")
    assert [problem.id for problem in load()[1]] == ["papertrade.E103"]


def test_debug_with_a_public_host_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_DEBUG", "1")
    monkeypatch.setenv("PAPERTRADE_ALLOWED_HOSTS", "a.example")
    assert [problem.id for problem in load()[1]] == ["papertrade.E104"]


def test_debug_with_a_public_host_of_a_server_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_DEBUG", "1")
    monkeypatch.setenv("PAPERTRADE_ANALYTICS_HOST", "a.example")
    assert [problem.id for problem in load()[1]] == ["papertrade.E104"]


def test_a_host_of_a_server_is_allowed_by_being_set_and_is_kept_in_lower_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PAPERTRADE_ALLOWED_HOSTS", "a.example")
    monkeypatch.setenv("PAPERTRADE_LIQUIDATIONS_HOST", "L.Example")
    environment, problems = load()
    assert problems == ()
    assert environment.hosts == ["a.example", "l.example"]
    assert environment.server_hosts == {"l.example": "liquidations"}


def test_one_host_cannot_stand_for_both_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_LIQUIDATIONS_HOST", "a.example")
    monkeypatch.setenv("PAPERTRADE_ANALYTICS_HOST", "A.example")
    assert [problem.id for problem in load()[1]] == ["papertrade.E107"]


@pytest.mark.parametrize(
    "host", ["a.example:8000", "*", ".example", "a b", "-a.example", "a..example", "[::1]"]
)
def test_a_host_of_a_server_is_one_plain_name(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_LIQUIDATIONS_HOST", host)
    assert [problem.id for problem in load()[1]] == ["papertrade.E018"]


@pytest.mark.parametrize(
    "value",
    [
        "0.0.0.0/0",
        "::/0",
        "*",
        "10.0.0.0/7",
        "2000::/15",
        "fc00::/6",
        "10.0.0.1/8",
        "proxy.example",
        "10.0.0.1:80",
    ],
)
def test_a_trusted_proxy_is_an_address_or_a_network_and_never_everybody(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERTRADE_TRUSTED_PROXIES", f"127.0.0.1,{value}")
    assert [problem.setting for problem in load()[1]] == ["PAPERTRADE_TRUSTED_PROXIES"]
    assert load()[0].trusted_proxies == []


def test_trusted_proxies_are_addresses_and_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8,fc00::/7")
    environment, problems = load()
    assert problems == ()
    assert [str(network) for network in environment.trusted_proxies] == [
        "127.0.0.1/32",
        "10.0.0.0/8",
        "fc00::/7",
    ]


def test_hosts_are_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_ALLOWED_HOSTS", " a.example ,b.example,")
    assert load()[0].allowed_hosts == ["a.example", "b.example"]


def test_a_trailing_slash_of_an_address_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERTRADE_EXCHANGE_URL", "http://127.0.0.1:9000/")
    assert load()[0].exchange == "http://127.0.0.1:9000"


def test_the_embedded_valkey_socket_fits_a_socket_address_even_under_a_long_temporary_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("x" * 120)))
    assert len(str(load()[0].embedded_valkey_socket).encode()) <= MAX_SOCKET_PATH_BYTES


def test_two_ports_of_one_checkout_do_not_share_a_valkey(monkeypatch: pytest.MonkeyPatch) -> None:
    first = load()[0].redis
    monkeypatch.setenv("PORT", "9000")
    assert load()[0].redis != first
