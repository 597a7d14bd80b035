"""Control groups: the host's own where they may be made, and shapes of other hosts as folders."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from windtunnel.core.limits import MIB, Limits
from windtunnel.sandbox import cgroups

ENTER = """
import os, sys
for name in sys.argv[1].split(","):
    os.write(int(name), b"0")
"""
V2_CONTROLLERS = "cpuset cpu io memory pids"


@pytest.fixture
def groups():
    found = cgroups.find()
    if found is None:
        pytest.skip("no control group may be made here")
    yield found
    found.close()


@pytest.fixture
def group(groups):
    made = groups.make()
    yield made
    for folder in set(made.folders.values()):
        with contextlib.suppress(FileNotFoundError):
            for pid in (folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)


def inside(group, code):
    """Run a program in the group, to its end."""
    entrances = group.entrances()
    argv = [sys.executable, "-I", "-S", "-c", ENTER + code, ",".join(map(str, entrances))]
    try:
        return subprocess.run(argv, pass_fds=entrances, capture_output=True, text=True, timeout=30, check=False)
    finally:
        for descriptor in entrances:
            os.close(descriptor)


def read(group, controller, name):
    path = group.folders[controller] / name
    return path.read_text().strip() if path.exists() else None


def written(group):
    if group.version == 2:
        names = {"memory": ("memory.max", "memory.swap.max"), "pids": ("pids.max",), "cpu": ("cpu.max", "cpu.weight")}
    else:
        names = {"memory": ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"), "pids": ("pids.max",),
                 "cpu": ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.shares")}
    return [read(group, controller, name) for controller, files in names.items() for name in files]


def expected(group, limits):
    if group.version == 2:
        return [str(limits.memory_bytes), str(limits.swap_bytes), str(limits.processes + 1),
                f"{int(limits.cores * 100_000)} 100000", str(round(limits.cpu_weight * 100 / 1024))]
    swap = str(limits.memory_bytes + limits.swap_bytes) if read(group, "memory", "memory.memsw.limit_in_bytes") else None
    return [str(limits.memory_bytes), swap, str(limits.processes + 1), str(int(limits.cores * 100_000)), "100000",
            str(limits.cpu_weight)]


def folder_names(groups):
    return sorted(path.name for parent in set(groups.parents.values()) for path in parent.glob("run-*"))


LIMITS = Limits(memory_bytes=64 * MIB, swap_bytes=16 * MIB, processes=20, cores=0.5, cpu_weight=512)


def test_every_limit_reads_back_as_it_was_set(group):
    group.apply(LIMITS)

    assert written(group) == expected(group, LIMITS)


@pytest.mark.parametrize("later", [
    replace(LIMITS, memory_bytes=128 * MIB, swap_bytes=0), replace(LIMITS, memory_bytes=16 * MIB, swap_bytes=0),
    replace(LIMITS, processes=5, cores=2.0, cpu_weight=2048),
], ids=["more memory", "less memory", "others"])
def test_limits_can_be_changed_before_the_run(group, later):
    group.apply(LIMITS)
    group.apply(later)

    assert written(group) == expected(group, later)


def test_a_program_over_its_memory_is_killed_and_counted(group):
    group.apply(replace(LIMITS, memory_bytes=32 * MIB, swap_bytes=0))

    done = inside(group, "print('begun', flush=True); data = b'x' * (200 << 20); print('done')")

    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "begun\n")
    assert group.oom_kills() == 1
    assert group.spent().oom_kills == 1
    assert 16 * MIB < group.spent().memory_peak_bytes <= 32 * MIB


def test_the_same_program_lives_without_the_limit(group):
    done = inside(group, "data = b'x' * (200 << 20); print('done')")

    assert (done.returncode, done.stdout, group.oom_kills()) == (0, "done\n", 0)
    assert group.spent().memory_peak_bytes >= 200 * MIB


def test_processes_over_the_limit_are_refused_and_counted(group):
    group.apply(replace(LIMITS, processes=10))

    done = inside(group, """
os.setpgid(0, 0)
made = 0
try:
    for _ in range(50):
        if os.fork() == 0:
            import signal; signal.pause()
        made += 1
except BlockingIOError:
    print(made, flush=True)
os.killpg(0, 9)
""")

    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "10\n")
    assert group.spent().process_refusals >= 1


def test_processor_time_of_dead_processes_counts(group):
    group.apply(replace(LIMITS, cores=2.0))

    done = inside(group, """
import time
for _ in range(3):
    if os.fork() == 0:
        while time.process_time() < 0.2: pass
        os._exit(0)
    os.wait()
""")

    assert done.returncode == 0, done.stderr
    assert 0.5 < group.cpu_seconds() < 3
    assert group.spent().cpu_seconds == pytest.approx(group.cpu_seconds(), abs=0.01)


def test_an_unused_group_has_spent_nothing(group):
    group.apply(LIMITS)
    spent = group.spent()

    assert (spent.cpu_seconds, spent.oom_kills, spent.process_refusals) == (0.0, 0, 0)


def test_removing_leaves_no_folder_and_can_be_repeated(groups):
    group = groups.make()

    assert (group.remove(), group.remove()) == (True, True)
    assert folder_names(groups) == []


def test_a_group_with_something_alive_in_it_is_not_removed(group):
    entrances = group.entrances()
    code = ENTER + "sys.stdout.write('in'); sys.stdout.flush(); sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", code, ",".join(map(str, entrances))],
                               pass_fds=entrances, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.read(2) == b"in"

    alive = group.remove()
    process.communicate()
    for descriptor in entrances:
        os.close(descriptor)

    assert (alive, group.remove()) == (False, True)


def test_closing_ends_what_lives_below_and_leaves_nothing():
    groups = cgroups.find()
    if groups is None:
        pytest.skip("no control group may be made here")
    entrances = groups.make().entrances()
    code = ENTER + "sys.stdout.write('in'); sys.stdout.flush(); sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", code, ",".join(map(str, entrances))],
                               pass_fds=entrances, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.read(2) == b"in"
    for descriptor in entrances:
        os.close(descriptor)

    groups.close()

    assert process.wait(timeout=5) == -signal.SIGKILL
    process.communicate()
    assert [path for path in set(groups.parents.values()) if path.exists()] == []


def test_two_supervisors_of_one_process_do_not_share_a_folder(groups):
    other = cgroups.find()
    other.close()

    assert not set(groups.parents.values()) & set(other.parents.values())
    assert all(parent.is_dir() for parent in groups.parents.values())


def test_looking_for_groups_opens_nothing_that_stays_open(groups):
    before = len(list(Path("/proc/self/fd").iterdir()))

    groups.make().remove()
    cgroups.find().close()

    assert len(list(Path("/proc/self/fd").iterdir())) == before


# --- left-overs ---

def namespace():
    return Path("/proc/self/ns/pid").stat().st_ino


def ended_process():
    """The number and start time of a process that is gone."""
    process = subprocess.Popen(["/bin/sleep", "60"])
    started = cgroups.start_time(process.pid)
    process.kill()
    process.wait()
    return process.pid, started


def test_the_folder_of_a_dead_owner_is_swept(tmp_path):
    pid, started = ended_process()
    folder = tmp_path / f"windtunnel-{namespace()}-{pid}-{started}-1"
    folder.mkdir()

    cgroups.sweep(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_dead_owner_whose_number_lives_again_is_swept(tmp_path):
    folder = tmp_path / f"windtunnel-{namespace()}-{os.getpid()}-{cgroups.start_time(os.getpid()) + 1}-1"
    folder.mkdir()

    cgroups.sweep(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [
    lambda: f"windtunnel-{namespace()}-{os.getpid()}-{cgroups.start_time(os.getpid())}-7",
    lambda: "windtunnel-{}-{}-{}-1".format(namespace() + 1, *ended_process()),
    lambda: "windtunnel-mine",
    lambda: "windtunnel-1-2",
    lambda: "other-{}-{}-{}-1".format(namespace(), *ended_process()),
    lambda: "windtunnel-{}-{}-{}-1.scope".format(namespace(), *ended_process()),
], ids=["a live owner's", "another namespace's", "a named one", "a short name", "a stranger's", "a longer name"])
def test_other_folders_are_left_alone(tmp_path, name):
    folder = tmp_path / name() / "run-1"
    folder.mkdir(parents=True)

    cgroups.sweep(tmp_path)

    assert folder.is_dir()


def test_finding_groups_sweeps_the_hosts_own_left_overs(groups):
    parent = groups.parents["memory"].parent
    left = parent / "windtunnel-{}-{}-{}-1".format(namespace(), *ended_process())
    (left / "run-1").mkdir(parents=True)

    cgroups.find().close()

    assert not left.exists()


def test_a_start_time_is_read_past_a_hostile_name(tmp_path):
    tool = tmp_path / "a) S 1 1 (b"
    tool.symlink_to("/bin/sleep")
    process = subprocess.Popen([str(tool), "60"])
    plain = subprocess.Popen(["/bin/sleep", "60"])

    times = cgroups.start_time(process.pid), cgroups.start_time(plain.pid)
    for each in (process, plain):
        each.kill()
        each.wait()

    assert 0 <= times[1] - times[0] < 100


def test_a_process_that_is_not_there_has_no_start_time():
    assert cgroups.start_time(ended_process()[0]) is None


# --- other hosts, as folders ---

class Host:
    """A tree that looks like another machine's; what the kernel would make in a new group is made beforehand."""

    def __init__(self, root):
        self.root = root
        (root / "proc/self").mkdir(parents=True)
        self.mounts, self.members = [], []

    def v2(self, path, *, mount="/sys/fs/cgroup", handed=None):
        self.mounts.append(f"30 20 0:26 / {mount} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate")
        self.members.append(f"0::{path}")
        for name, controllers in (handed or {}).items():
            folder = self.root / mount.lstrip("/") / name
            own = folder / "windtunnel-me"
            own.mkdir(parents=True)
            for place in (folder, own):
                (place / "cgroup.procs").write_text("")
                (place / "cgroup.subtree_control").write_text("")
            (folder / "cgroup.subtree_control").write_text(controllers + "\n")

    def v1(self, *controllers, path="/"):
        for number, names in enumerate(controllers, 2):
            self.mounts.append(f"3{number} 31 0:3{number} / /sys/fs/cgroup/{names} rw,relatime - cgroup cgroup rw,{names}")
            self.members.append(f"{number}:{names}:{path}")
            (self.root / "sys/fs/cgroup" / names / path.lstrip("/")).mkdir(parents=True)

    def find(self):
        (self.root / "proc/self/mountinfo").write_text("\n".join(["20 1 8:1 / / rw - ext4 /dev/sda rw", *self.mounts]) + "\n")
        (self.root / "proc/self/cgroup").write_text("".join(f"{line}\n" for line in self.members))
        return cgroups.find(root=self.root, owner="me")

    def where(self, found):
        return found and (found.version, {name: str(path.relative_to(self.root)) for name, path in found.parents.items()})


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def everywhere(path):
    return dict.fromkeys(("memory", "pids", "cpu"), path)


USER = "user.slice/user-1000.slice/user@1000.service"


def test_a_delegated_systemd_slice_is_used(host):
    host.v2(f"/{USER}/app.slice/run-1.scope", handed={
        "": V2_CONTROLLERS, "user.slice": V2_CONTROLLERS, "user.slice/user-1000.slice": V2_CONTROLLERS,
        USER: V2_CONTROLLERS, f"{USER}/app.slice": V2_CONTROLLERS, f"{USER}/app.slice/run-1.scope": ""})

    found = host.find()

    assert host.where(found) == (2, everywhere(f"sys/fs/cgroup/{USER}/app.slice/windtunnel-me"))
    own = host.root / f"sys/fs/cgroup/{USER}/app.slice/windtunnel-me"
    assert (own / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_a_slice_without_the_processor_is_passed_over_for_one_that_has_it(host):
    host.v2(f"/{USER}/app.slice/run-1.scope", handed={
        "": "", USER: V2_CONTROLLERS, f"{USER}/app.slice": "memory pids", f"{USER}/app.slice/run-1.scope": ""})

    assert host.where(host.find()) == (2, everywhere(f"sys/fs/cgroup/{USER}/windtunnel-me"))


def test_names_that_only_begin_like_a_controller_do_not_count(host):
    host.v2("/", handed={"": "cpuset memory_x pids hugetlb"})

    assert host.find() is None


def test_a_user_without_the_processor_controller_still_gets_memory_and_processes(host):
    host.v2("/", handed={"": "cpuset memory pids hugetlb"})

    assert sorted(host.find().parents) == ["memory", "pids"]


def test_a_container_whose_root_hands_out_nothing_has_no_groups(host):
    host.v2("/", handed={"": ""})

    assert host.find() is None


def test_a_container_whose_root_hands_out_all_is_used(host):
    host.v2("/", handed={"": V2_CONTROLLERS})

    assert host.where(host.find()) == (2, everywhere("sys/fs/cgroup/windtunnel-me"))


def test_a_membership_outside_the_namespace_is_no_group_and_no_endless_search(host):
    host.v2("/../../elsewhere", handed={"": V2_CONTROLLERS})

    assert host.find() is None


def test_a_host_without_any_group_has_none(host):
    assert host.find() is None


def test_version_1_is_used_where_version_2_has_no_controllers(host):
    host.v2("/", mount="/sys/fs/cgroup/unified", handed={"": "hugetlb"})
    host.v1("memory", "pids", "cpu,cpuacct", path="/job")

    assert host.where(host.find()) == (1, {
        "memory": "sys/fs/cgroup/memory/job/windtunnel-me", "pids": "sys/fs/cgroup/pids/job/windtunnel-me",
        "cpu": "sys/fs/cgroup/cpu,cpuacct/job/windtunnel-me", "cpuacct": "sys/fs/cgroup/cpu,cpuacct/job/windtunnel-me"})


def test_version_1_without_the_process_controller_is_none(host):
    host.v1("memory", "cpu,cpuacct")

    assert host.find() is None


def test_version_1_that_hides_our_own_group_is_none(host):
    host.v1("memory", "pids", "cpu,cpuacct")
    host.members = [line.replace(":/", ":/docker/abc") for line in host.members]

    assert host.find() is None


def test_a_tree_that_may_only_be_read_is_none_and_stays_as_it_was(host):
    host.v1("memory", "pids", "cpu,cpuacct")
    for name in ("memory", "pids", "cpu,cpuacct"):
        (host.root / "sys/fs/cgroup" / name / "windtunnel-me").write_text("in the way of a folder")

    assert host.find() is None


def test_a_search_that_fails_leaves_no_folder(host):
    host.v2("/", handed={"": V2_CONTROLLERS})
    own = host.root / "sys/fs/cgroup/windtunnel-me"
    shutil.rmtree(own)

    assert host.find() is None
    assert not own.exists()


def test_names_of_owners_differ_and_name_this_process():
    first, second = cgroups._own_name(), cgroups._own_name()

    assert first.rpartition("-")[0] == f"{namespace()}-{os.getpid()}-{cgroups.start_time(os.getpid())}"
    assert first != second


def test_weights_of_version_2_stay_in_its_range():
    weights = [{name: value for _, name, value in cgroups._v2_writes(Limits(cpu_weight=weight))}["cpu.weight"]
               for weight in (2, 1024, 262_144)]

    assert weights == ["1", "100", "10000"]


# --- the group of somebody else's process ---

def shown(host, pid="77"):
    """The host with a process of this number, which is where we would be; its group, as version and folders."""
    host.find()
    (host.root / "proc" / pid).mkdir()
    (host.root / "proc" / pid / "cgroup").write_text((host.root / "proc/self/cgroup").read_text())
    (host.root / "proc/self/cgroup").write_text("0::/elsewhere\n")
    found = cgroups.of_process(int(pid), root=host.root)
    return found and (found.version, {name: str(path.relative_to(host.root)) for name, path in found.folders.items()})


def test_the_group_of_a_process_is_read_where_its_memory_is_accounted(host):
    host.v2("/docker/c0ffee")
    (host.root / "sys/fs/cgroup/docker/c0ffee").mkdir(parents=True)
    (host.root / "sys/fs/cgroup/docker/c0ffee/memory.current").write_text("5\n")

    assert shown(host) == (2, everywhere("sys/fs/cgroup/docker/c0ffee"))


def test_a_version_2_group_without_memory_is_none(host):
    host.v2("/docker/c0ffee")
    (host.root / "sys/fs/cgroup/docker/c0ffee").mkdir(parents=True)

    assert shown(host) is None


def test_the_group_of_a_process_of_version_1_is_one_folder_for_each_controller(host):
    host.v1("memory", "pids", "cpu,cpuacct", path="/docker/c0ffee")
    (host.root / "sys/fs/cgroup/memory/docker/c0ffee/memory.usage_in_bytes").write_text("5\n")

    assert shown(host) == (1, {
        "memory": "sys/fs/cgroup/memory/docker/c0ffee", "pids": "sys/fs/cgroup/pids/docker/c0ffee",
        "cpu": "sys/fs/cgroup/cpu,cpuacct/docker/c0ffee", "cpuacct": "sys/fs/cgroup/cpu,cpuacct/docker/c0ffee"})


def test_a_version_1_group_that_is_not_shown_here_is_none(host):
    host.v1("memory", "pids", "cpu,cpuacct")

    assert shown(host) is None


@pytest.mark.parametrize("controllers", [("memory", "pids"), ("cpu,cpuacct",)])
def test_version_1_without_all_it_takes_is_none(host, controllers):
    host.v1(*controllers)

    assert shown(host) is None


def test_a_process_that_is_gone_has_no_group(host):
    host.v2("/", handed={"": V2_CONTROLLERS})
    host.find()

    assert cgroups.of_process(77, root=host.root) is None


def test_looking_makes_and_limits_nothing(host):
    host.v2("/docker/c0ffee")
    folder = host.root / "sys/fs/cgroup/docker/c0ffee"
    folder.mkdir(parents=True)
    (folder / "memory.current").write_text("5\n")

    shown(host)

    assert {path.name: path.read_text() for path in folder.iterdir()} == {"memory.current": "5\n"}


def test_a_real_process_in_a_group_of_ours_is_found_there(group):
    entrances = group.entrances()
    code = ENTER + "print('in', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", code, ",".join(map(str, entrances))], pass_fds=entrances,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for descriptor in entrances:
            os.close(descriptor)
        assert process.stdout.readline() == b"in\n"
        found = cgroups.of_process(process.pid)
        process.communicate()

    assert (found.version, found.folders["memory"]) == (group.version, group.folders["memory"])
