"""``windtunnel image``: build, list, remove."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, json_text, seconds, size, table, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windtunnel.engine.images import Built
    from windtunnel.languages import LanguageTable
    from windtunnel.sandbox.container.engine import Engine

_SOURCES = ("host", "files", "packages")
_ENGINES = ("docker", "podman")
_MADE_OF = ("host: nothing but folders, the host's own tools are shown in it read-only (the default); files: a copy of "
            "those tools; packages: the distribution's packages, by mmdebstrap")


def add(commands: Any) -> None:  # noqa: ANN401
    """Its arguments."""
    made = commands.add_parser("image", help="images for the container level, made here without a registry")
    acts = made.add_subparsers(dest="image_act", metavar="ACT", required=True, help="what to do")
    build = acts.add_parser("build", help="make an image for a language; without one, for all that are installed here")
    build.add_argument("languages", nargs="*", metavar="LANGUAGE", help="a language by its name or alias")
    build.add_argument("--from", dest="source", choices=_SOURCES, default="host", help=_MADE_OF)
    build.add_argument("--name", help="another name than windtunnel/LANGUAGE:local; set it in the key images to use it")
    build.set_defaults(act=act_build)
    listed = acts.add_parser("list", help="the images that were built here")
    listed.set_defaults(act=act_list)
    removed = acts.add_parser("remove", help="forget images that were built here")
    removed.add_argument("images", nargs="*", metavar="IMAGE", help="a language, or the name of an image")
    removed.add_argument("--all", action="store_true", help="all of them")
    removed.set_defaults(act=act_remove)
    for one in (build, listed, removed):
        one.add_argument("--engine", choices=_ENGINES, help="which engine; without it, the first that answers")
        one.add_argument("--json", action="store_true", help="as JSON")


def act_build(chosen: argparse.Namespace) -> int:
    """Make them; progress goes to standard error."""
    from windtunnel.engine.images import Source, plans  # noqa: PLC0415 -- each command loads only its own
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    planned = plans(_languages(), chosen.languages, source=Source(chosen.source), name=chosen.name)
    engine = _engine(chosen)
    with Tunnel(pool_size=0, tell=tell) as tunnel:
        _show(tunnel.build_images(engine, planned), as_json=chosen.json)
    return 0


def act_list(chosen: argparse.Namespace) -> int:
    """Show them."""
    from windtunnel.engine.images import list_images  # noqa: PLC0415

    _show(list_images(_engine(chosen)), as_json=chosen.json)
    return 0


def act_remove(chosen: argparse.Namespace) -> int:
    """Forget them."""
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    engine = _engine(chosen)
    with Tunnel(pool_size=0, tell=tell) as tunnel:
        removed = tunnel.remove_images(engine, chosen.images, everything=chosen.all)
    print(json_text({"removed": removed}) if chosen.json else "\n".join(f"{clean(name)} removed" for name in removed)
          or "there are no images of ours")
    return 0


def _engine(chosen: argparse.Namespace) -> Engine:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.sandbox.container.find import find_engine  # noqa: PLC0415

    return find_engine(chosen.engine or config.load().engine or None)


def _languages() -> LanguageTable:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.languages import LanguageTable  # noqa: PLC0415
    from windtunnel.languages.custom import language_from  # noqa: PLC0415

    return LanguageTable(language_from(given) for given in config.load().languages)


def _show(rows: Sequence[Built], *, as_json: bool) -> None:
    if as_json:
        print(json_text(list(rows)))
        return
    shown = [[row.language, row.name or "-", row.files, size(row.size), row.engine, row.id.removeprefix("sha256:")[:12],
              seconds(row.seconds)] for row in rows]
    print(table(shown, head=["language", "image", "files", "size", "engine", "id", "took"]))
