"""Ruby."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, matching, needed, prefix


def find(which: Which) -> Toolchain | None:
    """``ruby`` with its own library and the gems installed for all."""
    found = which("ruby")
    if found is None:
        return None
    ruby, root = located(found), prefix(found)
    return Toolchain(
        run=(ruby, "{source}"),
        paths=needed(
            ruby, root / "lib/ruby", *matching(root / "lib", "libruby*.so*"),
            "/usr/share/rubygems-integration", "/usr/share/ruby", "/usr/share/gems", "/var/lib/gems",
            "/usr/local/lib/site_ruby", "/usr/local/lib/ruby",
        ),
    )  # fmt: skip


LANGUAGE = Language(
    name="ruby",
    aliases=("rb",),
    suffixes=(".rb",),
    source="main.rb",
    find=find,
    install="apt-get install ruby",
    reserved_env=(*LOADER_ENV, "RUBY*", "GEM_*", "BUNDLE_*", "BUNDLER_*"),
    image="ruby:3.2-alpine",
    examples=(
        Example(code='puts "hello"\n', stdout="hello\n"),
        Example(code="puts $stdin.read.upcase\n", stdin="words\n", stdout="WORDS\n"),
        Example(code='raise ArgumentError, "no such thing"\n', error="no such thing (ArgumentError)"),
        Example(code='require "json"\nputs [1].to_json\n', stdout="[1]\n"),
    ),
)
