"""What a model answers about a function: taken only where it is that function and nothing else."""

from __future__ import annotations

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.engine.fix.base import Base, Texts
from windtunnel.engine.improve.profile import Shares, shares_of
from windtunnel.engine.improve.proposed import read_answer
from windtunnel.engine.improve.subjects import subject_of

FILE = '''"""A shop."""

import os

LIMIT = 3


def unique(items, least=1):
    seen = []
    for item in items:
        if item not in seen:
            seen.append(item)
    return seen


class Cart:
    def total(self, prices):
        result = 0
        for price in prices:
            result = result + price
        return result


def home():
    return os.getcwd()
'''
FASTER = """def unique(items, least=1):
    return list(dict.fromkeys(items))
"""
DIFF = """--- a/shop.py
+++ b/shop.py
@@ -8,6 +8,2 @@
 def unique(items, least=1):
-    seen = []
-    for item in items:
-        if item not in seen:
-            seen.append(item)
-    return seen
+    return list(dict.fromkeys(items))
"""


def subject(function="unique"):
    found = subject_of(Base(folder=Texts({"shop.py": FILE})), files=("shop.py",), shares=Shares(),
                       prefer=(f"shop.py:{function}",))
    assert found is not None
    return found


def expected():
    begin, end = FILE.index("def unique"), FILE.index("\n\nclass Cart")
    return FILE[:begin] + FASTER + FILE[end:]


@pytest.mark.parametrize("answer", [
    FASTER, f"```python\n{FASTER}```\n", f"Here it is:\n```python\n{FASTER}```\nRun `rm -rf /` afterwards.", DIFF,
    f"```diff\n{DIFF}```"])
def test_a_whole_function_or_a_diff_becomes_an_edit_of_that_function_alone(answer):
    edit = read_answer(answer, subject())

    assert (edit.path, edit.function, edit.rule, edit.text) == ("shop.py", "unique", "model", expected())


def test_imports_that_an_answer_brings_stand_with_the_others():
    edit = read_answer("from itertools import chain\n\ndef unique(items, least=1):\n    return list(dict.fromkeys(chain(items)))\n",
                       subject())

    assert edit.text.startswith('"""A shop."""\n\nfrom itertools import chain\nimport os\n')


def test_what_a_function_reached_before_it_may_reach_again():
    edit = read_answer("def home():\n    return str(os.getcwd())\n", subject("home"))

    assert edit.text.endswith("def home():\n    return str(os.getcwd())\n")


def test_modules_that_work_on_values_alone_may_be_used():
    edit = read_answer("import collections\nfrom collections.abc import Iterable\nfrom math import prod\n\n"
                       "def unique(items, least=1):\n    return list(collections.OrderedDict.fromkeys(items))\n", subject())

    assert "import collections\nfrom collections.abc import Iterable\nfrom math import prod\nimport os\n" in edit.text


def test_a_method_is_put_in_its_place_with_its_indentation():
    edit = read_answer("def total(self, prices):\n    return sum(prices)\n", subject("Cart.total"))

    assert "class Cart:\n    def total(self, prices):\n        return sum(prices)\n\n\ndef home" in edit.text


@pytest.mark.parametrize(("answer", "why"), [
    ("I am sorry, I cannot.", "neither a diff nor code"),
    ("", "neither a diff nor the whole of unique"),
    ("x" * 70_000, "longer than"),
    ("def other(items):\n    return items\n", "neither a diff nor the whole of unique"),
    (FASTER + "import shutil\nshutil.rmtree('/')\n", "neither a diff nor the whole of unique"),
    (FASTER.replace("least=1", "least=2"), "other parameters"),
    (FASTER.replace(", least=1", ""), "other parameters"),
    (f"async {FASTER}", "other parameters"),
    (FASTER.replace("dict.fromkeys", "nobody"), "a name that nobody defines: nobody"),
    (f"import socket\n{FASTER}", "reaches beyond its values: import socket"),
    (f"from os import system\n{FASTER}", "reaches beyond its values: import os.system"),
    (FASTER.replace("dict", "__import__('builtins').dict"), "reaches beyond its values: __import__"),
    (FASTER.replace("    return", "    os.system('id')\n    return"), "reaches beyond its values: import os.system"),
    (FASTER.replace("    return", "    os.getcwd()\n    return"), "reaches beyond its values: import os.getcwd"),
    (FASTER.replace("    return", "    o = os\n    return"), "reaches beyond its values: os itself"),
    (f"import collections\n{FASTER}".replace("    return", "    collections._sys\n    return"), "import collections._sys"),
    (f"from statistics import sys\n{FASTER}", "reaches beyond its values: import statistics.sys"),
    (f"import os.path as array\n{FASTER}", "reaches beyond its values: import os.path"),
    (f"from itertools import *\n{FASTER}", "reaches beyond its values: import itertools.*"),
    (f"from . import secrets\n{FASTER}", "reaches beyond its values: import ..secrets"),
    (f"from operator import attrgetter\n{FASTER}", "reaches beyond its values: import operator.attrgetter"),
    (FASTER.replace("    return", "    import subprocess\n    return"), "reaches beyond its values: import subprocess"),
    (FASTER.replace("    return", "    open('/etc/passwd')\n    return"), "reaches beyond its values: open"),
    (FASTER.replace("    return", "    ().__class__\n    return"), "reaches beyond its values: __class__"),
    (f"def unique(items, least=1):\n    return {'-' * 60_000}1\n", "neither a diff nor code"),
    (FASTER.replace("items)", "'\ud800')"), "neither a diff nor code"),
    (DIFF.replace("+    return list", "+    return '\ud800' list"), "signs that no text has"),
    (DIFF.replace("shop.py", "test_shop.py"), "touches what may not be touched"),
    (DIFF.replace("seen.append", "sent.append"), "does not fit"),
    ("--- a/shop.py\n+++ b/shop.py\n@@ -5,1 +5,1 @@\n-LIMIT = 3\n+LIMIT = 4\n", "changes more than unique"),
    ("--- a/shop.py\n+++ b/shop.py\n@@ -3,1 +3,1 @@\n-import os\n+import re\n", "changes more than unique"),
    ("--- a/shop.py\n+++ b/shop.py\n@@ -8,2 +8,2 @@\n def unique(items, least=1):\n-    seen = []\n+    seen = [\n",
     "does not parse"),
    (FILE[FILE.index("def unique"):FILE.index("\n\nclass Cart")], "changes nothing")])
def test_an_answer_that_is_anything_else_is_refused_with_the_reason(answer, why):
    with pytest.raises(UsageError) as refusal:
        read_answer(answer, subject())

    assert why in str(refusal.value)


@pytest.mark.parametrize("depth", [100, 900, 1500, 3000, 60_000])
def test_an_answer_that_is_nested_deep_is_refused_and_never_a_crash(depth):
    with pytest.raises(UsageError, match=r"other parameters|nested too deep|nor code that parses"):
        read_answer(f"def unique(items, least={'-' * depth}1):\n    return items\n", subject())


PROFILE = """run (@/workload.py:1);unique (@/shop.py:8) 30
run (@/workload.py:1);home (@/shop.py:24);getcwd (/usr/lib/python3/os.py:5) 60
run (@/workload.py:1) 10
"""


def test_the_own_share_of_a_function_has_no_time_of_functions_of_the_project_that_it_calls():
    from windtunnel.core.tool import PLACE

    found = shares_of(PROFILE.replace("@", PLACE))

    assert found.own == {("shop.py", 8): 0.3, ("shop.py", 24): 0.6, ("workload.py", 1): 0.1}


def test_the_function_with_the_greatest_own_share_is_the_subject_until_it_was_asked_about_three_times():
    base, own = Base(folder=Texts({"shop.py": FILE})), {("shop.py", 8): 0.3, ("shop.py", 24): 0.6}
    asked, found = set(), []
    for number in range(7):
        subject = subject_of(base, files=("shop.py",), shares=Shares(own=own), passed=asked)
        found.append(subject and subject.function)
        asked |= {subject.answer_key(number)} if subject else set()

    assert found == ["home", "home", "home", "unique", "unique", "unique", None]
