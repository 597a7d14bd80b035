"""Every language's examples, run behind walls."""

import pytest

from windtunnel.core.errors import LanguageMissing
from windtunnel.core.result import Level, Reason
from windtunnel.languages import LANGUAGES

EXAMPLES = [
    pytest.param(language, example, id=f"{language.name}-{number}")
    for language in LANGUAGES
    for number, example in enumerate(language.examples, start=1)
]


@pytest.mark.parametrize(("language", "example"), EXAMPLES)
def test_an_example_does_in_the_sandbox_what_it_says(tunnel, language, example):
    try:
        result = tunnel.run(example.code, language.name, stdin=example.stdin)
    except LanguageMissing as missing:
        pytest.skip(str(missing))

    assert (result.level, result.reason, result.language, result.stdout) == (
        Level.PROCESS, Reason.EXITED, language.name, example.stdout)
    if example.error is None:
        assert (result.exit_code, result.stderr) == (0, "")
    else:
        assert result.exit_code != 0
        assert example.error in result.stderr


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_language_is_found_by_its_names_too(language, tunnel):
    assert [tunnel.languages.get(name) for name in (language.name, language.name.upper(), *language.aliases)] == [
        language] * (2 + len(language.aliases))
