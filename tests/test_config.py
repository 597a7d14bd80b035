import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from windtunnel.config import _VARIABLES, CAPS, Settings, load
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, MIB, Limits
from windtunnel.core.result import Level

LIMIT_NAMES = ["wall_seconds", "cpu_seconds", "cores", "cpu_weight", "memory_bytes", "swap_bytes", "processes",
               "disk_bytes", "files", "open_files", "output_bytes"]


class Machine:
    """A home, an operator's file and a project below one folder."""

    def __init__(self, root):
        self.operator = root / "etc" / "config.toml"
        self.user = root / "home" / ".config" / "windtunnel" / "config.toml"
        self.project = root / "project" / ".windtunnel.toml"
        self.home = root / "home"

    def load(self, *, operator=None, user=None, project=None, **environ):
        for path, text in ((self.operator, operator), (self.user, user), (self.project, project)):
            if text is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        return load({"HOME": str(self.home), **environ}, self.project.parent, operator=self.operator)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_without_any_file_the_defaults_hold(machine):
    assert machine.load() == Settings(
        state_dir=machine.home / ".local/state/windtunnel",
        cache_dir=machine.home / ".cache/windtunnel",
        min_isolation=Level.PROCESS,
        caps=CAPS,
        default_limits=Limits(),
        pool_size=2,
        history=True,
        allow_network=True,
        languages=(),
        engine="",
        runtime="",
        pull=True,
        images={},
    )


def test_every_cap_is_finite_and_a_snippet_has_thirty_seconds():
    assert CAPS.wall_seconds == 30.0
    assert [name for name in LIMIT_NAMES if not 0 < getattr(CAPS, name) < 2**50] == []


def test_the_standard_folders_are_respected_and_a_relative_one_is_ignored(machine):
    found = machine.load(XDG_STATE_HOME="/srv/state", XDG_CACHE_HOME="relative")

    assert (found.state_dir, found.cache_dir) == (Path("/srv/state/windtunnel"), machine.home / ".cache/windtunnel")


def test_without_a_home_in_the_environment_that_of_the_account_is_used(machine):
    import pwd

    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        pytest.skip("this user has no account")
    found = load({}, operator=machine.operator)

    assert found.state_dir == Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".local/state/windtunnel"


def test_a_user_file_sets_everything(machine):
    found = machine.load(user="""
        state_dir = "/srv/state"
        cache_dir = "/srv/cache"
        min_isolation = "container"
        pool_size = 0
        history = false
        allow_network = false
        engine = "podman"
        runtime = "runsc"
        pull = false
        [images]
        python = "my/python:1"
        "c++" = "my/gcc:2"
        [caps]
        wall_seconds = 600
        memory_bytes = "32g"
        [limits]
        wall_seconds = 60.5
        memory_bytes = "1g"
        [[languages]]
        name = "zig"
    """)

    assert found == Settings(
        state_dir=Path("/srv/state"),
        cache_dir=Path("/srv/cache"),
        min_isolation=Level.CONTAINER,
        caps=Limits(**{**{name: getattr(CAPS, name) for name in LIMIT_NAMES},
                       "wall_seconds": 600.0, "memory_bytes": 32 * GIB}),
        default_limits=Limits(wall_seconds=60.5, memory_bytes=GIB),
        pool_size=0,
        history=False,
        allow_network=False,
        languages=({"name": "zig"},),
        engine="podman",
        runtime="runsc",
        pull=False,
        images={"python": "my/python:1", "c++": "my/gcc:2"},
    )


def test_variables_beat_the_user_file(machine):
    found = machine.load(
        user='state_dir = "/srv/file"\npool_size = 1\nhistory = true\n[caps]\nwall_seconds = 60\n',
        WINDTUNNEL_STATE_DIR="/srv/variable", WINDTUNNEL_CACHE_DIR="/srv/cache", WINDTUNNEL_MIN_ISOLATION="vm",
        WINDTUNNEL_MAX_SECONDS="90.5", WINDTUNNEL_MAX_MEMORY="2G", WINDTUNNEL_MAX_PROCESSES="50",
        WINDTUNNEL_POOL_SIZE="5", WINDTUNNEL_HISTORY="off", WINDTUNNEL_ALLOW_NETWORK="False",
        WINDTUNNEL_ENGINE="docker", WINDTUNNEL_RUNTIME="crun", WINDTUNNEL_PULL="no",
    )

    assert (found.state_dir, found.cache_dir, found.min_isolation) == (Path("/srv/variable"), Path("/srv/cache"), Level.VM)
    assert (found.caps.wall_seconds, found.caps.memory_bytes, found.caps.processes) == (90.5, 2 * GIB, 50)
    assert (found.pool_size, found.history, found.allow_network) == (5, False, False)
    assert (found.engine, found.runtime, found.pull) == ("docker", "crun", False)


def test_every_cap_has_a_variable():
    assert sorted(key for key in _VARIABLES.values() if "." in key) == sorted(f"caps.{name}" for name in LIMIT_NAMES)


def test_defaults_follow_a_lowered_cap(machine):
    found = machine.load(WINDTUNNEL_MAX_SECONDS="5", WINDTUNNEL_MAX_MEMORY="64m")

    assert found.default_limits == Limits(wall_seconds=5.0, memory_bytes=64 * MIB)


def test_a_default_lowered_by_one_source_rises_with_the_cap_of_the_next(machine):
    found = machine.load(user="[caps]\nwall_seconds = 5\n", WINDTUNNEL_MAX_SECONDS="20")

    assert (found.caps.wall_seconds, found.default_limits.wall_seconds) == (20.0, 20.0)


def test_a_cap_on_processor_time_reaches_runs_that_ask_for_none(machine):
    found = machine.load(operator="[caps]\ncpu_seconds = 2\n")

    assert found.default_limits == Limits(cpu_seconds=2.0)


def test_languages_of_operator_and_user_come_together(machine):
    found = machine.load(operator='[[languages]]\nname = "a"\n', user='[[languages]]\nname = "b"\n')

    assert found.languages == ({"name": "a"}, {"name": "b"})


def test_images_of_the_user_take_the_place_of_the_operators(machine):
    found = machine.load(operator="[images]\npython = 'a:1'\n", user="[images]\nruby = 'b:1'\n")

    assert found.images == {"ruby": "b:1"}


def test_an_image_of_a_language_whose_name_has_a_dot_is_no_other_key(machine):
    found = machine.load(user="[images]\n'caps.wall_seconds' = 'a:1'\n")

    assert (found.images, found.caps) == ({"caps.wall_seconds": "a:1"}, CAPS)


@pytest.mark.parametrize("text", ["", "lxc", "docker ", "--help"])
@pytest.mark.parametrize("name", ["WINDTUNNEL_ENGINE", "WINDTUNNEL_PULL"])
def test_an_engine_or_a_switch_that_is_none_is_refused_with_the_variable(machine, name, text):
    with pytest.raises(UsageError, match=f"^{name}: "):
        machine.load(**{name: text})


def test_the_operator_may_raise_a_cap_for_all(machine):
    found = machine.load(operator="[caps]\nwall_seconds = 600\n")

    assert (found.caps.wall_seconds, found.default_limits.wall_seconds) == (600.0, 30.0)


@pytest.mark.parametrize(
    ("operator", "user", "environ", "named"),
    [
        ("[caps]\nwall_seconds = 10", "[caps]\nwall_seconds = 11", {}, "{user}: caps.wall_seconds: 11.0 is looser than the 10.0"),
        ("[caps]\nwall_seconds = 10", None, {"WINDTUNNEL_MAX_SECONDS": "11"}, "WINDTUNNEL_MAX_SECONDS: 11.0 is looser"),
        ("[caps]\nmemory_bytes = '1g'", None, {"WINDTUNNEL_MAX_MEMORY": "2g"}, "WINDTUNNEL_MAX_MEMORY: 2147483648 is looser"),
        ("[caps]\nwall_seconds = 10", "[limits]\nwall_seconds = 11", {}, "{user}: limits.wall_seconds: 11.0 is more than the cap of 10.0"),
        ("min_isolation = 'container'", "min_isolation = 'process'", {}, "{user}: min_isolation: process is looser than the container"),
        ("min_isolation = 'process'", None, {"WINDTUNNEL_MIN_ISOLATION": "restricted"}, "WINDTUNNEL_MIN_ISOLATION: restricted is looser"),
        ("allow_network = false", "allow_network = true", {}, "{user}: allow_network: True is looser than the False"),
        ("allow_network = false", None, {"WINDTUNNEL_ALLOW_NETWORK": "1"}, "WINDTUNNEL_ALLOW_NETWORK: True is looser"),
        ("pull = false", "pull = true", {}, "{user}: pull: True is looser than the False"),
        ("pull = false", None, {"WINDTUNNEL_PULL": "yes"}, "WINDTUNNEL_PULL: True is looser"),
    ],
)
def test_nobody_loosens_what_the_operator_set(machine, operator, user, environ, named):
    machine.load(user=user, **environ)

    with pytest.raises(UsageError) as refusal:
        machine.load(operator=operator, user=user, **environ)

    assert str(refusal.value).startswith(named.format(user=machine.user))


def test_a_user_may_be_stricter_than_the_operator(machine):
    found = machine.load(
        operator="min_isolation = 'process'\nallow_network = true\n[caps]\nwall_seconds = 10\n",
        user="min_isolation = 'vm'\nallow_network = false\n[caps]\nwall_seconds = 9\n",
    )

    assert (found.min_isolation, found.allow_network, found.caps.wall_seconds) == (Level.VM, False, 9.0)


def test_a_project_may_tighten(machine):
    found = machine.load(project="""
        min_isolation = "vm"
        allow_network = false
        [caps]
        wall_seconds = 3
        memory_bytes = "128m"
        [limits]
        wall_seconds = 2
        cpu_seconds = 1
    """)

    assert (found.min_isolation, found.allow_network) == (Level.VM, False)
    assert (found.caps.wall_seconds, found.caps.memory_bytes) == (3.0, 128 * MIB)
    assert found.default_limits == Limits(wall_seconds=2.0, cpu_seconds=1.0, memory_bytes=128 * MIB)


def test_a_project_may_repeat_what_holds(machine):
    found = machine.load(project="min_isolation = 'process'\nallow_network = true\n[caps]\nwall_seconds = 30\n")

    assert found == machine.load(project="")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("min_isolation = 'restricted'", "min_isolation"),
        ("state_dir = '/srv/elsewhere'", "state_dir"),
        ("cache_dir = '/srv/elsewhere'", "cache_dir"),
        ("pool_size = 1", "pool_size"),
        ("history = false", "history"),
        ("[[languages]]\nname = 'evil'", "languages"),
        ("languages = []", "languages"),
        ("engine = 'podman'", "engine"),
        ("runtime = 'evil'", "runtime"),
        ("[images]\npython = 'evil/image:1'", "images"),
        ("[images]", "images"),
        *((f"[caps]\n{name} = {int(getattr(CAPS, name)) + 1}", f"caps.{name}") for name in LIMIT_NAMES),
        *((f"[limits]\n{name} = {int(getattr(Limits(), name)) + 1}", f"limits.{name}")
          for name in LIMIT_NAMES if name != "cpu_seconds"),
        ("[limits]\ncpu_seconds = 3601", "limits.cpu_seconds"),
    ],
)
def test_a_project_that_loosens_is_refused_with_file_and_key(machine, text, key):
    with pytest.raises(UsageError) as refusal:
        machine.load(project=text)

    assert str(refusal.value).startswith(f"{machine.project}: {key}: ")
    assert refusal.value.field == key


def test_a_project_cannot_turn_on_the_network_that_the_user_turned_off(machine):
    with pytest.raises(UsageError, match="allow_network: True is looser than the False"):
        machine.load(user="allow_network = false", project="allow_network = true")


def test_a_project_may_turn_pulling_off_and_never_on(machine):
    with pytest.raises(UsageError, match="pull: True is looser than the False"):
        machine.load(user="pull = false", project="pull = true")

    assert machine.load(user="pull = true", project="pull = false").pull is False


def test_a_project_cannot_raise_a_cap_that_a_variable_lowered(machine):
    with pytest.raises(UsageError, match=r"caps.wall_seconds: 6.0 is looser than the 5.0"):
        machine.load(project="[caps]\nwall_seconds = 6", WINDTUNNEL_MAX_SECONDS="5")


def test_without_a_project_its_file_is_not_read(machine):
    machine.project.parent.mkdir(parents=True)
    machine.project.write_text("not toml at all")

    assert load({"HOME": str(machine.home)}, operator=machine.operator).pool_size == 2


SENSELESS_NUMBERS = ["-1", "-0.5", "nan", "-nan", "inf", "-inf", "true", "false", '""', '" "', '"1GB "', '"-1"', '"inf"',
                     '"1e3"', "18446744073709551616", "9007199254740993", "1e308", "[]", "[30]", "{}", "{a = 1}",
                     "1979-05-27", "07:32:00", '"٣٠"', '"unlimited"', '"none"', '"1\\u0000"', "0x" + "f" * 5000,
                     '"1.5g"', '"1 g"', '"1tb"', '"512\\u212a"']
HOSTILE = [
    *(("caps.wall_seconds", text) for text in ["0", "0.0", "-0.0", '"30"', "1e8", *SENSELESS_NUMBERS]),
    *(("caps.memory_bytes", text) for text in ["0", "1.5", "536870912.0", '"0"', '"1k"', '"99999999g"', *SENSELESS_NUMBERS]),
    *(("limits.processes", text) for text in ["0", "1.0", '"100"', "5000000", *SENSELESS_NUMBERS]),
    *(("limits.swap_bytes", text) for text in SENSELESS_NUMBERS),
    *(("pool_size", text) for text in ["65", "1.0", '"2"', *SENSELESS_NUMBERS]),
    *(("history", text) for text in ["0", "1", '"false"', '"no"', "[]", "{}", "0.0"]),
    *(("allow_network", text) for text in ["0", "1", '"false"', "[false]"]),
    *(("min_isolation", text) for text in ['""', '"none"', '"PROCESS"', '"process "', '"vm\\n"', "1", "true", "[]", "{}"]),
    *(("state_dir", text) for text in ['""', '"relative"', '"~/x"', '"/"', '"//"', '"/a/../b"', '"/a\\u0000b"', '"/a\\nb"',
                                       '"/a\\u001b[2J"', "1", "true", "[]", f'"/{"x" * 2000}"', '"."']),
    *(("policy", text) for text in ['""', '"policy.yaml"', '"/a/../b"', '"/a\\nb"', "1", "true", "[]", "{}"]),
    *(("engine", text) for text in ['""', '"lxc"', '"Docker"', '"docker "', '"docker\\n"', "1", "true", "[]", "{}", '["docker"]']),
    *(("runtime", text) for text in ['""', '"--privileged"', '"/usr/bin/runsc"', '"a b"', '"A"', '"a\\n"', f'"{"x" * 65}"', "1", "true", "[]"]),
    *(("pull", text) for text in ["0", "1", '"false"', '"never"', "[]", "{}"]),
    *(("images", text) for text in ["1", "true", '"python"', "[]", '["python"]', "{python = 1}", "{python = []}", "{python = {}}",
                                    "{" + ", ".join(f'l{number} = "x"' for number in range(2000)) + "}"]),
    *(("languages", text) for text in ["1", "true", '"python"', "{}", '["python"]', "[1]", "[[]]"]),
]


def test_a_policy_is_set_by_the_user_or_the_environment(machine):
    found = machine.load(user='policy = "/srv/policy.yaml"')

    assert (found.policy, found.project_policy) == (Path("/srv/policy.yaml"), None)
    assert machine.load(WINDTUNNEL_POLICY="/srv/other.yaml").policy == Path("/srv/other.yaml")


@pytest.mark.parametrize("given", [{"user": 'policy = "/srv/mine.yaml"'}, {"WINDTUNNEL_POLICY": "/srv/mine.yaml"}], ids=str)
def test_the_policy_of_the_operator_cannot_be_replaced(machine, given):
    with pytest.raises(UsageError, match=r"(?i)policy: the operator's /etc/w/policy.yaml holds, and cannot be replaced"):
        machine.load(operator='policy = "/etc/w/policy.yaml"', **given)


def test_the_policy_of_the_operator_may_be_named_again(machine):
    found = machine.load(operator='policy = "/etc/w/policy.yaml"', WINDTUNNEL_POLICY="/etc/w/policy.yaml")

    assert found.policy == Path("/etc/w/policy.yaml")


def test_a_project_names_a_policy_of_its_own_beside_the_one_that_is_set(machine):
    found = machine.load(operator='policy = "/etc/w/policy.yaml"', project='policy = "ci/policy.yaml"')

    assert (found.policy, found.project_policy) == (Path("/etc/w/policy.yaml"), "ci/policy.yaml")


@pytest.mark.parametrize("value", ['"/etc/w/policy.yaml"', '"../policy.yaml"', '"a/../../b"', '""', '"."', "1", "true", "[]",
                                   '"a\\nb"', '"a//b"', f'"{"x" * 2000}"'])
def test_a_project_s_policy_stays_below_the_project(machine, value):
    with pytest.raises(UsageError) as refusal:
        machine.load(project=f"policy = {value}")

    assert str(refusal.value).startswith(f"{machine.project}: policy: ")
    assert "below the project (try .windtunnel/policy.yaml)" in str(refusal.value)


def toml(key, value):
    group, _, name = key.rpartition(".")
    return f"[{group}]\n{name} = {value}\n" if group else f"{name} = {value}\n"


def test_the_table_of_hostile_values_is_long_enough():
    assert len(set(HOSTILE)) > 150


@pytest.mark.parametrize(("key", "value"), HOSTILE, ids=lambda text: ascii(text)[:40])
def test_a_hostile_value_is_refused_with_file_and_key(machine, key, value):
    with pytest.raises(UsageError) as refusal:
        machine.load(user=toml(key, value))

    message = str(refusal.value)
    assert message.startswith(f"{machine.user}: {key}: ")
    assert (message.isprintable(), len(message) < len(str(machine.user)) + 300) == (True, True)
    assert refusal.value.field == key


HOSTILE_TEXTS = ["", " ", "-1", "+1", "nan", "inf", "-inf", "1e3", "0x10", "1_000", " 30", "30 ", "30\n", "٣٠", "30s", "None",
                 "true", "18446744073709551616", "9" * 5000, "1GB ", "1.5g", "\0", "\udcff", "1;2"]


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: ascii(text)[:40])
@pytest.mark.parametrize("name", ["WINDTUNNEL_MAX_SECONDS", "WINDTUNNEL_MAX_MEMORY", "WINDTUNNEL_POOL_SIZE",
                                  "WINDTUNNEL_MAX_FILES", "WINDTUNNEL_MIN_ISOLATION", "WINDTUNNEL_STATE_DIR"])
def test_a_hostile_variable_is_refused_with_its_name(machine, name, text):
    with pytest.raises(UsageError) as refusal:
        machine.load(**{name: text})

    assert str(refusal.value).startswith(f"{name}: ")


@pytest.mark.parametrize("text", ["", "2", "nope", " true", "true ", "on\n", "-1", "null"])
def test_a_switch_that_is_neither_on_nor_off_is_refused(machine, text):
    with pytest.raises(UsageError, match=r"^WINDTUNNEL_HISTORY: .*neither true nor false"):
        machine.load(WINDTUNNEL_HISTORY=text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("wall_seconds = 5", "wall_seconds"),
        ("[caps]\nwall_second = 5", "caps.wall_second"),
        ("[limits]\nmemory = 5", "limits.memory"),
        ("[Caps]\nwall_seconds = 5", "Caps"),
        ("[caps.wall_seconds]\nx = 1", "caps.wall_seconds"),
        ("caps = 5", "caps"),
        ("limits = []", "limits"),
        ("'caps.wall_seconds' = 5", "caps.wall_seconds"),
        ("'' = 5", ""),
        ("default_limits = {}", "default_limits"),
        ("min-isolation = 'vm'", "min-isolation"),
    ],
)
def test_an_unknown_key_is_refused_with_file_and_key(machine, text, key):
    with pytest.raises(UsageError) as refusal:
        machine.load(user=text)

    assert str(refusal.value).startswith(f"{machine.user}: {key}")


def test_a_misspelt_variable_is_refused(machine):
    with pytest.raises(UsageError, match=r"^WINDTUNNEL_MAX_MEMROY: unknown \(known: .*WINDTUNNEL_MAX_MEMORY"):
        machine.load(WINDTUNNEL_MAX_MEMROY="1g")


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"[caps", b"a = 1\na = 2", b"x = " + b"[" * 100_000, b"x = " + b"9" * 5000, b"\0", b"\x1b[2J = 1",
     b"x = {" * 5000],
    ids=lambda content: ascii(content[:12]),
)
def test_a_file_that_is_not_toml_is_refused_with_its_name(machine, content):
    machine.user.parent.mkdir(parents=True)
    machine.user.write_bytes(content)

    with pytest.raises(UsageError) as refusal:
        machine.load()

    assert str(refusal.value).startswith(f"{machine.user}: not TOML: ")
    assert str(refusal.value).isprintable()


def test_a_file_of_more_than_a_mebibyte_is_refused(machine):
    with pytest.raises(UsageError, match=r"config.toml: refused: more than 1048576 bytes"):
        machine.load(user="#" * (MIB + 1))


def test_a_file_of_just_a_mebibyte_is_read(machine):
    text = "pool_size = 7\n"

    assert machine.load(user=text + "#" * (MIB - len(text))).pool_size == 7


@pytest.mark.parametrize("which", ["operator", "user", "project"])
def test_a_link_is_refused_although_its_target_would_do(machine, tmp_path, which):
    target = tmp_path / "target.toml"
    target.write_text("allow_network = false")
    path = getattr(machine, which)
    path.parent.mkdir(parents=True)
    path.symlink_to(target)

    with pytest.raises(UsageError, match=f"^{path}: refused: a symbolic link"):
        machine.load()


@pytest.mark.parametrize("which", ["operator", "user", "project"])
def test_a_file_that_everyone_may_write_to_is_refused(machine, which):
    machine.load(**{which: "allow_network = false"})
    getattr(machine, which).chmod(0o666)

    with pytest.raises(UsageError, match=r"refused: everyone may write to it"):
        machine.load()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("which", ["operator", "user", "project"])
def test_a_file_of_another_user_is_refused(machine, which):
    machine.load(**{which: "allow_network = false"})
    os.chown(getattr(machine, which), 65534, 65534)

    with pytest.raises(UsageError, match=r"refused: it belongs to user 65534; it must belong to root or to you"):
        machine.load()


def test_a_pipe_or_a_folder_in_the_place_of_a_file_is_refused_and_does_not_hang(machine):
    machine.user.parent.mkdir(parents=True)
    os.mkfifo(machine.user)
    machine.project.mkdir(parents=True)

    for project in (None, machine.project.parent):
        with pytest.raises(UsageError, match="refused: not a plain file"):
            load({"HOME": str(machine.home if project is None else "/nowhere")}, project, operator=machine.operator)


@pytest.mark.parametrize("pool_size", [-1, 65, True, 1.0, "2", None, 2**64])
def test_settings_made_by_hand_refuse_a_senseless_pool(pool_size):
    with pytest.raises(UsageError, match="pool_size"):
        Settings(state_dir=Path("/a"), cache_dir=Path("/b"), pool_size=pool_size)


def test_settings_made_by_hand_refuse_defaults_above_the_caps():
    with pytest.raises(UsageError, match=r"default_limits.wall_seconds: more than its cap \(30\)"):
        Settings(state_dir=Path("/a"), cache_dir=Path("/b"), default_limits=Limits(wall_seconds=31.0))


def test_no_toml_reader_is_loaded_while_there_is_no_file(machine):
    code = (
        "import sys, pathlib; from windtunnel.config import load; "
        "load({'HOME': sys.argv[1]}, operator=pathlib.Path(sys.argv[1], 'x')); print('tomllib' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code, machine.home], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


def outcome(machine, **given):
    """The settings, or the refusal; any other exception is the failure of the test."""
    try:
        return machine.load(**given)
    except UsageError as refusal:
        return refusal


def bounded(found):
    return found.default_limits.over(found.caps) is None and all(
        0 <= getattr(found.caps, name) <= 2**50 for name in LIMIT_NAMES
    )


quiet = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quiet
@given(st.binary(max_size=200))
@example(b"[caps]\nwall_seconds = 1_0")
def test_any_bytes_give_bounded_settings_or_a_refusal(machine, content):
    machine.user.parent.mkdir(parents=True, exist_ok=True)
    machine.user.write_bytes(content)

    found = outcome(machine)

    assert isinstance(found, UsageError) or bounded(found)


KEYS = st.sampled_from([*(f"{group}.{name}" for group in ("caps", "limits") for name in LIMIT_NAMES), "pool_size"])
NUMBERS = st.one_of(st.integers(), st.integers(0, 2**40), st.floats(), st.floats(0, 1e6)).map(str)


@quiet
@given(KEYS, NUMBERS)
def test_any_number_gives_bounded_settings_or_a_refusal_that_names_the_key(machine, key, number):
    found = outcome(machine, user=toml(key, number))

    refused = isinstance(found, UsageError)
    assert str(found).startswith(f"{machine.user}: {key}: ") if refused else bounded(found)


@quiet
@given(KEYS.filter(lambda key: "." in key), NUMBERS)
def test_no_project_ever_ends_with_more_than_it_had(machine, key, number):
    before = machine.load(project="")

    after = outcome(machine, project=toml(key, number))

    assert isinstance(after, UsageError) or (after.caps.over(before.caps), after.default_limits.over(before.default_limits)) == (None, None)


@quiet
@given(st.sampled_from(sorted(_VARIABLES)), st.text(max_size=30))
def test_any_text_in_a_variable_gives_bounded_settings_or_a_refusal_that_names_it(machine, name, text):
    found = outcome(machine, **{name: text})

    assert str(found).startswith(f"{name}: ") if isinstance(found, UsageError) else bounded(found)
