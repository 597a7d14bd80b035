"""Small projects whose sections are called in a real sandbox."""

from __future__ import annotations

from windtunnel.engine.simulate.calling import Place, explore_in, replay_in
from windtunnel.sections.find import find


def write(folder, files):
    """The files in a folder of their own."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def explored(tunnel, project, **options):
    """What was found for each section, by its name."""
    given = {"seconds": 1.0, "jobs": 2, "sections": find(project).sections, **options}
    calling = explore_in(tunnel.rig, Place(project=str(project)), **given)
    return {one.section.name: one for one in calling.called}


def replayed(tunnel, project, calls, *, files=None, **options):
    """How these calls ended this time."""
    place = Place(project=str(project), files=files or {})
    return replay_in(tunnel.rig, place, calls=calls, **{"seconds": 1.0, **options})


def calls_of(found):
    """All calls of what was explored."""
    return [end.call for one in found.values() for end in one.ends]


def ends(called):
    """How each call of a section ended, with the error."""
    return [(str(end.call), str(end.how), end.error) for end in called.ends]
