"""Real compilers and runtimes that answer the same questions of many texts of a program in one go."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

BUN = Path(__file__).parents[3] / ".tools" / "node_modules" / ".bin" / "bun"
_NODE = """\
const fs = require("fs"), vm = require("vm");
for (const [text, asked] of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
  const said = [];
  try {
    const asking = asked.map((question) => `async () => JSON.stringify(${question})`).join(", ");
    const options = { timeout: Number(process.argv[3]) };
    const sandbox = vm.createContext({}, { microtaskMode: "afterEvaluate" });
    vm.runInContext(`${text}\\n;globalThis.questions = [${asking}]`, sandbox, options);
    for (let at = 0; at < asked.length; at++) {
      sandbox.answer = "!late";
      vm.runInContext(`questions[${at}]().then((value) => { answer = value; }, (error) => { answer = "!" + error; })`, sandbox, options);
      said.push(String(sandbox.answer));
      if (said[at][0] === "!") break;
    }
  } catch (error) { said.push("!" + error); }
  console.log(JSON.stringify(said));
}
"""
_BUN = """\
const fs = require("fs"), tool = new Bun.Transpiler({ loader: "ts" });
const plain = (text) => { try { return tool.transformSync(text); } catch (error) { return "not TypeScript ("; } };
console.log(JSON.stringify(JSON.parse(fs.readFileSync(process.argv[2], "utf8")).map(([text, asked]) => [plain(text), asked])));
"""


def missing(language):
    """What is not installed, in a sentence; empty where all is there."""
    wanted = {
        "javascript": ["node"],
        "typescript": ["node"],
        "java": ["javac", "java"],
        "go": ["go"],
        "rust": ["rustc"],
    }
    gone = [name for name in wanted[language] if shutil.which(name) is None]
    if language == "typescript" and not BUN.exists():
        gone.append("bun")
    return f"{', '.join(gone)} is not installed" if gone else ""


def run(*argv, folder, seconds=150, **variables):
    return subprocess.run(
        [str(part) for part in argv],
        cwd=folder,
        env={**os.environ, **variables},
        text=True,
        capture_output=True,
        timeout=seconds,
        check=False,
    )


def answers(language, asked, folder):
    """For each (text, questions): what it answers, as the language prints it; None where it does not compile."""
    return {"javascript": _node, "typescript": _bun, "java": _java, "go": _go, "rust": _rust}[language](asked, folder)


def _patience():
    """Milliseconds for one program: enough for any that ends on a busy machine."""
    return os.environ.get("JUDGE_MILLISECONDS", "1000")


def _node(asked, folder):
    (folder / "judge.js").write_text(_NODE)
    (folder / "asked.json").write_text(json.dumps(asked))
    done = run("node", folder / "judge.js", folder / "asked.json", _patience(), folder=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def _bun(asked, folder):
    (folder / "plain.cjs").write_text(_BUN)
    (folder / "typed.json").write_text(json.dumps(asked))
    done = run(BUN, folder / "plain.cjs", folder / "typed.json", folder=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return _node(json.loads(done.stdout), folder)


def _compiled(asked, *, build):
    """Those that compile, found by leaving out what the compiler complains of until it is content."""
    good = list(range(len(asked)))
    for _ in range(8):
        bad = build(good)
        if not bad:
            return good
        good = [number for number in good if number not in bad]
    raise AssertionError("the compiler is never content")


def _collected(start, total, numbers):
    """Answers line by line; a program that dies or hangs costs the one that it was at."""
    found = [None] * total
    begin = 0
    while begin < len(numbers):
        lines = start(begin)
        for line in lines:
            found[numbers[begin]] = json.loads(line)
            begin += 1
        if begin < len(numbers) and (not lines or json.loads(lines[-1]) != ["!late"]):
            found[numbers[begin]] = ["!died"]
            begin += 1
    return found


def _bounded(argv, folder):
    """Lines that were printed whole before it ended or was ended."""
    shell = f"ulimit -v 6000000; exec timeout 100 {' '.join(str(part) for part in argv)} 2>/dev/null"
    done = run("sh", "-c", shell, folder=folder)
    return [line for line in done.stdout.splitlines() if line.endswith("]")]


_JAVA_RUN = """\
package %s;
public class Run {
  interface Question { Object ask() throws Throwable; }
  static String said(Question question) {
    try {
      Object answer = question.ask();
      return answer instanceof int[] ? java.util.Arrays.toString((int[]) answer) : String.valueOf(answer);
    } catch (Throwable thrown) { return "!" + thrown.getClass().getName(); }
  }
  public static String[] all() { return new String[] {%s}; }
}
"""
_JAVA_MAIN = """\
import java.util.concurrent.*;
public class Main {
  static String quoted(String text) { return '"' + text.replace("\\\\", "\\\\\\\\").replace("\\"", "\\\\\\"") + '"'; }
  public static void main(String[] given) throws Exception {
    String[] names = {%s};
    for (int i = Integer.parseInt(given[0]); i < names.length; i++) {
      final String name = names[i];
      final String[][] box = new String[1][];
      Thread thread = new Thread(null, () -> {
        try { box[0] = (String[]) Class.forName(name + ".Run").getMethod("all").invoke(null); } catch (Throwable thrown) { }
      }, "one", 1 << 20);
      thread.setDaemon(true);
      thread.start();
      thread.join(Long.parseLong(given[1]));
      StringBuilder line = new StringBuilder("[");
      if (box[0] == null) line.append("\\"!late\\"");
      else for (int at = 0; at < box[0].length; at++) line.append(at == 0 ? "" : ", ").append(quoted(box[0][at]));
      System.out.println(line.append("]"));
      System.out.flush();
      if (box[0] == null) Runtime.getRuntime().halt(3);
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }
}
"""


def _java(asked, folder):
    for number, (text, questions) in enumerate(asked):
        name = f"c{number:04}"
        (folder / name).mkdir()
        (folder / name / "P.java").write_text(f"package {name};\n{text}")
        (folder / name / "Run.java").write_text(
            _JAVA_RUN % (name, ", ".join(f"said(() -> {one})" for one in questions))
        )

    def build(numbers):
        names = ", ".join(f'"c{number:04}"' for number in numbers)
        (folder / "Main.java").write_text(_JAVA_MAIN % names)
        (folder / "files").write_text(
            "\n".join(["Main.java", *(f"c{number:04}/{file}.java" for number in numbers for file in ("P", "Run"))])
        )
        done = run(
            "javac",
            "-nowarn",
            "-proc:none",
            "-XDshould-stop.ifError=FLOW",
            "-Xmaxerrs",
            "10000",
            "-d",
            "out",
            "@files",
            folder=folder,
        )
        bad = {int(found) for found in re.findall(r"^c(\d+)/\w+\.java:\d+: error", done.stderr, re.MULTILINE)}
        assert bad or done.returncode == 0, done.stderr[-2000:]
        return bad

    numbers = _compiled(asked, build=build)
    return _collected(
        lambda begin: _lines(run("java", "-Xmx400m", "-cp", "out", "Main", str(begin), _patience(), folder=folder)),
        len(asked),
        numbers,
    )


def _lines(done):
    return [line for line in done.stdout.splitlines() if line.startswith("[") and line.endswith("]")]


_GO_RUN = """\
package %s

import (
	"fmt"
)

func said(ask func() interface{}) (text string) {
	defer func() {
		if caught := recover(); caught != nil {
			text = "!panic"
		}
	}()
	return fmt.Sprint(ask())
}

func All() []string {
	return []string{%s}
}
"""
_GO_MAIN = """\
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
%s
)

func main() {
	all := []func() []string{%s}
	begin, _ := strconv.Atoi(os.Args[1])
	patience, _ := strconv.Atoi(os.Args[2])
	for _, one := range all[begin:] {
		done := make(chan []string, 1)
		go func(ask func() []string) { done <- ask() }(one)
		said := []string{"!late"}
		select {
		case said = <-done:
		case <-time.After(time.Duration(patience) * time.Millisecond):
			line, _ := json.Marshal(said)
			fmt.Println(string(line))
			os.Exit(3)
		}
		line, _ := json.Marshal(said)
		fmt.Println(string(line))
	}
}
"""


def _go(asked, folder):
    (folder / "go.mod").write_text("module batch\n\ngo 1.18\n")
    for number, (text, questions) in enumerate(asked):
        name = f"c{number:04}"
        (folder / name).mkdir()
        (folder / name / "p.go").write_text(text.replace("package p\n", f"package {name}\n", 1))
        body = ", ".join(f"said(func() interface{{}} {{ return {one} }})" for one in questions)
        (folder / name / "run.go").write_text(_GO_RUN % (name, body))
    variables = {
        "GOPROXY": "off",
        "GOFLAGS": "-gcflags=all=-N",
        "GOCACHE": os.environ.get("GOCACHE", str(folder / ".cache")),
    }

    def build(numbers):
        done = run("go", "build", *(f"./c{number:04}" for number in numbers), folder=folder, **variables)
        bad = {int(found) for found in re.findall(r"^# batch/c(\d+)$", done.stderr, re.MULTILINE)}
        bad |= {int(found) for found in re.findall(r"^c(\d+)/\w+\.go:\d+", done.stderr, re.MULTILINE)}
        assert bad or done.returncode == 0, done.stderr[-2000:]
        return bad

    numbers = _compiled(asked, build=build)
    (folder / "main").mkdir()
    (folder / "main" / "main.go").write_text(
        _GO_MAIN
        % (
            "\n".join(f'\t"batch/c{number:04}"' for number in numbers),
            ", ".join(f"c{number:04}.All" for number in numbers),
        )
    )
    done = run("go", "build", "-o", "judge", "./main", folder=folder, **variables)
    assert done.returncode == 0, done.stderr[-2000:]
    return _collected(lambda begin: _bounded(["./judge", begin, _patience()], folder), len(asked), numbers)


_RUST_MAIN = """\
#![allow(warnings)]
use std::sync::mpsc;
use std::time::Duration;
%s
fn main() {
    let begin: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let patience: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    std::panic::set_hook(Box::new(|_| {}));
    let all: Vec<fn() -> Vec<String>> = vec![%s];
    for one in &all[begin..] {
        let (send, receive) = mpsc::channel();
        let ask = *one;
        std::thread::spawn(move || { let _ = send.send(ask()); });
        let said = receive.recv_timeout(Duration::from_millis(patience)).unwrap_or(vec!["!late".to_string()]);
        println!("{:?}", said);
        if said[0] == "!late" { std::process::exit(3); }
    }
}
"""


def _rust(asked, folder):
    for number, (text, questions) in enumerate(asked):
        body = ", ".join(
            f'std::panic::catch_unwind(|| format!("{{:?}}", {one})).unwrap_or("!panic".to_string())'
            for one in questions
        )
        (folder / f"c{number:04}.rs").write_text(f"{text}\npub fn all() -> Vec<String> {{ vec![{body}] }}\n")

    def build(numbers):
        (folder / "main.rs").write_text(
            _RUST_MAIN
            % (
                "\n".join(f"mod c{number:04};" for number in numbers),
                ", ".join(f"c{number:04}::all" for number in numbers),
            )
        )
        done = run(
            "rustc",
            "--edition",
            "2021",
            "--cap-lints",
            "allow",
            "-C",
            "debug-assertions=on",
            "-C",
            "debuginfo=0",
            "--error-format",
            "short",
            "main.rs",
            folder=folder,
        )
        bad = {int(found) for found in re.findall(r"^c(\d+)\.rs:\d+:\d+: error", done.stderr, re.MULTILINE)}
        assert bad or done.returncode == 0, done.stderr[-2000:]
        return bad

    numbers = _compiled(asked, build=build)
    return _collected(lambda begin: _bounded(["./main", begin, _patience()], folder), len(asked), numbers)
