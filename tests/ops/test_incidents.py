"""Incidents: where they stand, which are shown, and what their text may be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, OperationalError, connection, transaction

from papertrade_site.ops.incidents import UNREADABLE, incidents, text_html
from papertrade_site.ops.models import Incident, Stage

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def incident(title: str = "Slow", *, ended_at: datetime | None = None, **fields: object) -> Incident:
    """One that began an hour ago, unless something else is said."""
    return Incident(**{"title": title, "started_at": NOW - HOUR, "ended_at": ended_at, **fields})


@pytest.mark.parametrize(
    ("started_at", "ended_at", "stage"),
    [
        (NOW + HOUR, None, Stage.PLANNED),
        (NOW + HOUR, NOW + 2 * HOUR, Stage.PLANNED),
        (NOW, None, Stage.OPEN),
        (NOW - HOUR, NOW + HOUR, Stage.OPEN),
        (NOW - HOUR, NOW, Stage.OVER),
    ],
)
def test_an_incident_stands_where_its_times_say(
    started_at: datetime, ended_at: datetime | None, stage: Stage
) -> None:
    assert incident(started_at=started_at, ended_at=ended_at).stage(NOW) is stage


@pytest.mark.django_db
def test_a_server_s_incidents_are_its_own_and_those_of_both_newest_first() -> None:
    for server, ago in (("analytics", 3), ("liquidations", 2), ("", 1)):
        incident(server or "both", server=server, started_at=NOW - ago * HOUR).save()
    told = [row.title for row in incidents(NOW, slug="analytics").open]
    assert told == ["both", "analytics"]
    assert len(incidents(NOW).open) == 3


@pytest.mark.django_db
def test_what_ended_is_told_for_ninety_days_and_what_goes_on_for_ever() -> None:
    incident("young", started_at=NOW - 200 * DAY, ended_at=NOW - 89 * DAY).save()
    incident("old", started_at=NOW - 200 * DAY, ended_at=NOW - 91 * DAY).save()
    incident("open", started_at=NOW - 200 * DAY).save()
    incident("planned", started_at=NOW + DAY).save()
    told = incidents(NOW)
    kinds = [[row.title for row in rows] for rows in (told.open, told.planned, told.over)]
    assert kinds == [["open"], ["planned"], ["young"]]


@pytest.mark.django_db
def test_a_database_that_is_away_is_told_of() -> None:
    def fail(*_: object) -> object:
        raise OperationalError("locked")

    with connection.execute_wrapper(fail):
        assert incidents(NOW).missing == (UNREADABLE,)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields",
    [{"severity": "bad"}, {"server": "other"}, {"ended_at": NOW - 2 * HOUR}],
    ids=lambda fields: next(iter(fields)),
)
def test_what_makes_no_sense_is_refused_by_form_and_database(fields: dict[str, object]) -> None:
    wrong = incident(**fields)  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        wrong.full_clean()
    with pytest.raises(IntegrityError), transaction.atomic():
        wrong.save()


@pytest.mark.django_db
@pytest.mark.parametrize("title", ["", "a\nb", "a\u202eb", "x" * 121])
def test_a_title_is_one_plain_line(title: str) -> None:
    with pytest.raises(ValidationError):
        incident(title).full_clean()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One.\n\nTwo.", "<p>One.</p>\n<p>Two.</p>\n"),
        ("- *a*\n- **b**", "<ul>\n<li><em>a</em></li>\n<li><strong>b</strong></li>\n</ul>\n"),
        (
            "`x` [l](https://example.com/?a=1&b=2)",
            '<p><code>x</code> <a href="https://example.com/?a=1&amp;b=2">l</a></p>\n',
        ),
        ("# no head", "<p># no head</p>\n"),
        ("> no quote", "<p>&gt; no quote</p>\n"),
        ("&lt;", "<p>&amp;lt;</p>\n"),
        ("", ""),
    ],
)
def test_paragraphs_lists_emphasis_code_and_links_are_all_that_a_text_may_have(text: str, html: str) -> None:
    assert text_html(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://example.com/x.png)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:x)",
        '[x](https://example.com/"onmouseover="alert(1))',
        "<https://example.com>",
        "<!--component 1-->",
        "[a]: javascript:alert(1)\n\n[a]",
        "`<b>`\n\n    <b>code</b>\n\n```\n<b>\n```",
    ],
)
def test_nothing_in_a_text_makes_elements_of_its_own(text: str) -> None:
    html = text_html(text)
    for allowed in ("<p>", "</p>", "<code>", "</code>", "</a>"):
        html = html.replace(allowed, "")
    while html.count('<a href="http') == 1:
        before, _, after = html.partition('<a href="http')
        html = before + after.partition('">')[2]
    assert "<" not in html
