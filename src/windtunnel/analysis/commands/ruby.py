"""Ruby: through Bundler where there is a Gemfile, which installs below ``.cache``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made
from windtunnel.core.analysis import Part, ProjectCommand, Purpose

_HOME = "BUNDLE_PATH=.cache/bundle "


def find(look: Look) -> Iterator[ProjectCommand]:
    """Rails, RSpec, Rake or Minitest, in this order."""
    gemfile = look.has("Gemfile", "gems.rb")
    run = f"{_HOME}bundle exec " if gemfile else ""
    lock = look.lock("Gemfile.lock", "gems.locked")
    if gemfile:
        frozen = "BUNDLE_FROZEN=true " if lock else ""
        yield made(Purpose.INSTALL, f"{_HOME}{frozen}bundle install", why=lock or gemfile, network=True)
    yield from _tests(look, run)
    if look.tool("rubocop"):
        yield made(Purpose.LINT, f"{run}rubocop", why="set up for rubocop")
        yield made(Purpose.FORMAT, f"{run}rubocop -a", why="set up for rubocop", writes=True)
    if look.some(".gemspec", top=True):
        yield made(Purpose.BUILD, f"gem build {shlex.quote(look.some('.gemspec', top=True))}", why="a gemspec")
    if lock:
        yield made(Purpose.AUDIT, f"{run}bundle-audit check", why=lock, network=True)
    yield from _start(look, run)


def _tests(look: Look, run: str) -> Iterator[ProjectCommand]:
    minitest = look.some("_test.rb") or look.some(".rb", below="test/test_")
    if _is_rails(look) and not look.some("_spec.rb"):
        yield made(Purpose.TEST, f"{run}bin/rails test", why="bin/rails")
    elif look.tool("rspec") or look.some("_spec.rb"):
        yield made(Purpose.TEST, f"{run}rspec", why=look.some("_spec.rb") or "tests for rspec")
    elif look.has("Rakefile") and (look.script("test") or minitest or look.tool("minitest")):
        yield made(Purpose.TEST, f"{run}rake test", why="Rakefile")
    elif minitest:
        every = "Dir['test/**/{test_*,*_test}.rb'].each { |file| require './' + file }"
        yield made(Purpose.TEST, f'{run}ruby -Ilib -Itest -e "{every}"', why=minitest)


def _start(look: Look, run: str) -> Iterator[ProjectCommand]:
    main = look.has("app.rb", "main.rb", "server.rb")
    if _is_rails(look):
        yield made(Purpose.START, f"{run}bin/rails server", why="bin/rails", ends=False)
    elif look.has("config.ru"):
        yield made(Purpose.START, f"{run}rackup", why="config.ru", ends=False)
    elif main:
        yield made(Purpose.START, f"{run}ruby {main}", why=main, ends=False)


def _is_rails(look: Look) -> bool:
    return bool(look.has("bin/rails"))


_PART = Part(folder="", ecosystem="ruby", manager="bundler", manifests=("Gemfile",))
ECOSYSTEM = Ecosystem(name="ruby", find=find, examples=(
    Example(part=_PART, names=("Gemfile", "Gemfile.lock", "spec/cart_spec.rb"), commands=(
        (Purpose.INSTALL, f"{_HOME}BUNDLE_FROZEN=true bundle install"), (Purpose.TEST, f"{_HOME}bundle exec rspec"),
        (Purpose.AUDIT, f"{_HOME}bundle exec bundle-audit check"))),
    Example(part=Part(folder="", ecosystem="ruby"), names=("Rakefile", "test/test_cart.rb", "app.rb"), commands=(
        (Purpose.TEST, "rake test"), (Purpose.START, "ruby app.rb"))),
    Example(part=Part(folder="", ecosystem="ruby"), names=("lib/cart.rb",)),
))
