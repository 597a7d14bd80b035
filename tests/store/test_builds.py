import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.result import Artifact
from windtunnel.store.builds import Builds, key

ONE, TWO, THREE = (key(name) for name in ("one", "two", "three"))
PRODUCTS = {"main": Artifact(data=b"\x7fELF\0", executable=True), "lib/x.class": Artifact(data=b"\xca\xfe")}


@pytest.fixture
def builds(tmp_path):
    return Builds(tmp_path / "builds")


def of_size(size):
    return {"main": Artifact(data=b"x" * size)}


def names(builds):
    return sorted(path.name for path in builds.folder.iterdir())


def test_products_come_back_as_they_were(builds):
    builds.put(ONE, PRODUCTS)

    assert (builds.get(ONE), builds.notices) == (PRODUCTS, [])


def test_a_build_without_products_is_not_a_miss(builds):
    builds.put(ONE, {})

    assert builds.get(ONE) == {}


def test_what_was_never_kept_is_a_miss_and_makes_nothing(builds):
    assert (builds.get(ONE), builds.folder.exists(), builds.notices) == (None, False, [])


def test_keeping_again_replaces(builds):
    builds.put(ONE, of_size(1))
    builds.put(ONE, PRODUCTS)

    assert (builds.get(ONE), names(builds)) == (PRODUCTS, [ONE])


def test_files_and_folder_are_private(builds):
    builds.put(ONE, PRODUCTS)

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (builds.folder, builds.folder / ONE)]
    assert modes == [0o700, 0o400]


@pytest.mark.parametrize("place", [0, 20, 60, 75, -1])
def test_a_changed_byte_anywhere_makes_a_miss_and_the_entry_goes(builds, place):
    builds.put(ONE, PRODUCTS)
    path = builds.folder / ONE
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)

    assert (builds.get(ONE), names(builds)) == (None, [])
    assert builds.notices == [f"{path}: changed since it was written; discarded"]


@pytest.mark.parametrize("length", [0, 10, 51, 60, 100])
def test_an_entry_cut_short_is_a_miss(builds, length):
    builds.put(ONE, PRODUCTS)
    (builds.folder / ONE).chmod(0o600)
    os.truncate(builds.folder / ONE, length)

    assert builds.get(ONE) is None


def test_an_entry_under_another_key_is_a_miss(builds):
    builds.put(ONE, PRODUCTS)
    (builds.folder / ONE).rename(builds.folder / TWO)

    assert builds.get(TWO) is None


def test_a_link_to_a_good_entry_is_a_miss(builds, tmp_path):
    builds.put(ONE, PRODUCTS)
    (builds.folder / ONE).rename(tmp_path / "elsewhere")
    (builds.folder / ONE).symlink_to(tmp_path / "elsewhere")

    assert builds.get(ONE) is None


def test_a_pipe_in_the_place_of_an_entry_is_a_miss_and_does_not_hang(builds):
    builds.put(TWO, PRODUCTS)
    os.mkfifo(builds.folder / ONE)

    assert builds.get(ONE) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_an_entry_of_another_user_is_a_miss(builds):
    builds.put(ONE, PRODUCTS)
    os.chown(builds.folder / ONE, 65534, 65534)

    assert builds.get(ONE) is None


def test_a_folder_that_others_may_write_to_keeps_nothing(builds):
    builds.folder.mkdir()
    builds.folder.chmod(0o777)

    builds.put(ONE, PRODUCTS)

    assert names(builds) == []
    assert builds.notices == [f"{builds.folder / ONE}: not kept: others may write to the folder (chmod 700 it)"]


def test_a_place_that_cannot_be_written_keeps_nothing_and_says_so():
    builds = Builds("/proc/nowhere")

    builds.put(ONE, PRODUCTS)

    assert builds.notices == [f"/proc/nowhere/{ONE}: not kept: No such file or directory"]


def test_the_least_recently_used_goes_first(tmp_path):
    builds = Builds(tmp_path / "builds", most_bytes=2500)
    builds.put(ONE, of_size(1000))
    builds.put(TWO, of_size(1000))
    for name, moment in ((ONE, 1), (TWO, 2)):
        os.utime(builds.folder / name, (moment, moment))
    builds.get(ONE)

    builds.put(THREE, of_size(1000))

    assert names(builds) == sorted([ONE, THREE])


def test_products_larger_than_the_whole_cache_are_not_kept_and_push_nothing_out(tmp_path):
    builds = Builds(tmp_path / "builds", most_bytes=1000)
    builds.put(ONE, of_size(500))

    builds.put(TWO, of_size(1000))

    assert (names(builds), len(builds.notices)) == ([ONE], 1)


_DYING_WRITER = """
import os, signal, sys
from windtunnel.store import builds
def die(path, content):
    with builds._new_file(path.parent):
        os.kill(os.getpid(), signal.SIGKILL)
cache = builds.Builds(sys.argv[1])
cache._write = die
cache.put(builds.key("x"), {})
"""


def test_what_a_killed_writer_left_is_swept(builds):
    builds.put(ONE, PRODUCTS)
    subprocess.run([sys.executable, "-c", _DYING_WRITER, builds.folder], check=False)
    left = [name for name in names(builds) if name != ONE]

    builds.put(TWO, PRODUCTS)

    assert (len(left), names(builds)) == (1, sorted([ONE, TWO]))


def test_what_a_living_writer_is_writing_is_not_swept(builds):
    from windtunnel.store.builds import _new_file

    builds.folder.mkdir(mode=0o700)
    with _new_file(builds.folder) as (_, name):
        builds.put(ONE, PRODUCTS)
        assert Path(name).exists()


def test_a_file_that_is_none_of_ours_is_left_alone(builds):
    builds.folder.mkdir(mode=0o700)
    (builds.folder / "README").write_text("mine")

    builds.put(ONE, PRODUCTS)

    assert names(builds) == sorted(["README", ONE])


def _put_and_get(folder, writer):
    builds = Builds(folder, most_bytes=20_000)
    for number in range(40):
        name = key(str(number % 8))
        builds.put(name, of_size(1000 + number % 8))
        found = builds.get(name)
        assert found in (None, of_size(1000 + number % 8))
    assert builds.notices == []


def test_many_processes_keep_the_same_products_at_once(builds):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_put_and_get, args=(builds.folder, writer)) for writer in range(4)]

    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0] * 4
    assert names(builds) == sorted(key(str(number)) for number in range(8))


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/../../x", "a/..", "/etc/passwd", "//x", "a//b", "a/", "./a", "a/./b", "nul\0", "a\\b",
     "x" * 2000],
)
def test_products_with_a_hostile_name_are_not_kept(builds, name):
    builds.put(ONE, {"main": Artifact(data=b""), name: Artifact(data=b"")})

    assert (builds.folder.exists(), builds.notices) == (
        False, [f"{builds.folder / ONE}: not kept: not a relative path: {name[:80]!r}"])


@pytest.mark.parametrize("name", ["main", "a/b/c.class", "..x", "with space", "\udcff", "新"])
def test_a_plain_name_comes_back(builds, name):
    builds.put(ONE, {name: Artifact(data=b"x")})

    assert builds.get(ONE) == {name: Artifact(data=b"x")}


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "a" * 63, "A" * 64, "a" * 64 + "\n", "\0" * 64])
def test_a_hostile_key_is_refused(builds, name):
    with pytest.raises(UsageError, match="not a key"):
        builds.get(name)


PARTS = st.lists(st.one_of(st.binary(max_size=4), st.text(max_size=4)), max_size=4)


@given(PARTS, PARTS)
def test_keys_are_equal_only_for_equal_parts(mine, theirs):
    same = [(type(part), part) for part in mine] == [(type(part), part) for part in theirs]

    assert (key(*mine) == key(*theirs)) is same


@pytest.mark.parametrize(
    ("mine", "theirs"), [(("ab", "c"), ("a", "bc")), (("a",), ("a", "")), ((), ("",)), (("a",), (b"a",))]
)
def test_parts_that_join_to_the_same_text_have_different_keys(mine, theirs):
    assert key(*mine) != key(*theirs)
