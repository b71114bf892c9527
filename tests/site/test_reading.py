"""What pages are shown of the database, while a question or the whole of it fails."""

from __future__ import annotations

import pytest
from django.db import OperationalError, ProgrammingError, connection

from papertrade_site.outage import Outage
from papertrade_site.reading import database_outage
from tests.clocks import ManualClock


@pytest.fixture
def database() -> Outage:
    return database_outage(ManualClock())


def _asks(database: Outage, question: str) -> object:
    def ask() -> object:
        with connection.cursor() as cursor:
            return cursor.execute(question).fetchone()[0]

    return database.attempt(ask, otherwise=lambda: "gone without")


def _raises(database: Outage, error: Exception) -> object:
    def ask() -> object:
        raise error

    return database.attempt(ask, otherwise=lambda: "gone without")


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["SELECT 1 FROM no_such_table", "SELECT no_such_column", "SELEC 1"])
def test_a_question_that_the_database_refuses_hides_no_other(database: Outage, question: str) -> None:
    assert _asks(database, question) == "gone without"
    assert _asks(database, "SELECT 7") == 7


@pytest.mark.django_db
def test_what_postgresql_says_of_a_missing_table_hides_no_other_question(database: Outage) -> None:
    assert _raises(database, ProgrammingError("relation does not exist")) == "gone without"
    assert _asks(database, "SELECT 7") == 7


@pytest.mark.django_db
def test_a_database_that_is_away_is_left_alone_by_every_question(database: Outage) -> None:
    assert _raises(database, OperationalError("connection refused")) == "gone without"
    assert _asks(database, "SELECT 7") == "gone without"
