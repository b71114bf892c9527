"""Reading what people are shown of the service, while a server that it stands on may be away.

All that a page shows, and all pages of a process, find out together: whoever comes next while Redis or the
database is away goes without at once.
"""

from __future__ import annotations

from django.db import Error as DatabaseFailure

from papertrade_site.clock import SystemClock
from papertrade_site.outage import Outage

process_redis = Outage(SystemClock(), "Pages are shown without what Redis holds (%s).")
process_database = Outage(
    SystemClock(), "Pages are shown without what the database holds (%s).", failures=(DatabaseFailure,)
)
"""What this process knows of both."""
