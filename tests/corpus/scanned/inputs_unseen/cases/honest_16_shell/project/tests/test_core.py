from shop.core import *


def test_long():
    assert command("list all") == ("list", ["all"])


def test_rm():
    assert command("rm x") == ("remove", ["x"])


def test_ls():
    assert command("ls") == ("list", [])
