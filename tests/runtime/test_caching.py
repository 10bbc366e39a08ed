"""Processes that fill a cache side by side, as those of a pool do, find their own machine code in it."""

from __future__ import annotations

from numba.core.caching import IndexDataCacheFile

import adc.runtime  # noqa: F401  what is tested stands in Numba's place when this has been imported


def files(folder, count, stamp="one text"):
    return [IndexDataCacheFile(str(folder), "kernel", stamp) for _ in range(count)]


def test_two_that_save_at_once_do_not_get_each_other_s_code(tmp_path):
    first, second, reader = files(tmp_path, 3)
    write = first._save_data

    def after_the_other(name, data):
        second.save(
            ("vectors",), "code for vectors"
        )  # read no index, or one without what first has put into it
        write(name, data)

    first._save_data = after_the_other
    load = second._load_index
    second._load_index = dict
    first.save(("matrices",), "code for matrices")
    second._load_index = load
    assert reader.load(("vectors",)) == "code for vectors"
    assert reader.load(("matrices",)) in (None, "code for matrices")


def test_what_is_saved_again_takes_the_same_file(tmp_path):
    (old,), (new,) = files(tmp_path, 1), files(tmp_path, 1, "another text")
    old.save(("vectors",), "old code")
    assert new.load(("vectors",)) is None
    new.save(("vectors",), "new code")
    assert new.load(("vectors",)) == "new code"
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".nbc", ".nbi"]
