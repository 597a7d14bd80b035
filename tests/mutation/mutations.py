"""Small projects, mutated in a real sandbox."""

from __future__ import annotations

from dataclasses import replace

from windtunnel.engine.mutation import Mutation, mutate

QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""What is installed beside Windtunnel has nothing to do with these projects, and takes time to load."""


def write(folder, files):
    """The files in a folder of their own."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def judge(tunnel, project, **options):
    """What becomes of its mutants; few of them by default, two at a time."""
    given = {"operators": ("arithmetic", "constants"), "sample": 0, "jobs": 2, "test": "pytest", "env": QUICK, "seconds": 500.0}
    return mutate(tunnel.rig, Mutation(project=project, **{**given, **options}))


def fates(result):
    """Where each mutant is, what it changes, and what became of it."""
    return [(one.mutant.path, one.mutant.line, one.mutant.description, str(one.fate)) for one in result.judged]


def bare(result):
    """A result without what differs from run to run."""
    return replace(result, execution_time=0.0, judged=())
