"""Text for a terminal: nothing in it steers the terminal, and its widths are told in cells."""

from __future__ import annotations

import pytest

from papertrade_site.shell.terminal import Terminal, cells, padded, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain Größe 名前", "plain Größe 名前"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("\x9b31mred", r"\x9b31mred"),
        ("two\nlines\rover\bback\x07", r"two\nlines\rover\x08back\x07"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u200bhidden\ud800", r"\u200bhidden\ud800"),
    ],
)
def test_signs_that_steer_a_terminal_or_hide_are_written_out(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_wide_signs_fill_two_cells_and_accents_none() -> None:
    assert (cells("abc"), cells("名前"), cells("e\u0301")) == (3, 4, 1)
    assert (padded("名", 4), padded("1", 3, right=True)) == ("名  ", "  1")


def test_a_text_is_broken_at_the_width_and_continues_below_itself() -> None:
    terminal = Terminal(30)
    lines = [*terminal.wrapped("one two three four five six seven", indent=8, first="  name")]
    assert lines == ["  name  one two three four", "        five six seven"]


def test_a_narrow_terminal_still_gets_readable_lines() -> None:
    assert [*Terminal(5).wrapped("twelve signs", indent=4)] == ["    twelve signs"]


def test_colours_appear_only_where_they_are_wanted() -> None:
    assert Terminal(80, coloured=True).painted("up", "red") == "\x1b[31mup\x1b[0m"
    assert Terminal(80).painted("up", "red") == "up"
