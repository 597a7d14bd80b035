"""Many programs at once from threads, and what the history keeps of them."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from windtunnel import CodeSandbox, ExecutionResult, Limits, Tunnel
from windtunnel.config import load

PROGRAMS = [f"print(sum(range({number})))" for number in range(18)] + ["1 / 0", "while True: pass"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = load({**os.environ, "WINDTUNNEL_STATE_DIR": folder})
        with Tunnel(settings) as tunnel, ThreadPoolExecutor(4) as threads:
            tunnel.warm_up()

            def run(code: str) -> ExecutionResult:
                return tunnel.run(code, limits=Limits(wall_seconds=10, cpu_seconds=0.3))

            results = list(threads.map(run, PROGRAMS))
        assert [int(result.stdout) for result in results[:18]] == [sum(range(number)) for number in range(18)]
        print(len(results), "runs:", dict(sorted(Counter(str(result.reason) for result in results).items())))

        with Tunnel(settings) as later:
            records = later.recent()
            assert {record["id"] for record in records} == {result.id for result in results}
            failed = sorted(f"{record['reason']} {record['exit_code']}" for record in records if record["exit_code"])
            print("the history, opened anew:", len(records), "runs, failed:", ", ".join(failed))
            usage = CodeSandbox(tunnel=later).get_resource_usage(results[0].container_id)
            print("kept of each:", " ".join(usage))


if __name__ == "__main__":
    main()
