"""What is kept between runs goes by all that it is made of."""

import pytest

from windtunnel.sandbox.vm import initramfs, snapshot
from windtunnel.sandbox.vm.arguments import Hardware
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.sandbox.vm.kernel import Kernel
from windtunnel.sandbox.vm.machine import Parts


@pytest.mark.parametrize("name", initramfs._INSIDE)
def test_another_script_of_the_agent_makes_another_archive_and_another_snapshot(tmp_path, monkeypatch, name):
    kernel = Kernel(image=tmp_path, modules=(), release="6.1")
    cache, hardware = Cache(tmp_path / "cache"), Hardware(memory_mib=512, processors=1, accelerator="tcg")
    compiled = initramfs._compiled
    monkeypatch.setattr(initramfs, "_python_files", list)

    def place():
        archive = initramfs.initramfs(cache, kernel)
        parts = Parts(program="/bin/true", kernel=tmp_path, initramfs=archive, root=tmp_path, project=tmp_path)
        return snapshot.snapshot_place(cache, parts, hardware, rehearsal=b"")

    before = place()
    monkeypatch.setattr(
        initramfs, "_compiled", lambda path: compiled(path) + (b"\0" if path == f"sandbox/inside/{name}" else b""))

    assert place() != before
