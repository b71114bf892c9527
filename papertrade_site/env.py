"""The project's settings, read once from the environment and from ``.env``, typed.

A bad value never stops the import: ``load`` puts the default in its place and returns one numbered
``Problem`` for it. ``checks.py`` reports all problems at once, and nothing serves while there is one.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from papertrade_site.env_file import ENV_FILE_NAME, chosen_file, file_fault, names_in
from papertrade_site.env_values import (
    MAX_PORT,
    BaseUrl,
    DatabaseUrl,
    ExchangePath,
    HostName,
    Hosts,
    LogLevel,
    MarketPath,
    MetricsNetworks,
    Port,
    Proxies,
    RedisUrl,
    RegistryName,
    Repository,
    SecretKey,
)

BASE_DIR: Final = Path(__file__).resolve().parent.parent

MAX_SOCKET_PATH_BYTES: Final = 107
OWN_FOLDERS: Final = f"papertrade-{os.geteuid()}-"
"""How the names begin of the folders that this user's services keep on the machine."""
MEMORY_FOLDER: Final = Path(os.sep, "dev", "shm")
LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
PUBLIC_NAME: Final = re.compile(r"([a-z0-9-]+\.)+(?!local(host)?$)[a-z]{2,}", re.ASCII)

LIVE_EXCHANGE_URL: Final = "https://exchange.papertrade.xyz"
LIVE_HYPERLIQUID_URL: Final = "https://api.hyperliquid.xyz"
LIVE_HYPEREVM_URL: Final = "https://rpc.hyperliquid.xyz/evm"


class Source(StrEnum):
    """Where every figure comes from."""

    LIVE = "live"
    SIMULATED = "simulated"


SIMULATED_HEADER: Final = "X-Papertrade-Simulated"
"""The header that every answer of the embedded exchange carries, so that none passes for the venue's."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A setting that is wrong: the number of its check, its name, and what is wrong with it."""

    id: str
    setting: str
    message: str


CHECK_IDS: Final = {
    "PAPERTRADE_SOURCE": "papertrade.E001",
    "PAPERTRADE_EXCHANGE_URL": "papertrade.E002",
    "PAPERTRADE_HYPERLIQUID_URL": "papertrade.E003",
    "PAPERTRADE_HYPEREVM_URL": "papertrade.E004",
    "PAPERTRADE_LIQUIDATION_MAP_PATH": "papertrade.E005",
    "PAPERTRADE_BEST_POSITIONS_PATH": "papertrade.E006",
    "PAPERTRADE_SECRET_KEY": "papertrade.E007",
    "PAPERTRADE_DEBUG": "papertrade.E008",
    "PAPERTRADE_ALLOWED_HOSTS": "papertrade.E009",
    "DATABASE_URL": "papertrade.E010",
    "REDIS_URL": "papertrade.E011",
    "PORT": "papertrade.E012",
    "PAPERTRADE_SIMULATOR_PORT": "papertrade.E013",
    "PAPERTRADE_SIMULATOR_SEED": "papertrade.E014",
    "WEB_CONCURRENCY": "papertrade.E015",
    "PAPERTRADE_THREADS": "papertrade.E016",
    "PAPERTRADE_LOG_LEVEL": "papertrade.E017",
    "PAPERTRADE_LIQUIDATIONS_HOST": "papertrade.E018",
    "PAPERTRADE_ANALYTICS_HOST": "papertrade.E019",
    "PAPERTRADE_LIQUIDATIONS_NAME": "papertrade.E020",
    "PAPERTRADE_ANALYTICS_NAME": "papertrade.E021",
    "PAPERTRADE_PUBLIC_SCHEME": "papertrade.E022",
    "PAPERTRADE_REPOSITORY_URL": "papertrade.E023",
    "PAPERTRADE_TRUSTED_PROXIES": "papertrade.E024",
    "PAPERTRADE_ADMIN_HOST": "papertrade.E025",
    "PAPERTRADE_REQUEST_LOG": "papertrade.E026",
    "PAPERTRADE_METRICS_NETWORKS": "papertrade.E027",
}
"""The check that each setting's faults are reported under; a number is never given to another setting."""

SECRETS: Final = frozenset({"PAPERTRADE_SECRET_KEY", "DATABASE_URL", "REDIS_URL"})
"""Settings whose values may hold a password and are never shown."""


class Environment(BaseSettings):
    """Every setting of the project, by the name that the environment and ``.env.example`` give it."""

    model_config = SettingsConfigDict(
        env_file=chosen_file(BASE_DIR / ".env"), extra="ignore", env_ignore_empty=True
    )

    source: Source = Field(Source.SIMULATED, validation_alias="PAPERTRADE_SOURCE")
    exchange_url: BaseUrl | None = Field(None, validation_alias="PAPERTRADE_EXCHANGE_URL")
    hyperliquid_url: BaseUrl | None = Field(None, validation_alias="PAPERTRADE_HYPERLIQUID_URL")
    hyperevm_url: BaseUrl | None = Field(None, validation_alias="PAPERTRADE_HYPEREVM_URL")
    liquidation_map_path: MarketPath = Field(
        "/state/liquidation-map?instrumentId={id}", validation_alias="PAPERTRADE_LIQUIDATION_MAP_PATH"
    )
    best_positions_path: ExchangePath = Field(
        "/state/leaderboard/positions", validation_alias="PAPERTRADE_BEST_POSITIONS_PATH"
    )
    secret_key: SecretKey | None = Field(None, validation_alias="PAPERTRADE_SECRET_KEY")
    debug: bool = Field(False, validation_alias="PAPERTRADE_DEBUG")
    allowed_hosts: Hosts = Field(
        ["localhost", "127.0.0.1", "[::1]"], validation_alias="PAPERTRADE_ALLOWED_HOSTS", min_length=1
    )
    liquidations_host: HostName | None = Field(None, validation_alias="PAPERTRADE_LIQUIDATIONS_HOST")
    analytics_host: HostName | None = Field(None, validation_alias="PAPERTRADE_ANALYTICS_HOST")
    admin_host: HostName | None = Field(None, validation_alias="PAPERTRADE_ADMIN_HOST")
    public_scheme: Literal["http", "https"] | None = Field(None, validation_alias="PAPERTRADE_PUBLIC_SCHEME")
    liquidations_name: RegistryName = Field(
        "io.github.nirholas/papertrade-liquidations", validation_alias="PAPERTRADE_LIQUIDATIONS_NAME"
    )
    analytics_name: RegistryName = Field(
        "io.github.nirholas/papertrade-analytics", validation_alias="PAPERTRADE_ANALYTICS_NAME"
    )
    repository_url: Repository | None = Field(None, validation_alias="PAPERTRADE_REPOSITORY_URL")
    database_url: DatabaseUrl = Field(
        f"sqlite:///{BASE_DIR / 'papertrade.sqlite3'}", validation_alias="DATABASE_URL"
    )
    redis_url: RedisUrl | None = Field(None, validation_alias="REDIS_URL")
    port: Port = Field(8000, validation_alias="PORT")
    simulator_port: Port | None = Field(None, validation_alias="PAPERTRADE_SIMULATOR_PORT")
    simulator_seed: int = Field(1, validation_alias="PAPERTRADE_SIMULATOR_SEED", ge=0, le=2**32 - 1)
    workers: int | None = Field(None, validation_alias="WEB_CONCURRENCY", ge=1, le=256)
    threads: int = Field(4, validation_alias="PAPERTRADE_THREADS", ge=2, le=64)
    log_level: LogLevel = Field("INFO", validation_alias="PAPERTRADE_LOG_LEVEL")
    trusted_proxies: Proxies = Field([], validation_alias="PAPERTRADE_TRUSTED_PROXIES")
    request_log: bool = Field(True, validation_alias="PAPERTRADE_REQUEST_LOG")
    metrics_networks: MetricsNetworks = Field(
        [IPv4Network("127.0.0.0/8"), IPv6Network("::1")], validation_alias="PAPERTRADE_METRICS_NETWORKS"
    )

    @property
    def exchange(self) -> str:
        """Base address of the venue's read API."""
        return self.exchange_url or self._default_url(LIVE_EXCHANGE_URL)

    @property
    def hyperliquid(self) -> str:
        """Base address of Hyperliquid's info API."""
        return self.hyperliquid_url or self._default_url(LIVE_HYPERLIQUID_URL)

    @property
    def hyperevm(self) -> str:
        """Whole address of the HyperEVM JSON-RPC endpoint."""
        return self.hyperevm_url or self._default_url(LIVE_HYPEREVM_URL, simulated_path="/evm")

    @property
    def server_hosts(self) -> dict[str, str]:
        """The server, by its short name, that each host name of a server's own stands for."""
        hosts = {self.liquidations_host: "liquidations", self.analytics_host: "analytics"}
        return {host: server for host, server in hosts.items() if host is not None}

    @property
    def hosts(self) -> list[str]:
        """Every host name that the site answers to: the allowed ones, the servers' own and the admin's."""
        own = [*self.server_hosts, *([self.admin_host] if self.admin_host else [])]
        return [*self.allowed_hosts, *own]

    @property
    def public_hosts(self) -> set[str]:
        """The host names that are not this machine's own, as localhost is with all below it (RFC 6761)."""
        named = {host.strip("[]") for host in self.hosts} - LOOPBACK_HOSTS
        return {host for host in named if not host.endswith(".localhost")}

    @property
    def embedded_exchange_port(self) -> int:
        """Port of the embedded exchange: its own setting, else the one after the site's."""
        return self.simulator_port or self.port + 1

    @property
    def runs_exchange(self) -> bool:
        """Whether a source is read from the embedded exchange, which then is part of the service."""
        addresses = (self.exchange_url, self.hyperliquid_url, self.hyperevm_url)
        return self.source is Source.SIMULATED and None in addresses

    @property
    def embedded_valkey_socket(self) -> Path:
        """Where the embedded Valkey of this checkout and port listens; short enough for a socket address."""
        path = Path(tempfile.gettempdir(), self._own_name, "valkey.sock")
        if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
            return path
        return Path(os.sep, "tmp", self._own_name, path.name)

    @property
    def metrics_folder(self) -> Path:
        """Where the processes of this checkout and port leave their counts; in memory where there is such."""
        parent = MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else tempfile.gettempdir()
        return Path(parent, f"{self._own_name}-metrics")

    @property
    def redis(self) -> str:
        """The cache server: ``REDIS_URL``, else the embedded Valkey of this checkout."""
        return self.redis_url or f"unix://{self.embedded_valkey_socket}"

    @property
    def _own_name(self) -> str:
        """A name for what this user's service of this checkout and port keeps on the machine."""
        return f"{OWN_FOLDERS}{sha256(f'{BASE_DIR}:{self.port}'.encode()).hexdigest()[:8]}"

    def _default_url(self, live: str, *, simulated_path: str = "") -> str:
        if self.source is Source.LIVE:
            return live
        return f"http://127.0.0.1:{self.embedded_exchange_port}{simulated_path}"


def load() -> tuple[Environment, tuple[Problem, ...]]:
    """Read the environment; a setting that is wrong keeps its default and becomes a problem."""
    file, problems = _readable_file()
    try:
        environment = Environment(_env_file=file)
    except ValidationError as error:
        broken = {str(row["loc"][0]): row for row in error.errors()}
        defaults = {field.validation_alias: field.default for field in Environment.model_fields.values()}
        environment = Environment(_env_file=file, **{setting: defaults[setting] for setting in broken})
        problems += tuple(_invalid(setting, row["msg"], row["input"]) for setting, row in broken.items())
    return environment, (*problems, *_contradictions(environment), *_unknown_settings(file))


def _readable_file() -> tuple[Path | None, tuple[Problem, ...]]:
    """The file to read settings from, or none and what is wrong with it."""
    file = Environment.model_config.get("env_file")
    path = file if isinstance(file, Path) else None
    fault = file_fault(path)
    return (path, ()) if fault is None else (None, (Problem("papertrade.E106", *fault),))


def _invalid(setting: str, message: str, value: object) -> Problem:
    may_be_secret = setting in SECRETS or "@" in str(value)
    shown = "has a wrong value" if may_be_secret else f"is {str(value)[:60]!r}"
    reason = message.removeprefix("Value error, ")
    return Problem(CHECK_IDS[setting], setting, f"{shown}: {reason[:1].lower()}{reason[1:]}")


def _contradictions(environment: Environment) -> Iterator[Problem]:
    addresses = {
        "PAPERTRADE_EXCHANGE_URL": environment.exchange,
        "PAPERTRADE_HYPERLIQUID_URL": environment.hyperliquid,
        "PAPERTRADE_HYPEREVM_URL": environment.hyperevm,
    }
    for setting, address in addresses.items():
        parts = urlsplit(address)
        host = parts.hostname or ""
        is_public = parts.scheme == "https" and PUBLIC_NAME.fullmatch(host) is not None
        if environment.source is Source.LIVE and not is_public:
            yield Problem(
                "papertrade.E101", setting, "must be https and a public name when the source is live"
            )
        if environment.source is Source.SIMULATED and host not in LOOPBACK_HOSTS:
            yield Problem("papertrade.E102", setting, "must be on this machine when the source is simulated")
    if "*" in environment.allowed_hosts:
        yield Problem(
            "papertrade.E103", "PAPERTRADE_ALLOWED_HOSTS", "must name the hosts; * lets any host in"
        )
    own = environment.liquidations_host
    if own is not None and own == environment.analytics_host:
        message = "must be another name than PAPERTRADE_LIQUIDATIONS_HOST: a host stands for one server"
        yield Problem("papertrade.E107", "PAPERTRADE_ANALYTICS_HOST", message)
    if environment.debug and environment.public_hosts:
        yield Problem("papertrade.E104", "PAPERTRADE_DEBUG", "must be off when a public host is allowed")
    port = environment.embedded_exchange_port
    if environment.runs_exchange and (port == environment.port or port > MAX_PORT):
        message = f"must be a port of its own, set where PORT is {environment.port}"
        yield Problem("papertrade.E105", "PAPERTRADE_SIMULATOR_PORT", message)


def _unknown_settings(file: Path | None) -> Iterator[Problem]:
    """Names that are no setting, such as one with a slip of the pen; only a file holds nothing but ours."""
    ours = {name for name in os.environ if name.upper().startswith("PAPERTRADE_")} - {ENV_FILE_NAME}
    for name in sorted({*ours, *names_in(file)}):
        if name.upper() not in CHECK_IDS:
            yield Problem("papertrade.E108", name, "is not a setting of this project")
