"""How usage is kept in Redis: the names of keys and fields, and what stands under them.

A minute is one hash, whose fields are a process's rows: messages ``m|WRITER|SERVER|METHOD|TOOL``, sources
``s|WRITER|NAME`` and hosts ``h|WRITER|HOST``. An hour of a server's clients is one hash with a field for each
process. When hosts last answered, and how they last failed, stands in two lists that are sorted by time.
Whatever was not written by this version is left out when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from django.conf import settings

from papertrade_site.strict_json import Json
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.tally import HostNews, SourceCounts
from papertrade_site.usage.counts import (
    ClientCounts,
    MessageCounts,
    are_counts,
    source_numbers,
    source_of_numbers,
)
from papertrade_site.usage.families import Family, family_called
from papertrade_site.usage.ledger import Minute

VERSION: Final = 1
"""Of the form of all this; another version reads and writes under other keys."""

SEPARATOR: Final = "|"

CLIENT_CHARACTERS: Final = 12
"""Of a client's hash."""

_LONGEST_MESSAGE_KEY: Final = (32, 32, 64, 64)
_LONGEST_SOURCE_KEY: Final = (32, 64)
"""The most characters of each part, as many as the database takes."""

_HOSTS: Final = frozenset(host.value for host in Host)
_BREAKER_STATES: Final = frozenset(state.value for state in BreakerState)


class MessageKey(NamedTuple):
    """A process's row of messages within a minute."""

    writer: str
    server: str
    method: str
    tool: str


class SourceKey(NamedTuple):
    """A process's row of a source within a minute."""

    writer: str
    name: str


@dataclass(frozen=True, slots=True)
class HostState:
    """How one process finds a host."""

    breaker: BreakerState
    news: HostNews


@dataclass(slots=True)
class StoredMinute:
    """All processes' rows of a minute."""

    messages: dict[MessageKey, MessageCounts] = field(default_factory=dict)
    sources: dict[SourceKey, SourceCounts] = field(default_factory=dict)
    hosts: dict[tuple[str, Host], HostState] = field(default_factory=dict)


def key(*parts: str | int) -> str:
    """The name of a key."""
    return ":".join([str(settings.CACHES["default"]["KEY_PREFIX"]), "usage", str(VERSION), *map(str, parts)])


def minute_fields(writer: str, minute: Minute) -> dict[str, str]:
    """A process's rows of messages and sources."""
    messages = {
        _field("m", writer, *row): _encode(counts.numbers()) for row, counts in minute.messages.items()
    }
    sources = {
        _field("s", writer, name): _encode(source_numbers(counts)) for name, counts in minute.sources.items()
    }
    return messages | sources


def host_fields(writer: str, hosts: Mapping[Host, HostState]) -> dict[str, str]:
    """How a process finds each host."""
    return {
        _field("h", writer, host): _encode(
            [state.breaker, state.news.last_success_ms, state.news.last_error, state.news.last_error_ms]
        )
        for host, state in hosts.items()
    }


def read_minute(fields: Mapping[str, str]) -> StoredMinute:
    """All rows of a stored minute."""
    minute = StoredMinute()
    for name, text in fields.items():
        match name.split(SEPARATOR), _decode(text):
            case ["m", *texts], numbers if _fit(texts, _LONGEST_MESSAGE_KEY):
                messages = MessageCounts.of_numbers(numbers)
                if messages is not None:
                    minute.messages[MessageKey(*texts)] = messages
            case ["s", writer, source], numbers if _fit([writer, source], _LONGEST_SOURCE_KEY):
                counts = source_of_numbers(numbers)
                if counts is not None:
                    minute.sources[SourceKey(writer, source)] = counts
            case ["h", writer, host], told if host in _HOSTS:
                state = _host_state(told)
                if state is not None:
                    minute.hosts[writer, Host(host)] = state
    return minute


def is_start(text: str) -> bool:
    """Whether it is the start of a minute, as a key's last part."""
    return text.isascii() and text.isdecimal() and len(text) <= 15


def clients_text(clients: Sequence[tuple[str, ClientCounts]]) -> str:
    """The clients that a process tells of an hour."""
    return _encode(
        [
            [client, counts.family, int(counts.is_named), counts.messages, counts.limited]
            for client, counts in clients
        ]
    )


def read_clients(texts: Sequence[str]) -> dict[str, ClientCounts]:
    """What all processes tell of an hour's clients, added up."""
    clients: dict[str, ClientCounts] = {}
    for text in texts:
        told = _decode(text)
        for client, counts in map(_client, told if isinstance(told, list) else []):
            if counts is None:
                continue
            if client in clients:
                clients[client].add(counts)
            else:
                clients[client] = counts
    return clients


def limited_member(client: str, family: Family) -> str:
    """A client in the list of those that were limited."""
    return _field(client, family)


def read_limited(member: str) -> tuple[str, Family]:
    """Read back ``limited_member``."""
    client, _, family = member.partition(SEPARATOR)
    return client, family_called(family)


def failure_member(host: Host, error: str) -> str:
    """How a host failed, in the list of all failures."""
    return _field(host, error)


def read_news(answered: Mapping[str, float], failed: Mapping[str, float]) -> dict[Host, HostNews]:
    """What two lists tell of each host: when it last answered, and each failure with when it was last met.

    Args:
        answered: by host.
        failed: by ``failure_member``, the newest first.
    """
    news = {host: HostNews(int(answered[host]) if host in answered else None) for host in Host}
    for member, at_ms in failed.items():
        name, _, error = member.partition(SEPARATOR)
        if name in _HOSTS and news[Host(name)].last_error is None:
            news[Host(name)] = replace(news[Host(name)], last_error=error, last_error_ms=int(at_ms))
    return news


def _host_state(told: Json) -> HostState | None:
    """Read back a row of ``host_fields``; None when it is nothing that this version writes."""
    match told:
        case [str(breaker), success_ms, str() | None as error, error_ms] if (
            breaker in _BREAKER_STATES and _is_time(success_ms) and _is_time(error_ms)
        ):
            return HostState(BreakerState(breaker), HostNews(success_ms, error, error_ms))
        case _:
            return None


def _client(told: Json) -> tuple[str, ClientCounts | None]:
    """Read back a row of ``clients_text``; None when it is nothing that this version writes."""
    match told:
        case [str(client), str(family), 0 | 1 as is_named, messages, limited] if len(
            client
        ) <= CLIENT_CHARACTERS and are_counts([messages, limited]):
            return client, ClientCounts(family_called(family), bool(is_named), messages, limited)
        case _:
            return "", None


def _fit(texts: Sequence[str], longest: Sequence[int]) -> bool:
    """Whether these are so many names, and none is longer than it may be."""
    return len(texts) == len(longest) and all(
        len(text) <= most and text.isprintable() for text, most in zip(texts, longest, strict=True)
    )


def _is_time(value: Json) -> bool:
    return value is None or are_counts([value])


def _field(*parts: str) -> str:
    return SEPARATOR.join(parts)


def _encode(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))


def _decode(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return None
