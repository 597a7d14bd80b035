"""Manifests, locks, and where they do not fit together."""

from __future__ import annotations

import json
import zipfile

import pytest

from windtunnel.analysis.dependencies import dependencies
from windtunnel.analysis.listing import listing_of
from windtunnel.analysis.parts import portions
from windtunnel.core.errors import UsageError


def needed(files, *, advisories=None):
    listing = listing_of(files)
    parts = portions(listing)
    return dependencies([one.found for one in parts], advisories=advisories, notes=listing.notes)


def listed(files):
    return sorted((one.name, one.wanted, one.version, one.group, one.direct) for one in needed(files).dependencies)


def clashes(files):
    return [(one.kind, one.name) for one in needed(files).conflicts]


CASES = {
    "pep 621 and 735, with uv": ({
        "pyproject.toml": '[project]\nname="x"\ndependencies=["Flask[async]>=2,<3 ; python_version>\'3\'", "a.b_c==1"]\n'
                          '[project.optional-dependencies]\nweb=["gunicorn"]\n[dependency-groups]\ndev=["pytest>=8", {include-group="x"}]\n',
        "uv.lock": '[[package]]\nname="flask"\nversion="2.3.3"\n[[package]]\nname="x"\nversion="1"\nsource={editable="."}\n'
                   '[[package]]\nname="werkzeug"\nversion="2.3.8"\n'},
        [("a-b-c", "==1", "", "main", True), ("flask", ">=2,<3 ; python_version>'3'".replace(" ;", ";"), "2.3.3", "main", True),
         ("gunicorn", "", "", "optional:web", True), ("pytest", ">=8", "", "dev", True), ("werkzeug", "", "2.3.8", "main", False)]),
    "poetry": ({
        "pyproject.toml": '[tool.poetry]\nname="x"\n[tool.poetry.dependencies]\npython="^3.11"\nrequests="^2.31"\nd={version="~1.2", optional=true}\n'
                          '[tool.poetry.group.test.dependencies]\npytest="*"\n'},
        [("d", ">=1.2,<1.3", "", "main", True), ("pytest", "", "", "test", True), ("requests", ">=2.31,<3", "", "main", True)]),
    "requirements": ({
        "requirements.txt": "-r other.txt\n# no\nflask==3.0  # why\nrequests>=2 \\\n  --hash=sha256:00\n./local\ngit+https://x/y\n",
        "requirements-dev.txt": "pytest\n"},
        [("flask", "==3.0", "", "main", True), ("pytest", "", "", "dev", True), ("requests", ">=2", "", "main", True)]),
    "compiled requirements": ({"requirements.in": "flask\n", "requirements.txt": "flask==3.0\nwerkzeug==3.0.1\n"},
                              [("flask", "", "3.0", "main", True), ("werkzeug", "", "3.0.1", "main", False)]),
    "pipenv": ({
        "Pipfile": '[packages]\nflask="*"\n[dev-packages]\npytest=">=8"\n',
        "Pipfile.lock": '{"default": {"flask": {"version": "==3.0.0"}}, "develop": {"pytest": {"version": "==8.1"}}}'},
        [("flask", "", "3.0.0", "main", True), ("pytest", ">=8", "8.1", "dev", True)]),
    "setup.cfg": ({"setup.cfg": "[metadata]\nname=x\n[options]\ninstall_requires=\n  flask>=2\n[options.extras_require]\nt=\n  pytest\n"},
                  [("flask", ">=2", "", "main", True), ("pytest", "", "", "optional:t", True)]),
    "npm": ({
        "package.json": '{"dependencies": {"react": "^18"}, "devDependencies": {"jest": "29"}, "peerDependencies": {"vue": "*"}}',
        "package-lock.json": '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/react": {"version": "18.2.0"}, '
                             '"node_modules/a/node_modules/@s/b": {"version": "1.0.0", "dev": true}, "node_modules/jest": {"version": "29.7.0"}}}'},
        [("@s/b", "", "1.0.0", "dev", False), ("jest", "29", "29.7.0", "dev", True), ("react", "^18", "18.2.0", "main", True),
         ("vue", "*", "", "peer", True)]),
    "yarn": ({
        "package.json": '{"dependencies": {"@s/a": "^1.0.0"}}',
        "yarn.lock": '# yarn lockfile v1\n\n"@s/a@^1.0.0", "@s/a@^1.1.0":\n  version "1.2.0"\n\nb@~2:\n  version "2.0.1"\n'},
        [("@s/a", "^1.0.0", "1.2.0", "main", True), ("b", "", "2.0.1", "main", False)]),
    "yarn berry": ({
        "package.json": '{"dependencies": {"a": "^1.0.0"}}',
        "yarn.lock": '__metadata:\n  version: 8\n\n"a@npm:^1.0.0":\n  version: 1.4.0\n  resolution: "a@npm:1.4.0"\n\n"x@workspace:.":\n  version: 0.0.0-use.local\n'},
        [("__metadata:", "", "8", "main", False), ("a", "^1.0.0", "1.4.0", "main", True)][1:]),
    "pnpm": ({
        "package.json": '{"dependencies": {"a": "^1.0.0"}}',
        "pnpm-lock.yaml": "lockfileVersion: '9.0'\npackages:\n  a@1.2.3:\n    resolution: {integrity: x}\n  '@s/b@2.0.0(react@18)':\n    resolution: {integrity: y}\n"},
        [("@s/b", "", "2.0.0", "main", False), ("a", "^1.0.0", "1.2.3", "main", True)]),
    "go": ({"go.mod": "module a/b\n\ngo 1.22\n\nrequire (\n\tgithub.com/x/y v1.2.3\n\tgolang.org/x/z v0.1.0 // indirect\n)\nreplace github.com/x/y => ../y\n"},
           [("github.com/x/y", "v1.2.3", "", "main", True), ("golang.org/x/z", "", "v0.1.0", "main", False)]),
    "cargo": ({
        "Cargo.toml": '[package]\nname="x"\n[dependencies]\nserde="1"\nown={path="../own"}\n[dev-dependencies]\nr={package="rand", version="0.8"}\n',
        "Cargo.lock": '[[package]]\nname="serde"\nversion="1.0.200"\nsource="registry+x"\n[[package]]\nname="x"\nversion="0.1.0"\n[[package]]\nname="rand"\nversion="0.8.5"\nsource="registry+x"\n'},
        [("rand", "0.8", "0.8.5", "dev", True), ("serde", "1", "1.0.200", "main", True)]),
    "maven": ({
        "pom.xml": "<project><properties><v>2.0</v></properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version>"
                   "</dependency><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13</version><scope>test</scope></dependency></dependencies></project>"},
        [("g:a", "2.0", "", "main", True), ("junit:junit", "4.13", "", "test", True)]),
    "gradle": ({"build.gradle": "dependencies {\n  implementation 'g:a:1.0'\n  testImplementation(\"org.junit.jupiter:junit-jupiter:5.10.0\")\n}\n"},
               [("g:a", "1.0", "", "main", True), ("org.junit.jupiter:junit-jupiter", "5.10.0", "", "test", True)]),
    "bundler": ({
        "Gemfile": "gem 'rails', '~> 7.1', '>= 7.1.2'\ngroup :test do\n  gem \"rspec\"\nend\n",
        "Gemfile.lock": "GEM\n  remote: https://rubygems.org/\n  specs:\n    rails (7.1.3)\n      rack (>= 2)\n    rspec (3.13.0)\n    nokogiri (1.16.0-x86_64-linux)\n\nPLATFORMS\n"},
        [("nokogiri", "", "1.16.0", "main", False), ("rails", "~> 7.1, >= 7.1.2", "7.1.3", "main", True), ("rspec", "", "3.13.0", "test", True)]),
    "composer": ({
        "composer.json": '{"require": {"php": ">=8", "Slim/slim": "^4"}, "require-dev": {"phpunit/phpunit": "^9"}}',
        "composer.lock": '{"packages": [{"name": "slim/slim", "version": "4.12.0"}], "packages-dev": [{"name": "phpunit/phpunit", "version": "9.6.1"}]}'},
        [("phpunit/phpunit", "^9", "9.6.1", "dev", True), ("slim/slim", "^4", "4.12.0", "main", True)]),
}


@pytest.mark.parametrize("name", CASES)
def test_each_manifest_and_lock_is_read(name):
    files, expected = CASES[name]

    assert listed(files) == sorted(expected)


@pytest.mark.parametrize(("files", "expected"), [
    ({"pyproject.toml": '[project]\ndependencies=["a>=2,<3"]\n[dependency-groups]\ndev=["a>=3.1"]\n'}, [("unsatisfiable", "a")]),
    ({"pyproject.toml": '[project]\ndependencies=["a>=2,<3"]\n[dependency-groups]\ndev=["a~=2.4"]\n'}, []),
    ({"pyproject.toml": '[project]\ndependencies=["a<1; python_version<\'3\'", "a>=1; python_version>=\'3\'"]\n'}, []),
    ({"requirements.txt": "a==1.0\n", "requirements-dev.txt": "a==1.1\n"}, [("duplicated", "a")]),
    ({"requirements.txt": "a==1.0\n", "requirements-dev.txt": "a==1.0.0\n"}, []),
    ({"requirements.txt": "a>1,<1.0.1\n", "constraints.txt": "a!=1.0.0\n"}, []),
    ({"requirements.txt": "a==1.*\n", "constraints.txt": "a>=2\n"}, [("unsatisfiable", "a")]),
    ({"pyproject.toml": '[project]\ndependencies=["a>=2"]\n', "uv.lock": '[[package]]\nname="a"\nversion="1.0"\n'}, [("locked-outside", "a")]),
    ({"pyproject.toml": '[project]\ndependencies=["a", "b"]\n', "uv.lock": '[[package]]\nname="a"\nversion="1.0"\n'}, [("missing-from-lock", "b")]),
    ({"package.json": '{"dependencies": {"a": "^2.0.0"}}', "package-lock.json": '{"packages": {"node_modules/a": {"version": "1.0.0"}}}'}, [("locked-outside", "a")]),
    ({"package.json": '{"dependencies": {"a": "^2.0.0", "b": "file:../b"}}', "package-lock.json": '{"packages": {"node_modules/a": {"version": "2.1.0"}}}'}, []),
    ({"package.json": '{"dependencies": {"a": "^2.0.0"}, "devDependencies": {"a": "^1.0.0"}}'}, [("unsatisfiable", "a")]),
    ({"package.json": '{"name": "w", "dependencies": {}}', "package-lock.json": "{}", "yarn.lock": ""}, [("two-managers", "w")]),
    ({"Cargo.toml": '[dependencies]\na="1.2"\n', "Cargo.lock": '[[package]]\nname="a"\nversion="1.1.0"\nsource="r"\n'}, [("locked-outside", "a")]),
    ({"Gemfile": "gem 'a', '~> 7.1'\n", "Gemfile.lock": "GEM\n  specs:\n    a (8.0.0)\n"}, [("locked-outside", "a")]),
    ({"Gemfile": "gem 'a', '~> 7.1'\n", "Gemfile.lock": "GEM\n  specs:\n    a (7.9.1)\n"}, []),
    ({"composer.json": '{"require": {"a/b": "^2"}}', "composer.lock": '{"packages": [{"name": "a/b", "version": "v1.9.0"}]}'}, [("locked-outside", "a/b")]),
    ({"package.json": '{"name": "m", "workspaces": ["p/*"]}', "package-lock.json": '{"packages": {"node_modules/a": {"version": "1.0.0"}}}',
      "p/q/package.json": '{"name": "q", "dependencies": {"a": "^2.0.0"}}'}, [("locked-outside", "a")]),
])
def test_conflicts_are_found_and_nothing_else_is_called_one(files, expected):
    assert clashes(files) == expected


def test_hostile_manifests_are_noted_and_not_believed():
    found = needed({
        "pom.xml": '<!DOCTYPE x [<!ENTITY a "aaaa">]><project/>', "package.json": "[" * 100_000, "composer.json": '{"require": []}',
        "pubspec.yaml": "a: &a [x, x]\nb: *a\n", "Cargo.toml": "=", "go.mod": "module \0\n", "requirements.txt": "\0\n;;;\n" + "a" * 100_000})

    assert [note.split(":")[0] for note in found.notes] == ["package.json", "Cargo.toml", "pom.xml", "pubspec.yaml"]
    assert found.conflicts == ()


@pytest.fixture
def advisory():
    return {"id": "OSV-1", "summary": "bad", "affected": [{"package": {"ecosystem": "PyPI", "name": "Flask"}, "ranges": [
        {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.2.5"}, {"introduced": "2.3.0"}, {"fixed": "2.3.2"}]}]}]}


@pytest.mark.parametrize(("version", "hit"), [
    ("2.2.4", True), ("2.2.5", False), ("2.2.5rc1", True), ("2.3.0", True), ("2.3.1", True), ("2.3.2", False), ("10.0", False), ("0.1", True)])
def test_a_version_in_use_is_looked_up_in_the_ranges_of_an_advisory(tmp_path, advisory, version, hit):
    (tmp_path / "one.json").write_text(json.dumps(advisory))

    found = needed({"requirements.txt": f"flask=={version}\n"}, advisories=tmp_path)

    assert [(one.id, one.version, one.fixed_in) for one in found.vulnerabilities] == (
        [("OSV-1", version, ("2.2.5", "2.3.2"))] if hit else [])
    assert found.audited["python"].startswith("audited by ")


def test_advisories_come_from_a_zip_too_and_withdrawn_ones_do_not_count(tmp_path, advisory):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as made:
        made.writestr("a.json", json.dumps(advisory | {"withdrawn": "2024-01-01T00:00:00Z"}))
        made.writestr("b.json", json.dumps({"id": "OSV-2", "affected": [{"package": {"ecosystem": "npm", "name": "react"}, "versions": ["18.0.0"]}]}))
        made.writestr("c.json", "[" * 100_000)

    found = needed({"requirements.txt": "flask==2.0\n", "package.json": '{"dependencies": {"react": "18.0.0"}}'}, advisories=tmp_path / "all.zip")

    assert [(one.id, one.name) for one in found.vulnerabilities] == [("OSV-2", "react")]


def test_without_advisories_it_is_said_out_loud_that_nobody_audited(tmp_path):
    assert needed({"requirements.txt": "flask==2.0\n"}).audited["python"].startswith("not audited: no advisory data")
    (tmp_path / "one.json").write_text('{"id": "X", "affected": [{"package": {"ecosystem": "npm", "name": "a"}}]}')
    assert needed({"requirements.txt": "flask==2.0\n"}, advisories=tmp_path).audited["python"].startswith("not audited: ")
    assert needed({"requirements.txt": "flask\n"}, advisories=tmp_path).audited["python"].startswith("not audited: no version is known")
    with pytest.raises(UsageError, match="neither a folder nor a zip"):
        needed({"requirements.txt": "flask==2.0\n"}, advisories=tmp_path / "none")
