"""Names on the leaderboard."""

from __future__ import annotations

import unicodedata

from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.names import HOSTILE_NAMES, name_for_rank


def test_there_is_a_name_for_every_kind_of_harm() -> None:
    text = "".join(HOSTILE_NAMES)
    kinds = {unicodedata.category(letter) for letter in text}
    assert {"Cc", "Cf", "Mn"} <= kinds
    for part in ("\u202e", "\u200b", "\U000e0068", "<script>", "=HYPERLINK", "${jndi:", "%s", "{0}", "\n"):
        assert part in text
    assert max(len(name) for name in HOSTILE_NAMES) >= 10_000


def test_every_hostile_name_has_one_rank_among_the_leaders() -> None:
    names = [name_for_rank(Dice(rank), rank) for rank in range(200)]
    assert all(names.count(name) == 1 for name in HOSTILE_NAMES)
    assert max(names.index(name) for name in HOSTILE_NAMES) < 70


def test_beyond_the_leaders_most_have_none_and_the_rest_plain_ones() -> None:
    names = [name_for_rank(Dice(rank), rank) for rank in range(100, 1_100)]
    given = [name for name in names if name is not None]
    assert 50 < len(given) < 300
    assert all(name.isascii() and name.isprintable() and len(name) < 30 for name in given)
