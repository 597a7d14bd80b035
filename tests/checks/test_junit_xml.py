import time

import pytest

from windtunnel.checks import junit_xml
from windtunnel.checks.junit_xml import Report, hash_mark, read, read_all
from windtunnel.core.trial import ExecutionTestResult, Status


def result(id_, status=Status.PASSED, **more):
    return ExecutionTestResult(id=id_, status=status, tool="x", **more)


def test_what_pytest_writes_is_read():
    report = read(b"""<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest"
    errors="1" failures="1" skipped="2" tests="5" time="0.049" timestamp="2026-11-16T00:20:00" hostname="vm">
    <testcase classname="test_a" name="test_good[1-2]" time="0.001" />
    <testcase classname="test_a.TestX" name="test_bad" time="0.001"><failure message="assert 1 == 2">def test_bad():
&gt;       assert 1 == 2
E       assert 1 == 2</failure></testcase>
    <testcase classname="test_a" name="test_skip" time="0.000"><skipped type="pytest.skip" message="no">a:1: no</skipped></testcase>
    <testcase classname="test_a" name="test_xfail" time="0.000"><skipped type="pytest.xfail" message="known" /></testcase>
    <testcase classname="" name="test_b" time="0.000"><error message="collection failure">ImportError: no module x</error></testcase>
    </testsuite></testsuites>""", tool="x")

    assert report == Report(count=5, tests=(
        result("test_a::test_good[1-2]", duration_seconds=0.001),
        result("test_a.TestX::test_bad", Status.FAILED, duration_seconds=0.001, category="assertion",
               message="def test_bad():\n>       assert 1 == 2\nE       assert 1 == 2"),
        result("test_a::test_skip", Status.SKIPPED, message="a:1: no"),
        result("test_a::test_xfail", Status.XFAILED, message="known"),
        result("test_b", Status.ERROR, category="collection", message="collection failure\nImportError: no module x"),
    ))


def test_what_jest_junit_writes_is_read():
    report = read(b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jest tests" tests="2" failures="1" errors="0" time="0.433">
  <testsuite name="calc" errors="0" failures="1" skipped="0" timestamp="2026-11-16T00:20:00" time="0.2" tests="2">
    <testcase classname="calc adds" name="calc adds" time="0.002" file="/workspace/src/calc.test.js"></testcase>
    <testcase classname="calc divides" name="calc divides" time="0.003">
      <failure>Error: expect(received).toBe(expected)
    at Object.toBe (src/calc.test.js:8:17)</failure>
    </testcase>
  </testsuite>
</testsuites>""", tool="x")

    assert report == Report(count=2, tests=(
        result("calc adds::calc adds", duration_seconds=0.002, path="src/calc.test.js"),
        result("calc divides::calc divides", Status.FAILED, duration_seconds=0.003, category="exception",
               message="Error: expect(received).toBe(expected)\n    at Object.toBe (src/calc.test.js:8:17)"),
    ))


def test_what_gotestsum_writes_is_read():
    report = read(b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" time="0.1">
	<testsuite tests="2" failures="1" time="0.003000" name="example.com/shop/calc" timestamp="2026-11-16T00:20:00Z">
		<properties><property name="go.version" value="go1.19.8 linux/amd64"></property></properties>
		<testcase classname="example.com/shop/calc" name="TestAdd" time="0.000000"></testcase>
		<testcase classname="example.com/shop/calc" name="TestWrong" time="0.010000">
			<failure message="Failed" type="">=== RUN   TestWrong&#xA;    calc_test.go:18: no&#xA;</failure>
		</testcase>
	</testsuite>
</testsuites>""", tool="x")

    assert report == Report(count=2, tests=(
        result("example.com/shop/calc::TestAdd"),
        result("example.com/shop/calc::TestWrong", Status.FAILED, duration_seconds=0.01, category="assertion",
               message="Failed\n=== RUN   TestWrong\n    calc_test.go:18: no"),
    ))


def test_a_long_time_has_commas_and_nonsense_is_no_time():
    report = read(b"<testsuite><testcase name='a' time='1,234.5'/><testcase name='b' time='NaN'/>"
                  b"<testcase name='c' time='-1'/><testcase name='d' time='1e999'/></testsuite>", tool="x")

    assert [test.duration_seconds for test in report.tests] == [1234.5, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(("thrown", "category"), [
    ("org.opentest4j.AssertionFailedError", "assertion"), ("org.junit.ComparisonFailure", "assertion"),
    ("java.lang.NoClassDefFoundError", "import"), ("org.junit.runners.model.TestTimedOutException", "timeout"),
    ("java.lang.NullPointerException", "exception"),
])
def test_the_category_comes_from_what_was_thrown(thrown, category):
    report = read(f"<testcase name='a'><failure type='{thrown}'>x</failure></testcase>".encode(), tool="x")

    assert [test.category for test in report.tests] == [category]


def test_a_test_with_two_results_has_the_worst():
    report = read_all({
        "b.xml": b"<testsuite><testcase classname='A' name='b'/></testsuite>",
        "a.xml": b"<testsuite><testcase classname='A' name='b'><failure>no</failure></testcase></testsuite>",
    }, tool="x", identify=hash_mark)

    assert report == Report(
        count=2, tests=(result("A#b", Status.FAILED, message="no", category="assertion"),),
        notes=("reported with different results, the worst counts: A#b",))


def test_a_flaky_test_passes_and_is_named():
    report = read(b"<testsuite><testcase name='a'><flakyFailure message='x'>y</flakyFailure></testcase></testsuite>",
                  tool="x")

    assert report == Report(
        count=1, tests=(result("a"),), notes=("the report names tests that passed only when they were run again: a",))


def test_a_report_that_breaks_off_gives_what_was_complete():
    report = read(b"<testsuite tests='3'><testcase name='a'/><testcase name='b'><fail", tool="x")

    assert report.tests == (result("a"),)
    assert len(report.notes) == 1
    assert report.notes[0].startswith("the report is broken XML (unclosed token")


def test_a_suite_that_has_fewer_tests_than_it_says_is_named():
    report = read(b"<testsuite tests='2'><testcase name='a'/></testsuite>", tool="x")

    assert report.notes == ("the report says it has 2 tests and has 1",)


LAUGHS = "<!ENTITY a0 'ha'>" + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("document", [
    f"<!DOCTYPE t [{LAUGHS}]><testsuite><testcase name='a'/><system-out>&a9;</system-out></testsuite>",
    "<!DOCTYPE t SYSTEM 'http://example.com/x.dtd'><testsuite><testcase name='a'/></testsuite>",
    "<!DOCTYPE t [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><testsuite/>",
])
def test_a_document_type_is_refused_in_any_encoding(document, encoding):
    head = f"<?xml version='1.0' encoding='{encoding}'?>"

    report = read((head + document).encode(encoding), tool="x")

    assert report == Report(notes=("the report has a document type, which no test report needs: refused",))


def test_without_the_refusal_entities_would_be_expanded(monkeypatch):
    document = b"<!DOCTYPE t [<!ENTITY s 'expanded'>]><testsuite><testcase name='&s;'/></testsuite>"
    refused = read(document, tool="x")
    monkeypatch.setattr(junit_xml, "_refuse_doctype", lambda *_told: 1)

    assert refused.tests == ()
    assert read(document, tool="x").tests == (result("expanded"),)


def test_a_document_type_in_a_message_is_only_words():
    report = read(b"<testsuite><testcase name='a'><failure><![CDATA[<!DOCTYPE html> <!ENTITY x>]]></failure></testcase>"
                  b"</testsuite>", tool="x")

    assert report.tests == (result("a", Status.FAILED, message="<!DOCTYPE html> <!ENTITY x>", category="assertion"),)


def test_depth_is_bounded():
    report = read(b"<testsuite>" * 100_000, tool="x")

    assert report == Report(notes=("the report is nested deeper than 64: not read on",))


def test_size_is_bounded(monkeypatch):
    monkeypatch.setattr(junit_xml, "MOST_BYTES", 10)

    report = read(b"<testsuite/>", tool="x")

    assert report == Report(notes=("the report is not read: 12 bytes, more than 10",))


def test_the_number_of_tests_is_bounded(monkeypatch):
    monkeypatch.setattr(junit_xml, "MOST_TESTS", 2)

    report = read(b"<testsuite>" + b"<testcase name='a'/>" * 3 + b"</testsuite>", tool="x")

    assert (report.count, report.notes) == (2, ("the report has more than 2 tests: not read on",))


def test_megabytes_of_one_message_are_cut_and_take_no_time():
    started = time.monotonic()

    report = read(b"<testcase name='a'><failure>" + b"x&amp;" * 3_000_000 + b"</failure></testcase>", tool="x")

    assert len(report.tests[0].message) < 5000
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("data", [
    b"", b"\x00", b"not xml", b"\xff\xfe", b"<a", b"<?xml version='1.0' encoding='klingon'?><a/>", b"<a>&b;</a>",
    b"<testcase name='\xc3'/>", b"<testcase name='a'/><testcase name='b'/>", b"<testcase>&#0;</testcase>",
])
def test_what_is_no_report_gives_a_note(data):
    report = read(data, tool="x")

    assert len(report.notes) == 1
    assert "broken XML" in report.notes[0]


def test_names_lose_what_would_move_the_cursor():
    report = read("<testcase name='a\N{RIGHT-TO-LEFT OVERRIDE}&#10;b\x7f' classname='c'/>".encode(), tool="x")

    assert [test.id for test in report.tests] == ["c::a b"]
