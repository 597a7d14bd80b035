"""What a build leaves in a guest comes over to the next one: deletions, links and empty folders too."""

from __future__ import annotations

import stat
import struct

import layer_story
import pytest

from windtunnel.core.result import Artifact
from windtunnel.sandbox.vm import frames


@pytest.mark.timeout(300)
def test_a_step_on_top_of_what_a_build_left_sees_what_the_build_saw(vm, program, tmp_path):
    place = {"workspace": str(layer_story.make(tmp_path / "story")), "cwd": "/workspace", "keep_layer": True}

    built = vm.run(program(layer_story.BUILD, **place))
    result = vm.run(program(layer_story.LOOK, overlay=built.layer, **place))

    assert (built.stdout, built.stderr, result.stdout, result.stderr) == (layer_story.AFTER, "", layer_story.AFTER, "")
    assert result.layer == built.layer


def sent(name, *, mode, data=b""):
    return frames.file(struct.pack(">HBi", len(name), 0, mode) + name + data)


def test_links_and_folders_are_read_as_such():
    assert [sent(b"a/link", mode=stat.S_IFLNK | 0o777, data=b"../b"), sent(b"d", mode=stat.S_IFDIR | 0o755)] == [
        ("a/link", Artifact(data=b"../b", mode=stat.S_IFLNK | 0o777)), ("d", Artifact(data=b"", mode=stat.S_IFDIR | 0o755))]


@pytest.mark.parametrize(("mode", "data"), [
    (stat.S_IFLNK | 0o777, b"/etc/passwd"), (stat.S_IFLNK | 0o777, b"../../up"), (stat.S_IFLNK | 0o777, b""),
    (stat.S_IFLNK | 0o777, b"a\0b"), (stat.S_IFDIR | 0o755, b"content"), (stat.S_IFCHR | 0o600, b""), (stat.S_IFREG | 0o600, b""),
    (stat.S_IFIFO | 0o600, b""), (stat.S_IFSOCK | 0o600, b""), (1 << 20, b""), (-3, b""), (-(2**31), b""), (2**31 - 1, b""),
])
def test_a_hostile_guest_sends_no_device_and_no_link_that_leads_elsewhere(mode, data):
    with pytest.raises(frames.Confused):
        sent(b"a/link", mode=mode, data=data)
