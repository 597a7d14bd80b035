import unittest

from ledger.load import BadLine, load


class LoadTest(unittest.TestCase):
    def test_comments_are_left_out(self):
        self.assertEqual(len(load("# March\n\n2024-03-01;Rent;-8\n")), 1)

    def test_an_empty_file_has_no_entries(self):
        self.assertEqual(load(""), [])

    def test_a_bad_line_is_named_by_its_number(self):
        with self.assertRaises(BadLine) as caught:
            load("2024-03-01;Rent;-8\n# fine\nnonsense\n")

        self.assertEqual(caught.exception.number, 3)


if __name__ == "__main__":
    unittest.main()
