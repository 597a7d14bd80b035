"""What goes into an image, and that a build leaves either a whole image or nothing."""

from __future__ import annotations

import errno
import io
import os
import tarfile
from pathlib import Path

import pytest
from image_engine import RememberingEngine, image, members

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.language import Toolchain
from windtunnel.engine.images import Built, Source, build_images, list_images, plans, remove_images
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container.image_build import Plan, build, labels, named_files, write
from windtunnel.sandbox.container.image_tar import write_cleaned, write_empty
from windtunnel.sandbox.container.images import Files, read_toolchain
from windtunnel.sandbox.root import ETC, Root

TABLE = LanguageTable()
PYTHON = TABLE.get("python")
HOST = Plan(name="windtunnel/python:local", language="python", files=Files.HOST, toolchain=Toolchain(run=("/usr/bin/python3", "{source}")))
FOLDER, LINK, FILE = tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.REGTYPE


# --- plans ---

@pytest.mark.parametrize(("name", "tagged"), [
    ("windtunnel/python:local", "windtunnel/python:local"), ("mine", "mine:latest"), ("registry:5000/mine", "registry:5000/mine:latest")])
def test_a_name_without_a_tag_gets_one(name, tagged):
    assert Plan(name=name, language="python", files=Files.HOST, toolchain=HOST.toolchain).name == tagged


def test_the_labels_say_what_it_is_for_and_where_its_files_come_from():
    assert labels(HOST) == {"windtunnel": "image", "windtunnel.language": "python", "windtunnel.files": "host"}


def test_a_copy_says_in_its_labels_how_the_language_is_called():
    plan = Plan(name="mine", language="python", files=Files.COPIED, toolchain=HOST.toolchain)

    assert read_toolchain(image("mine:latest").__class__(id="x", names=(), size=0, labels=labels(plan)), PYTHON) == HOST.toolchain


def test_without_a_language_there_is_an_image_for_each_that_is_installed_here():
    made = plans(LanguageTable(which=lambda name: "/usr/bin/sh" if name == "sh" else None), [])

    assert [(plan.name, plan.files) for plan in made] == [
        ("windtunnel/python:local", Files.HOST), ("windtunnel/sh:local", Files.HOST)]


def test_a_language_is_planned_once_however_often_it_is_named():
    assert [plan.language for plan in plans(TABLE, ["py", "python", "sh"], source=Source.FILES)] == ["python", "sh"]


@pytest.mark.parametrize(("wanted", "options", "said"), [
    ([], {"source": Source.PACKAGES}, "language: name those to build --from packages"),
    (["python", "sh"], {"name": "mine"}, "--name: names one image"),
    ([], {"name": "mine"}, "--name: names one image"),
    (["python"], {"name": "--privileged"}, "name: not the name of an image: '--privileged'"),
    (["python"], {"name": ""}, "name: not the name of an image: ''"),
    (["klingon"], {}, "language: 'klingon' is not known"),
])
def test_a_plan_that_makes_no_sense_is_refused(wanted, options, said):
    with pytest.raises(UsageError) as refused:
        plans(TABLE, wanted, **options)

    assert str(refused.value).startswith(said)


def test_packages_are_planned_by_the_table():
    (plan,) = plans(TABLE, ["ruby"], source=Source.PACKAGES)

    assert plan == Plan(name="windtunnel/ruby:local", language="ruby", files=Files.PACKAGES, packages=("ruby",),
                        toolchain=Toolchain(run=("ruby", "{source}")))


def test_the_files_of_a_toolchain_are_those_it_lists_and_the_programs_in_its_commands(tmp_path):
    tool, linker = tmp_path / "tool", tmp_path / "linker"
    tool.touch()
    linker.touch()
    toolchain = Toolchain(run=("{build}/program",), paths=("/opt/lib",), profile=("/sandbox/profiler",),
                          build=(str(tool), "-C", f"linker={linker}", "/no/such/file", str(tmp_path), str(tool)))

    assert named_files(toolchain) == ("/opt/lib", str(tool), str(linker))


# --- the empty image ---

def test_an_empty_image_has_a_place_for_each_bind_and_its_own_small_files():
    root = Root(binds=(("/usr/bin", "/usr/bin"), ("/x", "/etc/ld.so.cache"), ("/usr/lib/z", "/lib/z")),
                links=(("usr/bin", "/bin"), ("usr/lib", "/lib")), files=(("hello\n", "/etc/hostname"),))
    out = io.BytesIO()

    write_empty(root, out, folders=["/usr/bin", "/lib/z"])

    folders = ["dev", "etc", "proc", "run", "sandbox", "sys", "tmp", "usr", "usr/bin", "usr/local", "usr/local/bin", "workspace"]
    assert members(out.getvalue()) == [
        *((name, FOLDER, 0o1777 if name == "tmp" else 0o755, b"") for name in folders),
        ("bin", LINK, 0o777, "usr/bin"), ("lib", LINK, 0o777, "usr/lib"),
        ("etc/hostname", FILE, 0o444, b"hello\n"), ("etc/ld.so.cache", FILE, 0o444, b"")]


def test_the_empty_image_of_this_host_has_a_user_1000_and_is_the_same_each_time():
    first, second = io.BytesIO(), io.BytesIO()

    write(HOST, first, tell=print)
    write(HOST, second, tell=print)

    assert first.getvalue() == second.getvalue()
    assert {name: content for name, _, _, content in members(first.getvalue())}["etc/passwd"] == ETC["passwd"].encode()
    assert "sandbox:x:1000:1000:" in ETC["passwd"]


# --- what packages leave, cleaned ---

def archive(*given):
    """A tar archive of (name, type, mode, content or link)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind, mode, content in given:
            member = tarfile.TarInfo(name)
            member.type, member.mode, member.uid, member.uname = kind, mode, 1234, "someone"
            member.pax_headers = {"SCHILY.xattr.security.capability": "all"}
            if kind == FILE:
                member.size = len(content)
            elif kind in (LINK, tarfile.LNKTYPE):
                member.linkname = content
            tar.addfile(member, io.BytesIO(content) if kind == FILE else None)
    return out.getvalue()


def cleaned(*given):
    out = io.BytesIO()
    write_cleaned(io.BytesIO(archive(*given)), out)
    return out.getvalue()


def told(data, *names):
    return [member for member in members(data) if member[0] in names]


def test_programs_and_links_are_kept():
    data = cleaned(("./", FOLDER, 0o755, b""), ("./usr/bin/tool", FILE, 0o755, b"code"), ("./bin", LINK, 0o777, "usr/bin"),
                   ("./usr/bin/also", tarfile.LNKTYPE, 0o755, "./usr/bin/tool"))

    assert told(data, "usr/bin/tool", "bin", "usr/bin/also") == [
        ("usr/bin/tool", FILE, 0o755, b"code"), ("bin", LINK, 0o777, "usr/bin"), ("usr/bin/also", tarfile.LNKTYPE, 0o755, "usr/bin/tool")]


def test_no_program_keeps_powers_of_its_own():
    data = cleaned(("./usr/bin/su", FILE, 0o4755, b"code"), ("./usr/bin/write", FILE, 0o2755, b"code"),
                   ("./var/local", FOLDER, 0o2775, b""))

    assert told(data, "usr/bin/su", "usr/bin/write", "var/local") == [
        ("usr/bin/su", FILE, 0o755, b"code"), ("usr/bin/write", FILE, 0o755, b"code"), ("var/local", FOLDER, 0o775, b"")]
    with tarfile.open(fileobj=io.BytesIO(data)) as kept:
        assert {(member.uid, member.gid, member.uname, tuple(member.pax_headers)) for member in kept} == {(0, 0, "", ())}


@pytest.mark.parametrize("name", [
    "./etc/apt/sources.list", "./var/lib/apt/lists/mirror_Packages", "./var/log/apt/history.log", "./etc/shadow", "./etc/machine-id",
    "./dev/anything", "./usr/share/doc/tool/copyright", "./etc/passwd-", "./tmp/left", "./run/left"])
def test_what_would_tell_of_this_machine_is_left_out(name):
    data = cleaned((name, FILE, 0o644, b"secret"), ("./usr/bin/tool", FILE, 0o755, b"code"))

    assert told(data, name.removeprefix("./")) == []
    assert b"secret" not in data


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_are_left_out(kind):
    assert told(cleaned(("usr/thing", kind, 0o666, b""), ("usr/bin/tool", FILE, 0o755, b"code")), "usr/thing") == []


def test_a_hard_link_to_what_was_left_out_is_left_out_too():
    data = cleaned(("etc/shadow", FILE, 0o600, b"secret"), ("usr/copy", tarfile.LNKTYPE, 0o600, "etc/shadow"),
                   ("usr/bin/tool", FILE, 0o755, b"code"))

    assert told(data, "usr/copy") == []


def test_the_users_are_ours_and_tmp_is_everybodys():
    data = cleaned(("./etc/passwd", FILE, 0o644, b"root::0:0::/:/bin/sh\n"), ("./tmp", FOLDER, 0o700, b""),
                   ("./usr", FOLDER, 0o755, b""))

    assert told(data, "etc/passwd", "tmp") == [("tmp", FOLDER, 0o1777, b""), ("etc/passwd", FILE, 0o444, ETC["passwd"].encode())]


def test_no_name_comes_twice_because_engines_refuse_that():
    data = cleaned(*(("./usr", FOLDER, 0o755, b""), ("./etc", FOLDER, 0o755, b""), ("./usr/a", FILE, 0o644, b"x")) * 2)

    names = [name for name, *_ in members(data)]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("name", ["../escaped", "usr/../../escaped"])
def test_a_member_outside_of_the_root_is_refused(name):
    with pytest.raises(SandboxFailure, match="outside of their root"):
        cleaned((name, FILE, 0o644, b""))


@pytest.mark.parametrize("data", [b"", b"\0" * 1024, b"no archive at all" * 100, archive(("a", FILE, 0o644, b"x" * 5000))[:3000]],
                         ids=["nothing", "an empty one", "something else", "half of one"])
def test_what_is_no_whole_archive_is_refused(data):
    with pytest.raises(SandboxFailure, match="the packages"):
        write_cleaned(io.BytesIO(data), io.BytesIO())


# --- building ---

def test_a_build_hands_a_whole_archive_to_the_engine_under_the_name_and_the_labels():
    engine = RememberingEngine()

    made = build(engine, HOST)

    assert (made.names, made.labels) == (("windtunnel/python:local",), labels(HOST))
    assert ("tmp", FOLDER, 0o1777, b"") in members(engine.imported[0])


def test_the_image_that_had_the_name_before_is_forgotten():
    engine = RememberingEngine(image(HOST.name, number=5, windtunnel="image"))

    build(engine, HOST)

    assert engine.removed == [f"sha256:{5:064d}"]


def test_an_older_image_that_is_still_in_use_does_not_fail_the_build():
    class Keeping(RememberingEngine):
        def remove_image(self, name):
            raise IsolationUnavailable("conflict: a container is using it")

    made = build(Keeping(image(HOST.name, number=5, windtunnel="image")), HOST)

    assert made.id == f"sha256:{1:064x}"


def test_an_image_that_somebody_else_made_is_never_replaced():
    engine = RememberingEngine(image(HOST.name, number=5))

    with pytest.raises(UsageError, match="is an image that Windtunnel did not build"):
        build(engine, HOST)

    assert (engine.imported, engine.removed) == ([], [])


def test_an_engine_that_still_has_the_old_image_afterwards_did_not_take_the_new_one():
    class Losing(RememberingEngine):
        def import_tar(self, stream, *, name, labels):
            return self.image(name).id

    with pytest.raises(SandboxFailure, match="did not take the image"):
        build(Losing(image(HOST.name, number=5, windtunnel="image")), HOST)


def test_a_build_that_fails_hands_nothing_to_the_engine_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    engine = RememberingEngine()
    plan = Plan(name="mine", language="python", files=Files.PACKAGES, toolchain=HOST.toolchain, packages=("not a package",))

    with pytest.raises((SandboxFailure, IsolationUnavailable)):
        build(engine, plan)

    assert (engine.imported, list(tmp_path.iterdir())) == ([], [])


def test_a_full_disk_is_our_failure_and_says_where():
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(SandboxFailure) as failed:
        write(HOST, full, tell=print)

    assert f"cannot be written: {os.strerror(errno.ENOSPC)} (it is put together in " in str(failed.value)


# --- list and remove ---

OURS = {"windtunnel": "image", "windtunnel_language": "python", "windtunnel_files": "host"}


def test_images_are_built_one_after_the_other():
    (built,) = build_images(RememberingEngine(), [HOST])

    assert (built.language, built.name, built.files, built.engine) == ("python", HOST.name, "host", "docker")
    assert built.seconds < 10


def test_only_images_of_ours_are_listed():
    engine = RememberingEngine(image(HOST.name, number=5, **OURS), image("python:3.11-slim", number=6))

    assert list_images(engine) == [
        Built(language="python", name=HOST.name, files="host", size=88, engine="docker", id=f"sha256:{5:064d}")]


@pytest.mark.parametrize(("wanted", "options"), [(["python"], {}), ([HOST.name], {}), ([], {"everything": True})])
def test_an_image_is_removed_by_language_by_name_or_with_all_others(wanted, options):
    engine = RememberingEngine(image(HOST.name, number=5, **OURS), image("python:3.11-slim", number=6))

    assert remove_images(engine, TABLE, wanted, **options) == [HOST.name]
    assert list(engine.table) == ["python:3.11-slim"]


@pytest.mark.parametrize(("wanted", "said"), [
    (["python:3.11-slim"], "was not built by Windtunnel"), (["ruby"], "has no image windtunnel/ruby:local"),
    (["--force"], "image: not the name of an image: '--force'"), ([], "image: name those to remove"),
])
def test_what_is_not_ours_to_remove_stays(wanted, said):
    engine = RememberingEngine(image("python:3.11-slim", number=6))

    with pytest.raises(UsageError, match=said):
        remove_images(engine, TABLE, wanted)

    assert engine.removed == []


def test_an_image_that_is_still_used_is_told():
    class Keeping(RememberingEngine):
        def remove_image(self, name):
            self.removed.append(name)

    with pytest.raises(IsolationUnavailable, match="a container still uses it"):
        remove_images(Keeping(image(HOST.name, **OURS)), TABLE, ["python"])
