from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from papertrade_site.upstream.memory import CAPACITY, Recent


def test_what_was_put_is_there_and_what_was_not_is_none() -> None:
    recent: Recent[str] = Recent()
    recent.put("a", "1")
    recent.put("a", "2")
    assert (recent.get("a"), recent.get("b"), len(recent)) == ("2", None, 1)


def test_the_least_recently_used_value_goes_first() -> None:
    recent: Recent[int] = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    recent.get("a")
    recent.put("c", 3)
    assert [recent.get(key) for key in "abc"] == [1, None, 3]


def test_a_flood_of_keys_from_many_threads_stays_within_the_capacity() -> None:
    recent: Recent[int] = Recent()

    def flood(thread: int) -> None:
        for number in range(2_000):
            recent.put(f"{thread}:{number}", number)
            recent.get(f"{thread - 1}:{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(flood, range(8)))
    assert len(recent) == CAPACITY
