"""A container's specification as words and as a request: whole, and the same whatever is written into its fields."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from listening_engine import ID, ListeningEngine

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.container.arguments import create_arguments, create_body, quota
from windtunnel.sandbox.container.engine import Mount, Spec

SPEC = Spec(
    image="sha256:abc", argv=("/bin/sh", "/windtunnel/wait"), labels={"windtunnel": "1-2-3-4", "b": "c"}, user="61184:61184",
    memory_bytes=512 << 20, swap_bytes=1 << 20, processes=101, cores=0.5, cpu_weight=1024, seccomp='{"syscalls":[]}',
    mounts=(Mount(source="/h/gate", target="/windtunnel"), Mount(source="/h/tmp", target="/tmp", read_only=False)),
    ulimits={"nofile": 1024, "core": 0})
WORDS = [
    "--interactive", "--network", "none", "--read-only", "--cap-drop", "ALL", "--hostname", "sandbox",
    "--security-opt", "no-new-privileges", "--security-opt", "seccomp=/f.json", "--user", "61184:61184", "--workdir", "/",
    "--pull", "never", "--log-driver", "none", "--ipc", "private", "--cgroupns", "private", "--entrypoint", "", "--no-healthcheck"]
NAMED = [
    "--label", "b=c", "--label", "windtunnel=1-2-3-4", "--ulimit", "core=0:0", "--ulimit", "nofile=1024:1024",
    "--mount", "type=bind,source=/h/gate,target=/windtunnel,readonly", "--mount", "type=bind,source=/h/tmp,target=/tmp"]
LIMITS = ["--memory", "536870912", "--memory-swap", "537919488", "--pids-limit", "101", "--cpu-period", "100000",
          "--cpu-quota", "50000", "--cpu-shares", "1024"]
END = ["--init", "--", "sha256:abc", "/bin/sh", "/windtunnel/wait"]
HOST = {
    "NetworkMode": "none", "ReadonlyRootfs": True, "CapDrop": ["ALL"], "IpcMode": "private", "CgroupnsMode": "private",
    "SecurityOpt": ["no-new-privileges", 'seccomp={"syscalls":[]}'], "LogConfig": {"Type": "none", "Config": {}}, "Init": True,
    "Mounts": [{"Type": "bind", "Source": "/h/gate", "Target": "/windtunnel", "ReadOnly": True},
               {"Type": "bind", "Source": "/h/tmp", "Target": "/tmp", "ReadOnly": False}],
    "Ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}, {"Name": "nofile", "Soft": 1024, "Hard": 1024}]}
HELD = {"Memory": 536870912, "MemorySwap": 537919488, "PidsLimit": 101, "CpuPeriod": 100000, "CpuQuota": 50000, "CpuShares": 1024}
BODY = {
    "Image": "sha256:abc", "Entrypoint": [], "Cmd": ["/bin/sh", "/windtunnel/wait"], "User": "61184:61184", "WorkingDir": "/",
    "Hostname": "sandbox", "OpenStdin": True, "StdinOnce": True, "AttachStdin": True, "AttachStdout": True, "AttachStderr": True,
    "Tty": False, "Labels": {"windtunnel": "1-2-3-4", "b": "c"}, "HostConfig": HOST | HELD, "Healthcheck": {"Test": ["NONE"]}}


def arguments(spec=SPEC, *, podman=False):
    return create_arguments(spec, profile="/f.json", podman=podman)


def body(**fields):
    return create_body(replace(SPEC, **fields), profile=SPEC.seccomp)


# --- whole values ---

def test_the_whole_command_line_of_docker():
    assert arguments() == [*WORDS, *NAMED, *LIMITS, *END]


def test_podman_is_also_told_to_make_nothing_writable_and_no_hosts_file():
    assert arguments(podman=True) == [*WORDS, "--read-only-tmpfs=false", "--no-hosts", *NAMED, *LIMITS, *END]


def test_what_is_asked_for_beyond_that_is_said_before_the_image():
    spec = replace(SPEC, runtime="runsc", gpus="device=0,1", user_namespace="keep-id", fleeting=True)

    assert arguments(spec) == [
        *WORDS, *NAMED, *LIMITS, "--runtime", "runsc", "--gpus", "device=0,1", "--userns", "keep-id", "--rm", *END]


def test_podman_takes_its_runtime_before_the_command_and_not_here():
    assert arguments(replace(SPEC, runtime="crun"), podman=True) == arguments(podman=True)


def test_without_control_groups_no_limit_is_asked_for_by_words_or_by_request():
    unlimited = replace(SPEC, limited=False)

    assert (arguments(unlimited), create_body(unlimited, profile=SPEC.seccomp)) == ([*WORDS, *NAMED, *END], BODY | {"HostConfig": HOST})


def test_the_whole_request():
    assert body() == BODY


@pytest.mark.parametrize(("fields", "added"), [
    ({"runtime": "runsc"}, {"Runtime": "runsc"}), ({"user_namespace": "host"}, {"UsernsMode": "host"}),
    ({"gpus": "all"}, {"DeviceRequests": [{"Driver": "", "Count": -1, "Capabilities": [["gpu"]]}]}),
    ({"gpus": "2"}, {"DeviceRequests": [{"Driver": "", "Count": 2, "Capabilities": [["gpu"]]}]}),
    ({"gpus": "device=0,GPU-1"}, {"DeviceRequests": [{"Driver": "", "DeviceIDs": ["0", "GPU-1"], "Capabilities": [["gpu"]]}]}),
])
def test_what_is_asked_for_beyond_that_is_one_more_field_of_the_request(fields, added):
    assert body(**fields) == BODY | {"HostConfig": HOST | HELD | added}


@pytest.mark.parametrize(("cores", "microseconds"), [(1.0, 100_000), (0.5, 50_000), (2.25, 225_000), (0.01, 1000), (0.001, 1000)])
def test_cores_are_microseconds_in_each_tenth_of_a_second_and_never_fewer_than_the_kernel_takes(cores, microseconds):
    assert quota(replace(SPEC, cores=cores)) == microseconds


# --- no field becomes an option ---

PLAIN = {"--no-healthcheck", "--interactive", "--read-only", "--no-hosts", "--init", "--rm"}
hostile = st.one_of(st.sampled_from([
    "--privileged", "-v/:/host", "--", "a=b", "--cap-add=ALL", "x,readonly=false", 'x"', '"x,source=/"', "x\ny", "\n--privileged",
    " --privileged", ",", "", "=", "host", "--pid=host",
]), st.text(max_size=12)).filter(lambda text: "\r" not in text and "\0" not in text)


def understood(words):
    """Options with their values, then image and command, as Go's flag package takes words apart."""
    options, rest = [], list(words)
    while (word := rest.pop(0)) != "--":
        assert word.startswith("--")
        options.append((word, "" if word in PLAIN or "=" in word else rest.pop(0)))
    return options, rest


def read_mount(text):
    """As Go reads one record of comma-separated values: fields, then name and value of each."""
    (record,) = csv.reader(io.StringIO(text, newline=""), strict=True)
    fields = [field.partition("=")[::2] for field in record]
    return Mount(source=dict(fields)["source"], target=dict(fields)["target"], read_only=("readonly", "") in fields), len(fields)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_field_can_become_an_option_of_its_own(data):
    draw = data.draw
    spec = replace(
        SPEC, image=draw(hostile), argv=tuple(draw(st.lists(hostile, max_size=3))), user=draw(hostile), network=draw(hostile),
        labels={draw(hostile): draw(hostile)}, runtime=draw(hostile), gpus=draw(hostile), user_namespace=draw(hostile),
        mounts=(Mount(source=draw(hostile), target=draw(hostile), read_only=draw(st.booleans())),))

    options, rest = understood(arguments(spec))

    names = [name for name, _ in understood([*WORDS, *NAMED, *LIMITS, *END])[0]]
    names.remove("--label")
    names.remove("--mount")
    asked = [name for name, value in (("--runtime", spec.runtime), ("--gpus", spec.gpus), ("--userns", spec.user_namespace)) if value]
    assert [name for name, _ in options] == [*names[:-1], *asked, "--init"]
    assert rest == [spec.image, *spec.argv]
    assert dict(options)["--user"] == spec.user


@given(source=hostile, target=hostile, read_only=st.booleans())
@example(source="/a,readonly", target="/b", read_only=False)
@example(source='/a"', target='/b",source=/', read_only=True)
@example(source="/a\n,source=/", target="/b", read_only=True)
def test_no_path_adds_or_changes_a_field_of_its_mount(source, target, read_only):
    mount = Mount(source=source, target=target, read_only=read_only)
    words = arguments(replace(SPEC, mounts=(mount,)))

    assert read_mount(words[words.index("--mount") + 1]) == (mount, 4 if read_only else 3)


def test_without_quotes_a_path_with_a_comma_would_mount_another_folder_and_writable():
    text = f"type=bind,source=/project,source=/,target={'/x'},readonly=false"

    assert read_mount(text) == (Mount(source="/", target="/x", read_only=False), 5)


@pytest.mark.parametrize("path", ["/a\r", "/a\r\nb"])
@pytest.mark.parametrize("side", ["source", "target"])
def test_a_path_that_the_engine_would_read_as_another_is_refused(path, side):
    mount = Mount(**{"source": "/s", "target": "/t", side: path})

    with pytest.raises(IsolationUnavailable, match="carriage return cannot be mounted by command line"):
        arguments(replace(SPEC, mounts=(mount,)))


# --- as Docker's own client understands it ---

@pytest.fixture
def client(tmp_path):
    """What the real client would ask the engine for."""
    program = shutil.which("docker")
    if program is None:
        pytest.skip("docker is not installed here")
    (tmp_path / "filter.json").write_text(SPEC.seccomp)
    with ListeningEngine(tmp_path) as engine:
        def ask(words):
            done = subprocess.run([program, "--host", engine.url, "create", *words], capture_output=True, text=True, timeout=60,
                                  check=False, env={"HOME": str(tmp_path)})
            assert (done.returncode, done.stdout.strip()) == (0, ID), done.stderr
            return engine.bodies.pop()

        ask.profile = f"{tmp_path}/filter.json"
        yield ask


def filled(told, like):
    """The same fields; what the client leaves out is what it stands for."""
    return {name: filled(told.get(name) or {}, value) if isinstance(value, dict) else [filled(one, like) for one, like in zip(told[name], value, strict=True)]
            if value and isinstance(value, list) and isinstance(value[0], dict) else told.get(name, False) for name, value in like.items()}


@pytest.mark.parametrize("spec", [
    SPEC, replace(SPEC, limited=False), replace(SPEC, runtime="runsc", network="host"),
    replace(SPEC, image="i:1", argv=("--privileged", "-v", "/:/host", "--"), labels={"--privileged": "x"}, mounts=(
        Mount(source='/a,b"c\n--privileged', target="/t,readonly=false"), Mount(source="/x=y,", target='/"', read_only=False))),
], ids=["usual", "no groups", "runtime", "hostile"])
def test_the_words_make_the_real_client_ask_for_what_the_request_says(client, spec):
    told = client(create_arguments(spec, profile=client.profile, podman=False))

    expected = create_body(spec, profile=SPEC.seccomp) | {"Entrypoint": [""]}
    assert filled(told, expected) == expected


def test_the_real_client_asks_for_nothing_that_opens_a_wall(client):
    told = client(create_arguments(SPEC, profile=client.profile, podman=False))["HostConfig"]

    opened = {name: value for name, value in told.items() if value and name not in HOST | HELD}
    assert {name: opened.get(name) for name in ("Privileged", "CapAdd", "Devices", "PidMode", "Binds", "VolumesFrom", "PublishAllPorts")} == dict.fromkeys(
        ("Privileged", "CapAdd", "Devices", "PidMode", "Binds", "VolumesFrom", "PublishAllPorts"))


def test_the_real_client_reads_a_path_with_a_carriage_return_as_another(client):
    told = client(["--mount", "type=bind,source=/s,target=/t\r", "i:1"])

    assert json.dumps(told["HostConfig"]["Mounts"][0]["Target"]) == '"/t"'
