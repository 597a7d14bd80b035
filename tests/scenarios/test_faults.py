import json
from pathlib import Path

import pytest

import windtunnel.scenarios
from windtunnel import Tunnel
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.scenario import NETWORK_FAULTS, Fault

INSIDE = {path.name: path.read_bytes() for path in (Path(windtunnel.scenarios.__file__).parent / "inside").glob("*.py")}
LOCAL = sorted(str(fault) for fault in set(Fault) - NETWORK_FAULTS)
STORY = """
import errno, io, json, os, resource, signal, subprocess, sys, tempfile, time
import windtunnel_faults as faults

spec = json.loads({spec!r})

{act}

def told():
    try:
        return act()
    except BaseException as problem:
        name = errno.errorcode.get(getattr(problem, "errno", None))
        return type(problem).__name__ + (" " + name if name else "")

seen = [told()]
faults.begin(spec)
seen += [told(), faults.probe(spec)]
faults.end()
seen += [told()]
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def tunnel():
    with Tunnel(pool_size=0) as made:
        yield made


@pytest.fixture
def story(tunnel):
    """What a small program returns or raises before, under and after the faults, and what the probes said."""
    def tell(spec, act, *, limits=None):
        code = STORY.format(spec=json.dumps(spec), act=act)
        result = tunnel.run(code, files=INSIDE, limits=limits or Limits(disk_bytes=16 * MIB))
        assert result.exit_code == 0, result.stderr
        before, under, probed, after = json.loads(result.stdout)
        return before, under, after, probed
    return tell


def condition(probed, name):
    found = probed[name]
    assert set(found) == {"requested", "measured", "real", "approximate", "reason"}
    return found["real"], found["approximate"], found["measured"]


def test_a_full_disk_is_a_real_one(story):
    before, under, after, probed = story({"disk_full": True}, """
def act():
    try:
        with open("/tmp/report.txt", "w") as file:
            return file.write("x" * 100)
    finally:
        os.unlink("/tmp/report.txt")
""")

    assert (before, under, after) == (100, "OSError ENOSPC", 100)
    assert condition(probed, "disk_full") == (True, False, "0 bytes fitted in /tmp, 0 bytes fitted in /dev/shm")


def test_other_processes_find_the_disk_full_too(story):
    before, under, after, _ = story({"disk_full": True}, """
def act():
    command = "echo more > /dev/shm/more; code=$?; rm /dev/shm/more; exit $code"
    return subprocess.run(["sh", "-c", command], stderr=subprocess.DEVNULL).returncode
""")

    assert (before, under > 0, after) == (0, True, 0)


def test_more_room_than_may_be_taken_is_refused_inside_the_process(story):
    before, under, after, probed = story({"disk_full": {"most_bytes": 0}}, """
def act():
    with open("/tmp/report.txt", "w") as file:
        return file.write("x" * 100)
""")

    assert (before, under, after) == (100, "OSError ENOSPC", 100)
    assert condition(probed, "disk_full")[:2] == (True, True)


def test_a_full_disk_may_leave_a_little_room(story):
    before, under, after, probed = story({"disk_full": {"left_bytes": 65536}}, """
def act():
    found = []
    for size in (1000, 200_000):
        try:
            with open("/tmp/report.txt", "w") as file:
                found.append(file.write("x" * size))
        except OSError as problem:
            found.append(problem.errno)
        os.unlink("/tmp/report.txt")
    return found
""")

    assert (before, under, after) == ([1000, 200_000], [1000, 28], [1000, 200_000])
    assert condition(probed, "disk_full")[:2] == (True, False)


def test_the_room_of_a_killed_process_is_free_again(story):
    before, _, after, _ = story({"disk_full": True}, """
def act():
    child = os.fork()
    if child == 0:
        faults.end() or faults.begin({"disk_full": True})
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return os.statvfs("/tmp").f_bavail > 3000
""")

    assert (before, after) == (True, True)


def test_a_slow_disk_makes_each_operation_wait(story):
    before, under, after, probed = story({"slow_disk": {"seconds": 0.05}}, """
def act():
    began = time.monotonic()
    with open("/tmp/a.txt", "w") as file:
        file.write("x")
    with open("/tmp/a.txt") as file:
        file.read()
    return time.monotonic() - began >= 0.2
""")

    assert (before, under, after) == (False, True, False)
    assert condition(probed, "slow_disk")[:2] == (True, True)


@pytest.mark.parametrize("act", [
    "open('/tmp/new.txt', 'w').close()",
    "os.close(os.open('/tmp/kept/old.txt', os.O_RDWR))",
    "os.makedirs('/tmp/folder/below', exist_ok=False) or os.removedirs('/tmp/folder/below')",
    "os.rename('/tmp/kept/old.txt', '/tmp/kept/old.txt')",
    "os.unlink('/tmp/kept/gone.txt') if os.path.exists('/tmp/kept/gone.txt') else os.rmdir(tempfile.mkdtemp())",
    "tempfile.TemporaryFile().close()",
])
def test_a_read_only_disk_refuses_what_writes(story, act):
    before, under, after, probed = story({"read_only_disk": True}, f"""
os.makedirs("/tmp/kept", exist_ok=True)
open("/tmp/kept/old.txt", "w").close()
tempfile.gettempdir()
def act():
    {act}
    return "done"
""")

    assert (before, under, after) == ("done", "OSError EROFS", "done")
    assert condition(probed, "read_only_disk")[:2] == (True, True)


def test_a_read_only_disk_can_be_read(story):
    _, under, _, _ = story({"read_only_disk": True}, """
with open("/tmp/a.txt", "w") as file:
    file.write("kept")
def act():
    with open(os.devnull, "w") as out:
        out.write("anything")
    return [open("/tmp/a.txt").read(), "a.txt" in os.listdir("/tmp")]
""")

    assert under == ["kept", True]


def test_who_asks_first_is_told_that_a_read_only_disk_cannot_be_written_to(story):
    before, under, after, _ = story({"read_only_disk": True}, """
def act():
    return [os.access("/tmp", os.W_OK), os.access("/tmp", os.R_OK), os.access("/dev/null", os.W_OK)]
""")

    assert (before, under, after) == ([True] * 3, [False, True, True], [True] * 3)


def test_files_of_the_system_are_read_as_they_are(story):
    before, under, after, _ = story({"corrupted_reads": {"every_bytes": 1}}, """
def act():
    return open(json.__file__).read(20)
""")

    assert (before, after) == (under, under)


@pytest.mark.parametrize("read", [
    "open('/tmp/a.bin', 'rb').read()", "open('/tmp/a.bin', 'rb', 0).read(200)", "os.read(os.open('/tmp/a.bin', 0), 200)",
    "open('/tmp/a.bin', encoding='latin-1').read().encode('latin-1')", "__import__('pathlib').Path('/tmp/a.bin').read_bytes()",
    "b''.join(open('/tmp/a.bin', 'rb', 7).read(3) for _ in range(1)) + open('/tmp/a.bin', 'rb').read()[3:]",
])
def test_the_same_bits_are_wrong_however_a_file_is_read(story, read):
    before, under, after, probed = story({"corrupted_reads": {"every_bytes": 64, "seed": 3}}, f"""
open("/tmp/a.bin", "wb").write(bytes(200))
def act():
    return [[place, one] for place, one in enumerate({read}) if one]
""")

    assert (before, after) == ([], [])
    assert under == [[44, 1], [75, 64], [164, 4], [199, 16]]
    assert condition(probed, "corrupted_reads")[:2] == (True, True)


def test_modules_are_loaded_as_they_are_from_a_disk_with_wrong_reads(story):
    _, under, _, _ = story({"corrupted_reads": {"every_bytes": 1}, "slow_disk": True}, """
open("/tmp/fresh.py", "w").write("VALUE = 'right'\\n" * 50)
sys.path.insert(0, "/tmp")
def act():
    sys.modules.pop("fresh", None)
    import fresh
    return fresh.VALUE
""")

    assert under == "right"


def test_under_memory_pressure_the_next_bytes_are_a_memory_error(story):
    before, under, after, probed = story({"memory_pressure": {"left_bytes": 16 * MIB}}, """
def act():
    small = bytes(4 * 1024**2)
    return len(bytes(64 * 1024**2)) + len(small)
""")

    assert (before, under, after) == (68 * MIB, "MemoryError", 68 * MIB)
    assert condition(probed, "memory_pressure") [:2] == (True, False)
    assert int(probed["memory_pressure"]["measured"].split()[0]) <= 16


def test_a_cpu_spike_takes_the_processor_and_leaves_nothing(story):
    before, under, after, probed = story({"cpu_spike": True}, """
def act():
    until = time.monotonic() + 3  # one that has ended is listed until it is reaped
    while many() and time.monotonic() < until:
        pass
    return many()
def many():
    return sum(one.isdigit() for one in os.listdir("/proc")) > 4
""", limits=Limits())

    assert (before, under, after) == (False, True, False)
    assert condition(probed, "cpu_spike")[:2] == (True, False)


def test_the_program_does_not_meet_the_siblings_when_it_waits_for_its_children(story):
    before, under, after, _ = story({"cpu_spike": {"processes": 1}, "signals": True}, """
def act():
    os.wait()
""")

    assert (before, under, after) == ("ChildProcessError ECHILD",) * 3


def test_a_program_that_closes_every_descriptor_is_not_waited_for(story):
    _, under, after, _ = story({"cpu_spike": {"processes": 1}, "signals": True, "disk_full": True}, """
def act():
    os.closerange(3, 256)
    held = os.pipe()
    return len(held)
""")

    assert (under, after) == (2, 2)


def test_siblings_end_though_a_child_of_the_program_goes_on(story):
    _, under, after, _ = story({"cpu_spike": {"processes": 1}}, """
children = []
def act():
    child = os.fork()
    if child == 0:
        time.sleep(60)
    children.append(child)
    if len(children) == 3:
        for one in children:
            os.kill(one, signal.SIGKILL)
            os.waitpid(one, 0)
    return len(children)
""")

    assert (under, after) == (2, 3)


def test_the_clock_jumps_ahead_after_the_first_look_and_back_after_the_second(story):
    before, under, after, probed = story({"clock_jump": {"seconds": 3600}}, """
from time import time as look
import datetime as dates
begun = (time.monotonic(), look())
def act():
    off = lambda now: round((now - begun[1] - (time.monotonic() - begun[0])) / 100) * 100
    return [off(look()), off(dates.datetime.now().timestamp()), off(time.time_ns() / 1e9), off(time.mktime(time.localtime()))]
""")

    assert (before, after) == ([0, 0, 0, 0], [0, 0, 0, 0])
    assert under == [0, 3600, -3600, -3600]
    assert condition(probed, "clock_jump") == (True, True, "off by 0 s, 3600 s, -3600 s")


def test_dates_stay_themselves_under_a_wrong_clock(story):
    before, under, after, _ = story({"clock_jump": {"seconds": 10**8}}, """
import copy, pickle
from datetime import date, datetime, timezone
def act():
    now = datetime.now(timezone.utc)
    today = date.today()
    return [pickle.loads(pickle.dumps(now)) == now, type(now) is datetime, copy.deepcopy(today) == today,
            datetime.utcnow().tzinfo is None, isinstance(datetime.today(), date), today.year > now.year]
""")

    assert (before, under, after) == ([True] * 5 + [False], [True] * 6, [True] * 5 + [False])


def test_a_skewed_clock_runs_too_fast_and_the_steady_one_does_not(story):
    before, under, after, probed = story({"clock_skew": {"rate": 100}}, """
def act():
    steady, wall = time.monotonic(), time.time()
    time.sleep(0.05)
    return round((time.time() - wall) / (time.monotonic() - steady) / 50)
""")

    assert (before, under, after) == (0, 2, 0)
    assert condition(probed, "clock_skew")[:2] == (True, True)


def test_signals_arrive_and_interrupt(story):
    before, under, after, probed = story({"signals": {"seconds": 0.005}}, """
def act():
    hear = lambda number, frame: seen.append(number)
    seen, old = [], signal.signal(signal.SIGWINCH, hear)
    try:
        time.sleep(0.2)
    finally:
        signal.signal(signal.SIGWINCH, old)
    return bool(seen)
""")

    assert (before, under, after) == (False, True, False)
    assert condition(probed, "signals") == (True, False, "3 of SIGUSR1 arrived")


def test_a_program_that_sets_no_handler_survives_signals(story):
    before, under, after, _ = story({"signals": {"seconds": 0.001}}, """
def act():
    out = subprocess.run(["sh", "-c", "sleep 0.1; echo done"], capture_output=True, text=True).stdout
    time.sleep(0.1)
    return out
""")

    assert (before, under, after) == ("done\n", "done\n", "done\n")


def test_variables_are_missing_and_come_back(story):
    before, under, after, probed = story({"missing_environment": True}, """
def act():
    inner = subprocess.run(["sh", "-c", "echo $HOME"], capture_output=True, text=True).stdout.strip()
    return [inner, os.environ["HOME"]]
""")

    assert (before, under, after) == (["/tmp", "/tmp"], "KeyError", ["/tmp", "/tmp"])
    assert condition(probed, "missing_environment")[0]


def test_only_the_named_variables_are_missing(story):
    _, under, _, probed = story({"missing_environment": {"names": ["TMPDIR", "SERVICE_URL"]}}, """
def act():
    return [os.environ.get(name) for name in ("HOME", "TMPDIR")]
""")

    assert under == ["/tmp", None]
    assert condition(probed, "missing_environment") == (True, False, "gone: TMPDIR, SERVICE_URL")


def test_in_a_wrong_locale_text_is_ascii_unless_said_otherwise(story):
    before, under, after, probed = story({"wrong_locale": True}, """
def act():
    with open("/tmp/a.txt", "w", encoding="utf-8") as file:
        file.write("naïve")
    with open("/tmp/a.txt") as file:
        return file.read()
""")

    assert (before, under, after) == ("naïve", "UnicodeDecodeError", "naïve")
    assert condition(probed, "wrong_locale")[0]


def test_local_time_is_of_another_zone(story):
    before, under, after, probed = story({"wrong_time_zone": True}, """
def act():
    return time.strftime("%H:%M", time.localtime(1_700_000_000))
""")

    assert (before, under, after) == ("22:13", "09:13", "22:13")
    assert condition(probed, "wrong_time_zone")[:2] == (True, False)


def test_only_so_many_descriptors_are_left(story):
    before, under, after, probed = story({"few_file_descriptors": {"left": 5}}, """
def act():
    held = [open(os.devnull) for _ in range(5)]
    return len(held) + len([open(os.devnull) for _ in range(1)])
""")

    assert (before, under, after) == (6, "OSError EMFILE", 6)
    assert condition(probed, "few_file_descriptors") == (True, False, "5 more could be opened")


def test_all_faults_hold_together_and_all_of_them_end(story):
    spec = {**dict.fromkeys(LOCAL, True), "cpu_spike": {"processes": 4}, "slow_disk": {"seconds": 0.001}}
    before, _, after, probed = story(spec, """
pipe = os.pipe()
def act():
    import decimal, uuid
    os.write(pipe[1], b"report")
    got = os.read(pipe[0], 6).decode()
    with open("/tmp/a.txt", "w") as file:
        file.write("x")
    return got
""", limits=Limits(disk_bytes=16 * MIB))

    assert (before, after) == ("report", "report")
    assert {name: found["measured"] for name, found in probed.items() if not found["real"]} == {}
    assert sorted(probed) == LOCAL


@pytest.mark.parametrize(("spec", "words"), [
    ({"gremlins": True}, "no such fault: 'gremlins'"),
    ({"dns_failure": True}, "no such fault: 'dns_failure'"),
    ({"slow_disk": {"minutes": 1}}, "no such option: 'minutes' (there are: seconds)"),
    ({"slow_disk": {"seconds": -1}}, "not a number from 0.0001 to 10: -1"),
    ({"slow_disk": {"seconds": float("nan")}}, "not a number from 0.0001 to 10: nan"),
    ({"disk_full": 7}, "not true or options: 7"),
    ({"missing_environment": {"names": "HOME"}}, "names is not a list of names: 'HOME'"),
    ({"wrong_time_zone": {"zone": ""}}, "zone is not the name of a time zone: ''"),
    (["disk_full"], "not a table of faults: list"),
])
def test_what_is_not_a_fault_is_refused_and_nothing_is_begun(tunnel, spec, words):
    result = tunnel.run(f"""
import windtunnel_faults as faults
nan = float("nan")
try:
    faults.begin({spec!r})
except ValueError as problem:
    print(problem)
assert not faults._begun
""", files=INSIDE)

    assert words in result.stdout


def test_there_is_one_for_each_fault_that_is_not_of_the_network(tunnel):
    result = tunnel.run("import windtunnel_faults as faults\nprint(*sorted(faults.FAULTS))", files=INSIDE)

    assert result.stdout.split() == LOCAL
