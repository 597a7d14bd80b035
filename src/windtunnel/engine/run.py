"""Run one program: from a snippet to a result, with a build before it where the language has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO

from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language, usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network, Rig, Sink
from windtunnel.core.result import Artifact, Command, ExecutionResult, Reason, Stage
from windtunnel.engine.check import (
    check_arguments,
    check_code,
    check_env,
    check_files,
    check_spill,
    check_stdin,
    check_workspace,
)
from windtunnel.engine.limits import build_limits, check_limits
from windtunnel.engine.stages import check_stages, stage_job, stage_of

_PROFILE = "windtunnel-profile"
_PROFILER = ".windtunnel/profiler"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A program as a caller gives it."""

    code: str | bytes
    language: str
    limits: Limits | None = None
    network_enabled: bool = False
    allow_hosts: Sequence[str] | None = None
    """Only these hosts; None leaves it to ``network_enabled``, an empty list means nothing."""
    env_vars: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    args: Sequence[str] = ()
    stdin: bytes | str = b""
    live_stdin: IO[bytes] | None = None
    read_only: bool = True
    warm: bool = True
    """Whether an interpreter that is already loaded may be used; it shares its hash seed with other runs."""
    profile: bool = False
    spill: str | None = None
    workspace: str | None = None
    """A host folder shown copy-on-write at /workspace, where the program starts."""
    stages: Sequence[str] = ()
    """Shell commands to run instead, one after the other; see ``engine/stages.py``."""
    on_stdout: Sink | None = None
    on_stderr: Sink | None = None


def run(rig: Rig, snippet: Snippet) -> ExecutionResult:
    """Check everything, build if need be, run, remember."""
    if not isinstance(snippet.language, str):
        raise UsageError(f"language: not a name: {type(snippet.language).__name__}", field="language")
    language = rig.languages.get(snippet.language)
    limits = check_limits(rig.default_limits if snippet.limits is None else snippet.limits, caps=rig.caps)
    stages_asked = check_stages(snippet.stages) if snippet.stages else ()
    job = _job(rig, snippet, language, limits)
    if rig.history is not None:
        rig.history.ready()
    if stages_asked:
        return _remember(rig, _run_stages(rig, job, stages_asked), limits)
    stages: list[Stage] = []
    if job.toolchain.build is not None:
        built = _build(rig, job)
        stages.append(built.stages[0])
        if not built.success:
            return _remember(rig, built, limits)
        job = _with_products(job, built.artifacts)
    result = _run_or_cancel(rig, job)
    stages.append(stage_of("run", result))
    result = replace(result, stages=tuple(stages), profile=_profile(language, result) if snippet.profile else None,
                     artifacts={})
    return _remember(rig, result, limits)


def _run_or_cancel(rig: Rig, job: Job) -> ExecutionResult:
    """Run; when we are interrupted the sandbox is dead already, and the history says that it was cancelled."""
    try:
        return rig.sandbox.run(job)
    except KeyboardInterrupt:
        language = job.language.name
        _remember(rig, ExecutionResult(exit_code=130, reason=Reason.CANCELLED, language=language), job.limits)
        raise


def _run_stages(rig: Rig, job: Job, stages: tuple[str, ...]) -> ExecutionResult:
    """All stages in order, up to the first that fails; the result is the last one's."""
    done: list[Stage] = []
    handed: dict[str, Artifact] = {}
    for number, stage in enumerate(stages, start=1):
        last = number == len(stages)
        limits = job.limits if last else build_limits(job.limits, caps=rig.caps)
        result = _run_or_cancel(rig, stage_job(job, stage, last=last, handed=handed, limits=limits))
        done.append(stage_of(f"stage {number}", result))
        if not result.success:
            break
        handed = {**handed, **result.artifacts}
    return replace(result, stages=tuple(done), artifacts={})


def prepare(rig: Rig, language: str) -> Job:
    """A job of the language's usual kind, for filling the warm pool."""
    known = rig.languages.get(language)
    return _job(rig, Snippet(code="0", language=language), known, rig.default_limits)


def _job(rig: Rig, snippet: Snippet, language: Language, limits: Limits) -> Job:
    code = check_code(snippet.code)
    files = check_files(snippet.files, source=language.source, limits=limits)
    env = check_env(snippet.env_vars, language=language)
    arguments = check_arguments(snippet.args)
    network = _network(rig, snippet)
    stdin, spill = check_stdin(snippet.stdin), check_spill(snippet.spill)
    workspace = check_workspace(snippet.workspace, private=rig.private)
    toolchain = rig.languages.toolchain(language)
    run_argv = toolchain.run
    if snippet.profile:
        if toolchain.profile is None:
            raise UsageError(
                f"profile: {language.name} has no profiler here (python and javascript have)", field="profile")
        run_argv = toolchain.profile
        files[_PROFILER] = language.profiler.encode()
    source = f"/sandbox/{language.source}"
    script = source if toolchain.build is None and not snippet.profile else None
    command = Command(
        argv=(*_fill(run_argv, language, build="/sandbox/build"), *arguments),
        files={language.source: code, **files}, script=script, stdin=stdin,
        env=usual_env(toolchain, cores=limits.cores) | env, collect=_PROFILE if snippet.profile else None,
        cwd="/workspace" if workspace else "/sandbox", workspace=workspace)
    return Job(
        command=command, limits=limits, language=language, toolchain=toolchain, network=network,
        read_only=snippet.read_only, on_stdout=snippet.on_stdout, on_stderr=snippet.on_stderr,
        stdin=snippet.live_stdin, spill=spill, warm=snippet.warm and not snippet.profile)


def _network(rig: Rig, snippet: Snippet) -> Network:
    if snippet.allow_hosts is not None and snippet.network_enabled:
        raise UsageError("allow_hosts: give either an allow-list or network_enabled, not both", field="allow_hosts")
    if snippet.allow_hosts:
        from windtunnel.sandbox.egress_rules import parse_hosts  # noqa: PLC0415 -- most runs have no network

        parse_hosts(snippet.allow_hosts)
    network = Network(host=snippet.network_enabled, allow_hosts=tuple(snippet.allow_hosts or ()))
    if (network.host or network.allow_hosts) and not rig.allow_network:
        raise UsageError("network_enabled: the operator's configuration forbids a network", field="network_enabled")
    return network


def _fill(argv: Sequence[str], language: Language, *, build: str) -> tuple[str, ...]:
    profile = f"/tmp/{_PROFILE}"  # noqa: S108 -- inside the sandbox
    places = {"{source}": f"/sandbox/{language.source}", "{build}": build, "{profile}": profile}
    filled = []
    for part in argv:
        for name, place in places.items():
            part = part.replace(name, place)  # noqa: PLW2901
        filled.append(part)
    return tuple(filled)


def _build(rig: Rig, job: Job) -> ExecutionResult:
    """The build's result, with its products; from the cache where the same was built before."""
    from windtunnel.engine.build import build_key  # noqa: PLC0415 -- most languages never build

    assert job.toolchain.build is not None
    key = build_key(job)
    kept = rig.builds.get(key) if rig.builds is not None else None
    if kept is not None:
        stage = Stage(name="build", exit_code=0, reason=Reason.EXITED, execution_time=0.0, cached=True)
        return ExecutionResult(exit_code=0, stages=(stage,), artifacts=kept)
    command = replace(
        job.command, argv=_fill(job.toolchain.build, job.language, build="/tmp/build"), build=True, cwd="/tmp",  # noqa: S108
        stdin=b"", script=None, workspace=None)
    result = _run_or_cancel(rig, replace(
        job, command=command, limits=build_limits(job.limits, caps=rig.caps), network=Network(), read_only=True,
        stdin=None, on_stdout=None, spill=None))
    if result.success and rig.builds is not None:
        rig.builds.put(key, result.artifacts)
    kept_products = result.artifacts if result.success else {}
    return replace(result, stages=(stage_of("build", result),), artifacts=kept_products)


def _with_products(job: Job, products: Mapping[str, Artifact]) -> Job:
    placed = {f"build/{name}": product.data for name, product in products.items()}
    executables = frozenset(f"build/{name}" for name, product in products.items() if product.executable)
    limits = replace(job.limits, disk_bytes=job.limits.disk_bytes + sum(map(len, placed.values())))
    command = replace(job.command, files={**job.command.files, **placed}, executables=executables)
    return replace(job, command=command, limits=limits)


def _profile(language: Language, result: ExecutionResult) -> str | None:
    samples = result.artifacts.get(_PROFILE)
    if samples is None or language.read_profile is None:
        return None
    return language.read_profile(samples.data)


def _remember(rig: Rig, result: ExecutionResult, limits: Limits) -> ExecutionResult:
    if rig.history is not None:
        rig.history.add(result, limits=limits)
    return result
