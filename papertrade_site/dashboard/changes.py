"""What was changed of late: all that one user changed of one thing at a time, as one entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from papertrade_site import reading
from papertrade_site.limits.models import Change

MOST_READ: Final = 60
MOST_SHOWN: Final = 6
AT_ONCE: Final = timedelta(seconds=1)
"""How far apart the records of one save may be."""

NO_CHANGES: Final = "The database cannot be read: recent changes are missing."


@dataclass(frozen=True, slots=True)
class Entry:
    """Fields of one thing, changed at once."""

    first: Change
    fields: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """Entries, the newest first, and sentences about what could not be read."""

    entries: tuple[Entry, ...]
    missing: tuple[str, ...]


def recent_changes() -> RecentChanges:
    """The newest changes; never raises for the database."""
    newest = Change.objects.all()[:MOST_READ]
    rows = reading.process_database.attempt(lambda: list(newest), otherwise=lambda: None)
    if rows is None:
        return RecentChanges((), (NO_CHANGES,))
    return RecentChanges(tuple(_entries(rows)[:MOST_SHOWN]), ())


def _entries(newest_first: Iterable[Change]) -> list[Entry]:
    groups: list[list[Change]] = []
    for change in newest_first:
        if groups and _belong_together(groups[-1][0], change):
            groups[-1].append(change)
        else:
            groups.append([change])
    return [Entry(group[0], tuple(reversed(group))) for group in groups]


def _belong_together(newer: Change, older: Change) -> bool:
    is_same = (newer.who, newer.what) == (older.who, older.what)
    return is_same and newer.at - older.at <= AT_ONCE
