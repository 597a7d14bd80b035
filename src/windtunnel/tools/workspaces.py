"""Rows about workspaces: copies of projects that are kept, changed and run in."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from windtunnel.core.errors import UsageError
from windtunnel.core.keys import ALL
from windtunnel.core.workspace import Workspace
from windtunnel.tools.places import check_address
from windtunnel.tools.row import Context, Given, Told, Tool
from windtunnel.tools.running import Ran, limits_of, ran
from windtunnel.tools.shaping import lines

_MAKES = "create_workspace"
_ID = Field(min_length=1, max_length=200, description="Id or name of a workspace of yours.")
_PATH = Field(min_length=1, max_length=4096, description="Relative to the workspace.")
_MOST_TOLD = 20_000
_ADDRESSES = ("https://", "http://", "ssh://", "git://", "git@")


class CreateWorkspace(Given):
    """What to copy."""

    source_path: str = Field(default="", max_length=4096, description="Path of a folder that this server serves, or "
                             "address of a git repository; empty for an empty workspace.")
    session_id: str = Field(default="", max_length=200, description="A name of your own for it.")
    commit: str = Field(default="", max_length=200, description="Of a git repository.")
    idle_seconds: float | None = Field(default=None, gt=0, description="Removed when unused for so long.")
    life_seconds: float | None = Field(default=None, gt=0, description="Removed so long after it was made.")


class OneWorkspace(Given):
    """Which."""

    workspace_id: str = _ID


class ListWorkspaces(Given):
    """Nothing to say."""


class ExecuteCommand(OneWorkspace):
    """What to run there."""

    command: str | list[Annotated[str, Field(max_length=32_000)]] = Field(
        description="A line for the shell, or a program with its arguments.")
    folder: str = Field(default="", max_length=4096, description="Where it starts, below the workspace.")
    env: dict[str, Annotated[str, Field(max_length=10_000)]] = Field(default_factory=dict, max_length=100)
    timeout_seconds: float | None = Field(default=None, gt=0, le=86_400)
    memory_mb: int | None = Field(default=None, ge=8, le=1_048_576)
    allow_hosts: list[Annotated[str, Field(max_length=300)]] = Field(
        default_factory=list, max_length=50, description="Hosts it may reach; without any there is no network.")
    keep: Literal["always", "success", "never"] = Field(
        default="always", description="When what it changed stays: with success only after exit code 0.")
    stdin: str = Field(default="", max_length=1_000_000)


class ReadFile(OneWorkspace):
    """Which file."""

    path: str = _PATH
    offset: int = Field(default=0, ge=0, description="Bytes to leave out from its beginning.")


class WriteFile(OneWorkspace):
    """A file as it should be."""

    path: str = _PATH
    content: str = Field(default="", max_length=8_000_000)
    base64: bool = Field(default=False, description="Whether content is base64 of bytes.")
    executable: bool | None = None
    delete: bool = Field(default=False, description="Remove it instead.")


class ListFiles(OneWorkspace):
    """Which folder."""

    folder: str = Field(default="", max_length=4096)
    most: int = Field(default=500, ge=1, le=5000)


class GetDiff(OneWorkspace):
    """Since when."""

    since: str = Field(default="", max_length=200, description="A snapshot; else its beginning.")


class SnapshotWorkspace(OneWorkspace):
    """Under which name."""

    name: str = Field(default="", max_length=200)


class RestoreWorkspace(OneWorkspace):
    """Which snapshot."""

    snapshot: str = Field(min_length=1, max_length=200)


class PromoteWorkspace(OneWorkspace):
    """Where to."""

    project: str = Field(default="", max_length=4096, description="Another project than it was made from.")


class WorkspaceTold(Told):
    """One workspace."""

    workspace_id: str
    name: str
    origin: str
    source: str
    commit: str
    made: str
    files: int
    disk_bytes: int
    running: int
    snapshots: list[str]


class WorkspacesTold(Told):
    """All of yours."""

    workspaces: list[WorkspaceTold]


class FileTold(Told):
    """A file."""

    path: str
    content: str
    base64: bool = Field(description="Whether content is base64, because the file is no text.")
    size: int
    more: int = Field(description="Bytes after this part; read on with offset.")


class OneFile(BaseModel):
    """One entry."""

    path: str
    kind: str
    size: int
    executable: bool


class FilesTold(Told):
    """What a folder holds."""

    files: list[OneFile]


class DiffTold(Told):
    """What is different."""

    diff: str
    files: int


class SnapshotTold(Told):
    """A snapshot."""

    snapshot: str
    files: int


class PromotedTold(Told):
    """What was written."""

    entry: str


def _workspace(one: Workspace, reason: str, next_: str = "") -> WorkspaceTold:
    return WorkspaceTold(
        reason=reason, next=next_, workspace_id=one.id, name=one.name, origin=one.origin, source=one.source,
        commit=one.commit, made=one.made.isoformat(), files=one.files, disk_bytes=one.disk_bytes, running=one.running,
        snapshots=[each.name for each in one.snapshots[:100]])


def _create(context: Context, given: CreateWorkspace) -> WorkspaceTold:
    source: str | Path | None = given.source_path or None
    admin = context.caller.may(ALL)
    if given.source_path.startswith(_ADDRESSES):
        if not admin:
            check_address(given.source_path, field="source_path")
    elif given.source_path:
        source = context.places.check(given.source_path, field="source_path", admin=admin)
    made = context.tunnel.workspaces.create(source, name=given.session_id, commit=given.commit,
                                            idle_seconds=given.idle_seconds, life_seconds=given.life_seconds)
    return _workspace(made, f"A workspace of {made.files} files.", "Use workspace_id with execute_command, read_file, "
                      "write_file, analyze_codebase; get_diff shows what changed.")


def _list(context: Context, _: ListWorkspaces) -> WorkspacesTold:
    found = context.tunnel.workspaces.list()
    return WorkspacesTold(reason=f"{len(found)} workspaces of yours.", workspaces=[
        _workspace(one, "") for one in found[:200]])


def _execute(context: Context, given: ExecuteCommand) -> Ran:
    options: dict[str, Any] = {}
    if given.memory_mb is not None:
        base = context.tunnel.settings.default_limits
        options["limits"] = limits_of(base, timeout_seconds=given.timeout_seconds, memory_mb=given.memory_mb)
    return ran(context.tunnel.workspaces.execute(
        given.workspace_id, given.command, folder=given.folder, env=given.env, timeout=given.timeout_seconds,
        allow_hosts=(*given.allow_hosts, *context.hosts), keep=given.keep, stdin=given.stdin.encode(),
        on_output=lambda stream, data: context.tell(f"{stream}: {data[-200:].decode('utf-8', 'replace')}", None),
        **options))


def _read(context: Context, given: ReadFile) -> FileTold:
    whole = context.tunnel.workspaces.read(given.workspace_id, given.path)
    part = whole[given.offset: given.offset + _MOST_TOLD]
    try:
        text, binary = part.decode(), False
    except UnicodeDecodeError:
        cut = part.decode("utf-8", "ignore")
        # A letter cut in two at the end of a part is no reason to show the whole of it as bytes.
        binary = len(part) - len(cut.encode()) > 3  # noqa: PLR2004 -- the most that a cut letter leaves
        text = base64.b64encode(part[:_MOST_TOLD * 3 // 4]).decode() if binary else cut
    told = _MOST_TOLD * 3 // 4 if binary else len(text.encode())
    more = max(0, len(whole) - given.offset - told)
    return FileTold(reason=f"{len(whole)} bytes{f', of which {more} are left' if more else ''}.", path=given.path,
                    next=f"Read on with offset {given.offset + told}." if more else "", content=text, base64=binary,
                    size=len(whole), more=more)


def _write(context: Context, given: WriteFile) -> FileTold:
    workspaces = context.tunnel.workspaces
    if given.delete:
        workspaces.delete(given.workspace_id, given.path)
        return FileTold(reason="It is gone.", path=given.path, content="", base64=False, size=0, more=0)
    try:
        data = base64.b64decode(given.content, validate=True) if given.base64 else given.content.encode()
    except ValueError:
        raise UsageError("content: not base64", field="content") from None
    workspaces.write(given.workspace_id, given.path, data, executable=given.executable)
    return FileTold(reason=f"{len(data)} bytes written.", path=given.path, content="", base64=False, size=len(data),
                    more=0)


def _files(context: Context, given: ListFiles) -> FilesTold:
    found = context.tunnel.workspaces.files(given.workspace_id, given.folder, most=given.most)
    return FilesTold(reason=f"{len(found)} entries.", files=[
        OneFile(path=one.path, kind=one.kind, size=one.size, executable=one.executable) for one in found])


def _diff(context: Context, given: GetDiff) -> DiffTold:
    workspaces = context.tunnel.workspaces
    changed = workspaces.changes(given.workspace_id, since=given.since)
    text = workspaces.diff(given.workspace_id, since=given.since).decode("utf-8", "replace")
    return DiffTold(reason=f"{len(changed)} files differ.", diff=lines(text, most=24_000), files=len(changed),
                    next="promote_workspace writes them into the project." if len(changed) else "")


def _snapshot(context: Context, given: SnapshotWorkspace) -> SnapshotTold:
    made = context.tunnel.workspaces.snapshot(given.workspace_id, given.name)
    return SnapshotTold(reason=f"{made.files} files are kept as they are.", snapshot=made.name, files=made.files,
                        next="restore_workspace brings them back.")


def _restore(context: Context, given: RestoreWorkspace) -> WorkspaceTold:
    return _workspace(context.tunnel.workspaces.restore(given.workspace_id, given.snapshot),
                      f"Its files are as they were at {given.snapshot}.")


def _fork(context: Context, given: SnapshotWorkspace) -> WorkspaceTold:
    return _workspace(context.tunnel.workspaces.fork(given.workspace_id, given.name), "Another with the same files.")


def _promote(context: Context, given: PromoteWorkspace) -> PromotedTold:
    admin = context.caller.may(ALL)
    found = context.tunnel.workspaces.get(given.workspace_id)
    named = given.project or (found.source if found.origin == "path" else "")
    project = context.places.check(named, field="project", admin=admin) if named else None
    entry = context.tunnel.workspaces.promote(given.workspace_id, project=project)
    return PromotedTold(reason="What is different is written into the project.", entry=entry,
                        next=f"undo_changes with entry {entry} takes it back.")


def _destroy(context: Context, given: OneWorkspace) -> Told:
    context.tunnel.workspaces.destroy(given.workspace_id)
    return Told(reason="The workspace and its snapshots are gone.")


_READS = {"permission": "", "read_only": True, "idempotent": True}


def _row(name: str, title: str, words: str, **more: Any) -> Tool:  # noqa: ANN401 -- Tool's own
    return Tool(name=name, title=title, description=words, **{"permission": _MAKES, **more})


ROWS = (
    _row("create_sandbox_workspace", "Create a workspace",
         "Makes a copy of a project or git repository that stays between calls, isolated from the original. Use it to "
         "work on files over several steps. Returns its workspace_id.",
         given=CreateWorkspace, told=WorkspaceTold, act=_create, open_world=True),
    _row("list_workspaces", "List workspaces", "The workspaces of yours, with their size and snapshots.",
         given=ListWorkspaces, told=WorkspacesTold, act=_list, **_READS),
    _row("execute_command", "Execute a command",
         "Runs a command in a sandbox over a workspace. What it changes stays in the workspace, as keep says; nothing "
         "else is reachable, and no network unless hosts are named.",
         given=ExecuteCommand, told=Ran, act=_execute, long=True, open_world=True),
    _row("read_file", "Read a file", "Reads a file of a workspace, in parts where it is long.",
         given=ReadFile, told=FileTold, act=_read, **_READS),
    _row("write_file", "Write a file", "Writes or removes a file of a workspace.",
         given=WriteFile, told=FileTold, act=_write, destructive=True, idempotent=True),
    _row("list_files", "List files", "What a folder of a workspace holds.",
         given=ListFiles, told=FilesTold, act=_files, **_READS),
    _row("get_diff", "Show what changed", "What differs in a workspace from its beginning or a snapshot, as a patch.",
         given=GetDiff, told=DiffTold, act=_diff, **_READS),
    _row("snapshot_workspace", "Keep a snapshot",
         "Keeps the files of a workspace as they are now. Use it before something risky.",
         given=SnapshotWorkspace, told=SnapshotTold, act=_snapshot),
    _row("restore_workspace", "Restore a snapshot",
         "Brings the files of a workspace back to a snapshot; what is there now is lost.",
         given=RestoreWorkspace, told=WorkspaceTold, act=_restore, destructive=True),
    _row("fork_workspace", "Fork a workspace", "Makes another workspace with the same files, to try two ways.",
         given=SnapshotWorkspace, told=WorkspaceTold, act=_fork),
    _row("promote_workspace", "Write a workspace back",
         "Writes what changed in a workspace into the project it was made from, if nobody changed those files there "
         "since. Returns the entry by which undo_changes takes it back.",
         given=PromoteWorkspace, told=PromotedTold, act=_promote, permission="apply_changes", destructive=True),
    _row("destroy_workspace", "Destroy a workspace", "Removes a workspace with all its snapshots.",
         given=OneWorkspace, told=Told, act=_destroy, destructive=True, idempotent=True),
)
