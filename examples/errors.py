"""Why a run failed: the error, its place, what the sandbox had to do with it, and what to do next."""

from __future__ import annotations

import json

from windtunnel import AutoDebuggerIntegration, ProgramFailed, Tunnel

CHAINED = """
def read(text):
    return int(text)

try:
    read("twelve")
except ValueError as error:
    raise RuntimeError("cannot load the orders") from error
"""
OFFLINE = "import urllib.request\nurllib.request.urlopen('http://192.0.2.1/orders', timeout=1)\n"


def main() -> None:
    with Tunnel() as tunnel:
        result = tunnel.run(CHAINED)
        analysis = AutoDebuggerIntegration.analyze_error(result)
        print("ended by: ", analysis["error_type"], "-", analysis["error_message"])
        print("chain:    ", " -> ".join(error["kind"] for error in analysis["chain"]))
        print("root at:  ", analysis["chain"][0]["place"]["file"], "line", analysis["chain"][0]["place"]["line"])
        assert analysis["refused"] == [], "the sandbox had nothing to do with it"

        offline = AutoDebuggerIntegration.create_debug_report(tunnel.run(OFFLINE))
        refused = offline["error_analysis"]["refused"][0]
        print("refused:  ", refused["what"], "-", refused["evidence"])
        print("to change:", refused["remedy"])
        assert refused["certain"], "this was seen by the supervisor, not read from the output"
        assert json.loads(json.dumps(offline))["status"] == "error"

        try:
            tunnel.run("raise SystemExit('no orders today')").check()
        except ProgramFailed as failure:
            print("check():  ", failure, "- exit code", failure.result.exit_code)


if __name__ == "__main__":
    main()
