"""Errors of frameworks: what each means there, and what is usually behind it.

A framework's error says more than its class: ``OperationalError: no such table`` of Django is a migration that did not
run. Each row carries a message of its framework as its example; what no row knows keeps its general meaning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from windtunnel.core.problem import Problem
from windtunnel.core.problem import ProblemKind as K

_MOST = 500
"""Characters of a message that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One error of a framework."""

    framework: str
    name: str
    """A regular expression for the last part of the error's name; empty for any."""
    says: str
    """A regular expression that the message has to hold; empty for any."""
    kind: K
    cause: str
    example: tuple[str, str]
    """A name and a message."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an error means in its framework."""

    kind: str
    cause: str


def meaning(problem: Problem) -> Meaning | None:
    """By the first row that fits; None for an error of no framework."""
    name, message = problem.name.rpartition(".")[2], problem.message[:_MOST]
    for row, named, says in _compiled():
        if (named is None or named.fullmatch(name)) and (says is None or says.search(message)):
            return Meaning(str(row.kind), f"{row.cause} ({row.framework})")
    return None


@cache
def _compiled() -> tuple[tuple[Row, re.Pattern[str] | None, re.Pattern[str] | None], ...]:
    return tuple((row, re.compile(row.name) if row.name else None, re.compile(row.says) if row.says else None)
                 for row in ROWS)


def _row(framework: str, name: str, says: str, *, kind: K, cause: str, example: tuple[str, str]) -> Row:
    return Row(framework=framework, name=name, says=says, kind=kind, cause=cause, example=example)


_PYTHON = (
    _row("Django", "ImproperlyConfigured", "settings are not configured|DJANGO_SETTINGS_MODULE", kind=K.CONFIGURATION,
         cause="DJANGO_SETTINGS_MODULE is not set, or code reads settings before django.setup()",
         example=("ImproperlyConfigured",
                  "Requested setting DEBUG, but settings are not configured. You must either define")),
    _row("Django", "AppRegistryNotReady", "", kind=K.CONFIGURATION,
         cause="models are imported before django.setup(), often at the top of an app's __init__.py",
         example=("AppRegistryNotReady", "Apps aren't loaded yet.")),
    _row("Django", "RuntimeError", "isn't in an application in INSTALLED_APPS", kind=K.CONFIGURATION,
         cause="the app of the model is not in INSTALLED_APPS",
         example=("RuntimeError",
                  "Model class shop.Cart doesn't declare one and isn't in an application in INSTALLED_APPS.")),
    _row("Django", "OperationalError|ProgrammingError",
         r'no such (?:table|column): \w+_\w+|relation "\w+_\w+" does not', kind=K.CONFIGURATION,
         cause="a migration that was not made or not run",
         example=("OperationalError", "no such table: shop_cart")),
    _row("Django", "NoReverseMatch", "", kind=K.NAME,
         cause="the name of a URL is misspelt, or an argument of it is missing",
         example=("NoReverseMatch", "Reverse for 'cart' not found. 'cart' is not a valid view function or pattern")),
    _row("Django", "TemplateDoesNotExist", "", kind=K.IO,
         cause="the template is in no folder that TEMPLATES names",
         example=("TemplateDoesNotExist", "shop/cart.html")),
    _row("Django", "FieldError", "", kind=K.ATTRIBUTE,
         cause="a field that the model does not have, or was renamed",
         example=("FieldError", "Cannot resolve keyword 'nam' into field. Choices are: id, name")),
    _row("Django", "DoesNotExist", "matching query does not exist", kind=K.VALUE,
         cause="get() for a row that is not there: use filter().first() or make the row",
         example=("DoesNotExist", "Cart matching query does not exist.")),
    _row("Django", "MultipleObjectsReturned", "", kind=K.VALUE,
         cause="get() for more than one row",
         example=("MultipleObjectsReturned", "get() returned more than one Cart -- it returned 2!")),
    _row("Django", "TransactionManagementError", "", kind=K.FLOW,
         cause="a query after an error inside atomic(): let the error leave the block first",
         example=("TransactionManagementError",
                  "An error occurred in the current transaction. You can't execute queries until")),
    _row("Django", "SynchronousOnlyOperation", "", kind=K.CONCURRENCY,
         cause="the database is used in async code: wrap it in sync_to_async",
         example=("SynchronousOnlyOperation",
                  "You cannot call this from an async context - use a thread or sync_to_async.")),
    _row("pytest-django", "RuntimeError|Failed", "Database access not allowed", kind=K.CONFIGURATION,
         cause="the test needs the mark django_db",
         example=("RuntimeError", 'Database access not allowed, use the "django_db" mark, or the "db" fixtures to')),
    _row("Flask", "RuntimeError", "Working outside of (?:application|request) context", kind=K.FLOW,
         cause="current_app, g or request used outside of a request: use app.app_context() or test_request_context()",
         example=("RuntimeError", "Working outside of application context.")),
    _row("Flask", "BuildError", "Could not build url for endpoint", kind=K.NAME,
         cause="the endpoint is misspelt, or its blueprint is not registered",
         example=("BuildError", "Could not build url for endpoint 'cart'. Did you mean 'carts' instead?")),
    _row("Flask", "AssertionError", "View function mapping is overwriting", kind=K.DUPLICATE,
         cause="two views with one name, often a decorator without functools.wraps",
         example=("AssertionError", "View function mapping is overwriting an existing endpoint function: cart")),
    _row("Jinja", "TemplateNotFound", "", kind=K.IO,
         cause="the template is in no folder of the loader",
         example=("TemplateNotFound", "cart.html")),
    _row("Jinja", "UndefinedError", "", kind=K.NAME,
         cause="a variable that was not handed to render()",
         example=("UndefinedError", "'cart' is undefined")),
    _row("Jinja", "TemplateSyntaxError", "", kind=K.SYNTAX,
         cause="a tag of the template that is not closed or not known",
         example=("TemplateSyntaxError",
                  "Unexpected end of template. Jinja was looking for the following tags: 'endfor'.")),
    _row("SQLAlchemy", "DetachedInstanceError", "", kind=K.FLOW,
         cause="an attribute is loaded after its session was closed: load it before, or keep the session open",
         example=("DetachedInstanceError", "Parent instance <Cart> is not bound to a Session; lazy load operation of")),
    _row("SQLAlchemy", "MissingGreenlet", "", kind=K.CONCURRENCY,
         cause="lazy loading in async code: load it with selectinload, or await the attribute",
         example=("MissingGreenlet", "greenlet_spawn has not been called; can't call await_only() here.")),
    _row("SQLAlchemy", "NoForeignKeysError|AmbiguousForeignKeysError", "", kind=K.CONFIGURATION,
         cause="a relationship without a foreign key, or with several: name it by foreign_keys",
         example=("NoForeignKeysError",
                  "Could not determine join condition between parent/child tables on relationship")),
    _row("SQLAlchemy", "NoResultFound|MultipleResultsFound", "", kind=K.VALUE,
         cause="one() for no row or for several: use one_or_none() or first()",
         example=("NoResultFound", "No row was found when one was required")),
    _row("SQLAlchemy", "ArgumentError", "Textual SQL expression", kind=K.TYPE,
         cause="SQL as plain text: wrap it in text()",
         example=("ArgumentError", "Textual SQL expression 'select 1' should be explicitly declared as text('select")),
    _row("pydantic", "ValidationError", "validation errors? for", kind=K.VALUE,
         cause="input that does not fit the model: a field is missing, or of another type",
         example=("ValidationError", "1 validation error for Cart name   Field required")),
    _row("pydantic", "PydanticUserError|PydanticSchemaGenerationError|PydanticUndefinedAnnotation",
         "", kind=K.CONFIGURATION,
         cause="a model that pydantic cannot build: an annotation that is not known, or a setting",
         example=("PydanticUserError", "A non-annotated attribute was detected: `name = 1`.")),
    _row("FastAPI", "FastAPIError", "Invalid args for response field", kind=K.TYPE,
         cause="the answer's annotation is no model: set response_model=None or another type",
         example=("FastAPIError", "Invalid args for response field! Hint: check that <class 'Session'> is a valid")),
    _row("FastAPI", "ResponseValidationError", "", kind=K.VALUE,
         cause="the view returns what its response_model does not have",
         example=("ResponseValidationError", "1 validation errors: {'type': 'missing', 'loc': ('response', 'name')}")),
    _row("Celery", "NotRegistered", "", kind=K.CONFIGURATION,
         cause="the worker does not import the module of the task",
         example=("NotRegistered", "'shop.tasks.send'")),
    _row("asyncio", "RuntimeError", r"asyncio\.run\(\) cannot be called from a running event loop", kind=K.CONCURRENCY,
         cause="asyncio.run() inside async code: await the coroutine instead",
         example=("RuntimeError", "asyncio.run() cannot be called from a running event loop")),
    _row("pytest-asyncio", "Failed", "async def functions are not natively supported", kind=K.CONFIGURATION,
         cause="an async test without its plugin or mark",
         example=("Failed", "async def functions are not natively supported.")),
    _row("NumPy", "ValueError", "could not be broadcast|shapes? .{1,60} not aligned|matmul: Input operand", kind=K.TYPE,
         cause="arrays of shapes that do not fit: transpose, reshape or add an axis",
         example=("ValueError", "operands could not be broadcast together with shapes (2,) (3,)")),
    _row("NumPy", "ValueError", "truth value of an array", kind=K.TYPE,
         cause="an array used as a condition: use any(), all(), & or |",
         example=("ValueError", "The truth value of an array with more than one element is ambiguous. Use a.any()")),
    _row("pandas", "ValueError", "truth value of a (?:Series|DataFrame)", kind=K.TYPE,
         cause="a Series used as a condition: use any(), all(), & or |, or .empty",
         example=("ValueError", "The truth value of a Series is ambiguous. Use a.empty, a.bool(), a.item(),")),
    _row("pandas", "KeyError", r"not in index|None of \[", kind=K.KEY,
         cause="columns that the frame does not have",
         example=("KeyError", "['nam'] not in index")),
    _row("PyTorch", "RuntimeError", "shapes cannot be multiplied|size mismatch|must match the size", kind=K.TYPE,
         cause="tensors of shapes that do not fit the layer",
         example=("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")),
    _row("PyTorch", "RuntimeError", "Expected all tensors to be on the same device", kind=K.CONFIGURATION,
         cause="a tensor or the model was not moved with .to(device)",
         example=("RuntimeError", "Expected all tensors to be on the same device, but found at least two devices")),
)
_SCRIPTS = (
    _row("React", "", "Invalid hook call", kind=K.FLOW,
         cause="a hook outside of a component's own body, or two copies of React",
         example=("Error", "Invalid hook call. Hooks can only be called inside of the body of a function")),
    _row("React", "", "Rendered (?:more|fewer) hooks than", kind=K.FLOW,
         cause="a hook behind a condition or an early return",
         example=("Error", "Rendered more hooks than during the previous render.")),
    _row("React", "", "Too many re-renders", kind=K.RECURSION,
         cause="state is set while rendering: set it in an effect or a handler",
         example=("Error", "Too many re-renders. React limits the number of renders to prevent an infinite")),
    _row("React", "", "Element type is invalid", kind=K.IMPORT,
         cause="a component that is undefined: a default import of a named export, or the other way round",
         example=("Error", "Element type is invalid: expected a string (for built-in components) or a")),
    _row("React", "", "Objects are not valid as a React child", kind=K.TYPE,
         cause="an object where text or an element belongs",
         example=("Error", "Objects are not valid as a React child (found: object with keys {name}).")),
    _row("Testing Library", "", "Unable to find (?:an element|a label|role)", kind=K.ASSERTION,
         cause="nothing on the page fits: another text or role, or it comes later (findBy)",
         example=("TestingLibraryElementError", "Unable to find an element with the text: Cart")),
    _row("Jest", "", "Cannot use import statement outside a module|Unexpected token 'export'", kind=K.CONFIGURATION,
         cause='a file that is not transformed: set transform or transformIgnorePatterns, or "type": "module"',
         example=("SyntaxError", "Cannot use import statement outside a module")),
    _row("Jest", "ReferenceError", "(?:document|window) is not defined", kind=K.CONFIGURATION,
         cause="a test of the browser without its environment: testEnvironment jsdom",
         example=("ReferenceError", "document is not defined")),
    _row("Express", "", "Cannot set headers after they are sent|ERR_HTTP_HEADERS_SENT", kind=K.FLOW,
         cause="two answers to one request: return after the first",
         example=("Error", "Cannot set headers after they are sent to the client")),
    _row("Express", "TypeError", "requires? (?:a )?middleware function|argument handler (?:is|must)", kind=K.TYPE,
         cause="a route or middleware that is undefined: a missing export",
         example=("TypeError", "Router.use() requires a middleware function but got a Object")),
    _row("NestJS", "", "Nest can't resolve dependencies", kind=K.CONFIGURATION,
         cause="a provider that its module neither has nor imports",
         example=("UnknownDependenciesException", "Nest can't resolve dependencies of the CartService (?).")),
    _row("Angular", "", "NG0?201|No provider for", kind=K.CONFIGURATION,
         cause="a provider that no module or component has",
         example=("NullInjectorError", "R3InjectorError(AppModule)[CartService]: NullInjectorError: No provider for")),
    _row("Angular", "", "NG0?100|ExpressionChangedAfterItHasBeenChecked", kind=K.FLOW,
         cause="a value that changes while the view is checked",
         example=("Error", "NG0100: ExpressionChangedAfterItHasBeenCheckedError: Expression has changed")),
    _row("Mongoose", "", "buffering timed out", kind=K.NETWORK,
         cause="a query before, or without, a connection",
         example=("MongooseError", "Operation `carts.findOne()` buffering timed out after 10000ms")),
    _row("Mongoose", "CastError|ValidationError", r"Cast to \w+ failed|validation failed", kind=K.VALUE,
         cause="a value that does not fit the schema",
         example=("CastError", 'Cast to ObjectId failed for value "x" (type string) at path "_id"')),
    _row("Prisma", "", "@prisma/client did not initialize|prisma generate", kind=K.CONFIGURATION,
         cause="the client was not generated: prisma generate",
         example=("Error", '@prisma/client did not initialize yet. Please run "prisma generate" and try to')),
    _row("Next.js", "", "Hydration failed|did not match what was rendered on the server", kind=K.FLOW,
         cause="the first render of the browser differs from the server's: dates, random values, window",
         example=("Error", "Hydration failed because the initial UI does not match what was rendered on the")),
)
_OTHERS = (
    _row("Spring", "NoSuchBeanDefinitionException|UnsatisfiedDependencyException", "", kind=K.CONFIGURATION,
         cause="a bean that no scanned package or configuration makes",
         example=("org.springframework.beans.factory.NoSuchBeanDefinitionException",
                  "No qualifying bean of type 'shop.Cart' available")),
    _row("Spring", "BeanCurrentlyInCreationException", "", kind=K.CONFIGURATION,
         cause="beans that need each other",
         example=("BeanCurrentlyInCreationException",
                  "Requested bean is currently in creation: Is there an unresolvable circular")),
    _row("Spring", "IllegalStateException",
         "Failed to load ApplicationContext|Unable to find a @SpringBootConfiguration", kind=K.CONFIGURATION,
         cause="the context does not start: read the cause below it",
         example=("IllegalStateException", "Failed to load ApplicationContext")),
    _row("Hibernate", "LazyInitializationException", "", kind=K.FLOW,
         cause="a lazy collection after its session was closed: fetch it before, or keep the transaction open",
         example=("LazyInitializationException", "failed to lazily initialize a collection of role: shop.Cart.rows")),
    _row("Hibernate", "TransientObjectException|TransientPropertyValueException", "", kind=K.FLOW,
         cause="an object that was not saved yet: save it first, or cascade",
         example=("TransientObjectException", "object references an unsaved transient instance")),
    _row("Jackson", "InvalidDefinitionException", "", kind=K.CONFIGURATION,
         cause="a class that Jackson cannot make or write: give it a constructor, getters or a module",
         example=("InvalidDefinitionException",
                  "No serializer found for class shop.Cart and no properties discovered")),
    _row("Jackson", "UnrecognizedPropertyException|MismatchedInputException", "", kind=K.VALUE,
         cause="JSON that does not fit the class",
         example=("UnrecognizedPropertyException", 'Unrecognized field "nam" (class shop.Cart)')),
    _row("Mockito", "UnnecessaryStubbingException|PotentialStubbingProblem|WrongTypeOfReturnValue|NotAMockException",
         "", kind=K.CONFIGURATION,
         cause="a stub that is not used, or on something that is no mock",
         example=("UnnecessaryStubbingException", "Unnecessary stubbings detected.")),
    _row("tokio", "", "there is no reactor running|must be called from the context of a Tokio", kind=K.CONCURRENCY,
         cause="async code outside of the runtime: #[tokio::main], #[tokio::test] or Handle::enter",
         example=("panic", "there is no reactor running, must be called from the context of a Tokio 1.x")),
    _row("tokio", "", "Cannot (?:start|drop) a runtime (?:from within|in)", kind=K.CONCURRENCY,
         cause="block_on inside async code: await instead",
         example=("panic", "Cannot start a runtime from within a runtime.")),
)
ROWS: tuple[Row, ...] = (*_PYTHON, *_SCRIPTS, *_OTHERS)
