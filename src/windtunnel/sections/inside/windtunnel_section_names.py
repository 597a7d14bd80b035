"""Texts of inputs by kind, and which kinds the name of a parameter suggests."""

from __future__ import annotations

import re
from typing import Dict, List, Tuple

DATE, TIME = "wt.datetime.date(2024, 2, 29)", "wt.datetime.datetime(2024, 2, 29, 12, 30, 15)"
KINDS: Dict[str, List[str]] = {
    "int": ["2", "0", "1", "10", "-1", "5", "100", "1234567"],
    "number": ["3", "2.5", "0", "-1", "1000000", "0.001", "1"],
    "bool": ["True", "False"],
    "str": ["'abc'", "'Hello World'", "''", "'a'", "'1'", "'a-b_c d'", "'HelloWorld'", "'a,b\\nc,d\\n'", "'1.2.3'",
            "'2024-02-29'", "'2024-02-29T12:30:15+01:00'", "'12:30:15'", "'a=1'", "'a: b'", "'ä ß'", "'P1Y2M3DT4H'", "'10%'", "'-1.5e3'",
            "'/a/b.txt'", "'a@example.org'", "'https://example.org/a?b=c'", "'[1, 2]'", "'1-3'", "'#ff8800'", "'<a b=\"c\">d</a>'"],
    "char": ["'a'", "' '"],
    "bytes": ["b'abc'", "b''", "b'a\\nb\\n'"],
    "iterable": ["[3, 1, 2]", "['b', 'a', 'c']", "[(1, 2), (3, 4)]", "[]", "'abc'", "[[1, 2], [3]]", "iter([1, 2, 3])",
                 "range(5)", "[1, 1, 2]", "{'a': 1}", "[{'a': 1, 'b': 2}, {'a': 2, 'b': 3}]", "[0, None, 1]"],
    "sequence": ["[3, 1, 2]", "'abc'", "(1, 2)", "['b', 'a']", "[]", "[(1, 2), (3, 4)]"],
    "pairs": ["[(1, 2), (3, 4)]", "[('a', 1), ('b', 2)]"],
    "pair": ["(1, 2)", "('a', 'b')"],
    "iterables": ["[[1, 2], [3, 4]]", "['ab', 'cd']", "[[]]"],
    "strings": ["['b', 'a']", "['abc', 'abd']", "[]"],
    "set": ["{1, 2}", "{'a'}", "set()"],
    "mapping": ["{'a': 1, 'b': 2}", "{}", "{'a': {'b': 1}}", "{1: 2, 3: 4}", "{'a': [1, 2], 'b': [3]}", "{'a': 'b'}"],
    "callable": ["lambda *given: given[0] if given else None", "lambda *given: len(given) % 2 == 1", "bool", "str",
                 "lambda *given: given[-1] if given else 1", "lambda *given, **named: sum(given, 0)", "len",
                 "lambda one: one > 1", "lambda *given: list(given)", "int", "wt.operator.add"],
    "class": ["int", "dict", "str", "ValueError", "list"],
    "path": ["wt.file('a,b\\n1,2\\n')", "wt.folder()", "wt.file('{\"a\": 1}', 'file.json')", "wt.file('')", "'missing'",
             "wt.pathlib.Path(wt.file('a\\n'))"],
    "folder": ["wt.folder()", "wt.pathlib.Path(wt.folder())", "'.'"],
    "stream": ["wt.io.StringIO('a,b\\n1,2\\n')", "wt.io.BytesIO(b'a\\nb\\n')", "wt.stream('a\\nb\\n')", "wt.io.StringIO()"],
    "url": ["'https://example.org/a/b?c=1#d'", "'http://user:word@example.org:8080/'", "'/a'"],
    "email": ["'a@example.org'"],
    "date": [DATE, TIME, "wt.datetime.date(1999, 12, 31)"],
    "datetime": [TIME, DATE, "wt.datetime.datetime(2024, 2, 29, tzinfo=wt.datetime.timezone.utc)"],
    "time": ["wt.datetime.time(12, 30)"],
    "timedelta": ["wt.datetime.timedelta(days=1, seconds=3)", "wt.datetime.timedelta(0)",
                  "wt.datetime.timedelta(days=-40)", "3661"],
    "timezone": ["wt.datetime.timezone.utc"],
    "version": ["'1.2.3'", "'2.0a1'", "'1.0.dev1+local'"],
    "locale": ["'en_US'", "'de'"],
    "encoding": ["'utf-8'", "'ascii'"],
    "pattern": ["'a+'", "wt.re.compile('a+')", "'[a-z]'", "'(a)(b)?'"],
    "match": ["wt.re.match('(a)(b)?', 'ab')"],
    "format": ["'%Y-%m-%d'", "'{}'", "'%s'", "'{name}'", "'{:d}'"],
    "host": ["'127.0.0.1'", "'localhost'"],
    "color": ["'#ff0000'", "(255, 0, 0)", "'red'"],
    "json": ["'{\"a\": [1, 2]}'", "'[]'"],
    "code": ["'x = 1\\n'", "'1 + 1'"],
    "exception": ["ValueError('x')", "KeyError('k')"],
    "decimal": ["wt.decimal.Decimal('1.5')", "wt.decimal.Decimal('0')", "wt.decimal.Decimal('10')"],
    "fraction": ["wt.fractions.Fraction(1, 3)"],
    "uuid": ["wt.uuid.UUID(int=5)"],
    "random": ["wt.random.Random(1)"],
    "logger": ["wt.logging.getLogger('x')"],
    "module": ["wt.string"],
    "any": ["1", "'abc'", "[3, 1, 2]", "None", "{'a': 1}"],
    "context": ["wt.contextlib.nullcontext(1)"],
    "iterator": ["iter([1, 2, 3])", "iter('abc')", "iter([])"],
    "slice": ["slice(1, 3)"],
    "none": ["None"],
}
GRID = ["1", "'abc'", "[3, 1, 2]", "{'a': 1, 'b': 2}", "lambda *given: given[0] if given else None", "0", "None", "True",
        "2.5", "b'abc'", "(1, 2)", "[(1, 2), (3, 4)]", "['b', 'a']", "{1, 2}", "iter([1, 2, 3])", "''", "[]", "int", TIME,
        "wt.io.StringIO('a\\nb\\n')", "wt.file('a\\n')", "[[1, 2], [3]]", "-1", "'1'", "wt.fake()", "ValueError('x')",
        "wt.datetime.timedelta(1)", DATE, "wt.re.compile('a')", "wt.decimal.Decimal('1.5')"]
_BY_WORD: List[Tuple[str, str]] = [
    ("path file filename fname filepath pathname src dst infile outfile paths files", "path"),
    ("dir directory folder dirname dirpath root basedir", "folder"),
    ("url uri link href endpoint", "url"), ("email mail", "email"), ("date day birthday", "date"),
    ("datetime dt when moment timestamp now", "datetime"), ("delta timedelta duration interval td", "timedelta"),
    ("tz tzinfo timezone", "timezone"),
    ("n k i j r num count size length limit times depth level width height index idx pos position start stop step end "
     "offset min max precision digits maxsize total maximum minimum nth bits port seed maxlen chunk batch year month "
     "ndigits indent maxsplit amount lo hi", "int"),
    ("x y z a b number val value v factor ratio rate percent weight scale threshold tolerance lower upper seconds bytes",
     "number"),
    ("func fn f function callback callable predicate pred key keyfunc cmp op binop transform handler hook condition "
     "factory getter reducer validator wrapper decorator method funcs binary unary", "callable"),
    ("iterable it seq items values elements xs l lst list coll data sequence array args objs collection entries rows "
     "results nodes points numbers vals indices groups", "iterable"),
    ("iterables lists seqs sequences iters", "iterable"), ("iterator itr iters gen", "iterator"),
    ("d dict mapping m dct kwargs options config params attrs env headers props kw table map dicts mappings settings "
     "context lookup", "mapping"),
    ("pairs tuples edges", "pairs"), ("set sets", "set"),
    ("s text string str line word name msg message label title prefix suffix sep delimiter content contents "
     "doc chars term token singular plural noun input t separator camel lines title phrase id fieldname", "str"),
    ("char ch letter", "char"), ("b buf buffer payload raw blob bytestring", "bytes"), ("encoding charset codec", "encoding"),
    ("version ver spec specifier", "version"), ("locale lang language country", "locale"),
    ("pattern regex rx regexp expr expression", "pattern"), ("match", "match"), ("format fmt template", "format"),
    ("fp stream fd fileobj handle out output writer reader sock io buf", "stream"),
    ("cls klass type typ types class kind exc_type", "class"), ("exc exception error err ex e", "exception"),
    ("host hostname ip addr address domain", "host"), ("color colour", "color"), ("json", "json"), ("code source", "code"),
    ("flag strict verbose force reverse recursive quiet inplace ascii", "bool"), ("rng random rand", "random"),
    ("logger log", "logger"), ("module mod", "module"), ("slice", "slice"), ("strings words names tokens", "strings"),
    ("obj object item element thing other default fill fillvalue initial sentinel", "any")]
WORDS: Dict[str, str] = {}
for _words, _kind in _BY_WORD:
    for _word in _words.split():
        WORDS.setdefault(_word, _kind)
GIVEN: Dict[str, str] = {}
for _given, _callees in {
        "iterable": "iter list tuple set frozenset sorted sum min max enumerate zip reversed any all Counter deque chain "
                    "from_iterable cycle permutations combinations tee groupby accumulate pairwise extend update fromkeys "
                    "combinations_with_replacement product compress zip_longest heapify nlargest fmean mean median",
        "iterator": "next", "int": "range chr hex bin oct islice sleep randrange choices", "char": "ord",
        "number": "int float abs round sqrt floor ceil log log10 log2 exp isnan isinf isclose divmod pow Decimal "
                  "fabs trunc copysign fmod sin cos tan Fraction timedelta fromtimestamp",
        "path": "open exists isfile isdir join dirname basename splitext abspath realpath Path PurePath listdir makedirs "
                "remove stat walk expanduser normpath relpath chdir scandir mkdir unlink rmtree copy copyfile rename",
        "sequence": "len bisect bisect_left bisect_right insort choice sample shuffle", "mapping": "dict ChainMap",
        "callable": "callable partial reduce starmap wraps update_wrapper iscoroutinefunction signature unwrap",
        "class": "issubclass", "json": "loads", "code": "parse literal_eval compile_command", "url": "urlparse urlsplit",
        "str": "quote unquote escape unescape normalize unidecode split fullmatch search match sub findall finditer "
               "startswith endswith strptime fromisoformat shlex import_module getenv encode splitlines",
        "bytes": "decode b64decode unpack sha256 md5 sha1 crc32 hexlify unhexlify from_bytes", "datetime": "astimezone"}.items():
    for _callee in _callees.split():
        GIVEN.setdefault(_callee, _given)
"""What a function wants of its first input, by its last name."""
NAMED = {"Iterable": "iterable", "Sequence": "sequence", "Collection": "iterable", "List": "iterable",
          "Iterator": "iterator", "Generator": "iterator", "Mapping": "mapping", "MutableMapping": "mapping",
          "Dict": "mapping", "Set": "set", "AbstractSet": "set", "Callable": "callable", "IO": "stream", "TextIO": "stream",
          "BinaryIO": "stream", "Hashable": "any", "Sized": "sequence", "Container": "iterable", "Reversible": "sequence",
          "SupportsInt": "int", "SupportsFloat": "number", "SupportsIndex": "int", "SupportsAbs": "number", "Number": "number",
          "Real": "number", "Integral": "int", "Rational": "int", "MutableSequence": "iterable", "MutableSet": "set",
          "ByteString": "bytes", "Buffer": "bytes", "AnyStr": "str", "Text": "str", "StrPath": "path", "ContextManager": "context",
          "KeysView": "iterable", "ValuesView": "iterable", "ItemsView": "pairs", "Awaitable": "any", "defaultdict": "mapping"}
"""What a type hint wants, by its last name."""
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def by_name(name: str) -> List[str]:
    """Kinds that a parameter of that name might want, the likeliest first."""
    whole = name.strip("_").lower()
    pieces = [piece.lower() for piece in _PIECES.findall(name)]
    found = [WORDS[word] for word in [whole, *reversed(pieces), *(piece.rstrip("s") for piece in reversed(pieces))]
             if word in WORDS]
    found += [kind for word, kind in (("date", "str"), ("time", "str"), ("string", "str"), ("str", "str"), ("dict", "mapping"),
                                      ("list", "iterable"), ("func", "callable"), ("path", "path"), ("file", "path"),
                                      ("dir", "folder"), ("num", "int"), ("map", "mapping"), ("name", "str"), ("text", "str"),
                                      ("iter", "iterable")) if word in whole and len(whole) > 4]
    found += ["iterable"] if whole.endswith("s") and len(whole) > 2 else []
    found += ["bool"] if whole.startswith(("is_", "has_", "use_", "allow_", "with_", "ignore_", "keep_")) else []
    return list(dict.fromkeys(found))


def lambdas(arity: int) -> List[str]:
    """Functions of that many inputs."""
    names = ", ".join("abcdefgh"[:arity])
    some = {0: ["lambda: 1", "lambda: None", "dict", "list"],
            1: ["lambda a: a", "lambda a: True", "lambda a: a > 1", "str", "bool", "len", "lambda a: a[0]", "lambda a: [a]",
                "lambda a: None", "lambda a: False", "wt.operator.itemgetter(0)"],
            2: ["lambda a, b: a + b", "lambda a, b: a", "lambda a, b: a < b", "wt.operator.add", "lambda a, b: b",
                "lambda a, b: True", "lambda a, b: (a, b)"]}
    return [*some.get(arity, ["lambda " + names + ": a", "lambda " + names + ": True"]), *KINDS["callable"][:3]]
