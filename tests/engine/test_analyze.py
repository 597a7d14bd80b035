"""Analyses of real folders, and their cache."""

from __future__ import annotations

import os
import time
import zipfile
from dataclasses import replace

import pytest

from windtunnel import CacheManager, CodebaseAnalyzer, Tunnel
from windtunnel.config import Settings
from windtunnel.core.errors import Refused, UsageError
from windtunnel.engine import analyze_files
from windtunnel.engine.analyze import Keeping, analyze, known
from windtunnel.store.analyses import Analyses


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[project]\nname = "shop"\ndependencies = ["flask>=2,<3"]\n[dependency-groups]\ndev = ["flask>=3"]\n')
    (folder / "src/app.py").write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
    (folder / "src/app.js").write_text("export const a = 1;\n")
    return folder


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def read_files(monkeypatch):
    """The names of the files that are looked at from now on."""
    names = []
    real = analyze_files.facts_of
    monkeypatch.setattr(analyze_files, "facts_of", lambda path, *given, **options: names.append(path) or real(path, *given, **options))
    return names


def same(found):
    return replace(found, cached=False, seconds=0.0)


def test_a_project_is_told_for_what_it_is(project, cache):
    found = analyze(project, cache_dir=cache)

    assert [(one.name, one.files, round(one.share, 2)) for one in found.structure.languages] == [
        ("Python", 1, 0.71), ("JavaScript", 1, 0.29), ("TOML", 1, 0.0)]
    assert [(part.ecosystem, part.name) for part in found.structure.parts] == [("python", "shop")]
    assert [(one.kind, one.name) for one in found.dependencies.conflicts] == [("unsatisfiable", "flask")]
    assert (found.metrics.functions, found.metrics.average_complexity, found.metrics.code_lines) == (1, 2.0, 5)
    assert (len(found.tree), found.cached, found.stale, found.root) == (64, False, False, str(project))


def test_the_same_content_is_answered_from_the_cache_and_the_answer_is_the_same(project, cache, monkeypatch):
    first = analyze(project, cache_dir=cache)
    looked = read_files(monkeypatch)
    again = analyze(project, cache_dir=cache)

    assert (again.cached, looked) == (True, [])
    assert same(again) == same(first)


def test_after_an_edit_only_that_file_is_read_again(project, cache, monkeypatch):
    first = analyze(project, cache_dir=cache)
    (project / "src/app.py").write_text("def g():\n    return 3\n")
    looked = read_files(monkeypatch)
    then = analyze(project, cache_dir=cache)

    assert looked == ["src/app.py"]
    assert then.tree != first.tree
    assert same(then) == same(analyze(project, cache_dir=None))


def test_what_is_gone_is_forgotten(project, cache):
    analyze(project, cache_dir=cache)
    (project / "src/app.js").unlink()
    then = analyze(project, cache_dir=cache)

    assert [one.name for one in then.structure.languages] == ["Python", "TOML"]
    assert set(Keeping(cache_dir=cache).store().facts(str(project))) == {"pyproject.toml", "src/app.py"}


def test_what_is_known_is_given_without_looking_and_says_whether_it_is_stale(project, cache, monkeypatch):
    assert known(project, cache_dir=cache) is None
    first = analyze(project, cache_dir=cache)
    looked = read_files(monkeypatch)
    fresh = known(project, cache_dir=cache)
    (project / "src/app.py").write_text("x = 1\n")
    stale = known(project, cache_dir=cache)

    assert (fresh.stale, stale.stale, stale.tree, looked) == (False, True, first.tree, [])


def test_a_fresh_one_reads_everything(project, cache, monkeypatch):
    analyze(project, cache_dir=cache)
    looked = read_files(monkeypatch)

    assert analyze(project, cache_dir=cache, fresh=True).cached is False
    assert sorted(looked) == ["pyproject.toml", "src/app.js", "src/app.py"]


def test_a_damaged_cache_is_a_miss_and_is_begun_anew(project, cache):
    first = analyze(project, cache_dir=cache)
    database = cache / "analyses/analyses.db"
    for beside in cache.glob("analyses/analyses.db-*"):
        beside.unlink()
    database.write_bytes(b"SQLite format 3\0" + b"\x99" * 5000)
    again = analyze(project, cache_dir=cache)

    assert (again.cached, same(replace(again, notes=()))) == (False, same(first))
    assert analyze(project, cache_dir=cache).cached is True
    assert list(cache.glob("analyses/*corrupt*")) == []


def test_a_cache_that_cannot_be_written_fails_nothing_and_is_noted(project, tmp_path):
    (tmp_path / "taken").write_text("a file")
    found = analyze(project, cache_dir=tmp_path / "taken")

    assert found.structure.files == 3
    assert any("not kept" in note for note in found.notes)


def test_links_are_not_followed_and_nothing_is_left_in_the_project(project, cache, tmp_path):
    (tmp_path / "secret.py").write_text("def secret():\n    pass\n")
    (project / "link.py").symlink_to(tmp_path / "secret.py")
    (project / "requirements.txt").symlink_to(tmp_path / "secret.py")
    (project / "loop").symlink_to(project)
    os.mkfifo(project / "pipe.py")
    before = sorted(path.name for path in project.rglob("*"))
    found = analyze(project, cache_dir=cache)

    assert (found.structure.files, found.metrics.functions) == (3, 1)
    assert sorted(path.name for path in project.rglob("*")) == before


def test_vendored_generated_and_binary_files_count_for_nothing_but_their_size(project, cache):
    (project / "node_modules/a").mkdir(parents=True)
    (project / "node_modules/a/index.js").write_text("x = 1;\n" * 100)
    (project / "vendor").mkdir()
    (project / "vendor/big.c").write_text("int x;\n" * 100)
    (project / "src/a.min.js").write_text("x=1;" * 100)
    (project / "src/b.py").write_bytes(b"\0" * 100)

    assert [(one.name, one.files) for one in analyze(project, cache_dir=cache).structure.languages] == [
        ("Python", 1), ("JavaScript", 1), ("TOML", 1)]


def test_advisories_that_change_in_their_folder_are_read_again(project, cache, tmp_path):
    folder = tmp_path / "osv"
    folder.mkdir()
    (project / "requirements.txt").write_text("flask==2.0\n")
    told = '{"id": "OSV-1", "affected": [{"package": {"ecosystem": "PyPI", "name": "flask"}, "versions": ["%s"]}]}'
    (folder / "one.json").write_text(told % "1.0")
    before = analyze(project, cache_dir=cache, advisories=folder)
    (folder / "one.json").write_text(told % "2.0")
    after = analyze(project, cache_dir=cache, advisories=folder)

    assert (before.dependencies.vulnerabilities, [one.id for one in after.dependencies.vulnerabilities]) == ((), ["OSV-1"])


def test_more_code_than_is_measured_at_once_is_said(project, cache, monkeypatch):
    monkeypatch.setattr("windtunnel.analysis.complexity.MOST_CODE", 100)
    for number in range(9):
        (project / f"src/m{number}.py").write_text(f"def f{number}(x):\n    return x + {number}\n")

    assert any("thorough measures all" in note for note in analyze(project, cache_dir=cache).notes)
    whole = analyze(project, cache_dir=cache, thorough=True)
    assert (whole.metrics.functions, whole.notes) == (10, ())


def test_names_that_are_no_text_are_left_out_with_a_word(project, cache):
    (project / os.fsdecode(b"\xff.py")).write_text("x = 1\n")

    assert "1 files whose names are not UTF-8 were left out" in analyze(project, cache_dir=cache).notes


@pytest.mark.parametrize("name", ["nowhere", "project/pyproject.toml", "a\0b"])
def test_what_is_no_folder_is_refused(project, cache, name):
    with pytest.raises(UsageError, match="project: "):
        analyze(project.parent / name, cache_dir=cache)


def test_an_analysis_is_asked_of_the_policy_and_written_down(project, settings, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 1\nrules:\n  - id: nobody-looks\n    tool: analyze\n    effect: deny\n    reason: not here\n")
    with Tunnel(settings) as tunnel:
        tunnel.analyze(project)
        tunnel.audit.settle()
        written = [tunnel.audit.get(number).entry for number in range(tunnel.audit.size)]
    with Tunnel(replace(settings, policy=policy)) as tunnel, pytest.raises(Refused, match="nobody-looks"):
        tunnel.analyze(project)

    assert [(one.kind, one.outcome) for one in written] == [("analyze", "conflicts")]


def test_options_that_there_are_none_of_are_refused(project, settings):
    with Tunnel(settings) as tunnel:
        for options in ({"depth": 3}, {"fresh": 1}, {"advisories": 3}, {"advisories": "/nowhere/at/all"}):
            with pytest.raises(UsageError):
                tunnel.analyze(project, **options)


@pytest.fixture
def settings(tmp_path):
    from windtunnel.config import Settings

    return Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0)


def test_the_sample_of_the_document_runs(project, settings, capsys):
    class Workspace:
        path = project

    analyzer = CodebaseAnalyzer(Tunnel(settings))
    analysis = analyzer.analyze_codebase(Workspace())
    analyzer.analyze_codebase(str(project))
    cache_stats = CacheManager(settings).get_cache_stats()
    print(f"Languages detected: {analysis.structure.languages}")  # noqa: T201 -- as the document does
    print(f"Dependencies: {len(analysis.dependencies.dependencies)}")  # noqa: T201 -- as the document does
    print(f"Cache hit rate: {cache_stats['hit_rate']:.2%}")  # noqa: T201 -- as the document does
    print(f"Total requests: {cache_stats['total_requests']}")  # noqa: T201 -- as the document does

    assert capsys.readouterr().out.splitlines()[1:] == ["Dependencies: 2", "Cache hit rate: 50.00%", "Total requests: 2"]
    with pytest.raises(UsageError, match="workspace: neither a path"):
        analyzer.analyze_codebase(3)


def test_the_cache_stays_within_its_size_and_its_time(tmp_path):
    store = Analyses(tmp_path / "a.db", hours=1, most_bytes=5000)
    for number in range(5):
        store.put(f"key{number}", b"x" * 1000, root=f"/r{number}", facts={"a": ("hash", b"y" * 1000)})
        time.sleep(0.002)
    held = store.statistics()
    kept = [number for number in range(5) if store.get(f"key{number}") is not None]
    old = Analyses(tmp_path / "a.db", hours=1e-9)

    assert (kept, held.bytes, held.entries) == ([3, 4], 4000, 2)
    assert (old.get("key4"), old.latest("/r4")) == (None, None)
    found = store.statistics()
    assert (found.hits, found.misses, found.requests, round(found.hit_rate, 2)) == (2, 4, 6, 0.33)


def test_coverage_is_made_in_a_sandbox_where_no_report_has_it(tmp_path):
    folder = tmp_path / "covered"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "box"\n[tool.pytest.ini_options]\npythonpath = ["."]\n')
    (folder / "box.py").write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
    (folder / "test_box.py").write_text("from box import f\n\n\ndef test_f():\n    assert f(1) == 1\n")
    before = sorted(one.name for one in folder.iterdir())
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0)

    with Tunnel(settings) as tunnel:
        plain, made = tunnel.analyze(folder), tunnel.analyze(folder, coverage=True)
        left = tunnel.workspaces.list()

    assert (plain.metrics.coverage, made.metrics.coverage) == (None, 0.75)
    assert made.metrics.coverage_source == "made in a sandbox: . (pytest)"
    assert (sorted(one.name for one in folder.iterdir()), left) == (before, ())


def test_coverage_that_cannot_be_made_is_said(project, tmp_path):
    (project / "src/app.py").unlink()
    (project / "pyproject.toml").unlink()
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0)

    with Tunnel(settings) as tunnel:
        found = tunnel.analyze(project, coverage=True)

    assert found.metrics.coverage is None
    assert "coverage: not known how to make it for any part" in found.notes


def wheel(folder, name, version, *needs):
    """As small as one can be."""
    told = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as made:
        made.writestr(f"{told}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(
            f"Requires-Dist: {need}\n" for need in needs))
        made.writestr(f"{told}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{told}/RECORD", "")


@pytest.mark.parametrize(("bound", "clashes"), [("<2", True), (">=2", False)])
def test_a_clash_of_what_wishes_bring_along_is_seen_by_the_resolver(tmp_path, bound, clashes):
    folder = tmp_path / "wishes"
    (folder / "wheels").mkdir(parents=True)
    for name, version, *needs in (("aa", "1.0", f"cc{bound}"), ("bb", "1.0", "cc>=2"), ("cc", "1.0"), ("cc", "2.0")):
        wheel(folder / "wheels", name, version, *needs)
    (folder / "requirements.txt").write_text("--no-index\n--find-links wheels\naa\nbb\n")
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0)

    with Tunnel(settings) as tunnel:
        found = tunnel.analyze(folder, resolve=True)

    assert [(one.kind, one.places) for one in found.dependencies.conflicts] == (
        [("unsatisfiable", ("requirements.txt",))] if clashes else [])
    assert any(note.startswith("resolved: requirements.txt, by uv") for note in found.notes), found.notes
    assert all("cc" in one.reason for one in found.dependencies.conflicts)
