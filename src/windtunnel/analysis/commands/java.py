"""Java and Kotlin: the project's own Maven or Gradle before the machine's; plain folders by javac."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made, targets
from windtunnel.core.analysis import Part, ProjectCommand, Purpose

_GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


def find(look: Look) -> Iterator[ProjectCommand]:
    """Maven, Gradle, or sources alone."""
    gradle = look.has(*_GRADLE)
    if look.has("pom.xml") and look.part.manager != "gradle":
        yield from _maven(look)
    elif gradle:
        yield from _gradle(look, gradle)
    else:
        better = list(targets(look))
        yield from better
        if not any(one.purpose is Purpose.BUILD for one in better) and look.some(".java"):
            yield made(Purpose.BUILD, "find . -name '*.java' -not -path './out/*' | sort > .sources && "
                       "javac -d out @.sources && rm .sources", why=look.some(".java"), writes=True)


def _maven(look: Look) -> Iterator[ProjectCommand]:
    mvn = "./mvnw" if look.has("mvnw") else "mvn"
    spring = any("spring" in one.name.lower() for one in look.part.frameworks)
    yield made(Purpose.INSTALL, f"{mvn} -B -q dependency:go-offline", why="pom.xml", network=True)
    yield made(Purpose.BUILD, f"{mvn} -B -q -DskipTests package", why="pom.xml")
    yield made(Purpose.TEST, f"{mvn} -B test", why="pom.xml")
    if look.tool("checkstyle"):
        yield made(Purpose.LINT, f"{mvn} -B checkstyle:check", why="set up for checkstyle")
    if look.tool("spotless"):
        yield made(Purpose.FORMAT, f"{mvn} -B spotless:apply", why="set up for spotless", writes=True)
    if spring:
        yield made(Purpose.START, f"{mvn} -B spring-boot:run", why="Spring Boot", ends=False)


def _gradle(look: Look, file: str) -> Iterator[ProjectCommand]:
    gradle = "./gradlew" if look.has("gradlew") else "gradle"
    yield made(Purpose.INSTALL, f"{gradle} --no-daemon dependencies", why=file, network=True)
    yield made(Purpose.BUILD, f"{gradle} --no-daemon assemble", why=file)
    yield made(Purpose.TEST, f"{gradle} --no-daemon test", why=file)
    if look.tool("checkstyle", "spotbugs", "detekt", "ktlint"):
        yield made(Purpose.LINT, f"{gradle} --no-daemon check -x test", why="set up for a linter")
    if look.tool("spotless"):
        yield made(Purpose.FORMAT, f"{gradle} --no-daemon spotlessApply", why="set up for spotless", writes=True)
    if any("spring" in one.name.lower() for one in look.part.frameworks):
        yield made(Purpose.START, f"{gradle} --no-daemon bootRun", why="Spring Boot", ends=False)


def _part(manager: str) -> Part:
    return Part(folder="", ecosystem="java", manager=manager)


ECOSYSTEM = Ecosystem(name="java", find=find, examples=(
    Example(part=_part("maven"), names=("pom.xml", "src/main/java/A.java"), commands=(
        (Purpose.INSTALL, "mvn -B -q dependency:go-offline"), (Purpose.BUILD, "mvn -B -q -DskipTests package"),
        (Purpose.TEST, "mvn -B test"))),
    Example(part=_part("gradle"), names=("build.gradle.kts", "gradlew"), commands=(
        (Purpose.INSTALL, "./gradlew --no-daemon dependencies"), (Purpose.BUILD, "./gradlew --no-daemon assemble"),
        (Purpose.TEST, "./gradlew --no-daemon test"))),
    Example(part=Part(folder="", ecosystem="java", scripts={"test": "", "build": ""}), names=("Makefile", "A.java"),
            commands=((Purpose.BUILD, "make build"), (Purpose.TEST, "make test"))),
))
