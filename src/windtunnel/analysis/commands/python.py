"""Python: installs go into ``.venv`` inside the project's copy, where all later commands find their programs."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made
from windtunnel.core.analysis import Framework, Part, ProjectCommand, Purpose

VENV = "python3 -m venv .venv"
_PIP = ".venv/bin/python3 -m pip install --disable-pip-version-check"
_REQUIREMENTS = ("requirements.txt", "requirements-dev.txt", "requirements/dev.txt", "dev-requirements.txt",
                 "requirements-test.txt", "test-requirements.txt")
_TESTS = {"tox": "tox", "nox": "nox"}
_RUNNERS = {"poetry": "poetry run ", "uv": "uv run ", "pdm": "pdm run ", "pipenv": "pipenv run "}


def find(look: Look) -> Iterator[ProjectCommand]:
    """By the manager first, then by the tools that the project is set up for."""
    manager = _manager(look)
    yield from _install(look, manager)
    run = _RUNNERS.get(manager, "")
    yield from _checks(look, run)
    yield from _tests(look, run)
    yield from _start(look, run)
    if look.has("pyproject.toml", "setup.py") and look.part.name:
        yield made(Purpose.BUILD, "python3 -m compileall -q .", why="convention: every file must at least compile")
    audited = look.has(*_REQUIREMENTS)
    file = f" -r {audited}" if audited else ""
    yield made(Purpose.AUDIT, f"{run}pip-audit{file}", why="convention", network=True)


def _manager(look: Look) -> str:
    for lock, manager in (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile.lock", "pipenv"),
                          ("Pipfile", "pipenv")):
        if look.lock(lock):
            return manager
    return look.part.manager if look.part.manager in _RUNNERS else "pip"


def _install(look: Look, manager: str) -> Iterator[ProjectCommand]:
    locked = look.lock("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
    commands = {
        "uv": "uv sync --locked" if locked else "uv sync",
        "poetry": "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
        "pdm": "PDM_USE_VENV=1 pdm install", "pipenv": "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev" if locked
        else "PIPENV_VENV_IN_PROJECT=1 pipenv install --dev"}
    if manager in commands:
        yield made(Purpose.INSTALL, commands[manager], why=locked or f"manager: {manager}", network=True)
        return
    files = [name for name in _REQUIREMENTS if look.has(name)]
    package = look.has("pyproject.toml", "setup.py", "setup.cfg") if _is_package(look) else ""
    wanted = [f"-r {name}" for name in files] + (["-e ."] if package else [])
    if wanted:
        why = ", ".join(filter(None, [*files, package]))
        yield made(Purpose.INSTALL, f"{VENV} && {_PIP} {' '.join(wanted)}", why=why, network=True)


def _is_package(look: Look) -> bool:
    """Whether there is something to install besides the requirements; a file of settings alone is no package."""
    return bool(look.has("setup.py", "setup.cfg") or (look.has("pyproject.toml") and look.part.name))


def _checks(look: Look, run: str) -> Iterator[ProjectCommand]:
    if look.tool("ruff"):
        yield made(Purpose.LINT, f"{run}ruff check .", why="set up for ruff")
    elif look.tool("flake8"):
        yield made(Purpose.LINT, f"{run}flake8", why="set up for flake8")
    elif look.tool("pylint"):
        yield made(Purpose.LINT, f"{run}pylint --recursive=y .", why="set up for pylint")
    if look.tool("mypy"):
        yield made(Purpose.LINT, f"{run}mypy .", why="set up for mypy")
    if look.tool("pyright"):
        yield made(Purpose.LINT, f"{run}pyright", why="set up for pyright")
    if look.tool("black"):
        yield made(Purpose.FORMAT, f"{run}black .", why="set up for black", writes=True)
    elif look.tool("ruff"):
        yield made(Purpose.FORMAT, f"{run}ruff format .", why="set up for ruff", writes=True)


def _tests(look: Look, run: str) -> Iterator[ProjectCommand]:
    chosen = look.tool("pytest", "tox", "nox", "unittest")
    django = any(one.name.lower() == "django" for one in look.part.frameworks) and look.has("manage.py")
    file = _test_file(look)
    if chosen == "pytest" or look.has("pytest.ini", "conftest.py"):
        yield made(Purpose.TEST, f"{run}python3 -m pytest", why="tests for pytest")
    elif django:
        yield made(Purpose.TEST, f"{run}python3 manage.py test", why="manage.py")
    elif chosen in _TESTS:
        yield made(Purpose.TEST, f"{run}{_TESTS[chosen]}", why=f"set up for {chosen}", network=True)
    elif chosen == "unittest" or file:
        below = posixpath.dirname(file)
        start = f" -s {shlex.quote(below)}" if below and f"{below}/__init__.py" not in look.names else ""
        yield made(Purpose.TEST, f"{run}python3 -m unittest discover{start}", why=file or "tests for unittest")


def _test_file(look: Look) -> str:
    found = sorted(name for name in look.names if name.endswith(".py")
                   and posixpath.basename(name).startswith("test") and name.count("/") <= 1)
    return found[0] if found else ""


def _start(look: Look, run: str) -> Iterator[ProjectCommand]:
    frameworks = {one.name.lower() for one in look.part.frameworks}
    module = look.has("main.py", "app.py", "server.py", "src/main.py", "__main__.py")
    name = posixpath.splitext(module)[0].replace("/", ".")
    if "django" in frameworks and look.has("manage.py"):
        yield made(Purpose.START, f"{run}python3 manage.py runserver --noreload", why="manage.py", ends=False)
    elif frameworks & {"fastapi", "starlette"} and module:
        yield made(Purpose.START, f"{run}python3 -m uvicorn {name}:app", why=module, ends=False)
    elif "flask" in frameworks and module:
        yield made(Purpose.START, f"{run}python3 -m flask --app {name} run", why=module, ends=False)
    elif module:
        yield made(Purpose.START, f"{run}python3 {module}", why=module, ends=False)


def _part(**more: object) -> Part:
    return Part(folder="", ecosystem="python", **more)  # type: ignore[arg-type]  # examples are written by hand


ECOSYSTEM = Ecosystem(name="python", find=find, examples=(
    Example(part=_part(manager="pip", manifests=("requirements.txt",), tests=("pytest",), tools=("ruff",)),
            names=("requirements.txt", "app.py", "tests/test_app.py"), commands=(
        (Purpose.INSTALL, f"{VENV} && {_PIP} -r requirements.txt"),
        (Purpose.LINT, "ruff check ."), (Purpose.FORMAT, "ruff format ."), (Purpose.TEST, "python3 -m pytest"),
        (Purpose.START, "python3 app.py"), (Purpose.AUDIT, "pip-audit -r requirements.txt"))),
    Example(part=_part(manager="uv", locks=("uv.lock",), tests=("pytest",)), names=("pyproject.toml", "uv.lock"),
            commands=((Purpose.INSTALL, "uv sync --locked"), (Purpose.TEST, "uv run python3 -m pytest"),
                      (Purpose.AUDIT, "uv run pip-audit"))),
    Example(part=_part(frameworks=(Framework(name="Django", kind="web", why=""),)),
            names=("manage.py", "shop/models.py"), commands=((Purpose.TEST, "python3 manage.py test"),
                      (Purpose.START, "python3 manage.py runserver --noreload"), (Purpose.AUDIT, "pip-audit"))),
    Example(part=_part(), names=("calc.py", "tests/test_calc.py"), commands=(
        (Purpose.TEST, "python3 -m unittest discover -s tests"), (Purpose.AUDIT, "pip-audit"))),
    Example(part=_part(), names=("notes.md",), commands=((Purpose.AUDIT, "pip-audit"),)),
))
