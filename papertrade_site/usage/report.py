"""What people are told of usage: everything that the dashboard and the status page show of it.

Nothing here raises for a Redis or a database that is away. Whatever could be read is told, and ``missing``
holds a sentence for each thing that could not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.tally import HostNews, SourceCounts
from papertrade_site.usage import store
from papertrade_site.usage.counts import ClientCounts, MessageCounts
from papertrade_site.usage.durations import percentile_ms
from papertrade_site.usage.families import Family
from papertrade_site.usage.gathered import MESSAGES, SOURCES, Gathered, Reads, gather
from papertrade_site.usage.ledger import LIMITED_SHOWN_MS
from papertrade_site.usage.models import ClientHour
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import (
    CacheUse,
    Clients,
    ClientUsage,
    LimitedClient,
    LimitedClients,
    Requests,
    Series,
    ServerUsage,
    Slot,
    SourceUse,
    ToolUsage,
    ToolUsages,
    Upstream,
    Upstreams,
    Usage,
)
from papertrade_site.usage.wire import HostState, StoredMinute

CALL: Final = "tools/call"
MEDIAN: Final = 0.5
MOST: Final = 0.95

clock: Clock = SystemClock()
"""By which periods end."""


def usage(slug: str, period: Period) -> Usage:
    """What a server did, how that went slot by slot, and how much each of its tools was called."""
    gathered = gather(MESSAGES, period, clock.now_ms(), server=slug)
    return Usage(_total(gathered), _series(gathered, period), _tools(gathered))


def server_usage(slug: str, period: Period) -> ServerUsage:
    """What a server did as a whole."""
    return usage(slug, period).total


def top_clients(slug: str, period: Period, count: int) -> Clients:
    """The busiest clients of a server; for ``HOUR``, those of the present and the previous clock hour."""
    now_ms, reads = clock.now_ms(), Reads()
    since_ms = _clients_since_ms(period, now_ms)
    counted = _clients(slug, since_ms, now_ms, reads)
    rows = [ClientUsage(name, of.family, of.messages, of.limited) for name, of in counted.items()]
    rows.sort(key=lambda row: (-row.messages, row.client))
    return Clients(since_ms, tuple(rows[:count]), tuple(reads.missing))


def limited_now(slug: str, period: Period = Period.HOUR) -> LimitedClients:
    """Who is being limited by a server, each of the kind that ``top_clients`` of the period says."""
    now_ms, reads = clock.now_ms(), Reads()
    since_ms = now_ms - LIMITED_SHOWN_MS
    limited = reads.redis(
        lambda: store.stored_limited(slug, since_ms=since_ms), dict[str, tuple[Family, int]]
    )
    counted = _clients(slug, _clients_since_ms(period, now_ms), now_ms, reads) if limited else {}
    rows = tuple(
        LimitedClient(client, counted[client].family if client in counted else family, at_ms)
        for client, (family, at_ms) in limited.items()
    )
    return LimitedClients(rows, tuple(reads.missing))


def cache_use(period: Period) -> CacheUse:
    """How many reads copies served, and how old those were."""
    now_ms = clock.now_ms()
    sources = gather(SOURCES, period, now_ms)
    messages = gather(MESSAGES, period, now_ms)
    total, by_source = SourceCounts(), sources.total()
    for counts in by_source.values():
        total.add(counts)
    rows = (
        SourceUse(name, of.fresh, of.stale, of.fetched, of.failed)
        for (name,), of in sorted(by_source.items())
    )
    return CacheUse(
        fresh=total.fresh,
        stale=total.stale,
        fetched=total.fetched,
        failed=total.failed,
        reused=sum(counts.reused for counts in messages.total().values()),
        rows=tuple(row for row in rows if row.reads),
        missing=tuple(dict.fromkeys(sources.missing + messages.missing)),
    )


def upstreams() -> Upstreams:
    """How each host is."""
    now_ms, reads = clock.now_ms(), Reads()
    sources = gather(SOURCES, Period.HOUR, now_ms)
    present_ms = now_ms - now_ms % MINUTE_MS
    minutes = reads.redis(
        lambda: store.stored_minutes([present_ms - MINUTE_MS, present_ms]), dict[int, StoredMinute]
    )
    states = _states(minutes.values()) or [*store.host_states().items()]
    news = reads.redis(store.stored_news, dict[Host, HostNews])
    hour, minute = sources.total(), sources.slots[present_ms - MINUTE_MS]
    rows = tuple(
        _upstream(
            host,
            [state for of, state in states if of is host],
            known=news.get(host, HostNews()),
            minute=minute,
            hour=hour,
        )
        for host in Host
    )
    return Upstreams(rows, tuple(dict.fromkeys(sources.missing + tuple(reads.missing))))


def _total(gathered: Gathered[MessageCounts]) -> ServerUsage:
    by_subject = gathered.total()
    everything, calls = _sum(by_subject.values()), _calls(by_subject)
    return ServerUsage(
        calls=calls.answered,
        errors=calls.failed,
        limited=everything.limited,
        refused=everything.refused,
        blocked=everything.blocked,
        messages=everything.messages,
        reused=calls.reused,
        p50_ms=percentile_ms(calls.durations, MEDIAN),
        p95_ms=percentile_ms(calls.durations, MOST),
        missing=gathered.missing,
    )


def _series(gathered: Gathered[MessageCounts], period: Period) -> Series:
    slots = tuple(_slot(start_ms, by_subject) for start_ms, by_subject in gathered.slots.items())
    return Series(period.slot_ms, slots, gathered.missing)


def _slot(start_ms: int, by_subject: Mapping[tuple[str, ...], MessageCounts]) -> Slot:
    calls = _calls(by_subject)
    return Slot(
        start_ms=start_ms,
        calls=calls.answered,
        errors=calls.failed,
        limited=sum(counts.limited for counts in by_subject.values()),
        p50_ms=percentile_ms(calls.durations, MEDIAN),
        p95_ms=percentile_ms(calls.durations, MOST),
    )


def _tools(gathered: Gathered[MessageCounts]) -> ToolUsages:
    called = sorted(
        (tool, counts)
        for (_, method, tool), counts in gathered.total().items()
        if method == CALL and counts.answered
    )
    rows = tuple(
        ToolUsage(
            tool=tool,
            calls=counts.answered,
            errors=counts.failed,
            reused=counts.reused,
            p50_ms=percentile_ms(counts.durations, MEDIAN),
            p95_ms=percentile_ms(counts.durations, MOST),
        )
        for tool, counts in called
    )
    return ToolUsages(rows, gathered.missing)


def _calls(by_subject: Mapping[tuple[str, ...], MessageCounts]) -> MessageCounts:
    return _sum(counts for (_, method, _), counts in by_subject.items() if method == CALL)


def _sum(several: Iterable[MessageCounts]) -> MessageCounts:
    total = MessageCounts()
    for counts in several:
        total.add(counts)
    return total


def _fuller(
    recorded: Mapping[str, ClientCounts], told: Mapping[str, ClientCounts]
) -> dict[str, ClientCounts]:
    """An hour's clients from both, each as the one that knows more of it has it."""
    both = [*told.items(), *recorded.items()]
    fuller: dict[str, ClientCounts] = {}
    for client, counts in both:
        if client not in fuller or fuller[client].messages < counts.messages:
            fuller[client] = counts
    return fuller


def _clients_since_ms(period: Period, now_ms: int) -> int:
    """The first hour whose clients are told for a period."""
    present_ms = now_ms - now_ms % HOUR_MS
    return min(period.starts_ms(now_ms)[0] // HOUR_MS * HOUR_MS, present_ms - HOUR_MS)


def _clients(slug: str, since_ms: int, now_ms: int, reads: Reads) -> dict[str, ClientCounts]:
    """What each client of a server sent since an hour; what it is comes from the latest that names itself."""
    recorded = reads.database(
        lambda: list(ClientHour.objects.filter(server=slug, start_ms__gte=since_ms)), list[ClientHour]
    )
    hours: dict[int, dict[str, ClientCounts]] = {}
    for row in recorded:
        hours.setdefault(row.start_ms, {})[row.client] = row.counts
    present_ms = now_ms - now_ms % HOUR_MS
    for hour_ms in (present_ms - HOUR_MS, present_ms):
        told = reads.redis(partial(store.stored_clients, hour_ms, slug), dict[str, ClientCounts])
        hours[hour_ms] = _fuller(hours.get(hour_ms, {}), told)
    return _added_up(hours[hour_ms] for hour_ms in sorted(hours))


def _added_up(hours: Iterable[Mapping[str, ClientCounts]]) -> dict[str, ClientCounts]:
    total: dict[str, ClientCounts] = {}
    for hour in hours:
        for client, counts in hour.items():
            total.setdefault(client, ClientCounts(counts.family, is_named=False)).add(counts)
    return total


def _states(minutes: Iterable[StoredMinute]) -> list[tuple[Host, HostState]]:
    """How each process finds each host, by what it told last."""
    newest: dict[tuple[str, Host], HostState] = {}
    for minute in minutes:
        newest |= minute.hosts
    return [(host, state) for (_, host), state in newest.items()]


def _upstream(
    host: Host,
    states: list[HostState],
    *,
    known: HostNews,
    minute: Mapping[tuple[str, ...], SourceCounts],
    hour: Mapping[tuple[str, ...], SourceCounts],
) -> Upstream:
    breakers = {state.breaker for state in states}
    by_gravity = (BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED)
    all_news = [known, *(state.news for state in states)]
    failed = max(all_news, key=lambda news: news.last_error_ms or 0)
    return Upstream(
        host=host,
        breaker=next((state for state in by_gravity if state in breakers), None),
        last_success_ms=max(news.last_success_ms or 0 for news in all_news) or None,
        last_error=failed.last_error,
        last_error_ms=failed.last_error_ms,
        minute=_requests(host, minute),
        hour=_requests(host, hour),
    )


def _requests(host: Host, by_source: Mapping[tuple[str, ...], SourceCounts]) -> tuple[Requests, ...]:
    rows = (
        Requests(name, of.answered, of.limited, of.unusable)
        for (name,), of in sorted(by_source.items())
        if name.partition(".")[0] == host
    )
    return tuple(row for row in rows if row.count)
