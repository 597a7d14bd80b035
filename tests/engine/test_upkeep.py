"""Acts on images, commits and the history: asked of the policy and written down as every other."""

import contextlib
import subprocess
from dataclasses import replace

import pytest
from trials import CALC, ONE_RUNNER, WRONG, modify, write

from windtunnel import Tunnel, config
from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import ApprovalNeeded, Refused, SandboxFailure
from windtunnel.core.language import Toolchain
from windtunnel.engine import images
from windtunnel.engine.images import Built
from windtunnel.sandbox.container.image_build import Plan
from windtunnel.sandbox.container.images import Files
from windtunnel.store.audit.query import find

PLAN = Plan(name="windtunnel/sh:local", language="sh", files=Files.PACKAGES, packages=("dash",), toolchain=Toolchain(run=("sh", "{source}")))
BUILT = Built(language="sh", name="windtunnel/sh:local", files="packages", size=7, engine="docker", id="sha256:1")


class Engine:
    """What is written down of an engine is its name."""

    name = "docker"


@pytest.fixture
def make(tmp_path):
    with contextlib.ExitStack() as made:
        def tunnel(policy=None):
            if policy is not None:
                (tmp_path / "policy.yaml").write_text(policy)
            settings = replace(config.load(), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0, actor="ann",
                               policy=None if policy is None else tmp_path / "policy.yaml")
            return made.enter_context(Tunnel(settings))

        yield tunnel


@pytest.fixture
def done(monkeypatch):
    """What an engine was asked to do, which it does not do."""
    calls = []

    def build(engine, planned, *, tell):
        calls.append(("build", [plan.name for plan in planned]))
        yield BUILT

    def remove(engine, languages, wanted, *, everything):
        calls.append(("remove", list(wanted)))
        return list(wanted)

    monkeypatch.setattr(images, "build_images", build)
    monkeypatch.setattr(images, "remove_images", remove)
    return calls


def entries(tunnel):
    return [record.entry for record in find(tunnel.audit, AuditQuery())]


def test_building_an_image_is_written_down(make, done):
    tunnel = make()

    assert tunnel.build_images(Engine(), [PLAN]) == [BUILT]

    (entry,) = entries(tunnel)
    assert (entry.kind, entry.outcome, entry.actor, entry.details["inputs"], entry.details["images"]) == (
        "image build", "done", "ann", {"engine": "docker", "images": [{"name": PLAN.name, "language": "sh", "files": "packages"}]},
        [{"name": PLAN.name, "id": "sha256:1", "size": 7}])


def test_an_image_that_a_policy_forbids_is_not_built(make, done):
    tunnel = make("version: 1\ndefault: allow\nrules: [{id: no, effect: deny, tool: 'image *', when: \"'sh' in request.languages\"}]\n")

    with pytest.raises(Refused, match=r"\(no\)"):
        tunnel.build_images(Engine(), [PLAN])

    assert (done, entries(tunnel)[0].outcome) == ([], "denied")


def test_a_build_that_fails_is_written_down_with_those_that_were_made(make, monkeypatch):
    def build(engine, planned, *, tell):
        yield BUILT
        raise SandboxFailure("no room")

    monkeypatch.setattr(images, "build_images", build)
    tunnel = make()

    with pytest.raises(SandboxFailure, match="no room"):
        tunnel.build_images(Engine(), [PLAN])

    (entry,) = entries(tunnel)
    assert (entry.outcome, entry.details["images"][0]["name"]) == ("error", PLAN.name)


def test_a_build_is_charged_its_wall_time(make, done):
    tunnel = make("version: 1\ndefault: allow\nbudgets: [{id: b, for: total, acts: 2, wall_seconds: 9000}]\n")

    tunnel.build_images(Engine(), [PLAN])

    assert set(entries(tunnel)[0].details["charged"]["amounts"]) == {"acts", "wall_seconds"}


def test_removing_an_image_is_asked_and_written_down(make, done):
    asked = make("version: 1\ndefault: ask\n")
    with pytest.raises(ApprovalNeeded):
        asked.remove_images(Engine(), ["sh"])

    free = make("version: 1\ndefault: allow\n")
    removed = free.remove_images(Engine(), ["sh"])

    assert (removed, done) == (["sh"], [("remove", ["sh"])])
    assert [(entry.kind, entry.outcome) for entry in entries(free)] == [("image remove", "waiting"), ("image remove", "done")]


def test_forgetting_runs_is_asked_and_written_down(make):
    tunnel = make("version: 1\ndefault: allow\nrules: [{id: keep, effect: deny, tool: history prune, when: 'false'}]\n")
    tunnel.run("print(1)")

    count = tunnel.prune_history(keep=0)

    assert (count, tunnel.recent(), entries(tunnel)[-1].kind, entries(tunnel)[-1].details["forgotten"]) == (1, [], "history prune", 1)


def test_forgetting_runs_can_be_forbidden(make):
    tunnel = make("version: 1\ndefault: allow\nrules: [{id: keep, effect: deny, tool: history prune}]\n")
    tunnel.run("print(1)")

    with pytest.raises(Refused):
        tunnel.prune_history(keep=0)

    assert len(tunnel.recent()) == 1


def test_a_commit_is_asked_and_written_down(make, tmp_path):
    shop = tmp_path / "shop"
    shop.mkdir()
    write(shop, {"calc.py": WRONG, "test_calc.py": "import calc\ndef test_add():\n    assert calc.add(2, 3) == 5\n"})
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"], ["config", "user.name", "a"],
                  ["config", "user.email", "a@b"]):
        subprocess.run(["git", "-C", str(shop), *words], check=True, timeout=60)
    tunnel = make("version: 1\ndefault: allow\n")
    result = tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    tunnel.apply(shop, result)

    made = tunnel.commit(shop, result, message="better")

    entry = entries(tunnel)[-1]
    assert (entry.kind, entry.outcome, entry.subject, entry.project, entry.details["inputs"]["message"]) == ("commit", "done", made, str(shop), "better")


def test_where_there_was_nothing_to_repair_nothing_is_written_down(make):
    tunnel = make()

    assert (tunnel.recover(), entries(tunnel)) == ([], [])
