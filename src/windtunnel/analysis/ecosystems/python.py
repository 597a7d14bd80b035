"""Python: pyproject.toml (PEP 621, PEP 735, Poetry), requirements, setup.cfg, Pipfile; locks of uv, Poetry, Pipenv."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from typing import Any

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at, json_of, list_in, table_in, text_in, toml_of
from windtunnel.analysis.listing import Listing

_REQUIREMENTS = re.compile(r"(?:dev-|test-)?(?:requirements|constraints)[\w.-]{0,40}\.(?:txt|in)$")
_NAME = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]{0,100}[A-Za-z0-9])?)\s{0,5}(?:\[[^\]]{0,200}\])?\s{0,5}\(?([^;@#)]{0,200})\)?"
    r"\s{0,5}(?:@\s{0,5}([^;#]{1,300}))?(;[^#]{0,300})?"
)
_GROUP_WORDS = (("dev", "dev"), ("test", "test"), ("lint", "dev"), ("doc", "docs"), ("build", "build"))
_SETUP_NAME = re.compile(r"\bname\s{0,5}=\s{0,5}[\"']([\w.-]{1,100})[\"']")
_SETUP_LIST = re.compile(r"\b(install_requires|tests_require|setup_requires)\s{0,5}=\s{0,5}\[([^\]]{0,8000})\]")
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,200})[\"']")
_MOST_LINES = 20_000


def normal(name: str) -> str:
    """As PEP 503 compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found:
    """All of a folder's manifests and locks together."""
    found = Found(folder=folder, ecosystem="python")
    for name in sorted(names):
        path = at(folder, name)
        if name == "pyproject.toml":
            _pyproject(listing, found, path)
        elif _REQUIREMENTS.match(name):
            found.manifests.append(path)
            _requirements(listing, found, path, group=_group(name))
        elif name in _READERS:
            _READERS[name](listing, found, path)
    for path in (at(folder, f"requirements/{name}") for name in _inner(listing, folder)):
        found.manifests.append(path)
        _requirements(listing, found, path, group=_group(path.rpartition("/")[2]))
    found.manager = _manager(found, names)
    found.entry_points += [at(folder, name) for name in ("manage.py", "app.py", "main.py", "wsgi.py", "asgi.py",
                                                          "__main__.py", "server.py", "run.py") if name in names]
    return found


def _inner(listing: Listing, folder: str) -> list[str]:
    prefix = at(folder, "requirements/")
    return [name[len(prefix):] for name in listing.below(at(folder, "requirements"))
            if name.endswith((".txt", ".in")) and "/" not in name[len(prefix):]][:20]


def _manager(found: Found, names: tuple[str, ...]) -> str:
    for lock, manager in (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile", "pipenv"),
                          ("environment.yml", "conda")):
        if lock in names:
            return manager
    for key, manager in (("tool.poetry", "poetry"), ("tool.uv", "uv"), ("tool.pdm", "pdm"), ("tool.hatch", "hatch")):
        if key in found.keys and (key != "tool.hatch" or "tool.hatch.envs" in found.keys):
            return manager
    return "pip"


def _group(name: str) -> str:
    low = name.lower()
    if low.startswith("constraints"):
        return "constraints"
    return next((group for word, group in _GROUP_WORDS if word in low), "main")


def _wish(found: Found, line: object, *, file: str, group: str = "main") -> None:
    """One requirement as PEP 508 writes it."""
    match = _NAME.match(line.strip()) if isinstance(line, str) else None
    if match is None:
        return
    marker = match[4] or ""
    wanted = f"@ {match[3].strip()}" if match[3] else match[2].strip()
    found.want(normal(match[1]), f"{wanted}{marker.rstrip()}" if marker else wanted, file=file, group=group)


def _requirements(listing: Listing, found: Found, path: str, *, group: str) -> None:
    text = listing.text(path).replace("\\\n", " ")
    compiled = path.endswith(".txt") and listing.has(f"{path[:-4]}.in")
    if compiled:
        found.manifests.remove(path)
        found.locks.append(path)
    for line in text.split("\n")[:_MOST_LINES]:
        plain = line.split(" #")[0].split(" --")[0].strip()
        if plain and not plain.startswith(("-", "#", "http:", "https:", "git+", ".", "/")):
            if compiled:
                _pin(found, plain, path=path, group=group)
            else:
                _wish(found, plain, file=path, group=group)


def _pin(found: Found, line: str, *, path: str, group: str) -> None:
    """A line that a tool wrote into X.txt from X.in: chosen, not wished for."""
    match = _NAME.match(line)
    if match and match[2].strip().startswith("=="):
        found.lock(normal(match[1]), match[2].strip().removeprefix("=="), file=path, group=group)


def _pyproject(listing: Listing, found: Found, path: str) -> None:
    found.manifests.append(path)
    told = toml_of(listing, path)
    project = table_in(told, "project")
    found.name = text_in(project, "name") or text_in(told, "tool", "poetry", "name") or found.name
    found.keys |= {f"tool.{name}" for name in table_in(told, "tool")}
    found.keys |= {f"tool.hatch.{name}" for name in table_in(told, "tool", "hatch")}
    if backend := text_in(told, "build-system", "build-backend"):
        found.keys.add(f"backend:{backend.split('.')[0].split(':')[0]}")
    for line in list_in(project, "dependencies"):
        _wish(found, line, file=path)
    for name, lines in table_in(project, "optional-dependencies").items():
        for line in lines if isinstance(lines, list) else ():
            _wish(found, line, file=path, group=f"optional:{name}")
    for name, lines in table_in(told, "dependency-groups").items():
        for line in lines if isinstance(lines, list) else ():
            _wish(found, line, file=path, group=name)
    for line in list_in(told, "build-system", "requires"):
        _wish(found, line, file=path, group="build")
    _poetry(found, table_in(told, "tool", "poetry"), path)
    for line in list_in(told, "tool", "uv", "dev-dependencies"):
        _wish(found, line, file=path, group="dev")
    for kind in ("scripts", "gui-scripts"):
        found.entry_points += [f"{name} = {where}" for name, where in table_in(project, kind).items()
                               if isinstance(where, str)]
    found.workspace = found.workspace or "workspace" in table_in(told, "tool", "uv")


def _poetry(found: Found, told: Mapping[str, Any], path: str) -> None:
    groups = {"main": table_in(told, "dependencies"), "dev": table_in(told, "dev-dependencies")}
    groups |= {name: table_in(one, "dependencies") for name, one in table_in(told, "group").items()}
    for group, wanted in groups.items():
        for name, given in wanted.items():
            if name.lower() != "python":
                version = given if isinstance(given, str) else text_in(given, "version")
                found.want(normal(name), _poetry_range(version), file=path, group=group)
    found.entry_points += [f"{name} = {where}" for name, where in table_in(told, "scripts").items()
                           if isinstance(where, str)]


def _poetry_range(text: str) -> str:
    """Poetry's ``^1.2`` and ``~1.2`` as PEP 440 writes them; other ranges as they are."""
    parts = [part.strip() for part in text.split(",")]
    return ",".join(_widened(part) for part in parts if part and part != "*")


def _widened(part: str) -> str:
    match = re.fullmatch(r"([\^~]?)\s?(\d{1,9}(?:\.\d{1,9}){0,3})((?:a|b|rc)\d{1,5})?", part)
    if match is None:
        return part
    numbers = [int(number) for number in match[2].split(".")]
    if not match[1]:
        return f"=={part}"
    if match[1] == "~":
        upper = [*numbers[:1], numbers[1] + 1] if len(numbers) > 1 else [numbers[0] + 1]
    else:
        at_ = next((at_ for at_, number in enumerate(numbers) if number), len(numbers) - 1)
        upper = [*numbers[:at_], numbers[at_] + 1]
    return f">={match[2]}{match[3] or ''},<{'.'.join(map(str, upper))}"


def _setup_cfg(listing: Listing, found: Found, path: str) -> None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(listing.text(path))
    except configparser.Error as error:
        listing.note(path, f"not understood: {str(error).splitlines()[0]}")
        return
    found.keys |= {f"tool.{section.removeprefix('tool:')}" for section in parser.sections()}
    if parser.has_section("metadata") or parser.has_section("options"):
        found.manifests.append(path)
    found.name = found.name or parser.get("metadata", "name", fallback="")
    for line in parser.get("options", "install_requires", fallback="").splitlines():
        _wish(found, line, file=path)
    if parser.has_section("options.extras_require"):
        for name, lines in parser.items("options.extras_require"):
            for line in lines.splitlines():
                _wish(found, line, file=path, group=f"optional:{name}")


def _setup_py(listing: Listing, found: Found, path: str) -> None:
    """Only what stands there as literal text: nothing is run."""
    found.manifests.append(path)
    text = listing.text(path)[:200_000]
    named = _SETUP_NAME.search(text)
    found.name = found.name or (named[1] if named else "")
    for kind, inner in _SETUP_LIST.findall(text):
        for line in _QUOTED.findall(inner):
            _wish(found, line, file=path, group={"tests_require": "test", "setup_requires": "build"}.get(kind, "main"))


def _pipfile(listing: Listing, found: Found, path: str) -> None:
    found.manifests.append(path)
    told = toml_of(listing, path)
    for section, group in (("packages", "main"), ("dev-packages", "dev")):
        for name, given in table_in(told, section).items():
            version = given if isinstance(given, str) else text_in(given, "version")
            found.want(normal(name), "" if version == "*" else version, file=path, group=group)
    found.scripts |= {name: line for name, line in table_in(told, "scripts").items() if isinstance(line, str)}


def _pipfile_lock(listing: Listing, found: Found, path: str) -> None:
    found.locks.append(path)
    told = json_of(listing, path)
    found.complete = True
    for section, group in (("default", "main"), ("develop", "dev")):
        for name, given in table_in(told, section).items():
            found.lock(normal(name), text_in(given, "version").removeprefix("=="), file=path, group=group)


def _toml_lock(listing: Listing, found: Found, path: str) -> None:
    found.locks.append(path)
    told = toml_of(listing, path)
    found.complete = True
    for one in list_in(told, "package"):
        if not any(key in table_in(one, "source") for key in ("editable", "virtual", "directory", "workspace")):
            found.lock(normal(text_in(one, "name")), text_in(one, "version"), file=path)


def _environment(listing: Listing, found: Found, path: str) -> None:
    found.manifests.append(path)
    for line in listing.text(path).split("\n")[:_MOST_LINES]:
        match = re.match(r"\s{1,10}-\s([A-Za-z][\w.-]{0,80})\s{0,3}(=[^\s#]{1,80})?", line)
        if match and match[1] not in ("python", "pip", "conda-forge", "defaults"):
            found.want(normal(match[1]), match[2] or "", file=path)


def _tox(listing: Listing, found: Found, path: str) -> None:
    found.keys.add("tool.tox")
    if "[pytest]" in listing.text(path):
        found.keys.add("tool.pytest")


_READERS = {
    "setup.cfg": _setup_cfg, "setup.py": _setup_py, "Pipfile": _pipfile, "Pipfile.lock": _pipfile_lock,
    "uv.lock": _toml_lock, "poetry.lock": _toml_lock, "pdm.lock": _toml_lock, "environment.yml": _environment,
    "tox.ini": _tox,
}
ECOSYSTEM = Ecosystem(
    name="python",
    read=read,
    manifests=(
        "pyproject.toml",
        "requirements*.txt",
        "requirements*.in",
        "setup.py",
        "Pipfile",
        "environment.yml",
        "setup.cfg",
        "manage.py",
    ),
)
