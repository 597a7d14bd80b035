import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tool_runs import HOSTILE, Files, check_of, read_run, run, statuses, written

from windtunnel.checks.gradle import TOOL as GRADLE
from windtunnel.checks.javac import TOOL as JAVAC
from windtunnel.checks.maven import TOOL as MAVEN
from windtunnel.core.tool import Ask, Output, Reading
from windtunnel.core.trial import Channel, Check, Kind, LintResult, Status

TOOLS = (JAVAC, MAVEN, GRADLE)
REPOSITORY = Path("/usr/share/maven-repo")
needs_javac = pytest.mark.skipif(shutil.which("javac") is None, reason="javac is not installed")
needs_junit = pytest.mark.skipif(not (REPOSITORY / "junit/junit/4.x").exists(), reason="no JUnit in Debian's Maven repository")
needs_maven = pytest.mark.skipif(
    shutil.which("mvn") is None or not (REPOSITORY / "org/apache/maven/plugins/maven-surefire-plugin").exists(),
    reason="no Maven with surefire in Debian's Maven repository (apt install maven libsurefire-java)")
needs_gradle = pytest.mark.skipif(shutil.which("gradle") is None, reason="Gradle is not installed")

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>shop</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency>
  </dependencies>
  <build><plugins>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
  </plugins></build>
</project>
"""
CALC = "package shop;\n\npublic class Calc {\n    public static int add(int a, int b) { return a + b; }\n}\n"
CALC_TEST = """\
package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

public class CalcTest {
    @Test public void adds() { assertEquals(3, Calc.add(1, 2)); }

    @Test public void isWrong() { assertEquals(4, Calc.add(1, 2)); }

    @Test public void breaks() { throw new IllegalStateException("no <shop>"); }

    @Ignore("not on Sundays") @Test public void later() { }
}
"""
PROJECT = {"src/main/java/shop/Calc.java": CALC, "src/test/java/shop/CalcTest.java": CALC_TEST}
BUILD_GRADLE = f"apply plugin: 'java'\nrepositories {{ maven {{ url 'file:{REPOSITORY}' }} }}\ndependencies {{ testCompile 'junit:junit:4.x' }}\n"
STALE = "<testsuite tests='1'><testcase classname='shop.OldTest' name='passed'/></testsuite>"
# In one process: surefire 2 takes ten seconds to part from a forked one.
MVN = ("mvn", "-DforkCount=0", "-B", "-o", f"-Dmaven.repo.local={REPOSITORY}", "test")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_example_is_read_as_it_says(tool):
    assert [tool.read(example.output, check_of(tool, "x")) for example in tool.examples] == [
        example.reading for example in tool.examples]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("data", HOSTILE)
def test_hostile_output_never_raises_and_a_failed_build_is_never_silent(tool, data):
    reading = tool.read(Output(exit_code=1, stdout=data, stderr=data, files={"TEST-a.xml": data}), check_of(tool, "x"))

    assert any(test.status.bad for test in reading.tests) or reading.findings or reading.notes


def test_java_files_alone_are_compiled():
    assert JAVAC.detect(Files(**{"src/A.java": "", "B.java": ""})) == Check(
        kind=Kind.BUILD, tool="javac", argv=("javac", "-d", "/tmp/classes", "B.java", "src/A.java"), found_in="B.java")


@pytest.mark.parametrize("file", ["pom.xml", "build.gradle", "settings.gradle.kts", "build.xml"])
def test_java_files_of_a_build_tool_are_left_to_it(file):
    assert JAVAC.detect(Files(**{"src/A.java": "", file: ""})) is None


def test_a_pom_is_tested_offline():
    assert MAVEN.detect(Files(**{"pom.xml": POM})) == Check(
        kind=Kind.TEST, tool="maven", argv=("mvn", "-B", "-o", "test"), found_in="pom.xml")


@pytest.mark.parametrize(("files", "program", "found_in"), [
    (("build.gradle",), "gradle", "build.gradle"), (("settings.gradle.kts", "gradlew"), "./gradlew", "settings.gradle.kts"),
    (("build.gradle.kts", "gradlew"), "./gradlew", "build.gradle.kts"),
])
def test_gradle_is_started_by_the_wrapper_where_there_is_one(files, program, found_in):
    assert GRADLE.detect(Files(**dict.fromkeys(files, ""))) == Check(
        kind=Kind.TEST, tool="gradle", argv=(program, "--offline", "test"), found_in=found_in)


def test_other_projects_are_left_alone():
    assert [tool.detect(Files(**{"Cargo.toml": "", "gradlew": ""})) for tool in TOOLS] == [None, None, None]


@pytest.mark.parametrize(("argv", "names"), [
    (("mvn", "-q", "verify"), ["maven"]), (("./mvnw", "test"), ["maven"]), (("mvn", "compile"), []),
    (("./gradlew", ":app:test"), ["gradle"]), (("gradle", "check"), ["gradle"]), (("gradle", "assemble"), []),
    (("/usr/bin/javac", "A.java"), ["javac"]), ((), []),
])
def test_a_command_is_recognised_by_its_words(argv, names):
    assert [tool.name for tool in TOOLS if tool.recognise(argv)] == names


@pytest.mark.parametrize(("ask", "added"), [
    (Ask(), ("-fae",)), (Ask(fail_fast=True), ("-ff", "-Dsurefire.skipAfterFailureCount=1")),
    (Ask(pattern="Calc*"), ("-fae", "-Dtest=Calc*", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")),
    (Ask(select=("a.B#c", "a.B#d(int)[1]", "a.E#says hello", "a.E#f", "x y#z")),
     ("-fae", "-Dtest=a.B#c+d,a.E", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")),
])
def test_maven_is_asked_for_tests_in_its_own_words(ask, added):
    argv = MAVEN.prepare(check_of(MAVEN, "mvn", "test"), ask).argv

    assert (argv[:2], argv[3:]) == (("sh", "-c"), ("sh", "mvn", "test", *added))


@pytest.mark.parametrize(("argv", "ask", "ready"), [
    (("gradle", "--offline", "test"), Ask(), ("--continue", "--offline", "test")),
    (("gradle", "test", "-i"), Ask(fail_fast=True, pattern="*Calc*"), ("test", "--tests", "*Calc*", "-i")),
    (("gradle", ":a:test"), Ask(select=("a.B#c", "a.B#d(int)[1]", "a.E#says hello")),
     ("--continue", ":a:test", "--tests", "a.B.c*", "--tests", "a.B.d*", "--tests", "a.E")),
    (("gradle", "build"), Ask(select=("a.B#c",)), ("--continue", "build")),
])
def test_gradle_is_asked_for_tests_in_its_own_words(argv, ask, ready):
    invocation = GRADLE.prepare(check_of(GRADLE, *argv), ask)

    assert invocation.argv == (
        "gradle", "--init-script", "/sandbox/windtunnel.gradle", "--console=plain", "--no-daemon",
        "--no-build-cache", *ready)
    assert (b"if (true &&" in invocation.files["windtunnel.gradle"]) == ask.fail_fast


FAKE_MAVEN = """\
#!/bin/sh
mkdir -p module/target/surefire-reports
touch probe
until [ module/target/surefire-reports/TEST-new.xml -nt probe ]; do
    echo "<testsuite><testcase classname='New' name='a'/></testsuite>" > module/target/surefire-reports/TEST-new.xml
done
ln -s /etc/passwd module/target/surefire-reports/TEST-link.xml
exit 7
"""


def test_only_new_plain_reports_of_all_modules_are_copied_and_the_exit_code_is_kept(tmp_path):
    project = written(tmp_path / "shop", {"mvn": FAKE_MAVEN, "target/surefire-reports/TEST-old.xml": STALE})
    (project / "mvn").chmod(0o755)

    output = run(MAVEN, check_of(MAVEN, "./mvn", "test"), project=project, scratch=tmp_path / "scratch")

    assert (output.exit_code, list(output.files)) == (7, ["module/target/surefire-reports/TEST-new.xml"])


def test_without_the_look_at_their_age_an_old_report_would_be_copied(tmp_path):
    project = written(tmp_path / "shop", {"mvn": "#!/bin/sh\n", "target/surefire-reports/TEST-old.xml": STALE})
    (project / "mvn").chmod(0o755)
    check = check_of(MAVEN, "./mvn", "test")
    ready = MAVEN.prepare(check, Ask())
    blind = replace(MAVEN, prepare=lambda _check, _ask: replace(
        ready, argv=tuple(word.replace('-newer "$start"', "") for word in ready.argv)))

    guarded = run(MAVEN, check, project=project, scratch=tmp_path / "guarded")

    assert list(guarded.files) == []
    assert list(run(blind, check, project=project, scratch=tmp_path / "blind").files) == [
        "target/surefire-reports/TEST-old.xml"]


def test_a_report_that_maven_did_not_count_is_named():
    output = Output(exit_code=0, stdout=b"[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n", files={
        "target/surefire-reports/TEST-a.xml": b"<testsuite><testcase classname='A' name='b'/></testsuite>",
        "target/surefire-reports/TEST-forged.xml": b"<testsuite><testcase classname='A' name='c'/></testsuite>"})

    assert MAVEN.read(output, check_of(MAVEN, "mvn")).notes == ("Maven counted 1 tests, its reports have 2",)


def test_a_report_that_was_written_over_does_not_hide_the_failure():
    output = Output(exit_code=1, stdout=b"[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n", files={
        "target/surefire-reports/TEST-a.xml": b"<testsuite><testcase classname='A' name='b'/></testsuite>"})

    reading = MAVEN.read(output, check_of(MAVEN, "mvn"))

    assert statuses(reading) == {"A#b": "passed", "mvn": "error"}
    assert reading.notes == ("Maven counted 1 failures, its reports have 0",)


def test_a_forked_machine_that_died_is_a_crash():
    output = Output(exit_code=1, stdout=b"[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n")

    assert [(test.id, test.status, test.category) for test in MAVEN.read(output, check_of(MAVEN, "mvn")).tests] == [
        ("mvn", Status.ERROR, "crash")]


@needs_javac
def test_javac_finds_what_does_not_compile(tmp_path):
    project = written(tmp_path / "shop", {"A.java": 'class A {\n    int n = "x";\n\tint m = missing;\n}\n'})

    reading = read_run(JAVAC, "javac", "-d", str(tmp_path / "out"), "A.java", project=project, scratch=tmp_path / "scratch")

    assert reading == Reading(channel=Channel.TEXT, findings=(
        LintResult(tool="javac", rule="compile", message="incompatible types: String cannot be converted to int",
                   path="A.java", line=2, column=13, severity="error", category="type"),
        LintResult(tool="javac", rule="compile", message="cannot find symbol\nsymbol:   variable missing\nlocation: class A",
                   path="A.java", line=3, column=10, severity="error", category="type"),
    ))


@needs_javac
def test_javac_has_nothing_to_say_of_good_code(tmp_path):
    project = written(tmp_path / "shop", {"A.java": "class A {}\n"})

    reading = read_run(JAVAC, "javac", "-d", str(tmp_path / "out"), "A.java", project=project, scratch=tmp_path / "scratch")

    assert reading == Reading(channel=Channel.TEXT)


def summary(reading):
    return {test.id: (str(test.status), test.category) for test in reading.tests}


@pytest.mark.slow
@needs_maven
@needs_junit
def test_a_real_run_of_maven_is_read_without_its_old_reports(tmp_path):
    project = written(tmp_path / "shop", {**PROJECT, "pom.xml": POM, "target/surefire-reports/TEST-shop.OldTest.xml": STALE})

    reading = read_run(MAVEN, *MVN, project=project, scratch=tmp_path / "scratch")

    assert summary(reading) == {
        "shop.CalcTest#adds": ("passed", ""), "shop.CalcTest#isWrong": ("failed", "assertion"),
        "shop.CalcTest#breaks": ("error", "exception"), "shop.CalcTest#later": ("skipped", "")}
    assert (reading.channel, reading.notes) == (Channel.FILE, ())


@needs_maven
def test_a_real_run_of_maven_that_does_not_compile_is_an_error_with_findings(tmp_path):
    project = written(tmp_path / "shop", {"pom.xml": POM, "src/main/java/shop/Calc.java": CALC.replace("a + b", "missing")})

    reading = read_run(MAVEN, *MVN, project=project, scratch=tmp_path / "scratch")

    assert summary(reading) == {"mvn": ("error", "collection")}
    assert reading.findings == (LintResult(
        tool="maven", rule="compile", path="src/main/java/shop/Calc.java", line=4, column=50, severity="error",
        category="type", message="cannot find symbol\nsymbol:   variable missing\nlocation: class shop.Calc"),)


@pytest.mark.slow
@needs_gradle
@needs_junit
def test_a_real_run_of_gradle_is_read_without_its_old_reports(tmp_path):
    project = written(tmp_path / "shop", {
        **PROJECT, "build.gradle": BUILD_GRADLE, "settings.gradle": "rootProject.name = 'shop'\n",
        "build/test-results/test/TEST-shop.OldTest.xml": STALE})

    reading = read_run(GRADLE, "gradle", "--offline", "test", project=project, scratch=tmp_path / "scratch",
                       env={"GRADLE_USER_HOME": str(tmp_path / "home")})

    assert summary(reading) == {
        "shop.CalcTest#adds": ("passed", ""), "shop.CalcTest#isWrong": ("failed", "assertion"),
        "shop.CalcTest#breaks": ("failed", "exception"), "shop.CalcTest#later": ("skipped", "")}
    assert (reading.channel, reading.notes) == (Channel.FILE, ())
