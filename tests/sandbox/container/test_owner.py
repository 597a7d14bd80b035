"""Who a program is inside and on the host: every kind of engine for every kind of caller."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.container.engine import Facts
from windtunnel.sandbox.container.owner import Owner, caller, owner_of

DOCKER = Facts(name="docker", version="20", by="socket", rootless=False, groups=2, runtimes=("runc",), runtime="runc")
PODMAN = replace(DOCKER, name="podman")
REMAPPED = replace(DOCKER, remapped=(100_000, 200_000))
ENGINES = {
    "docker": DOCKER, "podman": PODMAN, "docker that maps": REMAPPED,
    "rootless docker": replace(DOCKER, rootless=True), "rootless podman": replace(PODMAN, rootless=True),
}
ME = {"caller": 1001, "group": 1002, "throw_away": None}
ROOT = {"caller": 0, "group": 0, "throw_away": 61184}


@pytest.mark.parametrize(("engine", "who", "owner"), [
    ("docker", ROOT, Owner(user="61184:61184", uid=61184)),
    ("podman", ROOT, Owner(user="61184:61184", uid=61184)),
    ("docker that maps", ROOT, Owner(user="1000:1000", uid=101_000, mapped=True)),
    ("docker", ME, Owner(user="1001:1002", uid=1001)),
    ("podman", ME, Owner(user="1001:1002", uid=1001)),
    ("rootless docker", ME, Owner(user="0:0", uid=1001, mapped=True)),
    ("rootless podman", ME, Owner(user="1000:1000", uid=1001, user_namespace="keep-id:uid=1000,gid=1000", mapped=True)),
])
def test_each_caller_gets_its_owner(engine, who, owner):
    assert owner_of(ENGINES[engine], **who) == owner


@pytest.mark.parametrize(("engine", "who", "said"), [
    ("docker that maps", ME, "maps all users elsewhere, and only root.*start as root, or use rootless podman"),
    ("rootless docker", ROOT, "runs as an ordinary user and we as root.*start as that user, or use an engine of root's"),
    ("rootless podman", ROOT, "runs as an ordinary user and we as root"),
    ("docker", ROOT | {"throw_away": None}, "root starts nothing as itself"),
    ("podman", ROOT | {"throw_away": None}, "root starts nothing as itself"),
])
def test_the_others_are_refused_with_what_would_do(engine, who, said):
    with pytest.raises(IsolationUnavailable, match=said):
        owner_of(ENGINES[engine], **who)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("who", [ME, ROOT, ROOT | {"throw_away": None}], ids=["me", "root", "root without a user"])
def test_nobody_is_ever_root_on_both_sides(engine, who):
    try:
        owner = owner_of(ENGINES[engine], **who)
    except IsolationUnavailable:
        owner = None

    assert owner is None or (owner.uid != 0 and (owner.mapped or not owner.user.startswith("0:")))


def test_a_rootless_engine_that_also_maps_is_taken_as_rootless():
    assert owner_of(replace(REMAPPED, rootless=True), **ME) == Owner(user="0:0", uid=1001, mapped=True)


def test_the_caller_is_the_effective_user_and_group():
    assert caller() == (os.geteuid(), os.getegid())
