"""What no operator touches: code whose defects tell nobody anything, each kind with examples."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from windtunnel.mutation.operator import Place
from windtunnel.mutation.trees import is_constant, is_remark, name_of, parts_of, statements

_LOGGER = re.compile(r"_*(?:[a-z]+_)?log(?:ger|ging)?", re.IGNORECASE)
_LEVELS = frozenset({
    "debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log", "trace", "getLogger",
    "get_logger", "basicConfig", "setLevel", "addHandler",
})
_TYPES = frozenset({
    "TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "TypedDict", "TypeAliasType",
})
_GENERICS = frozenset({
    "Annotated", "Callable", "ClassVar", "Dict", "Final", "FrozenSet", "Generic", "Iterable", "Iterator", "List",
    "Literal", "Mapping", "Optional", "Sequence", "Set", "Tuple", "Type", "Union",
})
_SHAPES = frozenset({"Protocol", "TypedDict"})
_LABELS = frozenset({
    "__all__", "__slots__", "__version__", "__author__", "__license__", "__copyright__", "__email__",
    "__match_args__",
})
_UNFINISHED = frozenset({"abstractmethod", "overload"})
_ENDS = (cst.Return, cst.Raise, cst.Break, cst.Continue)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arid:
    """One kind of code that is left alone."""

    name: str
    nodes: tuple[type[cst.CSTNode], ...]
    applies: Callable[[cst.CSTNode, Place], bool]
    examples: tuple[str, ...]
    """Sources without a single mutant."""


def is_left_alone(node: cst.CSTNode, place: Place, *, representations: bool = False) -> bool:
    """Whether nothing at or below the node is mutated."""
    return any(rule.applies(node, place) for rule in _BY_KIND.get(type(node), ())
               if not (representations and rule.name == "representations"))


def is_unreachable_after(node: cst.CSTNode) -> bool:
    """Whether what follows a statement in its block never runs."""
    last = node.body[-1] if isinstance(node, cst.SimpleStatementLine) and node.body else node
    return isinstance(last, _ENDS)


def _called(node: cst.CSTNode) -> cst.CSTNode:
    """What a statement does, when it does nothing but that."""
    value = node.value if isinstance(node, cst.Expr) else node
    return value.expression if isinstance(value, cst.Await) else value


def _logging(node: cst.CSTNode, _place: Place) -> bool:
    node = _called(node)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    owner = node.func.value
    return node.func.attr.value in _LEVELS and bool(_LOGGER.fullmatch(name_of(owner)))


def _version_check(node: cst.CSTNode, _place: Place) -> bool:
    return (isinstance(node, cst.Comparison)
            and parts_of(node.left)[:2] in {("sys", "version_info"), ("sys", "platform"), ("os", "name")})


def _waiting(node: cst.CSTNode, _place: Place) -> bool:
    if isinstance(node, cst.Arg):
        return node.keyword is not None and node.keyword.value in {"timeout", "stacklevel"}
    node = _called(node)
    return isinstance(node, cst.Call) and parts_of(node.func) in {("time", "sleep"), ("asyncio", "sleep"), ("sleep",)}


def _type_made(node: cst.CSTNode, _place: Place) -> bool:
    return isinstance(node, cst.Call) and name_of(node.func) in _TYPES


def _generic(node: cst.CSTNode, _place: Place) -> bool:
    return isinstance(node, cst.Subscript) and name_of(node.value) in _GENERICS


def _shape(node: cst.CSTNode, _place: Place) -> bool:
    return isinstance(node, cst.ClassDef) and any(name_of(base.value) in _SHAPES for base in node.bases)


def _typing_only(_node: cst.CSTNode, place: Place) -> bool:
    parent = place.parent
    return isinstance(parent, cst.If) and place.field in {"body", "test"} and name_of(parent.test) == "TYPE_CHECKING"


def _dead(_node: cst.CSTNode, place: Place) -> bool:
    parent = place.parent
    if not isinstance(parent, cst.If | cst.While) or place.field not in {"body", "test"}:
        return False
    return is_constant(parent.test, "False") or (isinstance(parent.test, cst.Integer) and parent.test.value == "0")


def _main(node: cst.CSTNode, _place: Place) -> bool:
    return (isinstance(node, cst.If) and isinstance(node.test, cst.Comparison)
            and is_constant(node.test.left, "__name__"))


def _label(node: cst.CSTNode, _place: Place) -> bool:
    if isinstance(node, cst.Assign):
        return all(name_of(target.target) in _LABELS for target in node.targets)
    return isinstance(node, cst.AnnAssign | cst.AugAssign) and name_of(node.target) in _LABELS


def _unfinished(node: cst.CSTNode, _place: Place) -> bool:
    if not isinstance(node, cst.FunctionDef):
        return False
    if any(name_of(decorator.decorator) in _UNFINISHED for decorator in node.decorators):
        return True
    return all(is_remark(statement) or _not_implemented(statement) for statement in statements(node.body))


def _not_implemented(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.Raise) and name_of(statement.exc) == "NotImplementedError"


def _remark(node: cst.CSTNode, _place: Place) -> bool:
    return isinstance(node, cst.Expr) and is_remark(node)


def _representation(node: cst.CSTNode, _place: Place) -> bool:
    return isinstance(node, cst.FunctionDef) and node.name.value == "__repr__"


def _claim(_node: cst.CSTNode, _place: Place) -> bool:
    return True


ARID = (
    Arid(name="logging", nodes=(cst.Call, cst.Expr), applies=_logging, examples=(
        'logger.info("started %d", count + 1)\n', 'self._log.debug("x", exc_info=True)\n',
        'log = logging.getLogger("name")\n')),
    Arid(name="version and platform checks", nodes=(cst.Comparison,), applies=_version_check, examples=(
        "if sys.version_info >= (3, 12):\n    pass\n", 'if sys.platform == "linux":\n    pass\n')),
    Arid(name="waiting", nodes=(cst.Call, cst.Arg, cst.Expr), applies=_waiting, examples=(
        "time.sleep(0.5)\n", "done = wait(timeout=30)\n")),
    Arid(name="names of types", nodes=(cst.Call,), applies=_type_made, examples=(
        'T = TypeVar("T", bound="Shape")\n', 'Key = typing.NewType("Key", str)\n')),
    Arid(name="type hints", nodes=(cst.Subscript,), applies=_generic, examples=(
        'Handler = Callable[["Event"], None]\n', 'def f(x: Literal[1, 2] = ONE) -> "int | None": ...\n',
        "x: int | str\n")),
    Arid(name="protocols and typed dictionaries", nodes=(cst.ClassDef,), applies=_shape, examples=(
        "class Sized(Protocol):\n    size: int = 1\n",)),
    Arid(name="code for type checkers", nodes=(cst.IndentedBlock, cst.SimpleStatementSuite, cst.Name, cst.Attribute),
         applies=_typing_only, examples=("if TYPE_CHECKING:\n    x = 1\n",)),
    Arid(name="code that never runs", nodes=(cst.IndentedBlock, cst.SimpleStatementSuite, cst.Name, cst.Integer),
         applies=_dead, examples=("if False:\n    x = 1\n", "while 0:\n    x = 1\n")),
    Arid(name="the entry of a script", nodes=(cst.If,), applies=_main, examples=(
        'if __name__ == "__main__":\n    main(1)\n',)),
    Arid(name="labels of a module or class", nodes=(cst.Assign, cst.AnnAssign, cst.AugAssign), applies=_label,
         examples=(
        '__all__ = ["a"]\n', '__version__ = "1.2"\n', 'class A:\n    __slots__ = ("x",)\n')),
    Arid(name="abstract and unwritten functions", nodes=(cst.FunctionDef,), applies=_unfinished, examples=(
        "@abstractmethod\ndef f(x=1):\n    return x + 1\n", "@overload\ndef f(x: int) -> int: ...\n",
        'def f():\n    raise NotImplementedError("f")\n', 'def f():\n    """Documented."""\n')),
    Arid(name="docstrings", nodes=(cst.Expr,), applies=_remark, examples=('"""What it is for."""\n',)),
    Arid(name="representations", nodes=(cst.FunctionDef,), applies=_representation, examples=(
        'class A:\n    def __repr__(self):\n        return f"A({self.x + 1})"\n',)),
    Arid(name="assertions", nodes=(cst.Assert,), applies=_claim, examples=('assert x > 0, "too small"\n',)),
)
_BY_KIND: dict[type[cst.CSTNode], list[Arid]] = {}
for _rule in ARID:
    for _kind in _rule.nodes:
        _BY_KIND.setdefault(_kind, []).append(_rule)
