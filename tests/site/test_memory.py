"""What a process remembers, and what it lets go first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from papertrade_site.memory import CAPACITY, LruCache


def test_what_was_put_is_there_and_what_was_not_is_none() -> None:
    cache: LruCache[str] = LruCache()
    cache.put("a", "1")
    cache.put("a", "2")
    assert (cache.get("a"), cache.get("b"), len(cache)) == ("2", None, 1)


def test_the_least_recently_used_value_goes_first() -> None:
    cache: LruCache[int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_a_flood_of_keys_from_many_threads_stays_within_the_capacity() -> None:
    cache: LruCache[int] = LruCache()

    def flood(thread: int) -> None:
        for number in range(2_000):
            cache.put(f"{thread}:{number}", number)
            cache.get(f"{thread - 1}:{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(flood, range(8)))
    assert len(cache) == CAPACITY


def test_values_are_kept_by_weight_where_one_is_given() -> None:
    cache: LruCache[str] = LruCache(10, weigh=len)
    cache.put("a", "1234")
    cache.put("b", "1234")
    cache.put("a", "12345")
    cache.put("c", "123")
    assert [cache.get(key) for key in "abc"] == ["12345", None, "123"]


def test_a_value_heavier_than_the_capacity_is_not_kept_and_leaves_room_for_others() -> None:
    cache: LruCache[str] = LruCache(10, weigh=len)
    cache.put("a", "12345678901")
    assert cache.get("a") is None
    cache.put("b", "1234567890")
    assert cache.get("b") == "1234567890"
