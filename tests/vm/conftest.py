from __future__ import annotations

import os
import platform
import shutil

import pytest
import vm_image
import vm_machine

BOOT_SECONDS = 500.0


def missing() -> str | None:
    """Why the guest cannot be booted here, or None."""
    if os.geteuid() != 0:
        return "QEMU and the guest's kernel come by apt-get, which tools/system-packages asks only as root"
    if platform.machine() != "x86_64":
        return f"the guest is x86_64; this machine is {platform.machine()}"
    for program, package in (("apt-get", "apt"), ("dpkg-deb", "dpkg"), ("ldd", "libc-bin"),
                             (vm_machine.PROGRAM, "qemu-system-x86")):
        if shutil.which(program) is None:
            return f"there is no {program} here (apt-get install {package})"
    version = vm_image.PYTHON.resolve().name.removeprefix("python3.")
    if not version.isdigit() or int(version) < 11:
        return f"the guest's Python is {vm_image.PYTHON}, which must be 3.11 or later: {vm_image.PYTHON.resolve()}"
    return None


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> vm_machine.Told:
    """All that one boot told."""
    if reason := missing():
        pytest.skip(reason)
    try:
        kernel, initramfs = vm_image.kernel(), vm_image.initramfs()
    except vm_image.NotToBeHad as error:
        pytest.skip(str(error))
    return vm_machine.boot(kernel, initramfs, folder=tmp_path_factory.mktemp("vm"), seconds=BOOT_SECONDS)
