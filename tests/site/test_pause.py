"""Pauses after failures."""

from __future__ import annotations

from itertools import accumulate, repeat

from papertrade_site.pause import Pause


def test_each_pause_is_twice_the_one_before_up_to_the_longest() -> None:
    pauses = accumulate(repeat(None, 4), lambda pause, _: pause.longer(), initial=Pause(2, longest_s=10))
    assert [pause.seconds for pause in pauses] == [2, 4, 8, 10, 10]
