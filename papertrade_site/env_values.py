"""What the value of one setting may be: types that read it from text and refuse what it must not be.

Every refusal is a ``ValueError`` whose words follow the name of the setting, such as ``must be ...``.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

import dj_database_url
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode
from redis import ConnectionPool
from redis.exceptions import RedisError

MIN_SECRET_LENGTH: Final = 50
MIN_SECRET_VARIETY: Final = 10
MAX_PORT: Final = 65535
DATABASE_SCHEMES: Final = frozenset({"sqlite", "postgres", "postgresql"})
PATH: Final = re.compile(r"(/[\w.~-]+)+(\?[\w.~=&{}-]+)?", re.ASCII)
HOST: Final = re.compile(r"\.?[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*|\[[0-9a-fA-F:]+\]|\*", re.ASCII)
WIDEST_PREFIX: Final = {4: 8, 6: 16}
"""Fewest bits, by version of IP, of a network that is trusted: providers' are wide, none so wide."""
PRIVATE_IPV6: Final = IPv6Network("fc00::/7")
REDIS_SCHEMES: Final = frozenset({"redis", "rediss", "unix"})
HOST_NAME: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*", re.ASCII)
REGISTRY_NAME: Final = re.compile(r"[a-zA-Z0-9.-]{1,100}/[a-zA-Z0-9._-]{1,99}", re.ASCII)
REPOSITORY: Final = re.compile(r"https://github\.com/[\w-]+/[\w.-]+", re.ASCII)


def _split_commas(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _base_url(value: str) -> str:
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError("must be plain printable ASCII without spaces")
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be an http or https address without query or fragment")
    if parts.username or parts.password:
        raise ValueError("must not hold a user name or password")
    _check_port(value)
    return value.rstrip("/")


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _host(value: str) -> str:
    if HOST.fullmatch(value) is None:
        raise ValueError("must be host names without scheme or port")
    return value


def _host_name(value: str) -> str:
    name = value.lower()
    if HOST_NAME.fullmatch(name) is None:
        raise ValueError("must be one host name without scheme, port or wildcard")
    return name


def _registry_name(value: str) -> str:
    if REGISTRY_NAME.fullmatch(value) is None:
        raise ValueError("must be a namespace and a name with one / between them")
    return value


def _repository(value: str) -> str:
    if REPOSITORY.fullmatch(value) is None:
        raise ValueError("must be https://github.com/OWNER/NAME")
    return value


def _proxy_network(value: object) -> IPv4Network | IPv6Network:
    return _network(value, "must name the proxies; so wide a network would let any client choose its address")


def _metrics_network(value: object) -> IPv4Network | IPv6Network:
    return _network(value, "must name who may read them; so wide a network is anybody")


def _network(value: object, too_wide: str) -> IPv4Network | IPv6Network:
    try:
        network = ip_network(str(value))
    except ValueError:
        raise ValueError("must be addresses or networks such as 10.0.0.0/8") from None
    is_private = network.network_address in PRIVATE_IPV6 and network.prefixlen >= PRIVATE_IPV6.prefixlen
    if network.prefixlen < WIDEST_PREFIX[network.version] and not is_private:
        raise ValueError(too_wide)
    return network


def _check_port(address: str) -> None:
    try:
        _ = urlsplit(address).port
    except ValueError:
        raise ValueError("must have a port from 0 to 65535, or none") from None


def _path(value: str) -> str:
    if PATH.fullmatch(value) is None or "/.." in value:
        raise ValueError("must be a plain path on the exchange that begins with /, perhaps with a query")
    return value


def _path_with_id(value: str) -> str:
    if value.count("{id}") != 1 or "{" in value.replace("{id}", ""):
        raise ValueError("must hold {id} once, in the place of the instrument's id")
    return _path(value)


def _redis_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in REDIS_SCHEMES or not (parts.path if parts.scheme == "unix" else parts.hostname):
        raise ValueError("must be a redis:// or rediss:// address or a unix:// path")
    try:
        ConnectionPool.from_url(value).make_connection()
    except (ValueError, TypeError, AttributeError, RedisError):
        raise ValueError("is not an address that the Redis client understands") from None
    return value


def _database_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in DATABASE_SCHEMES or (parts.scheme != "sqlite" and not parts.hostname):
        raise ValueError("must be a sqlite:///PATH or postgres://HOST/NAME address")
    try:
        dj_database_url.parse(value)
    except ValueError:
        raise ValueError("is not an address of a database") from None
    return value


def _long_enough(value: SecretStr) -> SecretStr:
    secret = value.get_secret_value()
    if len(secret) < MIN_SECRET_LENGTH or len(set(secret)) < MIN_SECRET_VARIETY:
        raise ValueError(f"must be at least {MIN_SECRET_LENGTH} random characters")
    return value


BaseUrl = Annotated[str, AfterValidator(_base_url)]
HostName = Annotated[str, AfterValidator(_host_name)]
RegistryName = Annotated[str, AfterValidator(_registry_name)]
Port = Annotated[int, Field(ge=1, le=MAX_PORT)]
ExchangePath = Annotated[str, AfterValidator(_path)]
MarketPath = Annotated[str, AfterValidator(_path_with_id)]
SecretKey = Annotated[SecretStr, AfterValidator(_long_enough)]
Hosts = Annotated[list[Annotated[str, AfterValidator(_host)]], NoDecode, BeforeValidator(_split_commas)]
Repository = Annotated[str, AfterValidator(_repository)]
DatabaseUrl = Annotated[str, AfterValidator(_database_url)]
RedisUrl = Annotated[str, AfterValidator(_redis_url)]
LogLevel = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper)]
Proxies = Annotated[
    list[Annotated[IPv4Network | IPv6Network, BeforeValidator(_proxy_network)]],
    NoDecode,
    BeforeValidator(_split_commas),
]
MetricsNetworks = Annotated[
    list[Annotated[IPv4Network | IPv6Network, BeforeValidator(_metrics_network)]],
    NoDecode,
    BeforeValidator(_split_commas),
]
