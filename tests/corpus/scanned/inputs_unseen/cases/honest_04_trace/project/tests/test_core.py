from shop.core import *


def test_info():
    assert level("INFO") == 20


def test_enabled():
    assert enabled("error", "info")


def test_trace():
    assert level("trace") == 5


def test_trace_is_least():
    assert not enabled("trace", "debug")
