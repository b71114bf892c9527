"""The start page: its figures are those that are reported, and it answers whatever is away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import ip_network
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings
from redis.connection import UnixDomainSocketConnection

from papertrade_site.docs.words import ago, duration, percent
from papertrade_site.limits.audit import delete_audited, save_changed
from papertrade_site.limits.models import ClientNetwork, ServerRules
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.ops.jobs import JOBS, JobNotes, work_of
from papertrade_site.ops.models import Incident
from papertrade_site.servers import SERVERS
from papertrade_site.usage import report
from papertrade_site.usage.periods import Period
from tests.clocks import ManualClock
from tests.dashboard.busy_hour import HOSTILE, BusyHour
from tests.dashboard.conftest import PASSWORD, SignedIn
from tests.dashboard.shown import Node, shown, titles_of_bars
from tests.limits.valkey import OwnValkey, cache_at, running_valkey
from tests.policies import InForce

NOON_MS = 1_796_040_000_000
NOW_MS = NOON_MS + 25 * 60_000 + 7_000
NEW_PASSWORD = "paper-on-warm-ink"
HOSTILE_WORDS = "<img src=x onerror=alert(1)> {{ 7 }} \u202e %s"


@pytest.fixture
def valkey(short_tmp_path: Path, settings: Settings) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        cache_at(settings, "default", valkey.url)
        yield valkey


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    clock = ManualClock(NOW_MS)
    monkeypatch.setattr(report, "clock", clock)
    return clock


@pytest.fixture
def busy(valkey: OwnValkey, clock: ManualClock, db: None) -> None:
    BusyHour(NOW_MS, per_minute=20, hours=30).tell()


@pytest.fixture
def operator(superuser: User, signed_in: SignedIn) -> Client:
    return signed_in(superuser)


def page(client: Client, query: str = "") -> Node:
    answer = client.get(f"/admin/{query}")
    assert answer.status_code == 200
    return shown(answer.content.decode())


@pytest.mark.usefixtures("busy")
def test_every_figure_of_a_server_is_the_one_that_is_reported(operator: Client) -> None:
    for period, slug in product(Period, SERVERS):
        content = page(operator, f"?period={period}")
        section, usage = content.by_id(slug), report.usage(slug, period)
        total = usage.total
        assert total.calls > 500
        assert total.errors > 5
        assert total.limited > 50
        assert section.figures() == {
            "Calls": [f"{total.calls:,}", f"{total.reused:,} from a kept answer"],
            "Errors": [f"{total.errors:,}", f"{percent(total.errors / total.calls)} of calls"],
            "Limited": [f"{total.limited:,}", f"of {total.messages:,} messages"],
            "p50": [duration(total.p50_ms), "half are faster"],
            "p95": [duration(total.p95_ms), "1 of 20 is slower"],
            "Refused": [f"{total.refused + total.blocked:,}", f"{total.blocked:,} of them blocked"],
        }
        tools = sorted(usage.tools.rows, key=lambda row: (-row.calls, row.tool))
        clients = report.top_clients(slug, period, 8)
        assert section.rows() == [
            *(
                [row.tool, f"{row.calls:,}", f"{row.errors:,}", duration(row.p50_ms), duration(row.p95_ms)]
                for row in tools
            ),
            *(
                [f"{row.family} {row.client}", f"{row.messages:,}", f"{row.limited:,}"]
                for row in clients.rows
            ),
            *(
                [f"{row.family} {row.client}", ago(row.last_ms, NOW_MS)]
                for row in report.limited_now(slug).rows
            ),
        ]


@pytest.mark.usefixtures("busy")
def test_each_bar_says_its_slot_s_figures_and_is_as_high_as_they_are(operator: Client) -> None:
    for period, slug in product(Period, SERVERS):
        content = page(operator, f"?period={period}")
        chart, _ = content.by_id(slug).all("svg", "chart")
        slots = report.usage(slug, period).series.slots
        for slot, words in zip(slots, titles_of_bars(chart), strict=True):
            assert f": {slot.calls:,} call" in words
            assert f", {slot.errors:,} error" in words
            assert f", {slot.limited:,} limited" in words
            assert (
                slot.p50_ms is None
            ) or f"p50 {duration(slot.p50_ms)}, p95 {duration(slot.p95_ms)}" in words
        highest = max(slot.calls + slot.limited for slot in slots)
        for slot, group in zip(slots, chart.all("g", "chart-slot"), strict=True):
            parts = [part for part in group.all("rect") if part.attributes["class"] != "chart-column"]
            height = sum(float(part.attributes["height"] or 0) for part in parts)
            assert height == pytest.approx(120 * (slot.calls + slot.limited) / highest, abs=0.05)


@pytest.mark.usefixtures("busy")
def test_the_upstreams_are_told_with_their_breaker_their_errors_and_their_public_limits(
    operator: Client,
) -> None:
    exchange, hyperliquid, hyperevm = page(operator).by_id("upstreams").all("article")
    rows = {row.host: row for row in report.upstreams().rows}
    books = {row.source: row.count for rows_ in rows.values() for row in rows_.minute}
    weight = 2 * books["hyperliquid.book"] + 23 * books["hyperliquid.candles"]
    assert hyperliquid.figures()["Last minute"] == [
        f"{books['hyperliquid.book'] + books['hyperliquid.candles']} requests: "
        f"{weight} of 1,200 weight, {percent(weight / 1200)}"
    ]
    assert exchange.figures()["Last minute"][0].endswith("no public limit is known")
    assert "exchange.wallets did not answer in time." in exchange.figures()["Last error"][0]
    assert hyperevm.figures()["Breaker"] == ["open"]
    assert hyperevm.figures()["Last error"] == ["9 s ago: The source is being left alone."]
    assert hyperevm.figures()["Last answer"] == ["48 s ago"]
    for article, row in zip((exchange, hyperliquid, hyperevm), rows.values(), strict=True):
        assert article.rows() == [
            [hour.source, f"{hour.answered:,}", f"{hour.limited:,}", f"{hour.unusable:,}"]
            for hour in row.hour
        ]


@pytest.mark.usefixtures("busy")
def test_reads_are_told_as_reported(operator: Client) -> None:
    for period in Period:
        section, use = page(operator, f"?period={period}").by_id("cache"), report.cache_use(period)
        assert section.figures() == {
            "Hit share": [percent(use.hit_share), f"of {use.reads:,} reads"],
            "Stale": [f"{use.stale:,}", percent(use.stale_share)],
            "Failed": [f"{use.failed:,}", percent(use.failed / use.reads)],
        }
        assert section.rows() == [
            ["reused answers", f"{use.reused:,}", ""],
            *(
                [row.source, f"{row.fresh:,}", f"{row.stale:,}", f"{row.fetched:,}", f"{row.failed:,}"]
                for row in use.rows
            ),
        ]


@pytest.mark.usefixtures("busy")
def test_one_line_tells_what_is_well_and_what_is_not(operator: Client, in_force: InForce) -> None:
    in_force.server("analytics", is_on=False, off_message="Back at noon.")
    told = {
        item.words: item.attributes["class"]
        for item in next(page(operator).all("ul", "dash-verdicts")).all("li")
    }
    assert told["Analytics switched off"] == "level-bad"
    assert told["Limited now 2 clients: Cursor, Python"] == "level-warn"
    assert told["Upstreams HyperEVM left alone after failures"] == "level-bad"
    assert told["Background jobs unknown"] == "level-quiet"
    assert told["Incidents none open"] == "level-good"
    assert any(words.startswith("Liquidations ") and "calls" in words for words in told)


@pytest.mark.usefixtures("valkey", "clock")
def test_blocked_networks_are_told_where_they_are_blocked_while_they_are(
    operator: Client, in_force: InForce
) -> None:
    def tiles() -> list[str]:
        return [item.words for item in next(page(operator).all("ul", "dash-verdicts")).all("li")]

    assert not [tile for tile in tiles() if "Blocked" in tile]
    both, ended = "203.0.113.0/24", "198.51.100.0/24"
    rules = [
        NetworkRule(
            network=ip_network(both), is_blocked=True, reason="Floods", expires_at_ms=NOW_MS + 60_000
        ),
        NetworkRule(
            network=ip_network("2001:db8::/48"), server="analytics", is_blocked=True, reason="Scrapes"
        ),
        NetworkRule(network=ip_network(ended), is_blocked=True, reason="Over", expires_at_ms=NOW_MS),
        NetworkRule(network=ip_network("192.0.2.0/24"), requests_per_minute=600, reason="An office"),
    ]
    in_force.set(networks=Networks(tuple(rules)))
    assert "Blocked now 2 networks" in tiles()
    liquidations, analytics = (
        [note.words for note in page(operator).by_id(slug).all("p", "dash-note")] for slug in SERVERS
    )
    assert len(liquidations) == 1
    assert liquidations[0].startswith(f"{both} is blocked until ")
    assert liquidations[0].endswith(" UTC: Floods")
    assert analytics == [*liquidations, "2001:db8::/48 is blocked: Scrapes"]


@pytest.mark.usefixtures("valkey")
def test_jobs_are_told_with_their_last_success(operator: Client, clock: ManualClock) -> None:
    tracker, recorder, _ = JOBS
    JobNotes(work_of(tracker.name), cache, clock).succeeded()
    JobNotes(work_of(recorder.name), cache, clock).failed("ValueError")
    rows = page(operator).by_id("jobs").rows()
    assert rows[0][2] == "0 s ago"
    assert "ValueError" in rows[1][1]


@pytest.mark.usefixtures("valkey", "clock")
def test_what_was_changed_at_once_stands_together(operator: Client) -> None:
    rule = ClientNetwork(network="203.0.113.0/24", requests_per_minute=90, reason="An office")
    save_changed(rule, "ann")
    rule.requests_per_minute = 120
    save_changed(rule, "ben")
    delete_audited(rule, "cem")
    removed, newest, first = (item.words for item in page(operator).by_id("changes").all("li"))
    assert removed.startswith("Network 203.0.113.0/24 on both servers removed by cem,")
    assert newest.startswith("Network 203.0.113.0/24 on both servers changed by ben,")
    assert first.startswith("Network 203.0.113.0/24 on both servers added by ann,")
    assert newest.endswith("Messages of one client in a minute: 90 → 120")
    assert "Network: 203.0.113.0/24" in first
    assert "Reason: An office" in first


@pytest.mark.usefixtures("valkey", "clock")
def test_two_changes_of_a_field_stand_apart_though_one_follows_the_other_at_once(operator: Client) -> None:
    rules = ServerRules.objects.get(server="analytics")
    for number in (4, 30):
        rules.requests_per_minute = number
        save_changed(rules, "ann")
    newest, first = (item.words for item in page(operator).by_id("changes").all("li"))
    assert newest.endswith("4 → 30")
    assert first.endswith("60 (default) → 4")


@pytest.mark.usefixtures("valkey", "clock")
def test_an_empty_service_says_so(operator: Client) -> None:
    content = page(operator)
    assert not [*content.all("div", "dash-missing")]
    assert content.by_id("liquidations").figures()["p50"] == ["none", "no calls"]
    assert "No tool was called." in content.by_id("liquidations").words
    assert "Nothing was changed yet" in content.by_id("changes").words


@pytest.mark.usefixtures("busy")
def test_hostile_names_and_texts_are_inert(operator: Client, in_force: InForce) -> None:
    in_force.set(switched_off={("liquidations", "get_bust_map"): HOSTILE_WORDS})
    in_force.server("analytics", is_on=False, off_message=HOSTILE_WORDS)
    Incident.objects.create(title=HOSTILE_WORDS, text=HOSTILE_WORDS)
    save_changed(ClientNetwork(network="203.0.113.0/24", reason="<img src=x onerror=alert(1)>"), "<b>ann</b>")
    html = operator.get("/admin/").content.decode()
    content = shown(html)
    assert HOSTILE not in html
    assert "alert('client')" not in html
    assert [*content.all("img"), *content.all("b")] == []
    scripts = [script.attributes["src"] or "" for script in content.all("script")]
    assert scripts
    assert all(source.startswith("/static/") for source in scripts)
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") >= 4
    assert " style=" not in html
    assert not [name for node in content.nodes() for name in node.attributes if name.startswith("on")]


@pytest.mark.parametrize("query", ["?period=year", "?period=", "?period=hour&period=%00", "?x=1"])
@pytest.mark.usefixtures("valkey", "clock")
def test_any_other_period_is_the_last_hour(operator: Client, query: str) -> None:
    (here,) = (link for link in page(operator, query).all("a") if link.attributes.get("aria-current"))
    assert here.words == "Last hour"


@pytest.mark.parametrize("outage", ["gone", "stopped"])
@pytest.mark.usefixtures("busy")
def test_without_redis_the_page_says_so_and_shows_what_the_database_has(
    operator: Client, valkey: OwnValkey, outage: str, settings: Settings
) -> None:
    cache_at(settings, "default", valkey.url, patience_s=0.25)
    with getattr(valkey, outage)():
        content = page(operator)
    (banner,) = content.all("div", "dash-missing")
    assert "Redis cannot be reached: the newest minutes are missing." in banner.words
    assert "Redis cannot be reached: how the background jobs go is not known." in banner.words
    assert int(content.by_id("liquidations").figures()["Calls"][0].replace(",", "")) > 100
    told = next(content.all("ul", "dash-verdicts")).words
    assert "Limited now unknown" in told
    assert "Background jobs unknown" in told
    assert "Not known." in content.by_id("liquidations-limited").words


@pytest.mark.usefixtures("valkey", "clock")
def test_a_page_finds_out_once_that_redis_hangs(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    page(operator)
    tries: list[UnixDomainSocketConnection] = []

    def send(connection: UnixDomainSocketConnection, *command: object, **options: object) -> None:
        tries.append(connection)
        raise TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(UnixDomainSocketConnection, "send_packed_command", send)
        content = page(operator)
    assert [*content.all("div", "dash-missing")]
    assert len(tries) == 1


@pytest.mark.usefixtures("busy")
def test_while_tables_of_usage_cannot_be_read_the_page_says_so_and_shows_what_redis_has(
    operator: Client,
) -> None:
    with connection.execute_wrapper(_refuse("usage_", "limits_change", "ops_incident")):
        content = page(operator)
    (banner,) = content.all("div", "dash-missing")
    assert "The database cannot be read: what is older than the last hours is missing." in banner.words
    assert "recent changes are missing" in banner.words
    assert "incidents are missing" in banner.words
    assert int(content.by_id("liquidations").figures()["Calls"][0].replace(",", "")) > 100
    assert "Incidents unknown" in next(content.all("ul", "dash-verdicts")).words


@pytest.mark.parametrize("path", ["/admin/", "/admin/limits/serverrules/"])
def test_without_any_database_the_admin_says_that_nobody_can_be_recognised(
    operator: Client, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    with connection.execute_wrapper(_refuse("")):
        answer = operator.get(path)
    assert answer.status_code == 503
    assert "The database is away" in answer.content.decode()
    assert "OperationalError" in caplog.text


def test_a_session_that_cannot_be_stored_is_told_of_on_a_page_that_says_what_to_do(operator: Client) -> None:
    new = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    with connection.execute_wrapper(_refuse('UPDATE "django_session"')):
        answer = operator.post("/admin/password_change/", new)
    assert answer.status_code == 409
    assert "the database cannot be written" in answer.content.decode()


def test_strangers_see_none_of_it(client: Client, db: None) -> None:
    answer = client.get("/admin/?period=day")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/admin/login/")


def _refuse(*words: str) -> Callable[..., Any]:
    """A database that fails every statement with one of the words in it."""

    def execute(run: Callable[..., Any], sql: str, *rest: object) -> object:
        if any(word in sql for word in words):
            raise OperationalError("disk I/O error")
        return run(sql, *rest)

    return execute
