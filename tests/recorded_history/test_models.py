"""The tables of the record."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from papertrade_site.recorded.models import HousePoint, ProtocolPoint, RecordedPoint
from papertrade_site.upstream.models.history import HistoryColumns, HouseColumns
from papertrade_site.upstream.wire import Wire

OWN = ["id", "origin", "interval", "start_ms"]


@pytest.mark.parametrize(("table", "told"), [(ProtocolPoint, HistoryColumns), (HousePoint, HouseColumns)])
def test_a_table_has_the_columns_that_the_venue_tells(table: type[RecordedPoint], told: type[Wire]) -> None:
    assert [field.name for field in table._meta.get_fields()] == [*OWN, *told.model_fields]


@pytest.mark.django_db
def test_the_migrations_make_the_tables_that_the_models_describe() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)
