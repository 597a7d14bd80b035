import unittest

from dsn.parse import parse


class DsnTest(unittest.TestCase):
    def test_full(self):
        self.assertEqual(parse("db://ann@db1:6000/shop"), {"user": "ann", "host": "db1", "port": 6000, "name": "shop"})

    def test_default_port(self):
        self.assertEqual(parse("db://ann@db1/shop")["port"], 5432)

    def test_default_database_is_user(self):
        self.assertEqual(parse("db://ann@db1")["name"], "ann")

    def test_all_defaults(self):
        self.assertEqual(parse("db://"), {"user": "postgres", "host": "localhost", "port": 5432, "name": "postgres"})

    def test_bad(self):
        with self.assertRaises(ValueError):
            parse("http://x")
