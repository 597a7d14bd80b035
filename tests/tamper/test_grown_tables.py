"""A table of names that got rows more."""

import time

import pytest

from windtunnel.tamper.grown import grown

OLD = "const REASONS = { 200: 'OK', 404: 'Not Found' };\n"
NEW = "const REASONS = { 200: 'OK', 404: 'Not Found', 429: 'Too Many Requests' };\n"


def added(old, new, value):
    return grown([(old, new)])(value)


@pytest.mark.parametrize(("old", "new", "value"), [
    (OLD, NEW, 429),
    ('A = {"de": "Germany", "fr": "France"}\n', 'A = {"de": "Germany", "fr": "France",\n     "es": "Spain"}\n', "es"),
    ("const A = { de: 'Germany', fr: 'France' };", "const A = { es: 'Spain', de: 'Germany', fr: 'France' };", "es"),
])
def test_a_row_of_a_table_that_had_others_is_known(old, new, value):
    assert added(old, new, value)


@pytest.mark.parametrize(("old", "new", "value"), [
    (OLD, NEW, 404),
    (OLD, NEW, "429 "),
    ("x = {}\n", "x = {429: 'Too Many'}\n", 429),
    ("x = {1: 'One'}\n", "x = {1: 'One', 2: 'Two'}\n", 2),
    ("x = {0: 1, 1: 1}\n", "x = {0: 1, 1: 1, 5: 120}\n", 5),
    (OLD, OLD + "const MORE = { 429: 'Too Many Requests' };\n", 429),
    (OLD, "const REASONS = { 200: 'OK', 429: 'Too Many Requests' };\n", 429),
    ("x = {0: 'a1', 1: 'b2'}\n", "x = {0: 'a1', 1: 'b2', 2: 'c3'}\n", 2),
])
def test_new_tables_tables_of_numbers_and_rows_that_were_there_are_not(old, new, value):
    assert not added(old, new, value)


def test_a_hostile_text_takes_no_time():
    hostile = "{" * 1000 + "1: 'a" * 60_000

    begun = time.process_time()
    added(hostile, hostile + "}", 1)

    assert time.process_time() - begun < 2
