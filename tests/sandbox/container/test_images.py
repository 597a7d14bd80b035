"""Which image a language gets, what its name may be, and how it says what to call in it."""

from __future__ import annotations

import base64
import json
import threading
from dataclasses import replace

import pytest
from image_engine import RememberingEngine, image

from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.core.language import Language, Toolchain
from windtunnel.engine.images import InImages
from windtunnel.languages import LANGUAGES, LanguageTable
from windtunnel.languages.images import RECIPES, image_toolchain, packages
from windtunnel.sandbox.container.image_names import check_name, check_reference, local_name
from windtunnel.sandbox.container.images import (
    Chosen,
    Files,
    Images,
    Pull,
    Refuse,
    Use,
    decide,
    files_of,
    read_toolchain,
    toolchain_label,
)

TABLE = LanguageTable()
PYTHON = TABLE.get("python")
TABLED = image("python:3.11-slim", number=7)
BUILT = image("windtunnel/python:local", number=8, windtunnel="image", windtunnel_language="python", windtunnel_files="host")
MINE = image("my/image:1", number=9)


def deciding(*images, own=None, pull=False):
    here = {name: one for one in images for name in one.names}
    return decide(PYTHON, own=own, pull=pull, here=here.get)


# --- the decision ---

@pytest.mark.parametrize(("images", "own", "pull", "decided"), [
    ((TABLED, BUILT, MINE), "my/image:1", False, Use(name="my/image:1", image=MINE)),
    ((TABLED, BUILT), "my/image:1", True, Pull(name="my/image:1")),
    ((TABLED, BUILT), None, True, Use(name="windtunnel/python:local", image=BUILT)),
    ((TABLED,), None, True, Use(name="python:3.11-slim", image=TABLED)),
    ((), None, True, Pull(name="python:3.11-slim")),
], ids=["the user's own", "the user's own is pulled", "the one built here", "the table's", "the table's is pulled"])
def test_the_users_own_goes_first_then_the_one_built_here_then_the_tables(images, own, pull, decided):
    assert deciding(*images, own=own, pull=pull) == decided


def test_without_an_image_and_without_pulling_the_refusal_says_what_to_do():
    assert deciding() == Refuse(
        why="no image was built for python and python:3.11-slim is not here (to build one here, without a registry: "
            "windtunnel image build python; or allow pulling: pull = true)")


def test_another_image_never_takes_the_place_of_the_users_own():
    assert deciding(TABLED, BUILT, own="my/image:1") == Refuse(
        why="the image my/image:1, set for python, is not here, and pulling is switched off (pull = false)")


@pytest.mark.parametrize("labels", [
    {}, {"windtunnel": "image", "windtunnel_language": "ruby"}, {"windtunnel": "someone", "windtunnel_language": "python"}])
def test_an_image_under_our_name_that_we_did_not_build_is_not_taken_for_ours(labels):
    planted = image("windtunnel/python:local", **labels)

    assert deciding(planted, TABLED) == Use(name="python:3.11-slim", image=TABLED)


def test_a_language_without_an_image_of_its_own_must_be_built_for():
    zig = Language(name="zig", suffixes=(".zig",), source="main.zig", find=lambda which: None, install="get zig")

    assert decide(zig, own=None, pull=True, here=lambda name: None) == Refuse(
        why="no image was built for zig (to build one here, without a registry: windtunnel image build zig)")


@pytest.mark.parametrize(("labels", "files"), [
    ({"windtunnel": "image", "windtunnel_files": "host"}, Files.HOST),
    ({"windtunnel": "image", "windtunnel_files": "copied"}, Files.COPIED),
    ({"windtunnel": "image", "windtunnel_files": "packages"}, Files.PACKAGES),
    ({"windtunnel": "image", "windtunnel_files": "everything"}, Files.OWN),
    ({"windtunnel_files": "host"}, Files.OWN), ({}, Files.OWN)])
def test_where_the_files_come_from_is_read_from_the_labels_of_our_own_images(labels, files):
    assert files_of(image("x", **labels)) is files


# --- acting on it ---

def test_an_image_is_started_by_its_id_so_that_nobody_can_put_another_in_its_place():
    chosen = Images(RememberingEngine(BUILT)).get(PYTHON)

    assert chosen == Chosen(name="windtunnel/python:local", id=BUILT.id, files=Files.HOST)


def test_a_missing_image_is_pulled_and_its_progress_told_without_what_a_terminal_would_obey():
    engine, told = RememberingEngine(registry=[TABLED]), []

    chosen = Images(engine, pull=True, tell=told.append).get(PYTHON)

    assert chosen == Chosen(name="python:3.11-slim", id=TABLED.id, files=Files.OWN)
    assert told == ["pulling [2J python:3.11-slim"]


def test_without_leave_to_pull_nothing_is_pulled():
    engine = RememberingEngine(registry=[TABLED])

    with pytest.raises(IsolationUnavailable, match="windtunnel image build python"):
        Images(engine).get(PYTHON)

    assert engine.pulled == []


def test_a_refused_pull_is_told_in_the_engines_own_words_bounded_and_on_one_line():
    engine = RememberingEngine(refusal="denied\x1b[31m: quota\n" + "x" * 5000)

    with pytest.raises(IsolationUnavailable) as refused:
        Images(engine, pull=True).get(PYTHON)

    said = str(refused.value)
    assert said.startswith("the image python:3.11-slim cannot be pulled: denied [31m: quota xxx")
    assert said.endswith("(to build one here, without a registry: windtunnel image build python)")
    assert (said.isprintable(), len(said) < 1000) == (True, True)


def test_an_engine_that_pulls_and_then_has_nothing_is_not_believed():
    class Forgetting(RememberingEngine):
        def pull(self, name, *, tell):
            pass

    engine = Forgetting()

    with pytest.raises(IsolationUnavailable, match=r"docker pulled python:3\.11-slim and does not have it"):
        Images(engine, pull=True).get(PYTHON)


def test_threads_that_want_the_same_image_pull_it_once():
    engine, both, got = RememberingEngine(registry=[TABLED]), threading.Barrier(2), []
    images = Images(engine, pull=True)

    def want():
        both.wait(timeout=10)
        got.append(images.get(PYTHON).id)

    threads = [threading.Thread(target=want) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)

    assert (got, engine.pulled) == ([TABLED.id, TABLED.id], ["python:3.11-slim"])


def test_nobody_waits_while_the_image_of_another_language_is_pulled():
    pulling, finish = threading.Event(), threading.Event()

    class Slow(RememberingEngine):
        def pull(self, name, *, tell):
            pulling.set()
            finish.wait(timeout=10)
            super().pull(name, tell=tell)

    images = Images(Slow(BUILT, registry=[image("ruby:3.2-alpine")]), pull=True)
    thread = threading.Thread(target=images.get, args=(TABLE.get("ruby"),))
    thread.start()
    assert pulling.wait(timeout=10)

    chosen, still_pulling = images.get(PYTHON), thread.is_alive()

    finish.set()
    thread.join(timeout=10)
    assert (chosen.id, still_pulling) == (BUILT.id, True)


def test_a_forgotten_image_is_looked_for_again():
    engine = RememberingEngine(TABLED)
    images = Images(engine)
    images.get(PYTHON)
    engine.table[BUILT.names[0]] = BUILT

    images.forget(PYTHON)

    assert images.get(PYTHON).id == BUILT.id


def test_a_hostile_name_of_the_users_own_image_is_refused_before_any_engine_hears_it():
    with pytest.raises(UsageError, match=r"^images\.python: not the name of an image: '--privileged'"):
        Images(RememberingEngine(), own={"python": "--privileged"})


# --- names ---

@pytest.mark.parametrize("name", [
    "python", "python:3.11-slim", "my/image:1", "localhost/windtunnel/python:local", "registry.example:5000/a/b-c__d.e:V1_2",
    "[::1]:5000/a:b", "python@sha256:" + "0" * 64, "python:3@sha256:" + "f" * 64, "a--b:c", "sha256:" + "0" * 64])
def test_a_reference_of_the_grammar_is_accepted(name):
    assert check_reference(name, field="images") == name


HOSTILE = [
    "", "--privileged", "-v", "--", "a b", "a\nb", "a;b", "a|b", "$(id)", "`id`", "../a", "/a", "a/", "a//b", "a:b:c", "a:", "a:-b",
    "Upper", "a..b", "a_-b", "a@sha256:0", "a@md5:" + "0" * 64, "a\0", "ä", "a" * 256, "a:" + "b" * 200, "http://a/b", "a?b", "a=b",
    "python\n", None, 3, b"a", ["a"]]


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name)[:20])
def test_what_is_no_reference_is_refused(name):
    with pytest.raises(UsageError) as refused:
        check_reference(name, field="images.python")

    assert (refused.value.field, str(refused.value).isprintable()) == ("images.python", True)


@pytest.mark.parametrize("name", [*HOSTILE, "python@sha256:" + "0" * 64], ids=lambda name: repr(name)[:20])
def test_an_image_of_ours_gets_no_such_name(name):
    with pytest.raises(UsageError):
        check_name(name, field="--name")


@pytest.mark.parametrize(("language", "name"), [
    ("python", "windtunnel/python:local"), ("c++", "windtunnel/cpp:local"), ("c#", "windtunnel/csharp:local"),
    ("a._-b.", "windtunnel/a-b:local")])
def test_every_language_has_a_name_for_its_image(language, name):
    assert local_name(language) == name == check_name(name, field="name")


def test_the_names_of_our_languages_differ():
    assert len({local_name(language.name) for language in LANGUAGES}) == len(LANGUAGES)


# --- how a language is called in an image ---

def test_every_language_of_ours_has_a_recipe():
    assert list(RECIPES) == [language.name for language in LANGUAGES]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_toolchain_in_an_image_knows_nothing_of_this_host(language):
    made = image_toolchain(language)
    words = [*made.run, *(made.build or ()), *(made.warm or ()), *(made.profile or ()), *made.env.values()]

    assert made.paths == ()
    assert [word for word in words if "/nonexistent" in word] == []
    assert any("{source}" in word for word in (*made.run, *(made.build or ())))


@pytest.mark.parametrize(("name", "toolchain"), [
    ("ruby", Toolchain(run=("ruby", "{source}"))),
    ("lua", Toolchain(run=("lua", "{source}"))),
    ("c", Toolchain(build=("gcc", "-O1", "-pthread", "-o", "{build}/program", "{source}", "-lm"), run=("{build}/program",))),
    ("r", Toolchain(run=("Rscript", "--vanilla", "{source}"))),
    ("bash", Toolchain(run=("bash", "{source}"), warm=("bash", "{source}"), env={"SHELL": "/bin/bash"})),
])
def test_a_language_is_called_by_bare_names_as_its_own_file_says(name, toolchain):
    assert image_toolchain(TABLE.get(name)) == toolchain


def test_the_linker_of_rust_is_a_bare_name_too():
    made = image_toolchain(TABLE.get("rust"))

    assert made.build[:2] == ("rustc", "--edition")
    assert "linker=cc" in made.build


def test_go_finds_out_by_itself_whether_there_is_a_c_compiler():
    assert "CGO_ENABLED" not in image_toolchain(TABLE.get("go")).env


def test_a_language_that_looks_at_the_host_must_be_built_from_it():
    zig = Language(name="zig", suffixes=(".zig",), source="main.zig", find=lambda which: None, install="get zig")

    with pytest.raises(UsageError, match="windtunnel image build --from host zig"):
        image_toolchain(zig)


def test_packages_are_known_for_our_languages_alone():
    zig = Language(name="zig", suffixes=(".zig",), source="main.zig", find=lambda which: None, install="get zig")

    assert packages(TABLE.get("ruby")) == (("ruby",), Toolchain(run=("ruby", "{source}")))
    with pytest.raises(UsageError, match="which packages carry zig is not known"):
        packages(zig)


# --- the label that says so ---

def labelled(**label):
    return image("x", windtunnel="image", **label)


def test_a_toolchain_comes_back_from_its_label_without_its_host_paths():
    given = Toolchain(run=("java", "{source}"), build=("sh", "-c", 'printf %s "$1"\n'), paths=("/opt/jdk",), env={"A": "b c"})

    text = toolchain_label(given)

    assert text.replace("-", "").replace("_", "").isalnum()
    assert read_toolchain(labelled(windtunnel_toolchain=text), PYTHON) == Toolchain(run=given.run, build=given.build, env=given.env)


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


WHOLE = {"run": ["a"], "build": None, "profile": None, "env": {}}


@pytest.mark.parametrize("text", [
    "", "not base64!", "AAAA", encoded([]), encoded({}), encoded(WHOLE | {"run": []}), encoded(WHOLE | {"run": "sh"}),
    encoded(WHOLE | {"run": [1]}), encoded(WHOLE | {"run": ["a\0b"]}), encoded(WHOLE | {"env": ["A"]}), encoded(WHOLE | {"env": {"A": 1}}),
    encoded(WHOLE | {"run": None}), "W" * 200_000, base64.urlsafe_b64encode(b"[" * 40_000).decode(),
])
def test_a_label_that_makes_no_sense_is_refused(text):
    with pytest.raises(IsolationUnavailable, match="build it anew: windtunnel image build python"):
        read_toolchain(labelled(windtunnel_toolchain=text), PYTHON)


def in_image(*images, own=None):
    return InImages(TABLE, Images(RememberingEngine(*images), own=own))


def test_in_an_image_of_the_host_a_language_is_called_as_on_the_host():
    assert in_image(BUILT).toolchain(PYTHON) == TABLE.toolchain(PYTHON)


def test_in_an_image_of_the_table_a_language_is_called_by_bare_names():
    assert in_image(TABLED).toolchain(PYTHON) == replace(image_toolchain(PYTHON), stamp=TABLED.id)


def test_in_an_image_that_says_so_itself_a_language_is_called_as_it_says():
    label = toolchain_label(Toolchain(run=("/opt/python", "{source}")))
    copied = image("my/image:1", windtunnel="image", windtunnel_files="copied", windtunnel_toolchain=label)

    assert in_image(copied, own={"python": "my/image:1"}).toolchain(PYTHON) == Toolchain(run=("/opt/python", "{source}"), stamp=copied.id)


def test_the_languages_are_those_of_the_table():
    languages = in_image(BUILT)

    assert (list(languages), languages.get("py")) == (list(LANGUAGES), PYTHON)
