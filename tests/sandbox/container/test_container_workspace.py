"""Kept workspaces at the container level: a command works over them, and what it leaves is kept or not, as was asked."""

from dataclasses import replace

import pytest

from windtunnel import Tunnel
from windtunnel.config import Settings
from windtunnel.core.result import Level

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("containers")]


def test_a_command_changes_the_workspace_where_it_succeeds(shared, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "value.txt").write_text("1\n")
    with Tunnel(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", actor="ann"), pool_size=0) as tunnel:
        tunnel._rig = replace(tunnel.rig, sandbox=shared)
        tunnel.workspaces.create(tmp_path / "project", name="mine")

        good = tunnel.workspaces.execute("mine", "echo 2 > value.txt; mkdir out; echo made > out/new", timeout=120)
        bad = tunnel.workspaces.execute("mine", "echo 3 > value.txt; exit 1", keep="success", timeout=120)

        assert (good.level, good.exit_code, bad.exit_code) == (Level.CONTAINER, 0, 1)
        assert [tunnel.workspaces.read("mine", name) for name in ("value.txt", "out/new")] == [b"2\n", b"made\n"]
        assert (tmp_path / "project" / "value.txt").read_text() == "1\n"
