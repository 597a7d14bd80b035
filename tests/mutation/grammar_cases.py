"""What the tests of other languages share: names of files, and what stands around an example."""

from __future__ import annotations

from windtunnel.mutation.grammars import screened
from windtunnel.mutation.grammars.languages import LANGUAGES

NAMES = {"javascript": "a.jsx", "typescript": "a.ts", "go": "a.go", "java": "A.java", "rust": "a.rs"}
_GRAMMARS = {grammar.name: grammar for grammar in LANGUAGES}
_WHOLE = {"go": ("func ", "import", "type "), "java": ("class ", "import", "@B(value"),
          "rust": ("fn ", "impl", "#", "use", "enum", "const", "mod")}


def framed(language, text):
    """An example as a file."""
    if text.startswith(_WHOLE.get(language, ())):
        return f"package p\n\n{text}" if language == "go" else text
    return _GRAMMARS[language].frame.format(text)


def mutated(source, mutant):
    """The file with that one mutant."""
    assert source[mutant.start:mutant.end] == mutant.original.encode()
    return source[:mutant.start] + mutant.replacement.encode() + source[mutant.end:]


def made(text, language, **options):
    """All that becomes of a text."""
    source = text.encode()
    return [mutated(source, mutant).decode() for mutant in screened(source, path=NAMES[language], **options).mutants]
