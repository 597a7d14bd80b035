"""Changes that reach for the verdict instead of the problem: what their text shows, and the change without it.

``pristine`` lays the unchanged project's tests and runner configuration over a change: what the verdict rests on.
``scan`` reads the change: a finding that blocks makes the verdict not good, the others are shown. ``compare_tests`` and
``compare_all`` say what tests no longer demand; ``adapted`` tells a test that had to follow a renamed thing.

Only what is new compared with the unchanged project counts, and only what honest code does not do blocks.

What goes by an input of a test and may be honest all the same is shown with all that is known of it (``decided``).

What cannot be caught here: code that looks honest and is not. Product code runs in the same process as the tests, so
somebody determined can work out an answer only for the inputs that tests use (in several steps, by ranges, inside
objects that cannot be rehearsed), recognise the runner by its timing or memory, reach the runner through native code
or through an installed package, or build names at run time of what is not in the change. A rule that blocked all that
would block honest code too. Against the runner being cut short or its results being forged stand sealed records and the
list of expected tests, not this package; against answers made for known inputs only further tests help.
"""

from windtunnel.tamper.adaptation import adapted, removed_names
from windtunnel.tamper.comparison import ABOUT_TESTS, compare_all, compare_tests
from windtunnel.tamper.likeness import LAX
from windtunnel.tamper.paths import is_runner, is_test
from windtunnel.tamper.pristine import Pristine, pristine
from windtunnel.tamper.scan import scan
from windtunnel.tamper.sides import Read, Sides

__all__ = [
    "ABOUT_TESTS",
    "LAX",
    "Pristine",
    "Read",
    "Sides",
    "adapted",
    "compare_all",
    "compare_tests",
    "is_runner",
    "is_test",
    "pristine",
    "removed_names",
    "scan",
]
