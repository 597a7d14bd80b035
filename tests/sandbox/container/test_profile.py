"""The filter as container engines get it: the tables, and verdict by verdict the filter of the process level."""

from __future__ import annotations

import errno
import functools
import json
import platform
import tempfile

import pytest
from classic_bpf import interpret, seccomp_data
from hypothesis import example, given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox import seccomp
from windtunnel.sandbox.container.profile import outside, profile
from windtunnel.sandbox.syscalls import ALLOWED, MACHINES

HERE = platform.machine()
BOTH = pytest.mark.parametrize("machine", sorted(MACHINES))
CHECKED = {"clone", "clone3", "personality", "ioctl", "seccomp", "socket", "socketpair", "fcntl", "prlimit64"}
EVERYWHERE = {"connect", "sendto"}
WORD = (1 << 32) - 1
SIZES = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 29, 30, 31, 38, 40, 44, 132, 255, 262, 1030, 1031, 1032, WORD]
MARKS = sorted({*SIZES, *seccomp.PERSONALITIES, *seccomp.TERMINAL_REQUESTS, 0x5401, 0x5411, 0x5413, 0x40000, 0x80000, 0x80002,
                *(1 << bit for bit in range(32)), 0x11, 0x3D0F00, 0x10000011, 1 << 32, 0x5412 | 1 << 32, 1031 | 1 << 40})
numbers = st.one_of(st.sampled_from(MARKS), st.integers(0, 2**64 - 1), st.integers(0, 300))


def rules(machine):
    return json.loads(profile(machine))["syscalls"]


# --- what the rules say, and what libseccomp makes of them ---

def matches(test, arguments):
    value = arguments[test["index"]]
    if test["op"] == "SCMP_CMP_EQ":
        return value == test["value"]
    assert test["op"] == "SCMP_CMP_MASKED_EQ"
    return value & test["value"] == test["valueTwo"]


@functools.cache
def by_name(machine):
    table = {}
    for rule in rules(machine):
        for name in rule["names"]:
            table.setdefault(name, []).append(rule)
    return table


def verdicts(machine, call, arguments):
    """Every answer that some rule gives; an engine would have to choose between two."""
    padded = [argument & (2**64 - 1) for argument in (*arguments, *[0] * 6)][:6]
    found = {answer(rule) for rule in by_name(machine).get(call, ()) if all(matches(test, padded) for test in rule.get("args", ()))}
    return found or {seccomp.ERRNO | errno.ENOSYS}


def answer(rule):
    return seccomp.ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else seccomp.ERRNO | rule["errnoRet"]


def library():
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as error:
        pytest.skip(f"pyseccomp cannot be used: {error}")
    return pyseccomp


@functools.cache
def compiled(machine, *, asks=False):
    """By libseccomp, as runc does it; rules that repeat the default are left out there too."""
    pyseccomp = library()
    told = json.loads(profile(machine, asks=asks))
    default = pyseccomp.ERRNO(told["defaultErrnoRet"])
    made = pyseccomp.SyscallFilter(default)
    wanted = {"x86_64": pyseccomp.Arch.X86_64, "aarch64": pyseccomp.Arch.AARCH64}[machine]
    if pyseccomp.system_arch() != wanted:
        made.remove_arch(pyseccomp.system_arch())
        made.add_arch(wanted)
    operations = {"SCMP_CMP_EQ": pyseccomp.EQ, "SCMP_CMP_MASKED_EQ": pyseccomp.MASKED_EQ}
    for rule in told["syscalls"]:
        action = pyseccomp.ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else pyseccomp.ERRNO(rule["errnoRet"])
        tests = [pyseccomp.Arg(test["index"], operations[test["op"]], test["value"], test.get("valueTwo", 0)) for test in rule.get("args", ())]
        for name in rule["names"]:
            number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
            if action != default and number != -1:
                made.add_rule(action, number, *tests)
    return exported(made)


def exported(made):
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def compiled_verdict(machine, call, arguments):
    return interpret(compiled(machine), seccomp_data(MACHINES[machine].numbers[call], MACHINES[machine].audit, arguments))


@functools.cache
def shipped(machine):
    return seccomp.load(machine, watch=False)


def process_verdict(machine, call, arguments):
    return interpret(shipped(machine), seccomp_data(MACHINES[machine].numbers[call], MACHINES[machine].audit, arguments))


def agrees(call, ours, theirs):
    """The same, or refused with another error where the docstring allows it."""
    other = {errno.ENOSYS} | ({errno.EPROTONOSUPPORT} if call == "socket" else set())
    refused = call in CHECKED and theirs not in (seccomp.ALLOW, seccomp.KILL)
    return ours == theirs or (refused and ours in {seccomp.ERRNO | number for number in other})


# --- the JSON and the tables ---

@BOTH
def test_the_profile_refuses_by_default_and_names_one_architecture(machine):
    told = json.loads(profile(machine))

    del told["syscalls"]
    assert told == {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": errno.ENOSYS,
                    "architectures": [{"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}[machine]]}


@BOTH
def test_calls_without_a_look_at_their_arguments_are_those_of_the_tables(machine):
    known = set(MACHINES[machine].numbers)
    plain = [rule for rule in rules(machine) if "args" not in rule]

    assert plain == [
        {"names": sorted(known & ALLOWED - CHECKED | EVERYWHERE), "action": "SCMP_ACT_ALLOW"},
        {"names": sorted(known - ALLOWED - CHECKED - EVERYWHERE), "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM}]


@BOTH
def test_every_known_call_has_a_rule_and_no_other_has(machine):
    assert set(by_name(machine)) == set(MACHINES[machine].numbers) | EVERYWHERE


@BOTH
def test_no_rule_tests_one_argument_twice_because_an_engine_would_take_either(machine):
    twice = [rule for rule in rules(machine) if len({test["index"] for test in rule.get("args", ())}) != len(rule.get("args", ()))]

    assert twice == []


def test_the_profile_of_this_machine_is_the_one_taken_unless_named():
    assert profile() == profile(HERE)


@pytest.mark.parametrize("machine", ["riscv64", "i686", "../x86_64"])
def test_a_machine_without_tables_is_refused(machine):
    with pytest.raises(IsolationUnavailable) as refused:
        profile(machine)

    assert str(refused.value) == f"no system call filter for machine {machine!r} (there is one for x86_64 and aarch64)"


# --- every number but some ---

def hits(number, parts):
    return [part for part in parts if number & part[0] == part[1]]


@given(st.lists(st.integers(0, WORD), max_size=8), st.integers(0, WORD))
@example([], 0)
@example([0, WORD], WORD)
@example([5, 5], 5)
def test_each_number_outside_is_matched_once_and_none_of_the_others_ever(values, number):
    parts = outside(values)

    assert [len(hits(each, parts)) for each in (*values, number)] == [0] * len(values) + [0 if number in values else 1]


@given(st.lists(st.integers(0, WORD), max_size=6))
def test_what_is_outside_counts_up_to_the_whole_without_the_values(values):
    assert sum(1 << (32 - mask.bit_count()) for mask, _ in outside(values)) == (1 << 32) - len(set(values))


@given(st.lists(st.integers(0, WORD), max_size=4), st.integers(0, WORD), st.integers(0, WORD))
def test_high_bits_hide_nothing(values, number, high):
    assert hits(number | high << 32, outside(values)) == hits(number, outside(values))


# --- the same verdicts as at the process level ---

@BOTH
def test_every_call_with_plain_arguments_gets_the_verdict_of_the_process_level(machine):
    different = {call: verdicts(machine, call, ()) for call in MACHINES[machine].numbers
                 if verdicts(machine, call, ()) != {process_verdict(machine, call, ())}}

    assert different == {}


@BOTH
@pytest.mark.parametrize("call", sorted(CHECKED))
def test_rules_never_contradict_each_other_and_agree_with_the_process_level(machine, call):
    @settings(max_examples=120, deadline=None)
    @given(st.lists(numbers, min_size=6, max_size=6))
    def check(arguments):
        (ours,) = verdicts(machine, call, arguments)

        assert agrees(call, ours, process_verdict(machine, call, arguments))

    check()


@BOTH
def test_every_usual_family_type_and_protocol_of_a_socket_agrees(machine):
    triples = [(family, kind | flags, protocol) for family in SIZES for kind in range(12)
               for flags in (0, 0o2004000) for protocol in SIZES]

    assert [triple for triple in triples if not all(
        agrees("socket", ours, process_verdict(machine, "socket", triple)) for ours in verdicts(machine, "socket", triple))] == []


@BOTH
def test_what_libseccomp_makes_of_it_agrees_for_every_call(machine):
    newer = {call for call in MACHINES[machine].numbers if compiled_verdict(machine, call, ()) == seccomp.ERRNO | errno.ENOSYS}
    different = {call for call in set(MACHINES[machine].numbers) - newer
                 if not agrees(call, compiled_verdict(machine, call, ()), process_verdict(machine, call, ()))}

    assert different == set()
    assert len(newer) < 20, "calls that this libseccomp has not heard of"


@BOTH
@pytest.mark.parametrize("call", sorted(CHECKED))
def test_what_libseccomp_makes_of_the_arguments_is_what_the_rules_say(machine, call):
    compiled(machine)

    @settings(max_examples=120, deadline=None)
    @given(st.lists(numbers, min_size=6, max_size=6))
    def check(arguments):
        assert {compiled_verdict(machine, call, arguments)} == verdicts(machine, call, arguments)

    check()


@pytest.mark.parametrize("audit", [0x40000003, 0x40000028])
def test_what_libseccomp_makes_of_it_ends_a_process_that_calls_by_another_convention(audit):
    data = seccomp_data(MACHINES["x86_64"].numbers["getpid"], audit, ())

    assert interpret(compiled("x86_64"), data) in (0, seccomp.KILL)


ATTACKS = [
    ("clone", (0x10000011,)), ("unshare", (0x10000000,)), ("clone3", (0, 0)), ("mount", ()), ("ptrace", ()), ("bpf", ()), ("keyctl", ()),
    ("personality", (0x40000,)), ("ioctl", (0, 0x5412)), ("ioctl", (0, 0x5412 | 1 << 32)), ("seccomp", (1, 8)),
    ("socket", (40, 1, 0)), ("socket", (17, 3, 0)), ("socket", (2, 3, 1)), ("socket", (16, 3, 15)), ("socket", (38, 5, 0)),
    ("socketpair", (30, 1, 0)), ("fcntl", (0, 1031)), ("prlimit64", (1, 7, 0x1000)), ("prlimit64", (1, 7, 1 << 32)),
]


@BOTH
@pytest.mark.parametrize(("call", "arguments"), ATTACKS)
def test_an_attack_is_refused_by_the_rules_and_by_what_libseccomp_makes_of_them(machine, call, arguments):
    assert seccomp.ALLOW not in {*verdicts(machine, call, arguments), compiled_verdict(machine, call, arguments)}


@pytest.mark.parametrize("request_number", seccomp.TERMINAL_REQUESTS)
def test_said_as_unequal_to_each_the_refused_requests_would_all_be_allowed(request_number):
    """What ``outside`` is there against: an engine makes a rule of its own of each further test of one argument."""
    pyseccomp = library()
    made = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    for refused in seccomp.TERMINAL_REQUESTS:
        made.add_rule(pyseccomp.ALLOW, "ioctl", pyseccomp.Arg(1, pyseccomp.NE, refused))

    assert interpret(exported(made), seccomp_data(MACHINES[HERE].numbers["ioctl"], MACHINES[HERE].audit, (0, request_number))) == seccomp.ALLOW


# --- before a filter that asks ---



@functools.cache
def asking_rules(machine):
    table = {}
    for rule in json.loads(profile(machine, asks=True))["syscalls"]:
        for name in rule["names"]:
            table.setdefault(name, []).append(rule)
    return table


def asking_verdicts(machine, call, arguments):
    padded = [argument & (2**64 - 1) for argument in (*arguments, *[0] * 6)][:6]
    found = {answer(rule) for rule in asking_rules(machine)[call] if all(matches(test, padded) for test in rule.get("args", ()))}
    return found or {seccomp.ERRNO | errno.ENOSYS}


def second_verdict(machine, call, arguments):
    return interpret(watching(machine), seccomp_data(MACHINES[machine].numbers[call], MACHINES[machine].audit, arguments))


@functools.cache
def watching(machine):
    return seccomp.load(machine, watch=True)


def left_to_it(call, ours, second):
    """What the second asks about, and how it gets its listener, must come to it; all else is refused here as it is there."""
    if second == seccomp.NOTIFY or call == "seccomp":
        return ours == seccomp.ALLOW
    return agrees(call, ours, second)


@BOTH
def test_every_call_that_the_second_filter_asks_about_comes_to_it_and_no_other_refused_one(machine):
    wrong = {call: asking_verdicts(machine, call, ()) for call in MACHINES[machine].numbers
             if [left_to_it(call, ours, second_verdict(machine, call, ())) for ours in asking_verdicts(machine, call, ())] != [True]}

    assert wrong == {}


@BOTH
@pytest.mark.parametrize("call", sorted({*CHECKED, *EVERYWHERE}))
def test_before_a_filter_that_asks_arguments_are_left_to_it_where_it_asks(machine, call):
    @settings(max_examples=120, deadline=None)
    @given(st.lists(numbers, min_size=6, max_size=6))
    def check(arguments):
        (ours,) = asking_verdicts(machine, call, arguments)

        assert left_to_it(call, ours, second_verdict(machine, call, arguments))

    check()


@BOTH
def test_every_usual_socket_comes_to_the_second_filter_where_it_asks(machine):
    triples = [(family, kind | flags, protocol) for family in SIZES for kind in range(12)
               for flags in (0, 0o2004000) for protocol in SIZES]

    assert [triple for triple in triples if [left_to_it("socket", ours, second_verdict(machine, "socket", triple))
                                             for ours in asking_verdicts(machine, "socket", triple)] != [True]] == []


@BOTH
@pytest.mark.parametrize("call", sorted({*CHECKED, *EVERYWHERE}))
def test_what_libseccomp_makes_of_the_rules_before_a_filter_that_asks_is_what_they_say(machine, call):
    program = compiled(machine, asks=True)

    @settings(max_examples=80, deadline=None)
    @given(st.lists(numbers, min_size=6, max_size=6))
    def check(arguments):
        data = seccomp_data(MACHINES[machine].numbers[call], MACHINES[machine].audit, arguments)
        assert {interpret(program, data)} == asking_verdicts(machine, call, arguments)

    check()


@BOTH
def test_no_rule_before_a_filter_that_asks_tests_one_argument_twice(machine):
    every = [rule for found in asking_rules(machine).values() for rule in found]

    assert [rule for rule in every if len({test["index"] for test in rule.get("args", ())}) != len(rule.get("args", ()))] == []


@BOTH
@pytest.mark.parametrize(("call", "arguments"), [attack for attack in ATTACKS if attack[0] not in ("clone3", "personality", "fcntl", "prlimit64")])
def test_what_is_left_to_the_second_filter_would_be_allowed_without_it_and_is_refused_by_it(machine, call, arguments):
    assert asking_verdicts(machine, call, arguments) == {seccomp.ALLOW}
    assert second_verdict(machine, call, arguments) != seccomp.ALLOW


@BOTH
def test_the_second_filter_refuses_every_listener_but_its_own(machine):
    assert second_verdict(machine, "seccomp", (1, seccomp.NEW_LISTENER)) == seccomp.ERRNO | errno.EPERM
