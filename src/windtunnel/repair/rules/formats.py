"""Values written out or read in: formats, JSON, numbers in text, text and bytes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, last_name, replace, wrap

_LITERAL = re.compile(
    r"invalid literal for int\(\) with base 10: '([^']*)'|could not convert string to float: '([^']*)'"
)
_JSON = re.compile(r"Object of type (\w+) is not JSON serializable")
_FORMAT = re.compile(
    r"not all arguments converted|not enough arguments for format|must be real number, not str|"
    r"%\w format: a (?:real )?number is required, not str"
)
_BYTES = re.compile(
    r"a bytes-like object is required, not 'str'|expected str, bytes or|must be str, not bytes|"
    r"cannot use a (string|bytes) pattern on a|write\(\) argument must be str, not bytes"
)


def data(sight: Sight) -> Iterator[Fix]:
    """Text where bytes are wanted, or the other way round."""
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield Fix((replace(module, node, f"b{module.source(node)}"),), 0.6, "Text where bytes are wanted.")
            if isinstance(node, ast.Constant) and isinstance(node.value, bytes):
                yield Fix(
                    (replace(module, node, re.sub(r"^([rR]?)[bB]", r"\1", module.source(node))),),
                    0.6,
                    "Bytes where text is wanted.",
                )
            if isinstance(node, ast.Call) and node.args:
                argument = node.args[-1]
                back = "must be str, not bytes" in sight.problem.message or sight.said[1] == "string"
                yield Fix(
                    (replace(module, argument, f"{module.source(argument)}.{'decode' if back else 'encode'}()"),),
                    0.65,
                    "Bytes where text is wanted." if back else "Text where bytes are wanted.",
                )


def formats(sight: Sight) -> Iterator[Fix]:
    """A format and its values that do not fit."""
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if not (
                isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant)
            ):
                continue
            parent = module.parents.get(node)
            if isinstance(parent, (ast.Tuple, ast.Call)) and "enough" in sight.problem.message:
                rest = parent.elts if isinstance(parent, ast.Tuple) else parent.args
                values = [node.right, *rest[rest.index(node) + 1 :]]
                end = module.span(values[-1])[1]
                yield Fix(
                    (
                        (
                            module.path,
                            module.span(node.right)[0],
                            end,
                            f"({', '.join(module.source(one) for one in values)})",
                        ),
                    ),
                    0.9,
                    "Several values of a format stand in parentheses.",
                )
            if "not all arguments" in sight.problem.message:
                yield Fix(
                    (replace(module, node.right, f"({module.source(node.right)},)"),),
                    0.6,
                    "A tuple that is one value stands in a tuple.",
                )
                yield Fix((wrap(module, node.left, "int"),), 0.1, "% of a number.")
            if "number" in sight.problem.message:
                yield Fix(
                    (replace(module, node.left, re.sub(r"%([-+ 0\d.]*)[dif]", "%s", module.source(node.left))),),
                    0.65,
                    "The value is text.",
                )
                yield Fix(
                    (wrap(module, node.right, "int"),) if not isinstance(node.right, ast.Tuple) else (),
                    0.5,
                    "The value is a number as text.",
                )
        statement = module.statement(line)
        if "not all arguments" in sight.problem.message and statement is not None:
            for node in module.nodes(line):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Name):
                    yield Fix(
                        (wrap(module, node.left, "int"),), 0.8, "Text that holds a number is made one to be divided."
                    )


def serial(sight: Sight) -> Iterator[Fix]:
    """A value that JSON does not know, made one that it does."""
    kind = sight.said[1]
    for module, line in sight.places():
        for node in module.nodes(line):
            if (
                isinstance(node, ast.Call)
                and last_name(node.func) in {"dumps", "dump"}
                and node.args
                and not any(one.arg == "default" for one in node.keywords)
            ):
                end = module.span(node)[1] - 1
                made = {
                    "set": "sorted",
                    "frozenset": "sorted",
                    "bytes": "bytes.decode",
                    "datetime": "str",
                    "date": "str",
                    "Decimal": "float",
                    "Path": "str",
                    "PosixPath": "str",
                }.get(kind, "str")
                yield Fix(
                    ((module.path, end, end, f", default={made}"),),
                    0.8,
                    f"JSON has no {kind}: it is written as {made} gives it.",
                )
                if kind in {"set", "dict_keys", "dict_values", "map", "generator", "filter"} and isinstance(
                    node.args[0], ast.Name
                ):
                    yield Fix(
                        (wrap(module, node.args[0], "list"),),
                        0.82 if kind != "set" else 0.7,
                        f"JSON has no {kind}: it is made a list.",
                    )


def literals(sight: Sight) -> Iterator[Fix]:
    """Text that is a number with something around or in it."""
    text = sight.said[1] if sight.said[1] is not None else sight.said[2]
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if not (isinstance(node, ast.Call) and last_name(node.func) in {"int", "float"} and node.args):
                continue
            value = module.source(node.args[0])
            if re.fullmatch(r"\s*-?\d+\.\d+\s*", text) and last_name(node.func) == "int":
                yield Fix((replace(module, node.args[0], f"float({value})"),), 0.88, "The text has a fraction.")
                yield Fix((replace(module, node.func, "float"),), 0.5, "The text has a fraction.")
            if "," in text:
                yield Fix(
                    (replace(module, node.args[0], f"{value}.replace(',', '')"),),
                    0.85,
                    "The text has commas in its number.",
                )
            if re.fullmatch(r"0[xX][0-9a-fA-F]+|(?=.*\d)[0-9a-fA-F]{2,}", text) and text:
                yield Fix((replace(module, node, f"int({value}, 16)"),), 0.8, "The text is a hexadecimal number.")
            if re.fullmatch(r"\W+\d[\d.]*|\d[\d.]*\D+", text) and text:
                extra = re.sub(r"[\d.]+", "", text)
                yield Fix(
                    (replace(module, node.args[0], f"{value}.strip({extra!r})"),),
                    0.7,
                    "The text has more than its number.",
                )
            if not text.strip():
                yield Fix(
                    (replace(module, node, f"{module.source(node)} if {value}.strip() else 0"),),
                    0.5,
                    "The text may be empty.",
                )


RULES = (
    Rule(
        name="text-and-bytes",
        what="Text stands where bytes are wanted, or the other way round.",
        before="data.split(',')",
        after="data.split(b',')",
        suggest=data,
        errors=("TypeError",),
        message=_BYTES,
    ),
    Rule(
        name="format-values",
        what="A format and its values do not fit.",
        before="'%s %s' % a, b",
        after="'%s %s' % (a, b)",
        suggest=formats,
        errors=("TypeError",),
        message=_FORMAT,
    ),
    Rule(
        name="json-value",
        what="A value that JSON does not know is written.",
        before="json.dumps({1})",
        after="json.dumps({1}, default=sorted)",
        suggest=serial,
        errors=("TypeError",),
        message=_JSON,
    ),
    Rule(
        name="number-text",
        what="Text that is not quite a number is made one.",
        before="int('1,000')",
        after="int('1,000'.replace(',', ''))",
        suggest=literals,
        errors=("ValueError",),
        message=_LITERAL,
    ),
)
