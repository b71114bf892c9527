"""What was changed of late: all that one user changed of one thing at a time, as one entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from papertrade_site import reading
from papertrade_site.limits.models import Change

MOST_READ: Final = 60
MOST_SHOWN: Final = 6
AT_ONCE: Final = timedelta(seconds=1)
"""How far apart the records of one save may be."""

ALWAYS_SET: Final = frozenset({"network", "tool", "resource", "username", "name"})
"""Fields by which things are called that come and go: empty before one was there, and after."""

NO_CHANGES: Final = "The database cannot be read: recent changes are missing."


@dataclass(frozen=True, slots=True)
class Entry:
    """Fields of one thing, changed at once."""

    first: Change
    fields: tuple[Change, ...]

    @property
    def deed(self) -> str:
        """What was done to the thing: ``added``, ``removed`` or ``changed``."""
        for change in self.fields:
            if change.field in ALWAYS_SET and not (change.old and change.new):
                return "removed" if change.old else "added"
        return "changed"


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
        if groups and _belong_together(groups[-1], change):
            groups[-1].append(change)
        else:
            groups.append([change])
    return [Entry(group[0], tuple(reversed(group))) for group in groups]


def _belong_together(newer: Sequence[Change], older: Change) -> bool:
    """Whether it is of the same save as those: one save changes a field once."""
    newest = newer[0]
    is_same = (newest.who, newest.row, newest.what) == (older.who, older.row, older.what)
    is_again = older.field in {change.field for change in newer}
    return is_same and not is_again and newest.at - older.at <= AT_ONCE
