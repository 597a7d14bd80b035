"""Java, Kotlin, Scala: pom.xml and Gradle's build files, of which only literal text is read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at, table_in, text_in, toml_of
from windtunnel.analysis.listing import Listing

_GRADLE = ("build.gradle", "build.gradle.kts")
_LINE = re.compile(r"\b(implementation|api|compileOnly|runtimeOnly|testImplementation|testRuntimeOnly|testCompileOnly|"
                   r"annotationProcessor|kapt|ksp|developmentOnly|androidTestImplementation|debugImplementation|compile|"
                   r"testCompile|classpath)\b[\s(]{0,5}(?:platform\(|enforcedPlatform\(|kotlin\()?\s{0,3}"
                   r"[\"']([\w.$-]{1,150})(?::([\w.$-]{1,150}))?(?::([^\"'\s:@]{1,80}))?[\"']")
_ALIAS = re.compile(
    r"\b(implementation|api|testImplementation|compileOnly|runtimeOnly)\b[\s(]{0,5}libs\.([\w.]{1,150})"
)
_PLUGIN = re.compile(r"\bid[\s(]{1,5}[\"']([\w.-]{1,150})[\"']\)?(?:\s{1,5}version\s{1,5}[\"']([^\"'\s]{1,60})[\"'])?")
_SHORT_PLUGIN = re.compile(
    r"^\s{1,12}(application|java|`java-library`|`java`|war|checkstyle|pmd|jacoco)\s*$", re.MULTILINE
)
_KOTLIN_PLUGIN = re.compile(r"\bkotlin\([\"']([\w.-]{1,60})[\"']\)")
_MAIN = re.compile(r"\bmainClass(?:Name)?(?:\.set\()?[\s=(]{0,5}[\"']([\w.$]{1,200})[\"']")
_ROOT = re.compile(r"rootProject\.name\s{0,3}=\s{0,3}[\"']([\w .-]{1,100})[\"']")
_PROPERTY = re.compile(r"\$\{([\w.-]{1,100})\}")
_MOST_TEXT = 500_000


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found | None:
    """One module; Maven where both are there."""
    if "pom.xml" in names:
        return _maven(listing, folder)
    made = [at(folder, name) for name in _GRADLE if name in names]
    settings = [at(folder, name) for name in ("settings.gradle", "settings.gradle.kts") if name in names]
    if not made and not settings:
        return None
    found = Found(folder=folder, ecosystem="java", manager="gradle", manifests=[*made, *settings])
    for path in settings:
        named = _ROOT.search(listing.text(path)[:_MOST_TEXT])
        found.name = named[1] if named else found.name
    for path in made:
        _gradle(listing, found, path, catalog=_catalog(listing, folder))
    found.locks = [at(folder, "gradle.lockfile")] if "gradle.lockfile" in names else []
    return found


def _gradle(listing: Listing, found: Found, path: str, *, catalog: dict[str, tuple[str, str]]) -> None:
    text = listing.text(path)[:_MOST_TEXT]
    for kind, group, artifact, version in _LINE.findall(text):
        found.want(f"{group}:{artifact}" if artifact else group, version, file=path, group=_group(kind))
    for kind, alias in _ALIAS.findall(text):
        name, version = catalog.get(alias.replace(".", "-"), (alias, ""))
        found.want(name, version, file=path, group=_group(kind))
    for plugin, version in _PLUGIN.findall(text):
        found.keys.add(f"plugin:{plugin}")
        if version:
            found.want(plugin, version, file=path, group="build")
    found.keys |= {f"plugin:{one.strip('`')}" for one in _SHORT_PLUGIN.findall(text)}
    found.keys |= {f"plugin:kotlin-{one}" for one in _KOTLIN_PLUGIN.findall(text)}
    if "useJUnitPlatform" in text:
        found.keys.add("junit-platform")
    found.entry_points += _MAIN.findall(text)


def _catalog(listing: Listing, folder: str) -> dict[str, tuple[str, str]]:
    """Libraries of a version catalog, by their alias."""
    for path in (at(folder, "gradle/libs.versions.toml"), "gradle/libs.versions.toml"):
        if listing.has(path):
            told = toml_of(listing, path)
            return {alias.replace("_", "-").replace(".", "-"): _library(one, table_in(told, "versions"))
                    for alias, one in table_in(told, "libraries").items()}
    return {}


def _library(one: object, versions: object) -> tuple[str, str]:
    if isinstance(one, str):
        group, _, rest = one.partition(":")
        artifact, _, version = rest.partition(":")
        return f"{group}:{artifact}", version
    name = text_in(one, "module") or f"{text_in(one, 'group')}:{text_in(one, 'name')}"
    return name, text_in(one, "version") or text_in(versions, text_in(one, "version", "ref"))


def _group(kind: str) -> str:
    low = kind.lower()
    if "test" in low:
        return "test"
    return "build" if low in ("classpath", "annotationprocessor", "kapt", "ksp") else "main"


def _maven(listing: Listing, folder: str) -> Found:
    path = at(folder, "pom.xml")
    found = Found(folder=folder, ecosystem="java", manager="maven", manifests=[path])
    top = _xml(listing, path)
    if top is None:
        return found
    properties = {_tag(one): (one.text or "").strip() for one in _below(top, "properties")}
    own = {_tag(one): (one.text or "").strip() for one in top}
    parent = {_tag(one): (one.text or "").strip() for one in _below(top, "parent")}
    properties |= {"project.version": own.get("version") or parent.get("version", "")}
    found.name = own.get("artifactId", "")
    if parent.get("artifactId"):
        found.keys.add(f"parent:{parent['artifactId']}")
        found.want(
            f"{parent.get('groupId', '')}:{parent['artifactId']}", parent.get("version", ""), file=path, group="build"
        )
    for section, group in ((top, ""), (_child(top, "dependencyManagement"), "managed")):
        for one in _below(section, "dependencies") if section is not None else ():
            told = {_tag(inner): (inner.text or "").strip() for inner in one}
            found.want(_filled(f"{told.get('groupId', '')}:{told.get('artifactId', '')}", properties),
                       _filled(told.get("version", ""), properties), file=path,
                       group=group or {"test": "test", "provided": "provided"}.get(told.get("scope", ""), "main"))
    build = _child(top, "build")
    for one in _below(build, "plugins") if build is not None else ():
        named = next((inner.text or "" for inner in one if _tag(inner) == "artifactId"), "")
        found.keys.add(f"plugin:{named.strip()}")
    return found


def _filled(text: str, properties: dict[str, str]) -> str:
    return _PROPERTY.sub(lambda match: properties.get(match[1], match[0])[:100], text)[:300]


def _xml(listing: Listing, path: str) -> ET.Element | None:
    """The top of an XML file; one with a document type is refused, since entities can grow without end."""
    text = listing.text(path)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        listing.note(path, "not read: it has a document type")
        return None
    try:
        return ET.fromstring(text)  # noqa: S314 -- without a document type there are no entities to expand
    except (ET.ParseError, ValueError) as error:
        listing.note(path, f"not understood: {error}")
        return None


def _tag(one: ET.Element) -> str:
    return str(one.tag).rpartition("}")[2]


def _child(top: ET.Element, name: str) -> ET.Element | None:
    return next((one for one in top if _tag(one) == name), None)


def _below(top: ET.Element, name: str) -> Iterator[ET.Element]:
    child = _child(top, name)
    return iter(child if child is not None else ())


ECOSYSTEM = Ecosystem(name="java", read=read, manifests=("pom.xml", *_GRADLE, "settings.gradle", "settings.gradle.kts"))
