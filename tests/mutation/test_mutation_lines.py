"""Which lines a diff, a tree or a range of commits changes."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windtunnel.core.errors import UsageError
from windtunnel.engine.mutation_lines import of_diff, of_range, of_tree, of_words

DIFF = """\
diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,4 @@
 one
-two
+2
+2.5
 three
@@ -10 +11 @@ def f():
-ten
+10
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
"""


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True, capture_output=True, timeout=30)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "a.py").write_text("one\n2\nthree\nfour\n")
    return tmp_path


def test_added_lines_are_those_of_the_new_file():
    assert of_diff(DIFF) == {"src/a.py": {2, 3, 11}}


def test_a_line_that_looks_like_a_head_inside_a_hunk_is_a_line():
    assert of_diff("--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,2 @@\n one\n+++ b/other.py\n") == {"a.py": {2}}


@pytest.mark.parametrize("path", ["/etc/passwd", "b/../../x.py", "../x.py"])
def test_a_path_outside_the_project_is_left_out(path):
    assert of_diff(f"--- a\n+++ {path}\n@@ -0,0 +1 @@\n+x\n") == {}


@given(some.text(alphabet="+-@ ,0123456789ab/\n\\", max_size=300))
def test_no_text_whatever_breaks_the_reading(text):
    assert all(line >= 0 for lines in of_diff(text).values() for line in lines)


def test_what_is_not_committed_yet_is_changed_with_files_that_git_does_not_know(repository):
    (repository / "new.py").write_text("x = 1\n")

    assert of_tree(repository) == {"a.py": {2, 4}, "new.py": {1, 2}}


def test_a_range_of_commits_gives_the_lines_that_they_changed(repository):
    git(repository, "commit", "-qam", "second")

    assert of_range(repository, "HEAD~1..HEAD") == {"a.py": {2, 4}}


@pytest.mark.parametrize("text", ["--output=/tmp/x..y", "main", "a b..c", "$(id)..x", ""])
def test_what_is_no_range_never_reaches_git(repository, text):
    with pytest.raises(UsageError, match="range"):
        of_range(repository, text)


def test_a_folder_that_is_no_repository_is_refused_with_what_git_says(tmp_path):
    with pytest.raises(UsageError, match="git diff"):
        of_tree(tmp_path)


def test_words_name_lines_and_spans():
    assert of_words(["a.py:3", "./b/c.py:1-3", "a.py:5"]) == {"a.py": {3, 5}, "b/c.py": {1, 2, 3}}


@pytest.mark.parametrize("word", ["a.py", "a.py:0", "a.py:5-3", "a.py:x", ":3", "a.py:1-999999999"])
def test_what_is_no_place_is_refused(word):
    with pytest.raises(UsageError, match="lines"):
        of_words([word])
