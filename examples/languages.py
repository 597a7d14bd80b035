"""One sentence in several languages; a language that is not installed says what to install, and nothing runs."""

from __future__ import annotations

from windtunnel import LanguageMissing, Tunnel

PROGRAMS = {
    "python": "print('hello from python')",
    "javascript": "console.log('hello from javascript')",
    "bash": "echo hello from bash",
    "ruby": "puts 'hello from ruby'",
    "perl": 'print "hello from perl\\n";',
    "c": '#include <stdio.h>\nint main(void) { puts("hello from c"); return 0; }\n',
    "go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello from go") }\n',
}


def main() -> None:
    with Tunnel() as tunnel:
        for language, code in PROGRAMS.items():
            try:
                result = tunnel.run(code, language)
            except LanguageMissing as missing:
                print(f"{language:11} not here: {missing}")
                continue
            assert result.stdout == f"hello from {language}\n", result
            stages = ", ".join(stage.name for stage in result.stages)
            print(f"{language:11} {result.stdout.strip():22} stages: {stages}")
        known = [language.name for language in tunnel.languages]
    assert set(PROGRAMS) <= set(known)
    print(len(known), "languages in the table:", " ".join(known))


if __name__ == "__main__":
    main()
