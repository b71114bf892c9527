"""Reading what people are shown of the service, while a server that it stands on may be away.

All that a page shows, and all pages of a process, find out together: whoever comes next while Redis or the
database is away goes without at once. A question that the database is there to refuse hides no other one.
"""

from __future__ import annotations

import sqlite3

from django.db import Error as DatabaseFailure, ProgrammingError

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.outage import Outage


def database_outage(clock: Clock) -> Outage:
    """What a process knows of the database, when nothing has failed yet."""
    return Outage(
        clock,
        "Pages are shown without what the database holds (%s).",
        failures=(DatabaseFailure,),
        is_refusal=_is_the_questions_own,
    )


def _is_the_questions_own(error: Exception) -> bool:
    """Whether the database lacks what is asked for, such as a table that is not made yet."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)  # SQLite has one class for this and for a lock
    return isinstance(error, ProgrammingError) or code == sqlite3.SQLITE_ERROR


process_redis = Outage(SystemClock(), "Pages are shown without what Redis holds (%s).")
process_database = database_outage(SystemClock())
"""What this process knows of both."""
