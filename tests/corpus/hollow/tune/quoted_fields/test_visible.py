import unittest

from quoted_fields import fields


class FieldsTest(unittest.TestCase):
    def test_plain(self):
        assert fields("a,b,c") == ["a", "b", "c"]

    def test_quoted_separator(self):
        assert fields('"a,b",c') == ["a,b", "c"]

    def test_other_separator(self):
        assert fields("a;b", ";") == ["a", "b"]

    def test_doubled_quote(self):
        assert fields('"say ""hi""",x') == ['say "hi"', "x"]

    def test_open_quote(self):
        with self.assertRaises(ValueError):
            fields('"a,b')
