"""The one place that starts processes, and watches over them until they are gone."""

from windtunnel.spawn.output import Kept
from windtunnel.spawn.process import ask, converse, keeper_call, start, start_group
from windtunnel.spawn.supervise import Ending, Watched, supervise

__all__ = ["Ending", "Kept", "Watched", "ask", "converse", "keeper_call", "start", "start_group", "supervise"]
