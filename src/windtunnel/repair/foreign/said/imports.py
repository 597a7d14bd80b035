"""Names of the standard libraries, where they come from, and how each language brings them in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.foreign.said.spot import Fix, Spot, put

_JAVA = {
    "java.util": "List ArrayList LinkedList Map HashMap TreeMap LinkedHashMap Set HashSet TreeSet LinkedHashSet "
    "Queue Deque ArrayDeque PriorityQueue Stack Vector Collections Arrays Objects Optional OptionalInt OptionalDouble "
    "Scanner Random Iterator ListIterator Comparator Collection UUID StringJoiner BitSet Date Calendar "
    "EnumMap EnumSet NoSuchElementException ConcurrentModificationException Locale Properties Timer "
    "InputMismatchException SortedMap NavigableMap SortedSet Base64 StringTokenizer Currency Formatter",
    "java.util.stream": "Collectors Stream IntStream LongStream DoubleStream",
    "java.util.function": "Function BiFunction Supplier Consumer BiConsumer Predicate BiPredicate UnaryOperator "
    "BinaryOperator IntFunction IntPredicate ToIntFunction IntBinaryOperator IntUnaryOperator",
    "java.util.concurrent": "ExecutorService Executors Future Callable ConcurrentHashMap TimeUnit CompletableFuture "
    "CountDownLatch ConcurrentLinkedQueue BlockingQueue LinkedBlockingQueue ThreadLocalRandom "
    "ExecutionException Semaphore CopyOnWriteArrayList TimeoutException",
    "java.util.concurrent.atomic": "AtomicInteger AtomicLong AtomicBoolean AtomicReference",
    "java.util.concurrent.locks": "Lock ReentrantLock ReadWriteLock ReentrantReadWriteLock Condition",
    "java.util.regex": "Pattern Matcher PatternSyntaxException",
    "java.io": "File IOException InputStream OutputStream BufferedReader BufferedWriter FileReader FileWriter "
    "InputStreamReader PrintWriter Reader Writer StringReader StringWriter FileInputStream FileOutputStream "
    "Serializable UncheckedIOException FileNotFoundException ByteArrayInputStream ByteArrayOutputStream "
    "Closeable PrintStream EOFException ObjectInputStream ObjectOutputStream",
    "java.nio.file": "Files Path Paths StandardOpenOption NoSuchFileException InvalidPathException",
    "java.nio.charset": "StandardCharsets Charset",
    "java.nio": "ByteBuffer",
    "java.math": "BigDecimal BigInteger RoundingMode MathContext",
    "java.time": "LocalDate LocalDateTime LocalTime Duration Instant ZonedDateTime ZoneId DayOfWeek Month Period Year "
    "ZoneOffset Clock YearMonth",
    "java.time.format": "DateTimeFormatter DateTimeParseException",
    "java.time.temporal": "ChronoUnit TemporalAdjusters",
    "java.text": "DecimalFormat SimpleDateFormat NumberFormat ParseException MessageFormat",
    "java.net": "URI URL HttpURLConnection URISyntaxException MalformedURLException Socket InetAddress",
    "java.security": "MessageDigest NoSuchAlgorithmException SecureRandom",
}
JAVA = {name: package for package, names in _JAVA.items() for name in names.split()}
_GO_PATHS = (
    "strings strconv fmt os sort math errors time bytes io bufio sync context regexp encoding/json path/filepath "
    "net/http unicode unicode/utf8 container/heap container/list sync/atomic log reflect math/big math/bits "
    "crypto/sha256 crypto/md5 encoding/hex encoding/base64 encoding/csv encoding/binary net/url testing slices "
    "maps flag hash/fnv path text/tabwriter runtime os/exec os/signal io/fs html text/template net encoding/xml "
    "hash/crc32 math/cmplx cmp math/rand container/ring iter"
)
GO = {path.rpartition("/")[2]: path for path in _GO_PATHS.split()}
_NODE = {
    "fs": "readFileSync writeFileSync existsSync mkdirSync readdirSync statSync unlinkSync createReadStream rmSync",
    "path": "basename dirname extname",
    "util": "promisify inspect isDeepStrictEqual",
    "events": "EventEmitter once",
    "os": "cpus tmpdir homedir",
    "crypto": "createHash randomBytes randomUUID createHmac",
    "child_process": "spawn execSync spawnSync execFile",
    "assert": "",
    "url": "fileURLToPath pathToFileURL",
    "zlib": "gzipSync gunzipSync",
    "http": "createServer",
    "https": "",
    "stream": "Readable Transform pipeline",
    "readline": "",
    "querystring": "",
    "vm": "",
    "perf_hooks": "",
    "worker_threads": "Worker",
    "buffer": "",
    "net": "",
    "dns": "",
    "timers": "",
    "string_decoder": "StringDecoder",
    "fs/promises": "readFile writeFile mkdir readdir",
    "tty": "",
}
NODE = {name: module for module, names in _NODE.items() for name in names.split()}
NODE_MODULES = tuple(_NODE)
RUST = {
    **dict.fromkeys(("HashMap", "HashSet", "BTreeMap", "BTreeSet", "VecDeque", "BinaryHeap"), "std::collections"),
    "Rc": "std::rc",
    "Arc": "std::sync",
    "Mutex": "std::sync",
    "RwLock": "std::sync",
    "RefCell": "std::cell",
    "Cell": "std::cell",
    "Ordering": "std::cmp",
    "Reverse": "std::cmp",
    "Duration": "std::time",
    "Instant": "std::time",
    "Path": "std::path",
    "PathBuf": "std::path",
    "File": "std::fs",
    "FromStr": "std::str",
    "Display": "std::fmt",
    "Write": "std::io",
    "Read": "std::io",
    "BufRead": "std::io",
}


def java_import(spot: Spot, name: str) -> Iterator[Fix]:
    """``import package.Name;`` among the others, or below the package."""
    package = JAVA.get(name) or _own_package(spot, name)
    if not package or re.search(rf"^import {re.escape(package)}\.{re.escape(name)};", spot.text, re.MULTILINE):
        return
    line = f"import {package}.{name};\n"
    imports = list(re.finditer(r"^import [^\n]*\n", spot.text, re.MULTILINE))
    declared = re.search(r"^package [^\n]*\n", spot.text, re.MULTILINE)
    if imports:
        after = next((one for one in imports if one[0] > line), None)
        at, text = (after.start() if after is not None else imports[-1].end()), line
    elif declared is not None:
        at, text = declared.end(), f"\n{line}"
    else:
        at, text = 0, f"{line}\n"
    yield put(at, text, name="missing-import", prior=0.93, reason=f"{name} is in {package}, which is not imported")


def _own_package(spot: Spot, name: str) -> str:
    """The package of a class of the project."""
    path = next((one for one in spot.scene.paths if one.rpartition("/")[2] == f"{name}.java"), None)
    text = spot.scene.read(path) if path is not None else None
    found = re.search(r"^package ([\w.]{1,200});", text[:4000], re.MULTILINE) if text else None
    own = re.search(r"^package ([\w.]{1,200});", spot.text, re.MULTILINE)
    return found[1] if found is not None and (own is None or own[1] != found[1]) else ""


def go_import(spot: Spot, name: str) -> Iterator[Fix]:
    """Into the group of imports, or as one below the package."""
    path = GO.get(name)
    if path is None or f'"{path}"' in spot.text:
        return
    group = re.search(r"^import \(\n((?:[^\n)]*\n)*?)\)", spot.text, re.MULTILINE)
    single = re.search(r"^import (\"[^\"\n]+\")\n", spot.text, re.MULTILINE)
    package = re.search(r"^package \w+[^\n]*\n", spot.text, re.MULTILINE)
    reason = f"{name} is the package {path}, which is not imported"
    if group is not None:
        lines = group[1].splitlines(keepends=True)
        before = [line for line in lines if line.strip() < f'"{path}"' and line.strip()]
        at = group.start(1) + (sum(map(len, lines[: lines.index(before[-1]) + 1])) if before else 0)
        yield put(at, f'\t"{path}"\n', name="missing-import", prior=0.93, reason=reason)
    elif single is not None:
        both = sorted([single[1], f'"{path}"'])
        yield Fix(
            start=single.start(),
            end=single.end(),
            text=f"import (\n\t{both[0]}\n\t{both[1]}\n)\n",
            name="missing-import",
            prior=0.93,
            reason=reason,
        )
    elif package is not None:
        yield put(package.end(), f'\nimport "{path}"\n', name="missing-import", prior=0.93, reason=reason)


def script_import(spot: Spot, name: str) -> Iterator[Fix]:
    """``require`` or ``import``, as the file does already: of a module of the runtime, or of the project's own."""
    modern = re.search(r"^\s*(?:import|export)\b", spot.text, re.MULTILINE) is not None or spot.path.endswith(
        (".mjs", ".ts", ".tsx", ".mts")
    )
    own = _exporting(spot, name)
    for module, whole, prior in (
        (own, False, 0.85),
        (NODE.get(name, ""), False, 0.85),
        (name if name in _NODE else "", True, 0.9),
    ):
        if not module:
            continue
        what = name if whole else f"{{ {name} }}"
        if modern:
            star = f"* as {name}" if whole and spot.path.endswith((".ts", ".tsx", ".mts")) else what
            line = f'import {star} from "{module}";\n'
        else:
            line = f'const {what} = require("{module}");\n'
        if _quotes(spot.text) == "'":
            line = line.replace('"', "'")
        yield put(
            _script_top(spot.text),
            line,
            name="missing-import",
            prior=prior,
            reason=f"{name} comes from {module}, which is not loaded",
        )


def _quotes(text: str) -> str:
    return "'" if re.search(r"(?:require\(|from )'", text) else '"'


def _script_top(text: str) -> int:
    """Behind a first line for the shell and what makes the file strict; before the first of the others."""
    at = 0
    for found in re.finditer(r"(?:#![^\n]*|\s*(['\"])use strict\1;?[^\n]*|\s*//[^\n]*|)\n", text):
        if found.start() != at or not found[0].strip():
            break
        at = found.end()
    return at


def _exporting(spot: Spot, name: str) -> str:
    """The file of the project that gives a name away, as this file would name it."""
    word = re.escape(name)
    given = re.compile(
        rf"export (?:async )?(?:const|let|function|class|interface|type|enum) {word}\b|"
        rf"exports\.{word} ?=|export \{{[^}}]{{0,2000}}\b{word}\b|module\.exports ?= ?\{{[^}}]{{0,2000}}\b{word}\b"
    )
    for path in spot.scene.paths[:200]:
        if path != spot.path and path.endswith((".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx")):
            text = spot.scene.read(path)
            if text and given.search(text[:200_000]):
                return relative(path, spot.path)
    return ""


def relative(path: str, base: str) -> str:
    """How a file of a folder names another: with its dots, without its end where that is left out."""
    there, here = path.split("/"), base.split("/")[:-1]
    while here and len(there) > 1 and here[0] == there[0]:
        here, there = here[1:], there[1:]
    name = "/".join([*([".."] * len(here) or ["."]), *there])
    return name if base.endswith(".mjs") else re.sub(r"\.(?:js|ts|tsx|jsx)$", "", name)


def rust_use(spot: Spot, name: str) -> Iterator[Fix]:
    """``use std::…::Name;`` before the first line of code."""
    module = RUST.get(name)
    if module is None or f"use {module}::{name}" in spot.text:
        return
    found = re.search(r"^(?!#!\[|//|\s*$)", spot.text, re.MULTILINE)
    text = f"use {module}::{name};\n" if "\nuse " in f"\n{spot.text}" else f"use {module}::{name};\n\n"
    yield put(
        found.start() if found is not None else 0,
        text,
        name="missing-import",
        prior=0.9,
        reason=f"{name} is in {module}, which is not used",
    )
