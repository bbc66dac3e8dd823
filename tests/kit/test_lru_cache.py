"""A cache bounded by weight."""

from viva.kit.lru_cache import LruCache


def test_the_least_recently_used_goes_first():
    cache: LruCache[str] = LruCache(10)
    cache.put("a", "A", 4)
    cache.put("b", "B", 4)
    cache.find("a")

    cache.put("c", "C", 4)

    assert [cache.find(key) for key in "abc"] == ["A", None, "C"]


def test_a_value_heavier_than_the_whole_cache_is_not_kept_and_drives_nothing_out():
    cache: LruCache[str] = LruCache(10)
    cache.put("a", "A", 4)

    cache.put("b", "B", 11)

    assert (cache.find("a"), cache.find("b")) == ("A", None)


def test_a_value_that_is_put_twice_weighs_once():
    cache: LruCache[str] = LruCache(10)
    for _ in range(5):
        cache.put("a", "A", 4)
    cache.put("b", "B", 6)

    assert (cache.find("a"), cache.find("b")) == ("A", "B")
