"""The policy in the shared cache, as another version or a stranger may have left it."""

from __future__ import annotations

import pytest

from papertrade_site.limits.policy import DEFAULTS
from papertrade_site.limits.shared import from_json, to_json


def test_what_was_written_is_read_back() -> None:
    assert from_json(to_json(DEFAULTS)) == DEFAULTS


@pytest.mark.parametrize("part", ["servers", "switchedOff", "networks", "lifetimes"])
@pytest.mark.parametrize("wrong", [None, 1, [1], ["a"], {"a": 1}])
def test_a_part_of_another_shape_counts_as_nothing_stored(part: str, wrong: object) -> None:
    assert from_json({**to_json(DEFAULTS), part: wrong}) is None


@pytest.mark.parametrize("wrong", [None, 1, [], "a", {}])
def test_a_whole_of_another_shape_counts_as_nothing_stored(wrong: object) -> None:
    assert from_json(wrong) is None
