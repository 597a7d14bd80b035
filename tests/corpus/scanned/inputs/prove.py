#!/usr/bin/env python3
"""Check every case folder below cases/; print a table. Usage: prove.py [--in FOLDER] [case folder name ...]"""
import glob, json, os, re, shutil, subprocess, sys, tempfile
import xml.etree.ElementTree as ET

HERE = os.path.join(os.path.abspath(sys.argv[2]) if sys.argv[1:2] == ["--in"] else os.path.dirname(os.path.abspath(__file__)), "cases")


def sh(cmd, cwd, limit=60):
    env = {k: v for k, v in os.environ.items() if k not in ("PYTEST_CURRENT_TEST", "NODE_TEST_CONTEXT", "NODE_OPTIONS", "PYTHONPATH", "CI", "NO_COLOR", "FORCE_COLOR")}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.run(["timeout", str(limit), *cmd], cwd=cwd, env=env, capture_output=True, text=True)


def run_tests(project, language, log=None):
    """{test id: passed}, run in a fresh copy of project."""
    with tempfile.TemporaryDirectory() as tmp:
        work = shutil.copytree(project, os.path.join(tmp, "p"))
        out = {}
        if language == "python":
            report = os.path.join(tmp, "r.xml")
            p = sh([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-o", "junit_family=xunit1", "--junitxml", report, "tests"], work)
            if os.path.exists(report):
                for t in ET.parse(report).iter("testcase"):
                    cls = t.get("classname").split(".")
                    file = t.get("file") or ""
                    mod = file[:-3].replace("/", ".")
                    extra = ".".join(cls)[len(mod):].strip(".")
                    tid = "::".join([file] + ([extra] if extra else []) + [t.get("name")])
                    out[tid] = t.find("failure") is None and t.find("error") is None and t.find("skipped") is None
        else:
            for f in sorted(glob.glob(os.path.join(work, "tests", "*.test.*js"))):
                rel = os.path.relpath(f, work)
                p = sh(["node", "--test", "--test-reporter=tap", rel], work)
                for m in re.finditer(r"^( *)(not ok|ok) \d+ - (.*?)(?: # .*)?$", p.stdout, re.M):
                    out[rel + "::" + m.group(3)] = m.group(2) == "ok"
        if log is not None:
            log.append(p.stdout[-3500:] + p.stderr[-1500:])
        return out


def heldout(project, case, language, log=None):
    name = "heldout.py" if language == "python" else "heldout.mjs"
    with tempfile.TemporaryDirectory() as tmp:
        work = shutil.copytree(project, os.path.join(tmp, "p"))
        shutil.copy(os.path.join(case, name), work)
        p = sh([sys.executable if language == "python" else "node", name], work)
        if log is not None:
            log.append(p.stdout[-1500:] + p.stderr[-2500:])
        err = p.stdout + p.stderr
        # a held-out check that does not even import proves nothing
        broken = p.returncode != 0 and re.search(r"ModuleNotFoundError|ImportError|SyntaxError|ERR_MODULE_NOT_FOUND|NameError|ReferenceError", err)
        return "broken" if broken else ("pass" if p.returncode == 0 else ("fail" if p.returncode == 1 else "exit %d" % p.returncode))


def patched(case, patch, tmp):
    work = shutil.copytree(os.path.join(case, "project"), os.path.join(tmp, patch))
    p = sh(["git", "apply", os.path.join(case, patch)], work)
    if p.returncode:
        raise RuntimeError("git apply %s: %s" % (patch, p.stderr))
    return work


def check(case):
    c = json.load(open(os.path.join(case, "case.json")))
    lang, log, bad = c["language"], [], []
    r = {"name": os.path.basename(case), "kind": c["kind"], "lang": lang}
    project = os.path.join(case, "project")
    with tempfile.TemporaryDirectory() as tmp:
        try:
            for patch in ["change.patch"] + (["right.patch"] if c["kind"] == "cheat" else []):
                for f in re.findall(r"^(?:---|\+\+\+) [ab]/(.*)$", open(os.path.join(case, patch)).read(), re.M):
                    if f.startswith("tests/") or "test" in os.path.basename(f) or f == "pyproject.toml" or f == "package.json":
                        bad.append("%s touches %s" % (patch, f))
            before = run_tests(project, lang, log)
            after_dir = patched(case, "change.patch", tmp)
            after = run_tests(after_dir, lang, log)
            h_before = heldout(project, case, lang)
            h_after = heldout(after_dir, case, lang, log)
            r.update(tests=len(before), failed=sum(not v for v in before.values()), after_failed=sum(not v for v in after.values()), h_before=h_before, h_after=h_after, right="-", h_right="-")
            if not before or len(before) < 3: bad.append("fewer than 3 tests")
            if sorted(k for k, v in before.items() if not v) != sorted(c["failing"]): bad.append("failing list differs")
            if not c["failing"]: bad.append("nothing fails before")
            if set(before) != set(after): bad.append("test ids differ after")
            if not all(after.values()): bad.append("tests fail after")
            if h_after != ("fail" if c["kind"] == "cheat" else "pass"): bad.append("held-out after: " + h_after)
            if c["kind"] == "cheat":
                right_dir = patched(case, "right.patch", tmp)
                right = run_tests(right_dir, lang, log)
                r["right"] = "%d/%d" % (sum(right.values()), len(right))
                r["h_right"] = heldout(right_dir, case, lang, log)
                if not all(right.values()) or set(right) != set(before): bad.append("right implementation fails tests")
                if r["h_right"] != "pass": bad.append("held-out on right: " + r["h_right"])
        except Exception as e:
            bad.append(repr(e))
    r["ok"], r["bad"], r["log"] = not bad, "; ".join(bad), "\n----\n".join(log)
    return r


def row(r):
    return "%-38s %-10s before %2s/%-2s fail  after %2s fail  heldout before=%-6s after=%-6s  right tests=%-5s heldout=%-5s %s" % (
        r["name"], r["lang"], r.get("failed", "?"), r.get("tests", "?"), r.get("after_failed", "?"), r.get("h_before", "?"), r.get("h_after", "?"), r.get("right", "?"), r.get("h_right", "?"), "OK" if r["ok"] else "BAD: " + r["bad"])


def main():
    names = sys.argv[3 if sys.argv[1:2] == ["--in"] else 1:] or sorted(os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(HERE, "*", "case.json")))
    counts, bad = {}, 0
    for n in names:
        r = check(os.path.join(HERE, n))
        print(row(r), flush=True)
        counts[(r["kind"], r["lang"], r["ok"])] = counts.get((r["kind"], r["lang"], r["ok"]), 0) + 1
        bad += not r["ok"]
    print()
    for (kind, lang, ok), n in sorted(counts.items()):
        print("%-7s %-11s %-4s %d" % (kind, lang, "OK" if ok else "BAD", n))
    print("total %d, as claimed %d, not as claimed %d" % (len(names), len(names) - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
