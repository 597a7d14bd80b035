"""Reading back what a program left, however it was laid out."""

import os
import threading
import time
from pathlib import Path

import pytest

from windtunnel.core.effects import FileEffect
from windtunnel.core.result import Artifact
from windtunnel.sandbox import harvest

SECRET = b"the host's secret"


@pytest.fixture
def folder(tmp_path):
    """What the program wrote to, with a secret beside it."""
    (tmp_path / "secret").write_bytes(SECRET)
    (tmp_path / "left").mkdir()
    return tmp_path / "left"


@pytest.fixture
def survey(folder):
    def look(**options):
        descriptor = os.open(folder, os.O_PATH)
        try:
            return harvest.survey({"/tmp": descriptor}, **options)
        finally:
            os.close(descriptor)

    return look


@pytest.fixture
def read(folder):
    def look(name="build", *, most_bytes=1 << 20):
        descriptor = os.open(folder, os.O_PATH)
        try:
            return harvest.read_tree(descriptor, name, most_bytes=most_bytes)
        finally:
            os.close(descriptor)

    return look


def naive(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_everything_left_is_named_with_its_kind_and_size(folder, survey):
    (folder / "sub").mkdir()
    (folder / "sub/file").write_bytes(b"12345")
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")

    files, omitted = survey()

    assert sorted((each.path, each.kind) for each in files) == [
        ("/tmp/link", "link"), ("/tmp/pipe", "other"), ("/tmp/sub", "folder"), ("/tmp/sub/file", "file")]
    assert FileEffect(path="/tmp/sub/file", kind="file", size=5, mode=0o644) in files
    assert omitted == 0


def test_the_mount_points_of_our_own_are_left_out(folder, survey):
    (folder / "venv/lib").mkdir(parents=True)
    (folder / "venvs").mkdir()

    assert [each.path for each in survey(apart_from=["/tmp/venv/lib"])[0]] == ["/tmp/venvs"]


def test_a_folder_that_is_a_link_is_not_entered(folder, survey):
    (folder / "out").symlink_to(folder.parent)

    assert survey() == ((FileEffect(path="/tmp/out", kind="link", size=len(str(folder.parent)), mode=0o777),), 0)


def test_links_are_not_read(folder, read):
    (folder / "build").mkdir()
    (folder / "build/link").symlink_to("../../secret")
    (folder / "build/out").symlink_to("../..")
    (folder / "build/real").write_bytes(b"product")

    assert read() == {"real": Artifact(data=b"product")}


def test_a_plain_reader_follows_the_same_link(folder):
    (folder / "build").mkdir()
    (folder / "build/link").symlink_to("../../secret")

    assert naive(folder / "build") == {"link": SECRET}


def test_a_build_folder_that_is_a_link_is_not_read(folder, read):
    (folder / "build").symlink_to("..")

    assert read() == {}


def test_a_single_file_that_is_a_link_or_missing_is_not_read(folder, read):
    (folder / "profile").symlink_to("../secret")

    assert (read("profile"), read("nothing")) == ({}, {})


@pytest.mark.timeout(20)
def test_pipes_do_not_hold_the_reader(folder, read, survey):
    (folder / "build").mkdir()
    os.mkfifo(folder / "build/pipe")
    os.mkfifo(folder / "alone")

    assert (read(), read("alone")) == ({}, {})
    assert len(survey()[0]) == 3


def test_a_hole_of_a_terabyte_is_left_out(folder, read):
    (folder / "build").mkdir()
    with (folder / "build/hole").open("wb") as file:
        file.truncate(1 << 40)
    (folder / "build/small").write_bytes(b"x")

    assert read() == {"small": Artifact(data=b"x")}


def test_a_single_file_that_does_not_fit_is_left_out_and_not_cut(folder, read):
    (folder / "profile").write_bytes(bytes(1000))

    assert read("profile", most_bytes=999) == {}


def test_a_single_file_that_fits_is_read_whole(folder, read):
    (folder / "profile").write_bytes(bytes(1000))

    assert read("profile", most_bytes=1000) == {"profile": Artifact(data=bytes(1000))}


def test_files_are_read_until_the_room_is_used_up(folder, read):
    (folder / "build").mkdir()
    for number in range(10):
        (folder / f"build/{number}").write_bytes(bytes(100))

    found = read(most_bytes=350)

    assert sorted(map(len, (artifact.data for artifact in found.values()))) == [100, 100, 100]


def test_which_files_may_be_executed_is_kept(folder, read):
    (folder / "build").mkdir()
    (folder / "build/tool").write_bytes(b"#!")
    (folder / "build/tool").chmod(0o755)

    assert read() == {"tool": Artifact(data=b"#!", executable=True)}


def deep(folder, levels):
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=descriptor)
        deeper = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = deeper
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)


def test_a_tree_of_four_hundred_levels_costs_little(folder, survey, read, no_leak):
    (folder / "build").mkdir()
    deep(folder / "build", 400)
    begun = time.process_time()

    with no_leak():
        files, _ = survey()

        assert read() == {}
    assert len(files) < 50
    assert time.process_time() - begun < 2


def test_what_lies_too_deep_is_counted_as_left_out(folder, survey):
    deep(folder, 40)

    files, omitted = survey()

    assert len(files) < 41
    assert omitted >= 1, "a program can hide what it leaves by burying it, and the report says that nothing is missing"


def test_five_thousand_entries_are_named_up_to_a_thousand_and_the_rest_counted(folder, survey):
    for number in range(5000):
        (folder / str(number)).touch()

    files, omitted = survey()

    assert (len(files), omitted) == (1000, 4000)


def test_five_thousand_products_are_read_up_to_a_thousand(folder, read):
    (folder / "build").mkdir()
    for number in range(5000):
        (folder / f"build/{number}").touch()

    assert len(read()) == 1000


@pytest.mark.parametrize("name", [b"new\nline", b"\xff\xfe", b"\x1b[31m", "\N{RIGHT-TO-LEFT OVERRIDE}txt".encode(), b"a" * 255])
def test_odd_names_are_told_in_a_form_that_every_report_can_hold(folder, survey, name):
    os.close(os.open(os.fsencode(folder) + b"/" + name, os.O_CREAT | os.O_WRONLY))

    (found,), omitted = survey()

    assert omitted == 0
    assert found.path.encode().startswith(b"/tmp/")


def test_an_odd_name_below_the_build_is_read(folder, read):
    (folder / "build").mkdir()
    (folder / "build/new\nline").write_bytes(b"x")

    assert read() == {"new\nline": Artifact(data=b"x")}


@pytest.fixture
def ordinary(folder):
    """Look as a user whom modes bind; root is not."""
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)
        for path in (folder, *folder.parents):
            if path.stat().st_uid == 0 and path != Path("/") and "pytest" in str(path):
                path.chmod(0o755)
        os.seteuid(12345)
        yield
        os.seteuid(0)
    else:
        yield


def test_a_file_of_no_mode_does_not_break_the_reading(ordinary, folder, read):
    (folder / "build").mkdir()
    (folder / "build/closed").write_bytes(b"x")
    (folder / "build/closed").chmod(0)
    (folder / "build/open").write_bytes(b"y")

    assert read() == {"open": Artifact(data=b"y")}


def test_a_folder_of_no_mode_does_not_break_the_survey(ordinary, folder, survey, read):
    (folder / "build/closed").mkdir(parents=True)
    (folder / "build/closed/inside").touch()
    (folder / "build/closed").chmod(0)

    assert sorted(each.path for each in survey()[0]) == ["/tmp/build", "/tmp/build/closed"]
    assert read() == {}
    (folder / "build/closed").chmod(0o700)


@pytest.fixture
def swapped(folder):
    """A file and a link to the secret that trade places without end."""
    (folder / "build").mkdir()
    place, file, link = folder / "build/it", folder / "file", folder / "link"
    file.write_bytes(b"harmless")
    link.symlink_to(folder.parent / "secret")
    place.write_bytes(b"harmless")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            os.link(link, folder / "build/next", follow_symlinks=False)
            (folder / "build/next").rename(place)
            os.link(file, folder / "build/next")
            (folder / "build/next").rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    yield folder / "build"
    stop.set()
    thread.join()


def many(act, *, seconds=1.5):
    until, answers = time.monotonic() + seconds, []
    while time.monotonic() < until:
        try:
            answers.append(act())
        except OSError as error:
            answers.append(error)
    return answers


def test_a_swap_of_file_and_link_while_reading_never_shows_the_secret(swapped, read):
    answers = [answer for answer in many(read) if not isinstance(answer, OSError)]

    seen = {artifact.data for answer in answers for artifact in answer.values()}
    assert len(answers) > 20
    assert seen <= {b"harmless"}


def test_a_plain_reader_is_led_to_the_secret_by_the_swap(swapped):
    answers = [answer for answer in many(lambda: naive(swapped)) if not isinstance(answer, OSError)]

    assert SECRET in {data for answer in answers for data in answer.values()}


def test_a_swap_while_reading_is_no_failure_of_ours(swapped, read):
    assert [answer for answer in many(read) if isinstance(answer, OSError)] == []


def test_looking_leaves_no_descriptor_open(folder, survey, read, no_leak):
    (folder / "build/sub").mkdir(parents=True)
    (folder / "build/sub/file").write_bytes(b"x")

    with no_leak():
        survey()
        read()


# --- counting ---

@pytest.fixture
def measure(folder):
    def look(*names, most_entries=1000):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            return harvest.measure(descriptor, *names, most_entries=most_entries)
        finally:
            os.close(descriptor)

    return look


def test_bytes_on_disk_and_entries_are_counted_below_the_names_given(folder, measure):
    for name in ("one/deep", "two", "other"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_bytes(os.urandom(10_000))
    paths = [folder / "one/deep", folder / "one/deep/file", folder / "two/file"]

    assert measure("one", "two") == (sum(path.stat().st_blocks * 512 for path in paths), 3)


def test_a_hole_counts_as_what_it_takes(folder, measure):
    (folder / "one").mkdir()
    with (folder / "one/hole").open("wb") as file:
        file.truncate(1 << 40)

    assert measure("one") == (0, 1)


def test_a_link_is_an_entry_and_is_not_entered(folder, measure):
    (folder / "one").mkdir()
    (folder / "one/up").symlink_to("..")
    (folder / "one/file").symlink_to("../../secret")
    (folder / "link").symlink_to("..")

    assert (measure("one")[1], measure("link")) == (2, (0, 0))


def test_counting_stops_above_the_most(folder, measure):
    (folder / "one").mkdir()
    for number in range(50):
        (folder / f"one/{number}").mkdir()
        (folder / f"one/{number}/file").touch()

    assert (measure("one", most_entries=60)[1], measure("one", most_entries=100)[1]) == (61, 100)


def test_a_tree_too_deep_to_count_counts_as_too_many(folder, measure):
    (folder / "one").mkdir()
    descriptor = os.open(folder / "one", os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=descriptor)
        deeper = os.open("d" * 200, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = deeper
    os.close(descriptor)

    assert measure("one", most_entries=500)[1] == 501


def test_what_is_not_there_or_closed_is_left_out(ordinary, folder, measure):
    (folder / "one/closed").mkdir(parents=True)
    (folder / "one/closed/file").touch()
    (folder / "one/closed").chmod(0)

    assert (measure("one")[1], measure("missing"), measure()) == (1, (0, 0), (0, 0))
    (folder / "one/closed").chmod(0o700)


def test_an_entry_that_goes_while_it_is_counted_hides_no_other(folder, measure, monkeypatch):
    """A program could make and remove files without end, so that the rest of the folder was never counted."""
    (folder / "one").mkdir()
    for number in range(20):
        (folder / f"one/{number}").touch()
    real, gone = os.stat, []

    def stat(path, **options):
        if not gone and options.get("dir_fd") is not None:
            gone.append(path)
            raise FileNotFoundError
        return real(path, **options)

    monkeypatch.setattr(os, "stat", stat)

    assert (measure("one")[1], len(gone)) == (19, 1)


def test_counting_leaves_no_descriptor_open(folder, measure, no_leak):
    (folder / "one/two").mkdir(parents=True)

    with no_leak():
        measure("one", "missing")
