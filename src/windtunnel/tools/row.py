"""What one row of the table is: a tool's words, its typed input and output, and the function behind it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from windtunnel.core.errors import UsageError
from windtunnel.core.keys import ALL, Caller
from windtunnel.tools.places import Places

if TYPE_CHECKING:
    from windtunnel.store.papers import Papers
    from windtunnel.tunnel import Tunnel


class Given(BaseModel):
    """The input of a tool: unknown names and wrong types are refused, and nothing is read as something else."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OnProject(Given):
    """A project is named by its path or by a workspace."""

    project: str = Field(default="", max_length=4096, description="Path of a project folder that this server serves. "
                         "Give this or workspace_id.")
    workspace_id: str = Field(default="", max_length=200, description="Id or name of a workspace of yours, in place of "
                              "a project path.")


class Told(BaseModel):
    """The output of a tool, the reason first."""

    model_config = ConfigDict(frozen=True)

    reason: str = Field(description="How it ended, in one sentence.")
    next: str = Field(default="", description="What to do next.")
    report: str = Field(default="", description="Where the whole answer is, when this one was shortened.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a tool works with: the caller's own view of the tunnel, and the places they may name."""

    tunnel: Tunnel
    caller: Caller
    places: Places = field(default_factory=Places)
    papers: Papers | None = None
    """Where receipts and whole answers are kept; none where nothing is."""
    tell: Callable[[str, float | None], None] = lambda _, __: None
    """Hears what is going on, and how much of it is done, from 0 to 1, where that is known."""
    stop: Callable[[], bool] = lambda: False
    hosts: tuple[str, ...] = ()
    """What commands of workspaces and plans may reach beside what a request names, as the operator says."""
    tasks: int | None = None
    """Tasks of one plan at once, where a request says nothing."""
    serving: Callable[[], dict[str, Any]] = dict
    """What the server itself has to say of its state: jobs, sessions, queue."""
    held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    """What is let go of when the call has ended: workspaces that nobody changes meanwhile."""

    def project(self, given: OnProject) -> Path:
        """The folder that is meant; refused where the caller may not name it."""
        if bool(given.project) == bool(given.workspace_id):
            raise UsageError("project: give either project or workspace_id", field="project")
        if given.project:
            return self.places.check(given.project, field="project", admin=self.caller.may(ALL))
        return self.held.enter_context(self.tunnel.workspaces.held(given.workspace_id))

    def within(self, project: Path) -> Tunnel:
        """The tunnel under the project's own configuration."""
        return self.tunnel.acting(self.caller.user, self.caller.roles, session=self.tunnel.session, stop=self.stop,
                                  project=project)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One row."""

    name: str
    title: str
    description: str
    """For a model: what it does, when to use it, what it returns."""
    permission: str
    """Empty where any key will do."""
    given: type[Given]
    told: type[Told]
    act: Callable[[Context, Any], Told]
    long: bool = False
    """Whether it may take minutes, and so is worth a job of its own."""
    only_as_task: bool = False
    """Whether clients of MCP that know of no tasks are refused."""
    read_only: bool = False
    destructive: bool = False
    """Whether it may remove or overwrite what somebody has."""
    idempotent: bool = False
    open_world: bool = False
    """Whether it may reach a network, where the caller asks for that."""

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the input."""
        return _schema(self.given, "validation")

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the output."""
        return _schema(self.told, "serialization")


@functools.lru_cache(maxsize=512)
def _schema(model: type[BaseModel], mode: Any) -> dict[str, Any]:  # noqa: ANN401 -- pydantic's own word
    return model.model_json_schema(mode=mode)
