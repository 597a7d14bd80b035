"""Templates are data, the falling metric chooses, and the visual agent's format is the documented one to the letter."""

from __future__ import annotations

import platform
from pathlib import Path
from types import SimpleNamespace

import pytest

import windtunnel
from windtunnel.api.prompts import build_section_prompt, build_visual_agent_prompt
from windtunnel.core.errors import UsageError
from windtunnel.metrics.prompts.choose import FOCUS, choose, falling, loss, stagnating
from windtunnel.metrics.prompts.section import load_templates
from windtunnel.metrics.prompts.template import read_template
from windtunnel.metrics.prompts.visual import layout_of, visual_prompt
from windtunnel.metrics.table import METRICS

EXAMPLE = (Path(__file__).parent / "samples" / "visual_agent.txt").read_text()
SHIPPED = {"security", "efficiency", "roi", "resilience", "maintainability", "coverage"}
VARIABLES = ("GPT_SECTION_TEMPLATE", "GPT_SECTION_PROMPT_MAX_LENGTH", "VA_PROMPT_TEMPLATE", "VA_PROMPT_PREFIX",
             "VA_REPO_LAYOUT_LINES")


@pytest.fixture(autouse=True)
def _alone(monkeypatch, tmp_path):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def render(text, **names):
    return read_template(text).render(names)


@pytest.mark.parametrize(("text", "expected"), [
    ("Hello {{ name }}!", "Hello Ann!"), ("{{ missing }}|{{ name.missing.deeper }}", "|"), ("a\n", "a"), ("a\n\n", "a\n"),
    ("{# said to nobody #}x", "x"), ("{% if name %}yes{% endif %}", "yes"),
    ("{% if missing %}a{% elif name == 'Ann' %}b{% else %}c{% endif %}", "b"),
    ("{% if missing %}a{% elif none %}b{% else %}c{% endif %}!", "c!"),
    ("{% for one in list %}{{ one }};{% endfor %}", "1;2;3;"), ("{% for one in missing %}a{% else %}none{% endfor %}", "none"),
    ("{% for key, value in map.items() %}{{ key }}={{ value }} {% endfor %}", "a=1 b=2 "),
    ("{{ list | join(', ') }} {{ list | length }} {{ name | upper | lower }}", "1, 2, 3 3 ann"),
    ("{{ missing | default('none') }} {{ map.a }}", "none 1"), ("{{ 3.14159 | round(2) }}", "3.14"),
    ("{{ list | first }}{{ list | last }}", "13"), ("  {%- if name -%}  x  {%- endif %} ", "x "),
    ("{{ 'abcdef' | truncate(3) }}", "ab…"), ("{{ name < 3 }}{{ 3 | join(',') }}", ""),
    ("{% if not missing and list | length > 2 %}x{% endif %}", "x")])
def test_a_template_is_filled_in(text, expected):
    assert render(text, name="Ann", list=[1, 2, 3], map={"a": 1, "b": 2}) == expected


def test_what_is_filled_in_is_not_a_template():
    assert render("{{ name }}", name="{{ secret }}", secret="x") == "{{ secret }}"


@pytest.mark.parametrize(("text", "message"), [
    ("a\n{{ ''.__class__ }}", "line 2"), ("{{ name.__init__ }}", "may not have"), ("{{ open('x') }}", "may not have"),
    ("{{ 9 ** 9 }}", "may not have"), ("{{ name.format() }}", "may not have"), ("{{ [1] }}", "may not have"),
    ("{{ name | system }}", "may not have"), ("{{ name", "never closed"), ("{{ a b }}", "no expression"),
    ("{% include 'x' %}", "include %} is not known"), ("{% endif %}", "is not known"), ("{% if a %}", "never ended"),
    ("{% if a %}{% endfor %}", "is not known"), ("{% for in a %}{% endfor %}", "no loop"),
    ("{% if a %}{% else %}{% else %}{% endif %}", "is not known"), ("{{" * 40_000, "never closed"),
    ("{% for a in b %}{% elif c %}{% endfor %}", "belongs to an if"), ("x" * 100_001, "more than 100000"),
    ("{% if a %}" * 30 + "{% endif %}" * 30, "in each other"), ("{{ a" + "|trim" * 190 + " }}", "may not have"),
    ("{{ " + "(" * 300 + "a" + ")" * 300 + " }}", "no expression")])
def test_what_a_template_may_not_do_is_refused(text, message):
    with pytest.raises(UsageError, match=message) as caught:
        read_template(text)

    assert caught.value.field == "template"


@pytest.mark.parametrize("text", [
    "{% for a in many %}{% for b in many %}{% endfor %}{% endfor %}", "{% for a in many %}{{ long }}{% endfor %}"])
def test_a_template_that_would_never_end_is_ended(text):
    with pytest.raises(UsageError, match="more than"):
        render(text, many=list(range(1000)), long="x" * 2000)


def test_a_metric_falls_when_most_of_its_last_values_go_the_worse_way():
    assert loss([9.0, 1.0, 0.8, 0.7, 0.6, 0.5]) == pytest.approx(0.4 / 0.7)
    assert loss([1.0, 1.2, 1.4], lower_is_better=True) == pytest.approx(0.4 / 1.2)


@pytest.mark.parametrize("values", [
    [], [1.0, 0.5], [0.5, 0.6, 0.7], [1.0, 1.0, 1.0], [1.0, 0.2, 1.0, 0.2, 1.0], [1.0, 0.999, 0.998],
    [float("nan"), 1.0, 0.5]])
def test_a_metric_that_rises_rests_or_swings_does_not_fall(values):
    assert loss(values) == 0.0


def test_metrics_that_fall_are_told_by_what_they_lost_and_each_in_its_own_direction():
    history = {"resilience": [1.0, 0.9, 0.8], "latency": [1.0, 2.0, 3.0], "throughput": [1.0, 2.0, 3.0],
               "shannon_entropy": [5.0, 4.0, 3.0]}

    assert list(falling(history)) == ["latency", "resilience"]


@pytest.mark.parametrize(("returns", "expected"), [
    ([1.0, 1.0, 1.0], False), ([1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0], True), ([0.0, 0.0, 0.0], True),
    ([0.1, 0.2, 0.4, 0.8], False), ([1.0, 0.0], False), ([-1.0, -2.0, -3.0], True)])
def test_returns_stagnate_when_little_is_gained_beside_the_largest(returns, expected):
    assert stagnating(returns) is expected


FALLING, STEADY = [0.9, 0.8, 0.7], [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("history", "returns", "expected"), [
    ({"security_score": FALLING, "resilience": [1.0, 0.5, 0.1]}, [0.0] * 3, "security"),
    ({"efficiency": [1.0, 1.0, 0.5]}, [], "efficiency"), ({"efficiency": [1.3, 1.2, 1.1]}, [], "efficiency"),
    ({"recovery_time": [1.0, 2.0, 3.0]}, [0.0] * 3, "resilience"), ({"code_quality": FALLING}, [], "maintainability"),
    ({"adaptability": FALLING}, [], "coverage"), ({"security_score": STEADY}, [0.0] * 3, "roi")])
def test_the_falling_metric_chooses_the_template(history, returns, expected):
    assert choose(sorted(SHIPPED), history, returns=returns) == expected


def test_without_a_sign_the_choice_is_drawn_from_the_seed():
    drawn = [choose(sorted(SHIPPED), {}, seed=seed) for seed in range(50)]

    assert set(drawn) == SHIPPED
    assert drawn == [choose(sorted(SHIPPED), {}, seed=seed) for seed in range(50)]


def test_every_metric_that_can_be_better_has_a_template():
    aimed = {metric for metrics in FOCUS.values() for metric in metrics}

    assert {name for name, one in METRICS.items() if one.direction != "neither"} == aimed


def test_every_template_is_loaded_and_renders():
    templates = load_templates()

    assert set(templates) == SHIPPED
    assert [name for name, text in templates.items() if "the_snippet" not in render(text, snippet="the_snippet")] == []


def tracker(returns=(), **metrics):
    return SimpleNamespace(metrics_history=metrics, roi_history=list(returns))


def test_a_prompt_has_the_section_its_metrics_and_its_code():
    prompt = build_section_prompt(
        "shop.py:load", tracker([0.5, 0.25], security_score=FALLING, synergy_roi=[0.5]), snippet="def load(): ...")

    assert prompt.splitlines()[:6] == [
        "Make shop.py:load safer. security_score fell.", "", "Recent returns: 0.5, 0.25", "Metrics: security_score=0.7",
        "Trends: security_score mean 0.8, change -0.2", "Synergy: synergy_roi=0.5"]
    assert prompt.endswith("\n\ndef load(): ...")


def test_a_template_of_ones_own_is_used(monkeypatch, tmp_path):
    (tmp_path / "own.j2").write_text("{{ section }}: {{ history }} / {{ deltas }} / {{ summary }}\n")
    monkeypatch.setenv("GPT_SECTION_TEMPLATE", str(tmp_path / "own.j2"))

    assert build_section_prompt("load", tracker([1.0, 2.0]), summary="loads") == "load: 1, 3 / 1, 2 / loads"


def test_a_template_that_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("GPT_SECTION_TEMPLATE", str(tmp_path / "none.j2"))

    with pytest.raises(UsageError, match="is no file"):
        build_section_prompt("load")


def test_templates_of_the_project_take_the_place_of_ours_and_add_to_them(tmp_path):
    folder = tmp_path / "templates" / "auto_prompts"
    folder.mkdir(parents=True)
    (folder / "security.j2").write_text("own security")
    (folder / "loudness.j2").write_text("own loudness")

    assert build_section_prompt("load", tracker(security_score=FALLING), project=tmp_path) == "own security"
    assert build_section_prompt("load", tracker(loudness=FALLING), project=tmp_path) == "own loudness"


def test_a_template_that_leads_out_of_the_project_is_refused(tmp_path):
    folder = tmp_path / "project" / "templates" / "auto_prompts"
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (folder / "roi.j2").symlink_to(tmp_path / "secret")

    with pytest.raises(UsageError, match="leads out of the project"):
        build_section_prompt("load", project=tmp_path / "project")


@pytest.mark.parametrize("most", [0, 10, 700, 900, 2000])
def test_a_prompt_is_never_longer_than_it_may_be(monkeypatch, most):
    monkeypatch.setenv("GPT_SECTION_PROMPT_MAX_LENGTH", str(most))
    metrics = {f"metric_{number}": [1.0, 2.0] for number in range(40)}

    prompt = build_section_prompt("load", tracker(security_score=FALLING, **metrics), snippet="x" * 5000)

    assert most - 60 <= len(prompt) <= most


def test_what_is_cut_are_the_snippet_and_the_metrics(monkeypatch):
    monkeypatch.setenv("GPT_SECTION_PROMPT_MAX_LENGTH", "1000")

    prompt = build_section_prompt("load", tracker(security_score=FALLING), snippet="x" * 5000)

    assert prompt.startswith("Make load safer. security_score fell.")
    assert "the tests stay as they are." in prompt
    assert prompt.endswith("x…")


@pytest.mark.parametrize("value", ["-1", "many", "99999999999"])
def test_a_length_that_is_none_is_refused(monkeypatch, value):
    monkeypatch.setenv("GPT_SECTION_PROMPT_MAX_LENGTH", value)

    with pytest.raises(UsageError, match="is no length"):
        build_section_prompt("load")


def test_the_default_format_of_the_visual_agent_is_the_documented_one():
    prompt = visual_prompt("helper.py", "print hello", context="def hello():\n    pass\n", func="auto_print_hello",
                           layout="helper.py", python="3.11.12")

    assert prompt == EXAMPLE


def test_the_visual_agents_prompt_is_built_from_where_we_are(tmp_path):
    (tmp_path / "helper.py").write_text("")

    prompt = windtunnel.build_visual_agent_prompt("helper.py", "print hello", "def hello():\n    pass")

    assert prompt == EXAMPLE.replace("3.11.12", platform.python_version())


def test_a_prefix_stands_on_its_own_line(monkeypatch):
    monkeypatch.setenv("VA_PROMPT_PREFIX", "[internal]")

    assert build_visual_agent_prompt("a.py", "wait").startswith("[internal]\n### Introduction\n")


@pytest.mark.parametrize("inline", [True, False])
def test_a_template_of_the_visual_agent_is_a_file_or_the_text_itself(monkeypatch, tmp_path, inline):
    text = 'In {path}: {description} as {func} {{"json": {other}}}: {context}'
    (tmp_path / "va.tmpl").write_text(text)
    monkeypatch.setenv("VA_PROMPT_TEMPLATE", text if inline else "va.tmpl")

    prompt = build_visual_agent_prompt(None, "say {func}", " pass ", "own")

    assert prompt == 'In unknown file: say {func} as own {"json": {other}}: pass'


def test_a_template_of_the_visual_agent_that_is_neither_is_refused(monkeypatch):
    monkeypatch.setenv("VA_PROMPT_TEMPLATE", "va.tmpl")

    with pytest.raises(UsageError, match="neither a file nor a template"):
        build_visual_agent_prompt("a.py", "wait")


def test_the_layout_has_as_many_lines_as_asked(monkeypatch, tmp_path):
    for name in ("c.py", "a.py", "b.py"):
        (tmp_path / name).write_text("")
    monkeypatch.setenv("VA_REPO_LAYOUT_LINES", "2")

    assert "### Repository layout\na.py\nb.py\n...\n\n" in build_visual_agent_prompt("a.py", "wait")
    assert layout_of(["a.py"], lines=1) == "a.py"


def test_the_function_is_named_for_the_description_whatever_stands_in_it():
    assert "- `auto_read_it_s_path(*args, **kwargs)`" in build_visual_agent_prompt("a.py", "read it's (path)")
