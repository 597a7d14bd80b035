"""Images that are fetched: from a real registry on a loopback port, by real engines that can reach nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import containers
import engines
import image_registry
import pytest

import windtunnel
from windtunnel.config import Settings
from windtunnel.core.errors import IsolationUnavailable
from windtunnel.engine.images import build_images, plans
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.images import Chosen, Files, Images
from windtunnel.sandbox.container.socket_engine import SocketEngine
from windtunnel.sandbox.rootfs import closure, write_tar
from windtunnel.tunnel import Tunnel

pytestmark = [pytest.mark.xdist_group("pulls"), pytest.mark.timeout(300)]
TABLE = LanguageTable()
SH, PYTHON = TABLE.get("sh"), TABLE.get("python")
by_socket = pytest.mark.parametrize("client", [containers.DOCKER_SOCKET, containers.PODMAN_SOCKET], indirect=True)
"""The command line speaks to an engine by its socket where there is one."""
SHELL = ("/bin/sh",)
REFUSED = 125
_REGISTRIES = """
unqualified-search-registries = ["{address}"]
[[registry]]
prefix = "*.io"
location = "{address}"
insecure = true
[[registry]]
location = "127.0.0.1"
insecure = true
"""
"""Podman asks this registry for every name without one, and for those that it knows a registry for by itself."""


@pytest.fixture(scope="module")
def registry():
    with image_registry.registry() as made:
        yield made


class Client:
    """An engine of our own, how it is spoken to, and the images that it pushes to the registry."""

    def __init__(self, way, kind, *arguments, argv, env, place, **options):
        self.way, self._argv, self.env, self._place = way, argv, env, place
        self.engine, self.by_socket = kind(*arguments, **options), kind is SocketEngine
        self.source = f"{kind.__name__}(*{arguments!r}, **{options!r})"

    def command(self, *arguments):
        return subprocess.run([*self._argv, *arguments], capture_output=True, text=True, check=True, timeout=120).stdout

    def unfinished(self):
        """What the engine keeps of images that it has not got whole."""
        return sorted(path.name for path in self._place.iterdir())

    def push(self, name, *, to):
        """Under another name; here it is forgotten under both."""
        self.command("tag", name, to)
        self.command("push", "--quiet", to)
        self.command("rmi", "--force", to, name)
        assert self.engine.image(to) is None


@pytest.fixture(scope="module")
def docker_with_mirror(registry):
    with engines.docker_daemon("--registry-mirror", f"http://{registry.address}") as daemon:
        yield daemon


@pytest.fixture(scope="module")
def podman_with_mirror(registry):
    engines.need("podman", "runc")
    with engines.podman_env(registries=_REGISTRIES.format(address=registry.address)) as env, engines.podman_service(env) as url:
        yield env, url


@pytest.fixture(scope="module", params=containers.WAYS)
def client(request):
    way = request.param
    if way.startswith("docker"):
        daemon = request.getfixturevalue("docker_with_mirror")
        how = {"argv": ("docker", "--host", daemon.url), "env": {"DOCKER_HOST": daemon.url}, "place": daemon.folder / "root/tmp"}
        if way == containers.DOCKER_SOCKET:
            return Client(way, SocketEngine, daemon.url, **how)
        return Client(way, CommandEngine, "docker", options=("--host", daemon.url), **how)
    env, url = request.getfixturevalue("podman_with_mirror")
    program, folder = containers.podman_program(env, program=shutil.which("podman")), env["WT_FOLDER"]
    how = {"argv": (program,), "place": Path(folder, "tmp")}
    if way == containers.PODMAN_SOCKET:
        return Client(way, SocketEngine, url, name="podman", env={"CONTAINER_HOST": url}, **how)
    return Client(way, CommandEngine, "podman", program=program, env={"PATH": f"{folder}:{os.environ['PATH']}"}, **how)


@pytest.fixture(scope="module")
def pushed(registry, client):
    """A name in the registry, of an image that holds the host's shell at its usual place and carries no label of ours."""
    name = f"{registry.address}/sh-{client.way.replace(' ', '-')}:1"
    import_plain(client.engine, SHELL, name="sh:plain")
    client.push("sh:plain", to=name)
    return name


def import_plain(engine, paths, *, name):
    with tempfile.TemporaryFile() as tar:
        write_tar([path for path in closure(paths) if "/dist-packages" not in path], tar)
        tar.seek(0)
        engine.import_tar(tar, name=name, labels={})


@pytest.fixture
def absent(client, pushed):
    """The same name, while the engine does not have the image; nor afterwards."""
    yield pushed
    client.engine.remove_image(pushed)


def test_an_image_is_pulled_with_its_progress_told(client, absent):
    told = []

    chosen = Images(client.engine, own={"sh": absent}, pull=True, tell=told.append).get(SH)

    assert chosen == Chosen(name=absent, id=client.engine.image(absent).id, files=Files.OWN)
    assert len(told) >= 2
    assert all(line.isprintable() and len(line) <= 200 for line in told)


@pytest.mark.parametrize("tagged", [False, True], ids=["digest", "tag and digest"])
def test_an_image_is_pulled_by_the_digest_of_its_content(client, registry, absent, tagged):
    repository, _, tag = absent.rpartition(":")
    digest = registry.digest(repository.partition("/")[2], tag)
    name = f"{absent if tagged else repository}@{digest}"

    chosen = Images(client.engine, own={"sh": name}, pull=True).get(SH)
    again = Images(client.engine, own={"sh": name}, pull=False).get(SH)
    client.engine.remove_image(chosen.id)

    assert (chosen, again) == (Chosen(name=name, id=chosen.id, files=Files.OWN), chosen)
    assert chosen.id
    assert client.engine.image(chosen.id) is None


def test_a_digest_that_the_registry_does_not_have_is_refused(client, absent):
    name = f"{absent.rpartition(':')[0]}@sha256:{'0' * 64}"

    said = refusal(client, name)

    assert "manifest unknown" in said


def refusal(client, name, *, pull=True):
    """What is said where an image cannot be had."""
    with pytest.raises(IsolationUnavailable) as refused:
        Images(client.engine, own={"sh": name}, pull=pull).get(SH)
    said = str(refused.value)
    assert (said.isprintable(), len(said) < 1000) == (True, True)
    return said


@pytest.mark.parametrize("name", ["{repository}:2", "{address}/nobody/made:it"], ids=["tag", "repository"])
def test_a_name_that_the_registry_does_not_have_is_refused_and_not_looked_for_elsewhere(client, registry, absent, name):
    wanted = name.format(repository=absent.rpartition(":")[0], address=registry.address)

    said = refusal(client, wanted)

    assert said.startswith(f"the image {wanted} cannot be pulled: ")
    assert "manifest unknown" in said
    assert said.endswith("(to build one here, without a registry: windtunnel image build sh)")


def test_a_registry_that_is_down_is_named(client, registry, absent):
    registry.stop()
    try:
        said = refusal(client, absent)
    finally:
        registry.start()
    assert f"{registry.address}: connect: connection refused" in said
    assert Images(client.engine, own={"sh": absent}, pull=True).get(SH).id


def test_without_leave_nothing_is_pulled(client, absent):
    said = refusal(client, absent, pull=False)

    assert said == f"the image {absent}, set for sh, is not here, and pulling is switched off (pull = false)"
    assert client.engine.image(absent) is None


# --- a pull that is killed half-way ---

PULL = """
import sys
sys.path.insert(0, {package!r})
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container import command_engine
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.images import Images
from windtunnel.sandbox.container.socket_engine import SocketEngine
{before}
Images({engine}, own={{"sh": {name!r}}}, pull=True).get(LanguageTable().get("sh"))
"""


@contextlib.contextmanager
def killed_half_way(client, registry, pushed, *, folder, before=""):
    """The name of an image of which a part had come when the process that wanted it was killed; the rest waits until the end."""
    with image_registry.gate(registry.port) as gate:
        name = pushed.replace(registry.address, gate.address)
        code = PULL.format(package=str(Path(windtunnel.__file__).parents[1]), before=before, engine=client.source, name=name)
        process = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(folder)})
        held = gate.holding.wait(timeout=60)
        process.kill()
        process.wait()
        assert held
        yield name, gate


def test_a_pull_that_is_killed_half_way_leaves_nothing_and_the_next_one_works(client, registry, absent, tmp_path):
    with killed_half_way(client, registry, absent, folder=tmp_path) as (name, gate):
        nothing = containers.wait_until(lambda: (processes_with(name), sorted(tmp_path.iterdir()), client.unfinished()) == ([], [], []))
        gate.open()
        first = client.engine.image(name)

        chosen = Images(client.engine, own={"sh": name}, pull=True).get(SH)
        client.engine.remove_image(name)

    assert (nothing, first) == (True, None)
    assert (chosen.name, client.unfinished()) == (name, [])


@pytest.mark.parametrize("client", [containers.DOCKER_COMMAND, containers.PODMAN_COMMAND], indirect=True)
def test_a_client_that_is_not_tied_to_us_would_go_on_fetching(client, registry, absent, tmp_path):
    untied = "command_engine._PULL_SECONDS = command_engine._SECONDS"

    with killed_half_way(client, registry, absent, folder=tmp_path, before=untied) as (name, gate):
        left = processes_with(name)
        gate.open()
        came = containers.wait_until(lambda: client.engine.image(name) is not None)
        client.engine.remove_image(name)

    assert (len(left) >= 1, came) == (True, True)


def test_an_import_leaves_no_file_beside_the_image(client, absent):
    assert client.unfinished() == []


def processes_with(word):
    """The processes of this machine that have it in their words."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if word.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


# --- images that programs run in ---

@pytest.fixture
def run(client, monkeypatch, tmp_path):
    """A program at the container level, by this engine as a user's variables lead to it: (exit code, output, what was told)."""
    for name, value in client.env.items():
        monkeypatch.setenv(name, value)

    def run(code, language, **settings):
        told = []
        made = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", engine=client.engine.name, **settings)
        with Tunnel(made, level="container", pool_size=0, use_docker_api=client.by_socket, tell=told.append) as tunnel:
            result = tunnel.run(code, language)
        return result.exit_code, result.stdout, told

    return run


def test_a_program_runs_in_the_users_own_image_which_is_fetched_first(client, absent, run):
    code, output, told = run("echo hello", "sh", images={"sh": absent})

    assert (code, output, told[0]) == (0, "hello\n", f"{client.engine.name} pull {absent}")


def test_an_image_built_here_keeps_what_it_is_when_it_comes_from_a_registry(client, registry):
    name = f"{registry.address}/built:1"
    (built,) = build_images(client.engine, plans(TABLE, ["sh"], name="windtunnel/test-pushed:1"))
    client.push(built.name, to=name)

    chosen = Images(client.engine, own={"sh": name}, pull=True).get(SH)
    client.engine.remove_image(name)

    assert chosen == Chosen(name=name, id=chosen.id, files=Files.HOST)


@pytest.fixture
def of_the_table(client, registry):
    """Puts an image under the name that the table has for a language, in our registry in place of the one that all use."""
    names = []

    def put(language, *paths):
        for path in paths:
            if not Path(path).exists():
                pytest.skip(f"{path} is not here")
        import_plain(client.engine, paths, name="plain:1")
        client.push("plain:1", to=f"{registry.address}/library/{language.image}")
        names.append(language.image)
        return language.image

    yield put
    for name in names:
        client.engine.remove_image(name)


def test_a_program_runs_in_the_image_of_the_table_without_any_configuration(client, of_the_table, run):
    name = of_the_table(SH, *SHELL)

    code, output, told = run("echo hello", "sh")

    assert (code, output, told[0]) == (0, "hello\n", f"{client.engine.name} pull {name}")
    assert client.engine.image(name) is not None


def test_an_image_of_the_table_that_no_mirror_has_is_refused(client, run):
    with pytest.raises(IsolationUnavailable, match=r"the image perl:5\.38-slim cannot be pulled: ") as refused:
        run("print 1", "perl")

    assert "windtunnel image build perl" in str(refused.value)


@pytest.fixture
def command_line(cli, client, tmp_path):
    """``windtunnel run --level container`` with this engine and a configuration of its own."""

    def run(*arguments, configuration=""):
        folder = tmp_path / ".config/windtunnel"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(f'engine = "{client.engine.name}"\n{configuration}')
        cli.env |= client.env
        return cli("run", "--level", "container", *arguments)

    return run


@by_socket
def test_the_command_runs_python_in_the_image_of_the_table_and_tells_of_fetching_it(client, of_the_table, command_line):
    name = of_the_table(PYTHON, "/usr/bin/python3", os.path.realpath("/usr/bin/python3"))

    done = command_line("-c", "import sys, json; print(sys.executable, json.dumps([1]))")

    assert (done.returncode, done.stdout) == (0, "/usr/bin/python3 [1]\n")
    assert done.stderr.splitlines()[0] == f"{client.engine.name} pull {name}"


@by_socket
def test_the_command_takes_an_image_for_each_language_from_the_configuration(client, absent, command_line):
    done = command_line("-l", "sh", "-c", "echo hello", configuration=f'[images]\nsh = "{absent}"\n')

    assert (done.returncode, done.stdout) == (0, "hello\n")


@by_socket
def test_the_command_runs_nothing_where_the_image_may_not_be_fetched(client, absent, command_line):
    done = command_line("-l", "sh", "-c", "echo hello", configuration=f'pull = false\n[images]\nsh = "{absent}"\n')

    assert (done.returncode, done.stdout, client.engine.image(absent)) == (REFUSED, "", None)
    assert done.stderr == f"windtunnel: the image {absent}, set for sh, is not here, and pulling is switched off (pull = false)\n"
