"""What a Python test claims: its assertions in one canonical form, and whether they can still fail.

``assertEqual(a, b)``, ``assert a == b`` and ``x = a; assert x == b`` are the same claim; a claim that nothing can
reach, that is swallowed, or that holds whatever the code does, is none.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.tamper.equality import truth
from windtunnel.tamper.literals import literal
from windtunnel.tamper.trees import unparsed

MOST_STEPS = 60
"""Variables that one claim is followed through."""
MOST_DEPTH = 4
MOST_TEXT = 4000
_COMPARED = {
    "Equal": ast.Eq,
    "Equals": ast.Eq,
    "NotEqual": ast.NotEq,
    "Is": ast.Is,
    "IsNot": ast.IsNot,
    "In": ast.In,
    "NotIn": ast.NotIn,
    "Greater": ast.Gt,
    "GreaterEqual": ast.GtE,
    "Less": ast.Lt,
    "LessEqual": ast.LtE,
    "ListEqual": ast.Eq,
    "DictEqual": ast.Eq,
    "TupleEqual": ast.Eq,
    "SetEqual": ast.Eq,
    "SequenceEqual": ast.Eq,
    "MultiLineEqual": ast.Eq,
}
_WORDS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.LtE: "<=",
}
_EVERY = {"Exception", "BaseException", "AssertionError"}
_RAISING = {
    "raises",
    "assertRaises",
    "assertRaisesRegex",
    "warns",
    "assertWarns",
    "assertRaisesMessage",
    "assertWarnsRegex",
}
_TOLERANCES = {"rel", "abs", "rtol", "atol", "delta", "places", "decimal", "tolerance"}
SKIPPING = re.compile(r"^(pytest\.)?(skip|xfail)$|\.skipTest$|^(unittest\.)?SkipTest$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing that must hold."""

    operator: str
    subject: str
    expected: str = ""
    tolerance: float = 0.0
    conditional: bool = False
    """Whether it is only made when something else holds."""
    dead: bool = False
    """Whether it cannot fail: nothing reaches it, or what it raises is swallowed."""
    literals: frozenset[str] = frozenset()
    line: int = 0

    @property
    def key(self) -> str:
        """The same for the same claim, wherever it stands."""
        return f"{self.subject} {self.operator} {self.expected} {self.tolerance or ''}"


def _clone(node: ast.AST) -> ast.AST:
    """A copy that may be changed; without places in the source."""
    made = type(node)()
    for name in node._fields:
        part = getattr(node, name, None)
        if isinstance(part, list):
            part = [_clone(each) if isinstance(each, ast.AST) else each for each in part]
        elif isinstance(part, ast.AST) and not isinstance(part, ast.expr_context):
            part = _clone(part)
        setattr(made, name, part)
    return made


class _Expander(ast.NodeTransformer):
    """Local names become what they stand for; those that stand for many things become one blank."""

    def __init__(self, values: Mapping[str, ast.expr], local: set[str]) -> None:
        self.values, self.local, self.steps, self.depth = values, local, 0, 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.values.get(node.id)
        if value is not None and self.depth < MOST_DEPTH and self.steps < MOST_STEPS:
            self.steps += 1
            self.depth += 1
            expanded: ast.expr = self.visit(_clone(value))
            self.depth -= 1
            return expanded
        return ast.Name(id="_", ctx=ast.Load()) if node.id in self.local or value is not None else node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.copy_location(ast.arg(arg="_", annotation=None), node)


@dataclass(slots=True)
class Reader:
    """Reads the claims of one function."""

    function: ast.FunctionDef | ast.AsyncFunctionDef
    constants: Mapping[str, ast.expr]
    """What the module's own names stand for."""
    found: list[Claim] = field(default_factory=list)
    skips: list[tuple[str, bool]] = field(default_factory=list)
    """Calls that skip the test from inside, and whether only under a condition."""
    values: dict[str, ast.expr] = field(init=False)
    local: set[str] = field(init=False)
    called: set[str] = field(init=False)
    followed: dict[ast.AST, ast.AST] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Learn the function's names, then read it."""
        self.values, self.local = _bindings(self.function, self.constants)
        self.called = {
            node.id for node in ast.walk(self.function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        self._block(self.function.body, conditional=False, dead=False)

    def expanded(self, node: ast.AST) -> ast.AST:
        """An expression with its local names followed."""
        whole = self.followed.get(node)
        if whole is None:
            whole = _Expander(self.values, self.local).visit(_clone(node))
            self.followed[node] = ast.fix_missing_locations(whole)
        return whole

    def text(self, node: ast.AST) -> str:
        """An expression in canonical form."""
        return unparsed(self.expanded(node))[:MOST_TEXT]

    def _literals(self, node: ast.AST) -> frozenset[str]:
        return frozenset(
            text
            for each in ast.walk(self.expanded(node))
            if isinstance(each, ast.Constant | ast.UnaryOp) and (text := literal(each)) is not None
        )

    def _add(self, claims: Iterator[Claim], node: ast.AST, *, conditional: bool, dead: bool) -> None:
        for claim in claims:
            vacuous = claim.operator in ("==", "is", ">=", "<=") and claim.subject == claim.expected
            self.found.append(
                replace(
                    claim,
                    conditional=conditional,
                    dead=dead or claim.dead or vacuous,
                    line=getattr(node, "lineno", 0),
                    literals=self._literals(node),
                )
            )

    def _block(self, body: Sequence[ast.stmt], *, conditional: bool, dead: bool) -> None:
        for statement in body:
            self._statement(statement, conditional=conditional, dead=dead)
            if isinstance(statement, ast.Return | ast.Raise | ast.Continue | ast.Break):
                dead = True
            elif isinstance(statement, ast.If) and truth(statement.test) is not False and _leaves(statement.body):
                dead = dead or truth(statement.test) is True
                conditional = True

    def _statement(self, node: ast.stmt, *, conditional: bool, dead: bool) -> None:
        if isinstance(node, ast.Assert):
            self._add(self.claims(node.test), node, conditional=conditional, dead=dead)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
            call = node.value.value if isinstance(node.value, ast.Await) else node.value
            if isinstance(call, ast.Call):
                self._call(call, conditional=conditional, dead=dead)
        elif isinstance(node, ast.Raise) and node.exc is not None:
            raised = unparsed(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
            if SKIPPING.search(raised):
                self.skips.append((raised, conditional))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._block(node.body, conditional=conditional, dead=dead or node.name not in self.called)
        else:
            self._compound(node, conditional=conditional, dead=dead)

    def _compound(self, node: ast.stmt, *, conditional: bool, dead: bool) -> None:
        if isinstance(node, ast.If):
            known = truth(node.test)
            self._block(node.body, conditional=conditional or known is None, dead=dead or known is False)
            self._block(node.orelse, conditional=conditional or known is None, dead=dead or known is True)
        elif isinstance(node, ast.For | ast.AsyncFor):
            values = self.values.get(node.iter.id) if isinstance(node.iter, ast.Name) else node.iter
            empty = truth(values) is False or unparsed(node.iter) in ("range(0)", "list()", "dict()", "set()", "()")
            self._block(node.body, conditional=conditional, dead=dead or empty)
        elif isinstance(node, ast.While):
            self._block(node.body, conditional=conditional, dead=dead or truth(node.test) is False)
        elif isinstance(node, ast.Try):
            swallowed = any(_swallows(handler) for handler in node.handlers)
            self._block(node.body, conditional=conditional, dead=dead or swallowed)
            for handler in node.handlers:
                self._block(handler.body, conditional=True, dead=dead)
            self._block(node.orelse, conditional=conditional, dead=dead)
            self._block(node.finalbody, conditional=conditional, dead=dead)
        elif isinstance(node, ast.With | ast.AsyncWith):
            self._with(node, conditional=conditional, dead=dead)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self._block(case.body, conditional=True, dead=dead)

    def _with(self, node: ast.With | ast.AsyncWith, *, conditional: bool, dead: bool) -> None:
        inner = dead
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call):
                continue
            name = _last(call.func)
            types = {
                unparsed(each).rpartition(".")[2]
                for argument in call.args
                for each in (argument.elts if isinstance(argument, ast.Tuple) else [argument])
            }
            inner = inner or (name in ("suppress", *_RAISING) and bool(types & _EVERY))
            if name in _RAISING:
                body = "; ".join(self.text(each) for each in node.body)
                self._add(self._raises(call, body), node, conditional=conditional, dead=dead)
        self._block(node.body, conditional=conditional, dead=inner)

    def _raises(self, call: ast.Call, body: str) -> Iterator[Claim]:
        match = next((self.text(word.value) for word in call.keywords if word.arg in ("match", "expected_regex")), "")
        if _last(call.func) in ("assertRaisesRegex", "assertWarnsRegex") and len(call.args) > 1:
            match = self.text(call.args[1])
        kind = unparsed(call.args[0]) if call.args else "?"
        yield Claim(operator="raises", subject=body, expected=f"{kind} {match}".strip())

    def _call(self, node: ast.Call, *, conditional: bool, dead: bool) -> None:
        name = _last(node.func)
        if SKIPPING.search(unparsed(node.func)):
            self.skips.append((unparsed(node.func), conditional))
        elif name in _RAISING and len(node.args) > 1:
            callee = ast.Call(func=node.args[1], args=node.args[2:], keywords=[])
            self._add(self._raises(node, self.text(callee)), node, conditional=conditional, dead=dead)
        elif re.match(r"assert|_assert", name) or (name == "fail" and not conditional):
            self._add(self._method(node, name), node, conditional=conditional, dead=dead)

    def _method(self, node: ast.Call, name: str) -> Iterator[Claim]:
        kind = name.removeprefix("assert")
        if kind in _COMPARED and len(node.args) > 1:
            yield from self.claims(ast.Compare(left=node.args[0], ops=[_COMPARED[kind]()], comparators=[node.args[1]]))
        elif kind == "True" and node.args:
            yield from self.claims(node.args[0])
        elif kind == "False" and node.args:
            yield from self.claims(ast.UnaryOp(op=ast.Not(), operand=node.args[0]))
        elif kind in ("IsNone", "IsNotNone") and node.args:
            operator = ast.Is() if kind == "IsNone" else ast.IsNot()
            yield from self.claims(
                ast.Compare(left=node.args[0], ops=[operator], comparators=[ast.Constant(value=None)])
            )
        elif kind == "IsInstance" and len(node.args) > 1:
            yield from self.claims(
                ast.Call(func=ast.Name(id="isinstance", ctx=ast.Load()), args=node.args[:2], keywords=[])
            )
        else:
            yield self._other(node, name)

    def _other(self, node: ast.Call, name: str) -> Claim:
        owner = self.text(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        plain = [self.text(each) for each in node.args]
        words = sorted(
            f"{word.arg}={self.text(word.value)}"
            for word in node.keywords
            if word.arg not in _TOLERANCES | {"msg", "err_msg"}
        )
        return Claim(
            operator=name,
            subject=owner or (plain[0] if plain else ""),
            expected=", ".join((plain if owner else plain[1:]) + words),
            tolerance=_tolerance(node),
        )

    def claims(self, test: ast.expr) -> Iterator[Claim]:
        """The claims of one condition."""
        if truth(test) is True:
            yield Claim(operator="truth", subject="True", dead=True)
        elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for value in test.values:
                yield from self.claims(value)
        elif isinstance(test, ast.Compare) and len(test.ops) == 1:
            yield self._comparison(test)
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield Claim(operator="not", subject=self.text(test.operand))
        elif (
            isinstance(test, ast.Call)
            and _last(test.func) in ("isinstance", "hasattr", "callable", "len")
            and test.args
        ):
            yield Claim(
                operator=_last(test.func),
                subject=self.text(test.args[0]),
                expected=", ".join(self.text(each) for each in test.args[1:]),
            )
        elif (
            isinstance(test, ast.Call)
            and _last(test.func) in ("isclose", "allclose", "array_equal")
            and len(test.args) > 1
        ):
            yield Claim(
                operator=_last(test.func),
                subject=self.text(test.args[0]),
                expected=self.text(test.args[1]),
                tolerance=_tolerance(test),
            )
        else:
            yield Claim(operator="truth", subject=self.text(test))

    def _comparison(self, test: ast.Compare) -> Claim:
        left, right, word = test.left, test.comparators[0], _WORDS.get(type(test.ops[0]), "?")
        known = literal(self.expanded(left)) is not None or _is_approx(left)
        if word in ("in", "not in") or (known and word in ("==", "!=", "is", "is not")):
            left, right = right, left
        subject, expected, tolerance = self.text(left), self.text(right), 0.0
        if _is_approx(right) and isinstance(right, ast.Call) and right.args:
            expected, tolerance = self.text(right.args[0]), _tolerance(right) or 1e-6
        elif word in ("==", "!=") and literal(self.expanded(right)) is None:
            subject, expected = sorted((subject, expected))
        return Claim(operator=word, subject=subject, expected=expected, tolerance=tolerance)


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_approx(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _last(node.func) == "approx"


def _tolerance(node: ast.Call) -> float:
    """How far off an answer may be; the larger the laxer."""
    worst = 0.0
    words = [(word.arg or "", word.value) for word in node.keywords]
    words += [("rel", each) for each in node.args[1:2] if _last(node.func) == "approx"]
    for name, value in words:
        text = literal(value)
        if name in _TOLERANCES and text is not None and re.match(r"^-?[\d.e+-]+$", text):
            amount = float(text)
            worst = max(worst, 10.0**-amount if name in ("places", "decimal") and abs(amount) < 300 else amount)  # noqa: PLR2004 -- within a float
    return worst


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(each, ast.Return | ast.Continue | ast.Break) for each in body)


def _swallows(handler: ast.ExceptHandler) -> bool:
    types = (
        {"BaseException"}
        if handler.type is None
        else {_last(each) for each in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])}
    )
    again = any(
        isinstance(each, ast.Raise | ast.Assert) or (isinstance(each, ast.Call) and _last(each.func) == "fail")
        for part in handler.body
        for each in ast.walk(part)
    )
    return bool(types & _EVERY) and not again


def _bindings(
    function: ast.FunctionDef | ast.AsyncFunctionDef, constants: Mapping[str, ast.expr]
) -> tuple[dict[str, ast.expr], set[str]]:
    """What local names stand for, where each stands for one thing alone; and all local names."""
    stored = Counter(
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    local = set(stored) | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)} - {"self", "cls"}
    values = {name: value for name, value in constants.items() if name not in local}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            target = targets[0]
            if len(targets) == 1 and isinstance(target, ast.Name) and stored[target.id] == 1:
                values[target.id] = node.value
    return values, local
