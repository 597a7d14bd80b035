"""Give a program files and modules; they lie below /sandbox, read-only unless you say otherwise."""

from __future__ import annotations

from windtunnel import CodeSandbox, UsageError

FILES: dict[str, str | bytes] = {
    "config.json": '{"setting": "value"}',
    "utils.py": "def helper(): return 42\n",
    "data/in.csv": b"1,2\n3,4\n",
}
PROGRAM = """
import json
from utils import helper
with open('/sandbox/config.json') as f:
    config = json.load(f)
total = sum(int(cell) for line in open('data/in.csv') for cell in line.split(','))
print(f"Config: {config}, Helper: {helper()}, Total: {total}")
"""
SCRIBBLE = "open('/sandbox/config.json.bak', 'w').write('x')\nopen('/tmp/note', 'w').write('always writable')\n"


def main() -> None:
    sandbox = CodeSandbox()
    result = sandbox.execute(PROGRAM, "python", files=FILES)
    assert result.success, result
    print(result.stdout, end="")

    refused = sandbox.execute(SCRIBBLE, "python", files=FILES)
    print("read-only:", refused.error_message)
    allowed = sandbox.execute(SCRIBBLE, "python", files=FILES, read_only=False)
    assert allowed.success, allowed
    left = {effect.path for effect in allowed.effects.files}
    assert {"/tmp/note", "/sandbox/config.json.bak"} <= left, left
    print("writable: it left /sandbox/config.json.bak and /tmp/note, in folders that are already gone")

    try:
        sandbox.execute(PROGRAM, "python", files={"../../etc/passwd": "root::0:0::/:/bin/sh"})
    except UsageError as refusal:
        print("refused:", refusal)
    sandbox.tunnel.close()


if __name__ == "__main__":
    main()
