"""The recorded points: one row per venue, bucket size and bucket.

Figures are plain dollars, PAPER and counts in double precision, which is what the venue's JSON numbers are,
so that each comes back exactly as it was sent. In SQLite a row takes 210 bytes for the protocol and 162 for
the house, index included: 9 KB a day, and 6.5 MB for the two years that hours are kept.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class RecordedPoint(models.Model):
    """A closed bucket that starts at ``start_ms``; ``origin`` and ``interval`` as in ``RecordKey``."""

    origin = models.CharField(max_length=255)
    interval = models.CharField(max_length=2)
    start_ms = models.BigIntegerField()

    class Meta:
        """One row for a bucket, in the order in which rows are looked for."""

        abstract = True
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["origin", "interval", "start_ms"], name="one_%(class)s_a_bucket")
        ]

    def __str__(self) -> str:
        return f"{self.origin} {self.interval} {self.start_ms}"


class ProtocolPoint(RecordedPoint):
    """The protocol's figures, by the names of ``HistoryColumns``."""

    tvl = models.FloatField(null=True)
    staking_rewards = models.FloatField(null=True)
    volume = models.FloatField(null=True)
    volume_btc = models.FloatField(null=True)
    volume_eth = models.FloatField(null=True)
    trader_pnl = models.FloatField(null=True)
    users = models.FloatField(null=True)
    liquidation = models.FloatField(null=True)
    trades = models.FloatField(null=True)
    paper_supply = models.FloatField(null=True)
    paper_staked = models.FloatField(null=True)


class HousePoint(RecordedPoint):
    """The house's figures, by the names of ``HouseColumns``."""

    btc_long = models.FloatField(null=True)
    btc_short = models.FloatField(null=True)
    eth_long = models.FloatField(null=True)
    eth_short = models.FloatField(null=True)
    lp = models.FloatField(null=True)
