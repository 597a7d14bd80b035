"""The minimal root, as data."""

import shutil
from pathlib import Path

import pytest

from windtunnel.languages import LanguageTable
from windtunnel.sandbox import root as roots
from windtunnel.sandbox.root import minimal_root
from windtunnel.sandbox.stems import Kind, paths_of

TABLE = LanguageTable()
WIDE = {"/", "/home", "/root", "/etc", "/usr", "/var", "/opt", "/srv", "/proc", "/sys", "/dev", "/run", "/tmp", str(Path.home())}


def made(*paths, host_network=False, certificates=False):
    return minimal_root(paths, host_network=host_network, certificates=certificates)


def added(*paths):
    """The binds that these paths add to the common ones."""
    return tuple(bind for bind in made(*paths).binds if bind not in made().binds)


@pytest.mark.parametrize("language", tuple(TABLE), ids=lambda language: language.name)
@pytest.mark.parametrize("network", [False, True], ids=["alone", "host network"])
def test_no_language_binds_a_whole_private_place(language, network):
    toolchain = language.find(shutil.which)
    if toolchain is None:
        pytest.skip(f"{language.name} is not installed here")

    found = made(*paths_of(Kind(interpreter=None, paths=toolchain.paths)), host_network=network, certificates=network)

    assert not WIDE & {path for bind in found.binds for path in bind}


def test_nothing_of_etc_is_bound_but_neutral_files():
    assert {inside for _, inside in made().binds if inside.startswith("/etc")} <= {"/etc/ld.so.cache", "/etc/alternatives"}


def test_the_files_of_etc_name_nobody_of_the_host():
    texts = {path: text for text, path in made().files}

    assert texts["/etc/passwd"].splitlines() == [
        "root:x:0:0:root:/nonexistent:/usr/sbin/nologin", "sandbox:x:1000:1000::/tmp:/bin/sh"]
    assert texts["/etc/hostname"] == "sandbox\n"


def test_resolver_files_come_with_the_host_network_only():
    present = {path for path in ("/etc/resolv.conf", "/etc/hosts") if Path(path).exists()}

    alone = {inside for _, inside in made(certificates=True).binds}
    networked = {inside for _, inside in made(host_network=True).binds}

    assert (alone & present, networked & present) == (set(), present)


def test_a_bound_hosts_file_takes_the_place_of_our_own():
    assert "/etc/hosts" in {path for _, path in made().files}
    assert "/etc/hosts" not in {path for _, path in made(host_network=True).files}


def test_certificates_come_on_request_only():
    certificates = set(roots._CERTIFICATES)

    assert not certificates & {inside for _, inside in made().binds}
    assert certificates & {inside for _, inside in made(certificates=True).binds} == {
        path for path in certificates if Path(path).exists()}


def test_what_is_missing_is_not_bound(tmp_path):
    assert added(str(tmp_path / "missing")) == ()


def test_a_path_is_bound_where_it_is(tmp_path):
    assert added(str(tmp_path)) == ((str(tmp_path), str(tmp_path)),)


def test_a_path_inside_another_is_covered_by_it(tmp_path):
    (tmp_path / "lib/deep").mkdir(parents=True)

    assert added(str(tmp_path / "lib/deep"), str(tmp_path / "lib"), str(tmp_path)) == ((str(tmp_path), str(tmp_path)),)


def test_a_path_that_only_begins_like_another_is_not_covered(tmp_path):
    for name in ("lib", "lib64"):
        (tmp_path / name).mkdir()

    assert added(str(tmp_path / "lib"), str(tmp_path / "lib64")) == (
        (str(tmp_path / "lib"), str(tmp_path / "lib")), (str(tmp_path / "lib64"), str(tmp_path / "lib64")))


def test_a_linked_path_shows_its_target_under_its_own_name(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert added(str(tmp_path / "link")) == ((str(tmp_path / "real"), str(tmp_path / "link")),)


def test_a_broken_link_is_not_bound(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")

    assert added(str(tmp_path / "link")) == ()


def test_a_link_that_leads_out_of_the_folder_that_holds_it_does_not_dangle_inside(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool/link").symlink_to(tmp_path / "elsewhere")

    binds = added(str(tmp_path / "tool"), str(tmp_path / "tool/link"))

    shown = {inside for _, inside in binds}
    assert shown & {str(tmp_path / "elsewhere"), str(tmp_path / "tool/link")}, binds


def test_a_merged_host_gets_links_and_no_binds(monkeypatch, tmp_path):
    for name in ("bin", "lib"):
        (tmp_path / name).symlink_to(f"usr/{name}")
    monkeypatch.setattr(roots, "_MERGED", (str(tmp_path / "bin"), str(tmp_path / "lib"), str(tmp_path / "lib32")))

    assert roots._top_level() == ((("usr/bin", str(tmp_path / "bin")), ("usr/lib", str(tmp_path / "lib"))), ())


def test_an_unmerged_host_gets_binds_and_no_links(monkeypatch, tmp_path):
    for name in ("bin", "lib"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(roots, "_MERGED", (str(tmp_path / "bin"), str(tmp_path / "lib"), str(tmp_path / "lib32")))

    assert roots._top_level() == ((), tuple((str(tmp_path / name),) * 2 for name in ("bin", "lib")))


def test_no_place_is_made_twice():
    found = made("/usr/lib", host_network=True, certificates=True)
    places = [inside for _, inside in found.binds + found.links + found.files]

    assert len(places) == len(set(places))


def test_an_outer_bind_comes_before_what_lies_in_it(tmp_path):
    found = made(str(tmp_path), host_network=True, certificates=True)
    places = [inside for _, inside in found.binds]

    assert not [(later, earlier) for number, later in enumerate(places) for earlier in places[:number]
                if earlier.startswith(later + "/")]
