"""Java, single-file programs whose main class may have any name.

The build runs a small compiler front of our own, because ``javac`` insists that a public class is in a file
of its name. It leaves the classes and ``program.args``, an argument file that names the main class: the first
in the source that declares ``main``.
"""

from __future__ import annotations

from pathlib import Path

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, needed, prefix

_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto", "-Xms16m")
"""A quick start and a small heap that grows; the largest is the sandbox's to say, by its memory limit."""

_FRONT = r"""
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ForwardingJavaFileObject;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

class Front {
    static String main = null;
    static String first = null;

    public static void main(String[] arguments) throws Exception {
        Path source = Path.of(arguments[0]);
        Path build = Path.of(arguments[1]);
        var compiler = ToolProvider.getSystemJavaCompiler();
        var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        JavaFileObject plain = files.getJavaFileObjects(source).iterator().next();
        JavaFileObject unit = new ForwardingJavaFileObject<>(plain) {
            @Override
            public boolean isNameCompatible(String name, Kind kind) {
                return kind == Kind.SOURCE;
            }
        };
        var options = List.of("-d", build.toString(), "-sourcepath", source.getParent().toString(), "-proc:none");
        var errors = new PrintWriter(System.err, true);
        var task = (JavacTask) compiler.getTask(errors, files, null, options, null, List.of(unit));
        task.addTaskListener(new TaskListener() {
            @Override
            public void finished(TaskEvent event) {
                if (event.getKind() == TaskEvent.Kind.PARSE && event.getSourceFile().toUri().equals(unit.toUri())) {
                    choose(event.getCompilationUnit());
                }
            }
        });
        boolean compiled = task.call();
        if (compiled && first == null) System.err.println(source + ": error: no class in the source");
        if (!compiled || first == null) System.exit(1);
        Files.writeString(build.resolve("program.args"), main == null ? first : main);
    }

    static void choose(CompilationUnitTree unit) {
        String folder = unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
        for (Tree tree : unit.getTypeDecls()) {
            if (!(tree instanceof ClassTree)) continue;
            ClassTree type = (ClassTree) tree;
            String name = folder + type.getSimpleName();
            if (first == null) first = name;
            if (main == null && type.getMembers().stream().anyMatch(Front::isMain)) main = name;
        }
    }

    static boolean isMain(Tree member) {
        return member instanceof MethodTree && ((MethodTree) member).getName().contentEquals("main");
    }
}
"""

_SCRIPT = f"""\
front=$(mktemp -d) && printf %s "$1" >"$front/Front.java" && exec "$2" {" ".join(_START)} "$front/Front.java" "$3" "$4"
"""


def find(which: Which) -> Toolchain | None:
    """A whole development kit, found by its ``javac``; Debian links its settings to /etc."""
    found = which("javac")
    if found is None:
        return None
    home = prefix(found)
    java = str(home / "bin/java")
    parts = [home / name for name in ("bin", "conf", "lib", "release")] if (home / "lib/modules").is_file() else []
    return Toolchain(
        build=("/bin/sh", "-c", _SCRIPT, "sh", _FRONT, java, "{source}", "{build}"),
        run=(java, *_START, "-cp", "{build}", "@{build}/program.args"),
        paths=needed(java, *parts, *_settings(home)),
    )


def _settings(home: Path) -> list[Path]:
    """Where the settings and certificates really are."""
    linked = ("conf/net.properties", "conf/security/java.security", "lib/jvm.cfg")
    folders = [(home / name).resolve().parent for name in linked if (home / name).is_symlink()]
    return [*folders, (home / "lib/security/cacerts").resolve()]


LANGUAGE = Language(
    name="java",
    suffixes=(".java",),
    source="Main.java",
    find=find,
    install="apt-get install default-jdk-headless",
    reserved_env=(*LOADER_ENV, "JAVA_*", "_JAVA_*", "JDK_*", "CLASSPATH", "IBM_JAVA_OPTIONS", "OPENJ9_*"),
    image="eclipse-temurin:21-jdk",
    examples=(
        Example(
            code="public class Greeting {\n    public static void main(String[] a) {\n"
            '        System.out.println("hello");\n    }\n}\n',
            stdout="hello\n",
        ),
        Example(
            code="package words;\n\nimport java.util.Scanner;\n\nrecord Word(String text) {}\n\n"
            "class Upper {\n    public static void main(String[] a) {\n"
            "        System.out.println(new Word(new Scanner(System.in).next()).text().toUpperCase());\n    }\n}\n",
            stdin="words\n",
            stdout="WORDS\n",
        ),
        Example(
            code="class Main {\n    public static void main(String[] a) {\n"
            '        throw new IllegalStateException("no such thing");\n    }\n}\n',
            error="IllegalStateException: no such thing",
        ),
        Example(
            code="class Main {\n    public static void main(String[] a) { missing(); }\n}\n",
            error="Main.java:2: error: cannot find symbol",
        ),
    ),
)
