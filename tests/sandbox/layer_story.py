"""One story for every level: a build that makes, links, deletes and replaces, and a step after it that looks."""

from __future__ import annotations

LOOK = "find . -mindepth 1 -printf '%P %y %l\\n' | sed 's/ $//' | LC_ALL=C sort; cat out/latest lib/bin/tool 2>&1"
BUILD = f"""
set -e
mkdir -p out/bin empty/er
echo tool > out/bin/tool
ln -s bin/tool out/latest
ln -s /workspace/out/bin/tool absolute
ln -s ../src/one.txt out/nowhere
rm src/one.txt
rm -r deep
rm run.sh; ln -s out/bin/tool run.sh
rm -r lib; ln -s out lib
rm note; mkdir note; echo x > note/x
rm link; mkdir link; echo y > link/y
{LOOK}
"""
LEAVING = "ln -s /etc/passwd outside; ln -s ../../etc up; mkdir d; ln -s ../.. d/up"
AFTER = """absolute l /workspace/out/bin/tool
empty d
empty/er d
lib l out
link d
link/y f
note d
note/x f
out d
out/bin d
out/bin/tool f
out/latest l bin/tool
out/nowhere l ../src/one.txt
run.sh l out/bin/tool
src d
src/two.txt f
tool
tool
"""


def make(folder):
    """A project on the host for it."""
    for name in ("src", "deep/er", "lib"):
        (folder / name).mkdir(parents=True)
    for name in ("src/one.txt", "src/two.txt", "deep/er/x", "lib/a", "note", "run.sh"):
        (folder / name).write_text(f"{name}\n")
    (folder / "link").symlink_to("src")
    return folder
