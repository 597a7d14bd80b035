import random
import shutil

import pytest

from windtunnel.core.change import FileChange
from windtunnel.core.errors import UsageError
from windtunnel.workspace import hunks
from windtunnel.workspace.patch import read_patch

TEN = b"".join(b"line %d\n" % number for number in range(1, 11))
MAIL = (
    b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] x\n\nWhy.\n"
    b"---\n ten.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
    b"diff --git a/ten.txt b/ten.txt\n--- a/ten.txt\n+++ b/ten.txt\n")
HUNK = b"@@ -4,3 +4,3 @@\n line 4\n-line 5\n+LINE 5\n line 6\n"


@pytest.fixture
def project(tmp_path):
    place = tmp_path / "project"
    place.mkdir()
    (place / "ten.txt").write_bytes(TEN)
    (place / "ten.txt").chmod(0o644)
    return place


def named(body, name=b"ten.txt"):
    return b"--- a/%s\n+++ b/%s\n%s" % (name, name, body)


def outcome(project, patch):
    """What the patch leaves of each file: its bytes, or None; and the notes."""
    read = read_patch(patch, project=project)
    files = {change.relative_path: None if change.operation == "delete" else change.data for change in read}
    return files, read.notes


def refusal(project, patch):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    with pytest.raises(UsageError) as refused:
        read_patch(patch, project=project)
    assert before == {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    return str(refused.value)


@pytest.mark.parametrize("header", [
    b"--- a/ten.txt\n+++ b/ten.txt\n",
    b"--- ten.txt\n+++ ten.txt\n",
    b"--- ten.txt\t2024-01-01 10:00:00.000000000 +0100\n+++ ten.txt\t2024-01-02 10:00:00.000000000 +0100\n",
    b"--- ten.txt 2024-01-01 10:00:00\n+++ ten.txt 2024-01-02 10:00:00\n",
    b"--- i/ten.txt\n+++ w/ten.txt\n",
    b'--- "a/ten.txt"\n+++ "b/ten.txt"\n',
    b'--- "a/\\164en.txt"\n+++ "b/\\164en.txt"\n',
    b"diff --git a/ten.txt b/ten.txt\nindex 1111111..2222222 100644\n--- a/ten.txt\n+++ b/ten.txt\n",
    b"diff --git ten.txt ten.txt\nindex 1111111..2222222 100644\n--- ten.txt\n+++ ten.txt\n",
    b"Index: ten.txt\n=====\n--- ten.txt\t(revision 1)\n+++ ten.txt\t(working copy)\n",
    MAIL,
], ids=range(11))
@pytest.mark.parametrize("trailer", [b"", b"-- \n2.39.5\n\n", b"\n"])
def test_every_way_to_name_the_file_is_read(project, header, trailer):
    assert outcome(project, header + HUNK + trailer) == ({"ten.txt": TEN.replace(b"line 5", b"LINE 5")}, ())


@pytest.mark.parametrize("header", [
    b"--- old/ten.txt\n+++ new/ten.txt\n", b"--- ten.txt.orig\n+++ ten.txt\n", b"--- a/ten.txt\n+++ a/ten.txt\n"])
def test_a_file_under_two_names_is_found_and_noted(project, header):
    files, notes = outcome(project, header + HUNK)

    assert (list(files), len(notes)) == (["ten.txt"], 1)


def test_text_and_a_missing_last_line_feed_are_taken(project):
    files, notes = outcome(project, named(HUNK).decode().rstrip("\n"))

    assert files == {"ten.txt": TEN.replace(b"line 5", b"LINE 5")}
    assert notes == ("the patch ends without a line feed; one was assumed",)


def test_a_project_with_a_folder_called_a_keeps_it(project):
    (project / "a").mkdir()
    shutil.copy(project / "ten.txt", project / "a" / "ten.txt")

    files, notes = outcome(project, b"diff --git a/ten.txt a/ten.txt\n--- a/ten.txt\n+++ a/ten.txt\n" + HUNK)

    assert (list(files), notes) == (["a/ten.txt"], ())


def test_a_new_executable_file_and_an_empty_one_are_made(project):
    patch = (b"diff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 0000000..1111111\n--- /dev/null\n+++ b/run.sh\n"
             b"@@ -0,0 +1 @@\n+exit\n\\ No newline at end of file\n"
             b"diff --git a/with blank b/with blank\nnew file mode 100644\nindex 0000000..e69de29\n")

    assert read_patch(patch, project=project).changes == (
        FileChange("run.sh", "create", b"exit", 0o755), FileChange("with blank", "create", b"", 0o644))


def test_a_file_is_deleted(project):
    body = b"@@ -1,10 +0,0 @@\n" + b"".join(b"-line %d\n" % number for number in range(1, 11))

    assert outcome(project, b"--- a/ten.txt\n+++ /dev/null\n" + body) == ({"ten.txt": None}, ())


def test_a_deletion_by_a_date_at_the_beginning_of_time_is_one(project):
    body = b"@@ -1,10 +0,0 @@\n" + b"".join(b"-line %d\n" % number for number in range(1, 11))
    dated = b"--- old/ten.txt\t2024-01-01 10:00:00 +0000\n+++ new/ten.txt\t1970-01-01 00:00:00 +0000\n"

    assert outcome(project, dated + body)[0] == {"ten.txt": None}


def test_a_rename_with_a_change_deletes_and_makes(project):
    patch = (b"diff --git a/ten.txt b/sub/eleven.txt\nsimilarity index 90%\nrename from ten.txt\nrename to sub/eleven.txt\n"
             b"--- a/ten.txt\n+++ b/sub/eleven.txt\n" + HUNK)

    files, notes = outcome(project, patch)

    assert files == {"ten.txt": None, "sub/eleven.txt": TEN.replace(b"line 5", b"LINE 5")}
    assert notes == ("sub/eleven.txt: renamed from ten.txt",)


def test_two_files_may_change_places(project):
    (project / "other").write_bytes(b"other\n")
    patch = b"".join(b"diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n" % (one, two, one, two)
                     for one, two in ((b"other", b"ten.txt"), (b"ten.txt", b"other")))

    assert outcome(project, patch)[0] == {"other": TEN, "ten.txt": b"other\n"}


def test_a_copy_leaves_its_source(project):
    patch = b"diff --git a/ten.txt b/copy\nsimilarity index 100%\ncopy from ten.txt\ncopy to copy\n"

    assert outcome(project, patch) == ({"copy": TEN}, ("copy: copied from ten.txt",))


def test_a_mode_follows_the_bits_that_are_there(project):
    (project / "ten.txt").chmod(0o640)

    read = read_patch(b"diff --git a/ten.txt b/ten.txt\nold mode 100644\nnew mode 100755\n", project=project)

    assert read.changes == (FileChange("ten.txt", "modify", TEN, 0o750),)


def test_a_series_is_read_as_one_change(project):
    one = named(HUNK)
    two = named(HUNK.replace(b"LINE", b"Line").replace(b"-line", b"-LINE"))

    assert outcome(project, one + two)[0] == {"ten.txt": TEN.replace(b"line 5", b"Line 5")}


def test_an_offset_is_found_and_told(project):
    (project / "ten.txt").write_bytes(b"new\n" * 3 + TEN)

    assert outcome(project, named(HUNK)) == (
        {"ten.txt": b"new\n" * 3 + TEN.replace(b"line 5", b"LINE 5")},
        ("ten.txt: hunk 1: applied at line 7, offset +3",))


def test_a_later_hunk_expects_the_offset_of_the_one_before(project):
    (project / "ten.txt").write_bytes(b"new\n" * 3 + TEN)
    body = HUNK + b"@@ -8,2 +8,2 @@\n line 8\n-line 9\n+LINE 9\n"

    assert outcome(project, named(body))[1] == ("ten.txt: hunk 1: applied at line 7, offset +3",)


@pytest.mark.parametrize(("change", "fuzz"), [(b"line 3", 1), (b"line 4", 2)])
def test_fuzz_is_used_up_to_two_lines_and_told(project, change, fuzz):
    (project / "ten.txt").write_bytes(TEN.replace(change + b"\n", b"other\n"))
    body = (b"@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+LINE 6\n line 7\n line 8\n line 9\n")

    files, notes = outcome(project, named(body))

    assert files["ten.txt"] == TEN.replace(change + b"\n", b"other\n").replace(b"line 6", b"LINE 6")
    assert notes == (f"ten.txt: hunk 1: fuzz {fuzz}, {fuzz * 2} context lines left out",)


def test_three_wrong_lines_of_context_are_too_many(project):
    (project / "ten.txt").write_bytes(TEN.replace(b"line 5\n", b"other\n"))
    body = (b"@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+LINE 6\n line 7\n line 8\n line 9\n")

    assert refusal(project, named(body)) == "patch: ten.txt: hunk 1: expected 'line 5' at line 5, found 'other'"


def test_of_two_places_at_equal_distance_neither_is_taken(project):
    (project / "ten.txt").write_bytes(b"x\nsame\ny\nz\ny\nsame\nx\n")

    assert refusal(project, named(b"@@ -4 +4 @@\n-same\n+other\n")) == (
        "patch: ten.txt: hunk 1: fits equally well at lines 2, 6; give more context")


def test_a_hunk_that_ended_its_file_goes_to_the_end(project):
    (project / "ten.txt").write_bytes(b"end\n" * 2 + b"filler\n" * 9 + b"end\nend\n")

    files, _ = outcome(project, named(b"@@ -3,2 +3,3 @@\n end\n end\n+more\n"))

    assert files["ten.txt"].endswith(b"end\nend\nmore\n")


def test_a_hunk_without_context_goes_by_its_number_and_says_so(project):
    files, notes = outcome(project, named(b"@@ -5,0 +6 @@\n+between\n"))

    assert files["ten.txt"] == TEN.replace(b"line 6", b"between\nline 6")
    assert notes == ("ten.txt: hunk 1: has no context; placed after line 5 by number alone",)


LOOSE = "ten.txt: line ends or a byte-order mark differ from the patch; the file keeps its own"


@pytest.mark.parametrize(("disk", "patch", "new"), [
    (TEN.replace(b"\n", b"\r\n"), named(HUNK), TEN.replace(b"line 5", b"LINE 5").replace(b"\n", b"\r\n")),
    (TEN, named(HUNK.replace(b"\n", b"\r\n").replace(b"@@\r", b"@@")), TEN.replace(b"line 5", b"LINE 5")),
    (b"\xef\xbb\xbf" + TEN, named(b"@@ -1,2 +1,2 @@\n-line 1\n+LINE 1\n line 2\n"),
     b"\xef\xbb\xbf" + TEN.replace(b"line 1\n", b"LINE 1\n")),
    (TEN.rstrip(b"\n"), named(b"@@ -9,2 +9,2 @@\n line 9\n-line 10\n+LINE 10\n"),
     TEN.replace(b"line 10\n", b"LINE 10")),
], ids=["file has returns", "patch has returns", "byte-order mark", "no last line feed"])
def test_the_file_keeps_its_line_ends_and_mark(project, disk, patch, new):
    (project / "ten.txt").write_bytes(disk)

    assert outcome(project, patch) == ({"ten.txt": new}, (LOOSE,))


def test_a_patch_that_went_through_an_editor_with_returns_is_read(project):
    assert outcome(project, named(HUNK).replace(b"\n", b"\r\n"))[0] == {"ten.txt": TEN.replace(b"line 5", b"LINE 5")}


def test_a_change_of_line_ends_is_one(project):
    body = HUNK.replace(b"+LINE 5\n", b"+line 5\r\n")

    assert outcome(project, named(body)) == ({"ten.txt": TEN.replace(b"line 5\n", b"line 5\r\n")}, ())


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le", "shift-jis"])
def test_bytes_of_other_encodings_come_through(project, encoding):
    old, new = ("ä\n" if encoding == "latin-1" else "表\n").encode(encoding), "x\n".encode(encoding)
    (project / "ten.txt").write_bytes(b"top\n" + old)
    lines = [b"-" + line + b"\n" for line in old.split(b"\n") if line] + [b"+" + line + b"\n" for line in new.split(b"\n") if line]
    torn = b"\\ No newline at end of file\n" if not old.endswith(b"\n") else b""
    removed, added = [line for line in lines if line[:1] == b"-"], [line for line in lines if line[:1] == b"+"]
    body = b"@@ -1,%d +1,%d @@\n top\n%s%s%s%s" % (
        1 + len(removed), 1 + len(added), b"".join(removed), torn, b"".join(added), torn)

    assert outcome(project, named(body)) == ({"ten.txt": b"top\n" + new}, ())


def test_the_last_line_may_lose_and_gain_its_end(project):
    body = b"@@ -9,2 +9,2 @@\n line 9\n-line 10\n+line 10\n\\ No newline at end of file\n"

    assert outcome(project, named(body)) == ({"ten.txt": TEN.rstrip(b"\n")}, ())


def test_names_with_letters_and_quotes_are_unquoted(project):
    patch = b'diff --git "a/\\303\\274 \\"q\\".txt" "b/\\303\\274 \\"q\\".txt"\nnew file mode 100644\n'

    assert read_patch(patch, project=project).paths == {'ü "q".txt'}


@pytest.mark.parametrize(("patch", "word"), [
    (b"", "empty"),
    (b"hello\n", "no unified diff"),
    (b"*** a\n--- b\n***************\n", "no unified diff"),
    (HUNK, "without the names"),
    (named(b""), "has no hunk"),
    (named(b"@@ nonsense @@\n"), "has no hunk"),
    (named(b"@@ -x +y @@\n"), "not a hunk header"),
    (named(HUNK.replace(b"-4,3 +4,3", b"-4,4 +4,4")), "hunk 1: its header counts 4 old and 4 new"),
    (named(HUNK.replace(b"-4,3 +4,3", b"-4,2 +4,2")), "hunk 1: its header counts 2 old and 2 new"),
    (named(HUNK.replace(b"-4,3 +4,3", b"-4,3 +4,2")), "hunk 1: its header counts 3 old and 2 new"),
    (named(HUNK.replace(b"-4,3 +4,3", b"-4,9 +4,9")) + named(HUNK), "hunk 1: its header counts 9 old and 9 new"),
    (named(HUNK + HUNK), "hunk 2: begins at line 4, and hunk 1 before it reaches line 6"),
    (named(HUNK + b"@@ -1 +1 @@\n-line 1\n+x\n"), "hunk 2: begins at line 1"),
    (named(HUNK.replace(b"-line 5", b"-line five")), "hunk 1: expected 'line five' at line 5, found 'line 5'"),
    (named(b"@@ -40,0 +41 @@\n+x\n"), "adds after line 40, and the file has 10 lines"),
    (named(HUNK, b"missing.txt"), "missing.txt: the patch changes it, and it is not in the project"),
    (b"--- /dev/null\n+++ b/ten.txt\n@@ -0,0 +1 @@\n+x\n", "already with other content"),
    (b"--- /dev/null\n+++ b/ten.txt\n@@ -0,0 +1,10 @@\n+" + TEN.rstrip(b"\n").replace(b"\n", b"\n+") + b"\n", "applied already"),
    (named(b"@@ -4,3 +4,3 @@\n line 4\n-LINE 5\n+line 5\n line 6\n"), "applied already"),
    (b"--- a/ten.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n", "would leave"),
    (b"--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n", "gone: the patch deletes it, and it is not"),
    (b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n", "l: a symbolic link"),
    (b"diff --git a/ten.txt b/ten.txt\nindex 1..2 120000\n", "a symbolic link"),
    (b"diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-x\n+y\n", "s: a submodule"),
    (b"diff --git a/s b/s\nnew file mode 104755\n", "mode 104755 is not taken"),
    (b"diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n", "i.png: a binary change"),
    (b"diff --git a/i.png b/i.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\n", "i.png: a binary change"),
    (b"Binary files a/i.png and b/i.png differ\n", "i.png: a binary change"),
    (b"diff --cc ten.txt\nindex 1,2..3\n--- a/ten.txt\n+++ b/ten.txt\n@@@ -1,1 -1,1 +1,1 @@@\n", "combined diff"),
    (b"--- a/../../x\n+++ b/../../x\n@@ -0,0 +1 @@\n+x\n", "'../../x'"),
    (b"--- /dev/null\n+++ /etc/cron.d/x\n@@ -0,0 +1 @@\n+x\n", "'/etc/cron.d/x'"),
    (b"--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n", "git's own folder"),
    (b"--- /dev/null\n+++ b/\xff\n@@ -0,0 +1 @@\n+x\n", "not UTF-8"),
    (b'--- /dev/null\n+++ "b/a\\nb"\n@@ -0,0 +1 @@\n+x\n', "control character"),
    (b"diff --git a/ten.txt b/new\nrename from ten.txt\nrename to ../new\n", "'../new'"),
    (b"diff --git a/ten.txt b/other\n--- a/ten.txt\n+++ b/other\n" + HUNK, "two names without a rename"),
])
def test_what_cannot_be_applied_is_refused_with_file_and_reason(project, patch, word):
    assert word in refusal(project, patch)


def test_a_bad_second_file_keeps_the_first_from_being_taken(project):
    assert "missing" in refusal(project, named(HUNK) + named(HUNK, b"missing"))


def test_a_patch_does_not_reach_through_a_link_of_the_project(project):
    (project.parent / "outside").write_bytes(TEN)
    (project / "link").symlink_to(project.parent / "outside")

    assert "a link" in refusal(project, named(HUNK, b"link"))


@pytest.mark.parametrize("seed", range(20))
def test_a_garbled_patch_is_read_or_refused_and_never_breaks(project, seed):
    chance = random.Random(seed)
    whole = MAIL + HUNK + b"diff --git a/x b/y\nrename from ten.txt\nrename to y\nold mode 100644\nnew mode 100755\n" + b"-- \n2\n"
    pieces = [b"\n", b"@@", b"--- ", b"+++ ", b"\\ No newline\n", b'"', b"\0", b"a/", b"/dev/null", b"\xff", b"9" * 30, b"-", b"+"]
    for _ in range(100):
        patch = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(patch))
            patch[place : place + chance.randint(0, 9)] = chance.choice(pieces)
        try:
            told = read_patch(bytes(patch), project=project).changes
        except UsageError as refused:
            told = refused.field
        assert told in ("patch", "changes") or isinstance(told, tuple)


@pytest.mark.parametrize(("part", "lines"), [(b"aab", b"aaabaabaaab"), (b"a", b"aaaa"), (b"aa", b"aaaa"), (b"ab", b"ba"), (b"abab", b"abababab")])
def test_the_linear_search_finds_what_the_simple_one_finds(part, lines, monkeypatch):
    one, two = [[bytes([letter]) for letter in text] for text in (part, lines)]
    simple = [hunks._fits(one, two, least=least) for least in range(3)]

    monkeypatch.setattr(hunks, "_MOST_COMPARED", -1)

    assert [hunks._fits(one, two, least=least) for least in range(3)] == simple


def test_a_hunk_that_only_deletes_is_not_called_applied_because_its_context_is_somewhere(project):
    (project / "ten.txt").write_bytes(b"filler\n" * 20 + b"line 4\nline 6\n")

    assert "expected 'line 4' at line 4" in refusal(project, named(b"@@ -4,3 +4,2 @@\n line 4\n-line 5\n line 6\n"))
