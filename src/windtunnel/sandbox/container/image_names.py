"""Names of images: the grammar they must keep to before they reach an engine, and the names of our own."""

from __future__ import annotations

import re

from windtunnel.core.errors import UsageError
from windtunnel.sandbox.container.engine import words

_MOST = 255
_COMPONENT = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9a-fA-F:]+\])(?::[0-9]{{1,5}})?"
_NAME = rf"(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*"
_TAG = r":[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = r"@sha256:[0-9a-f]{64}"
_REFERENCE = re.compile(rf"{_NAME}(?:{_TAG})?(?:{_DIGEST})?")
_OWN = re.compile(rf"{_NAME}(?:{_TAG})?")


def check_reference(text: object, *, field: str) -> str:
    """The reference of an image, as its grammar has it: never an option, a path or a word with a space in it."""
    if not isinstance(text, str) or len(text) > _MOST or _REFERENCE.fullmatch(text) is None:
        raise _refusal(text, field=field)
    return text


def check_name(text: object, *, field: str) -> str:
    """A name that an image of ours may get: a reference without a digest, which only content can have."""
    if not isinstance(text, str) or len(text) > _MOST or _OWN.fullmatch(text) is None:
        raise _refusal(text, field=field)
    return text


def local_name(language: str) -> str:
    """The name of the image that is built here for a language."""
    plain = language.replace("+", "p").replace("#", "sharp")
    return f"windtunnel/{re.sub('[^a-z0-9]+', '-', plain).strip('-')}:local"


def spellings(name: str) -> frozenset[str]:
    """How engines may spell a name of ours: Podman adds where it would look for it."""
    return frozenset({name, f"localhost/{name}", f"docker.io/{name}", f"docker.io/library/{name}"})


def _refusal(text: object, *, field: str) -> UsageError:
    shown = repr(words(text, most=80)) if isinstance(text, str) else type(text).__name__
    return UsageError(f"{field}: not the name of an image: {shown} (try python:3.11-slim or my/image:1)", field=field)
