"""The sample that the README shows of ``manage.py call``, beside what the command prints."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import call_command

from papertrade_site.env import BASE_DIR
from tests.simulated_calls import simulated_calls

SAMPLE = re.compile(r"^\$ \.venv/bin/python manage\.py call (.+)\n(?s:(.+?))^```", re.MULTILINE)


def _words(text: str) -> list[str]:
    """The words of a print, each where it first comes; figures, bars and breaks of lines do not count."""
    return list(dict.fromkeys(re.findall(r"[A-Za-z]+", text)))


@pytest.mark.django_db
def test_the_readme_shows_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "111")
    found = SAMPLE.search((BASE_DIR / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    words, shown = found[1].split(), found[2]
    printed = StringIO()
    with simulated_calls() as calls, calls.read_by_tools():
        call_command("call", *words, stdout=printed)
    assert _words(shown) == _words(printed.getvalue())
