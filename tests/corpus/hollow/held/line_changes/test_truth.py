import itertools

from line_changes import changes


def test_all_small_settings():
    values = (None, 0, 1, 1.0, True, False, "1")
    missing = object()
    for before, after, other in itertools.product((*values, missing), (*values, missing), ("x", missing)):
        old = {name: value for name, value in (("m", before), ("a", other), ("q", 5)) if value is not missing}
        new = {name: value for name, value in (("m", after), ("z", other), ("q", 5)) if value is not missing}
        expected = []
        for name in sorted({*old, *new}):
            if name not in old or name not in new:
                expected.append(("added" if name in new else "removed", name))
            elif (type(old[name]), old[name]) != (type(new[name]), new[name]):
                expected.append(("changed", name))
        assert changes(old, new) == expected
