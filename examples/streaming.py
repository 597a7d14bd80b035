"""Output while the program runs, and a dialogue with it through live standard input."""

from __future__ import annotations

import os

from windtunnel import Limits, Tunnel

DIALOGUE = """
name = input("name? ")
colour = input("colour? ")
print(f"{name} likes {colour}")
"""
ANSWERS = {b"name? ": b"Ada\n", b"colour? ": b"green\n"}
TALKATIVE = "for number in range(100_000): print('line', number)"


def main() -> None:
    reader, writer = os.pipe()

    def answer(data: bytes) -> None:
        """Called with each piece of output as it comes, while the program waits for its next line."""
        for question, reply in ANSWERS.items():
            if data.endswith(question):
                print("asked:", question.decode(), "answered:", reply.decode(), end="")
                os.write(writer, reply)

    with Tunnel() as tunnel, os.fdopen(reader, "rb", buffering=0) as live:
        result = tunnel.run(DIALOGUE, live_stdin=live, on_stdout=answer)
        assert result.success, result
        print(result.stdout.rpartition("? ")[2], end="")

        upper = tunnel.run("import sys\nprint(sys.stdin.read().upper())", stdin="given beforehand")
        print(upper.stdout, end="")

        seen = bytearray()
        long = tunnel.run(TALKATIVE, on_stdout=seen.extend, limits=Limits(output_bytes=64))
        assert seen.startswith(b"line 0\n")
        assert seen.endswith(b"line 99999\n")
        assert len(seen) - long.stdout_dropped == 64
        print(f"streamed {len(seen)} bytes, kept 64: the head and the tail")
        print(long.stdout, end="")
    os.close(writer)


if __name__ == "__main__":
    main()
