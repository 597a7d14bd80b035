"""Where the time goes: a profiled run, its hottest functions, and a flame graph as one SVG file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from windtunnel import Tunnel
from windtunnel.engine.flame import flame_svg, hottest

PROGRAM = """
def busy():
    total = 0
    for number in range(3_000_000):
        total += number * number
    return total

def idle():
    return sum(range(1000))

def main():
    idle()
    busy()

main()
"""


def main() -> None:
    with Tunnel() as tunnel:
        result = tunnel.run(PROGRAM, profile=True)
    assert result.success, result
    assert result.profile, "a run of a tenth of a second has samples"
    frame, _, percent = hottest(result.profile, count=1)[0]
    assert frame.startswith("busy "), frame
    assert percent > 50
    print("hottest:", frame)
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "flame.svg"
        picture.write_text(flame_svg(result.profile, title="busy and idle"), encoding="utf-8")
        text = picture.read_text(encoding="utf-8")
    assert text.lstrip().startswith("<"), text[:40]
    assert "busy" in text
    print("wrote a flame graph:", picture.name)


if __name__ == "__main__":
    main()
