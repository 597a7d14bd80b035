import itertools

import pytest
from quoted_fields import fields


def test_what_a_writer_writes_is_read():
    for first, second in itertools.product(["", "a", '"', 'a"b', '""', 'x,"y"', '","', 'end"', '"start', ",", 'he said ""'], repeat=2):
        row = [first, second, "z"]
        line = ",".join('"' + value.replace('"', '""') + '"' for value in row)
        assert fields(line) == row
        assert fields(line.replace('"z"', "z")) == row


def test_empty_fields():
    assert fields(",,") == ["", "", ""]
    assert fields('"",""') == ["", ""]
    assert fields("") == [""]


@pytest.mark.parametrize("line", ['"', '"a""', 'a,"b'])
def test_open_quotes(line):
    with pytest.raises(ValueError):
        fields(line)
