"""JavaScript by Node.js."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, needed
from windtunnel.languages.profile_node import read_profile

RESERVED_ENV = (
    *LOADER_ENV,
    "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_*", "NODE_REPL_*", "NODE_PRESERVE_*", "NODE_USE_*",
    "NODE_REDIRECT_WARNINGS", "NODE_V8_COVERAGE", "NODE_COMPILE_CACHE*", "NODE_DISABLE_COMPILE_CACHE",
    "NODE_ICU_DATA", "NODE_CHANNEL_*", "NODE_UNIQUE_ID", "NODE_PENDING_*", "NODE_SKIP_*", "NODE_DEBUG*", "NODE_TEST_*",
    "OPENSSL_*", "SSL_CERT_*", "UV_*",
)  # fmt: skip
"""What would load other code into Node.js or change how it starts; NODE_ENV is the program's own."""

_GATE = """\
'use strict';
const fs = require('node:fs');
delete require.cache[__filename];
if (Array.isArray(process._preload_modules)) process._preload_modules.length = 0;
for (let at; (at = process.execArgv.indexOf('--require')) >= 0;) process.execArgv.splice(at, 2);

function wait() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

function receive() {
  const parts = [];
  const part = Buffer.alloc(65536);
  for (;;) {
    let size;
    try {
      size = fs.readSync(3, part, 0, part.length, null);
    } catch (error) {
      if (error.code === 'EOF') break;
      if (error.code !== 'EAGAIN') throw error;
      wait();
      continue;
    }
    if (size === 0) break;
    parts.push(Buffer.from(part.subarray(0, size)));
  }
  fs.closeSync(3);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

// A worker thread inherits --require; its descriptor 3, if any, belongs to the program.
if (require('node:worker_threads').isMainThread) {
  const request = receive();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, request.env);
  process.argv.push(...request.argv);
}
"""


def find(which: Which) -> Toolchain | None:
    """``node``; Debian's keeps parts of its own library in /usr/share/nodejs."""
    found = which("node") or which("nodejs")
    if found is None:
        return None
    node = located(found)
    return Toolchain(
        run=(node, "{source}"),
        warm=(node, "--require", "/run/windtunnel/gate", "{source}"),
        # Node.js joins the folder and the name; the name alone is the whole path.
        profile=(node, "--cpu-prof", "--cpu-prof-dir=/", "--cpu-prof-name={profile}", "{source}"),
        paths=needed(node, "/usr/share/nodejs"),
    )


LANGUAGE = Language(
    name="javascript",
    aliases=("js", "node", "nodejs"),
    suffixes=(".js", ".mjs", ".cjs"),
    source="main.js",
    find=find,
    install="apt-get install nodejs",
    reserved_env=RESERVED_ENV,
    gate=_GATE,
    read_profile=read_profile,
    image="node:18-alpine",
    examples=(
        Example(code='console.log("hello");\n', stdout="hello\n"),
        Example(
            code='console.log(require("node:fs").readFileSync(0, "utf8").toUpperCase());\n',
            stdin="words",
            stdout="WORDS\n",
        ),
        Example(code='throw new RangeError("no such thing");\n', error="RangeError: no such thing"),
        Example(code="console.log((1);\n", error="SyntaxError: missing ) after argument list"),
    ),
)
