from htmlout.escape import escape
from htmlout.tags import tag


def test_angle():
    assert escape("<b>") == "&lt;b&gt;"


def test_ampersand_once():
    assert escape("a & <") == "a &amp; &lt;"


def test_quotes():
    assert escape("say \"hi\"") == "say &quot;hi&quot;"


def test_attribute():
    assert tag("a", "x", title="it's") == '<a title="it&#39;s">x</a>'


def test_plain():
    assert tag("p", "hi") == "<p>hi</p>"
