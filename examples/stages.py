"""Runs of several steps: the caller's own, and the build and run of a compiled language."""

from __future__ import annotations

from windtunnel import LanguageMissing, Tunnel

TEXT = "one\ntwo\nthree\n"
OWN = [
    "sort {source} > {build}/sorted",
    "test $(wc -l < {previous}/sorted) = 3",
    "cat {previous}/sorted",
]
PROGRAM = """
#include <stdio.h>
int main(int count, char **words) {
    for (int at = 1; at < count; at++) printf("%s%c", words[at], at + 1 < count ? ' ' : '\\n');
    return 0;
}
"""


def main() -> None:
    with Tunnel() as tunnel:
        own = tunnel.run(TEXT, "sh", stages=OWN)
        assert own.success, own
        print("own stages:", ", ".join(f"{stage.name} -> {stage.exit_code}" for stage in own.stages))
        print(own.stdout, end="")

        stopped = tunnel.run(TEXT, "sh", stages=["exit 3", "echo never"])
        print("stops at the first that fails:", [(stage.name, stage.exit_code) for stage in stopped.stages])

        try:
            first = tunnel.run(PROGRAM, "c", args=["compiled", "code"])
        except LanguageMissing as missing:
            print("no C here:", missing)
            return
        assert [stage.name for stage in first.stages] == ["build", "run"], first
        again = tunnel.run(PROGRAM, "c", args=["compiled", "again"])
        print("build, then run:", first.stdout.strip(), "/", again.stdout.strip())
        print("the second build came from the cache:", again.stages[0].cached)

        broken = tunnel.run("int main(void) { return missing; }", "c")
        print("a failed build is the program's failure:", [(stage.name, stage.exit_code) for stage in broken.stages])


if __name__ == "__main__":
    main()
