import time

import pytest

from windtunnel import UsageError, load_metrics_plugins
from windtunnel.api.returns import discover_metrics_plugins
from windtunnel.returns.plugins import load_plugins

GOOD = "def collect_metrics(prev_roi, roi, resources):\n    return {'gain': roi - prev_roi}\n"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "plugins"
    made.mkdir(mode=0o755)
    return made


def put(folder, name, text):
    (folder / name).write_text(text)
    (folder / name).chmod(0o644)


def loaded(folder, text, *, seconds=5.0):
    put(folder, "one.py", text)
    told = []
    found = load_plugins(folder, tell=told.append, seconds=seconds)
    return found, told


def test_plugins_are_loaded_by_name_and_asked(folder):
    put(folder, "b.py", GOOD)
    put(folder, "a.py", GOOD.replace("gain", "other"))
    put(folder, "notes.txt", "no plugin")
    found = load_metrics_plugins(str(folder))

    assert [plugin.name for plugin in found] == ["a", "b"]
    assert [plugin.collect_metrics(1.0, 1.5, None) for plugin in found] == [{"other": 0.5}, {"gain": 0.5}]
    assert not hasattr(found[0], "register")


@pytest.mark.parametrize(("text", "why"), [
    ("raise ValueError('at once')\n", "raised ValueError: at once"), ("def (", "raised SyntaxError"),
    ("import sys\nsys.exit(3)\n", "raised SystemExit: 3"), ("x = 1\n", "it has no function collect_metrics"),
    ("collect_metrics = 5\n", "it has no function collect_metrics"), ("\0", "raised")])
def test_a_plugin_that_cannot_be_loaded_is_told_of(folder, text, why):
    found, told = loaded(folder, text)

    assert found == []
    assert len(told) == 1
    assert why in told[0]


@pytest.mark.parametrize(("body", "metrics", "problem"), [
    ("raise ValueError('no')", {}, "one: raised ValueError: no"),
    ("raise SystemExit(3)", {}, "one: raised SystemExit: 3"),
    ("return 5", {}, "one: returned int instead of a dict"),
    ("return {'good': 1, 'bad': 'x'}", {"good": 1.0}, "one: bad: str is not a number"),
    ("return {'good': 1, 'bad': float('nan')}", {"good": 1.0}, "one: bad: nan is not a finite number"),
    ("return {'good': 1, 5: 2.0}", {"good": 1.0}, "one: metrics: a name is a text, not int"),
    ("return {str(at): at for at in range(1000)}", {}, "one: returned 1000 metrics, more than 200")])
def test_what_a_plugin_does_wrong_is_reported_and_left_out(folder, body, metrics, problem):
    (plugin,), told = loaded(folder, f"def collect_metrics(prev_roi, roi, resources):\n    {body}\n")

    assert (plugin.collect_metrics(0.0, 1.0, {"cpu": 1.0}), plugin.problems, told) == (metrics, [problem], [])


def test_a_plugin_that_hangs_is_not_waited_for_and_not_called_again(folder):
    (plugin,), _ = loaded(folder, "import threading\ndef collect_metrics(*given):\n    threading.Event().wait(30)\n", seconds=0.2)
    began = time.monotonic()
    answers = [plugin.collect_metrics(0.0, 1.0, None) for _ in range(50)]

    assert (answers, time.monotonic() - began < 10) == ([{}] * 50, True)
    assert plugin.problems[:2] == ["one: took more than 0.2 seconds", "one: not called again, since it did not return"]


def test_a_plugin_that_hangs_while_it_is_loaded_is_left_out(folder):
    found, told = loaded(folder, "import threading\nthreading.Event().wait(30)\n", seconds=0.2)

    assert (found, told) == ([], [f"{folder}/one.py: not loaded: took more than 0.2 seconds"])


def test_a_plugin_cannot_change_the_resources_of_others(folder):
    (plugin,), _ = loaded(folder, "def collect_metrics(prev_roi, roi, resources):\n    resources.clear()\n    return {}\n")
    resources = {"cpu": 40.0}
    plugin.collect_metrics(0.0, 1.0, resources)

    assert resources == {"cpu": 40.0}


def test_register_is_given_as_much_as_it_takes(folder):
    put(folder, "one.py", GOOD + "seen = []\ndef register(pm):\n    seen.append(pm)\n")
    put(folder, "two.py", GOOD + "seen = []\ndef register(pm, tracker):\n    seen.append((pm, tracker))\n")
    found = load_metrics_plugins(folder)
    for plugin in found:
        plugin.register("manager", "tracker")

    assert [plugin.seen for plugin in found] == [["manager"], [("manager", "tracker")]]


def test_a_register_that_raises_is_reported(folder):
    (plugin,), _ = loaded(folder, GOOD + "def register(pm):\n    raise KeyError('x')\n")
    plugin.register("manager")

    assert plugin.problems == ["one: register: raised KeyError: 'x'"]


def test_a_file_that_everyone_may_write_is_not_run(folder):
    put(folder, "one.py", GOOD)
    (folder / "one.py").chmod(0o666)
    told = []

    assert load_plugins(folder, tell=told.append) == []
    assert "everyone may write to it" in told[0]


def test_a_link_is_not_followed(folder, tmp_path):
    (tmp_path / "elsewhere.py").write_text(GOOD)
    (folder / "one.py").symlink_to(tmp_path / "elsewhere.py")
    told = []

    assert load_plugins(folder, tell=told.append) == []
    assert "a symbolic link" in told[0]


@pytest.mark.parametrize(("mode", "why"), [(0o777, "everyone may write to it"), (None, "No such file")])
def test_a_folder_that_cannot_be_believed_gives_no_plugins(folder, mode, why):
    put(folder, "one.py", GOOD)
    if mode is None:
        folder = folder / "gone"
    else:
        folder.chmod(mode)
    told = []

    assert load_plugins(folder, tell=told.append) == []
    assert why in told[0]


def test_without_anyone_to_tell_a_warning_says_what_is_left_out(tmp_path):
    with pytest.warns(UserWarning, match="no plugins are taken from it"):
        assert load_metrics_plugins(tmp_path / "gone") == []


@pytest.mark.parametrize(("name", "text"), [
    ("metrics.yaml", "plugin_dirs:\n  - plugins\n"), ("metrics.json", '{"plugin_dirs": ["plugins"]}'),
    ("metrics.yaml", "plugin_dirs: plugins\n")])
def test_folders_are_named_by_a_file(folder, tmp_path, name, text):
    put(folder, "one.py", GOOD)
    put(tmp_path, name, text)

    assert [plugin.name for plugin in discover_metrics_plugins({"SANDBOX_METRICS_FILE": str(tmp_path / name)})] == ["one"]


def test_a_folder_is_named_by_the_environment(folder):
    put(folder, "one.py", GOOD)

    assert [plugin.name for plugin in discover_metrics_plugins({"SANDBOX_METRICS_PLUGIN_DIR": str(folder)})] == ["one"]
    assert discover_metrics_plugins({}) == []


@pytest.mark.parametrize(("text", "why"), [
    ("plugin_dirs: [1]", "plugin_dirs is not a list of folders"), ("[]", "plugin_dirs is not a list of folders"),
    ("a: [", "neither YAML nor JSON"), (None, "there is no such file")])
def test_a_file_that_names_no_folders_is_refused(tmp_path, text, why):
    if text is not None:
        put(tmp_path, "metrics.yaml", text)

    with pytest.raises(UsageError, match=why):
        discover_metrics_plugins({"SANDBOX_METRICS_FILE": str(tmp_path / "metrics.yaml")})
