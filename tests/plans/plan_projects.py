"""Small real projects in ten languages: their files, what is asked, and the commands that must be planned for it.

None of them needs anything that is not in the language's own tools. ``runs`` names the programs that must be there for
its plan to be executed for real; without any, it is planned only (its tools are slow or need a registry).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

VENV = "python3 -m venv .venv && .venv/bin/python3 -m pip install --disable-pip-version-check"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One project."""

    name: str
    files: dict[str, str]
    request: str
    planned: dict[str, str]
    """Commands by task, in the plan's order."""
    runs: tuple[str, ...] = ()
    failing: frozenset[str] = field(default_factory=frozenset)
    """Tasks that must fail."""


def _package(**more):
    return json.dumps({"name": "shop", "version": "1.0.0", "private": True, **more})


_CART_PY = "def total(prices):\n    return sum(prices)\n"
_CART_TEST = """import unittest

from cart import total


class Totals(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
_CART_JS = "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n"
_CART_JS_TEST = """const test = require('node:test');
const assert = require('node:assert');
const { total } = require('./cart');

test('total', () => assert.strictEqual(total([1, 2]), 3));
"""
_CART_TS = "export function total(prices: number[]): number {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n"
_STRIP = """const fs = require('node:fs');
const text = fs.readFileSync('src/cart.ts', 'utf8').replace(/: number(\\[\\])?/g, '').replace('export function', 'function');
fs.mkdirSync('dist', { recursive: true });
fs.writeFileSync('dist/cart.js', `${text}exports.total = total;\\n`);
"""
_CART_GO = "package shop\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n"
_CART_GO_TEST = """package shop

import "testing"

func TestTotal(t *testing.T) {
	if Total([]int{1, 2}) != 3 {
		t.Fatal("wrong")
	}
}
"""
_CART_RS = """pub fn total(prices: &[i32]) -> i32 {
    prices.iter().sum()
}

#[test]
fn adds() {
    assert_eq!(total(&[1, 2]), 3);
}
"""
_CART_RB = "def total(prices)\n  prices.sum\nend\n"
_CART_RB_TEST = """require 'minitest/autorun'
require_relative '../lib/cart'

class CartTest < Minitest::Test
  def test_total
    assert_equal 3, total([1, 2])
  end
end
"""
_RAKE = """task :test do
  ruby '-Ilib', '-e', "Dir['test/**/*_test.rb'].each { |file| require './' + file }"
end
"""
_CART_PHP = "<?php\nfunction total(array $prices): int { return array_sum($prices); }\n"
_CART_PHP_TEST = "<?php\nrequire __DIR__ . '/../src/cart.php';\nassert(total([1, 2]) === 3);\necho \"ok\\n\";\n"
_CART_C = "int total(const int *prices, int count) {\n  int sum = 0;\n  for (int at = 0; at < count; at++) sum += prices[at];\n  return sum;\n}\n"
_CART_C_TEST = "int total(const int *prices, int count);\nint main(void) { int prices[] = {1, 2}; return total(prices, 2) == 3 ? 0 : 1; }\n"
_CMAKE = """cmake_minimum_required(VERSION 3.10)
project(shop C)
enable_testing()
add_executable(check cart.c check.c)
add_test(NAME check COMMAND check)
"""
_CMAKE_CPP = """cmake_minimum_required(VERSION 3.10)
project(shop CXX)
enable_testing()
add_executable(check check.cpp)
add_test(NAME check COMMAND check)
"""
_CHECK_CPP = "#include <numeric>\n#include <vector>\nint main() { std::vector<int> prices{1, 2}; return std::accumulate(prices.begin(), prices.end(), 0) == 3 ? 0 : 1; }\n"
_MAKE = "build: check\n\ncheck: cart.c check.c\n\tcc -o check cart.c check.c\n\ntest: check\n\t./check\n\n.PHONY: build test\n"
_JAVA = """public class Cart {
    static int total(int... prices) { return java.util.Arrays.stream(prices).sum(); }

    public static void main(String[] arguments) {
        if (total(1, 2) != 3) throw new AssertionError("wrong");
        System.out.println("ok");
    }
}
"""
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId>
  <artifactId>cart</artifactId>
  <version>1</version>
</project>
"""

SAMPLES = (
    Sample(name="python-plain", files={"cart.py": _CART_PY, "tests/test_cart.py": _CART_TEST}, request="run all tests",
           planned={"test": "python3 -m unittest discover -s tests"}, runs=("python3",)),
    Sample(name="python-requirements", request="install dependencies and run tests", runs=("python3",),
           files={"requirements.txt": "# nothing but the standard library\n", "cart.py": _CART_PY,
                  "tests/__init__.py": "", "tests/test_cart.py": _CART_TEST},
           planned={"install": f"{VENV} -r requirements.txt", "test": "python3 -m unittest discover"}),
    Sample(name="python-broken", request="test it", runs=("python3",), failing=frozenset({"test"}),
           files={"cart.py": _CART_PY.replace("sum(prices)", "max(prices)"), "tests/test_cart.py": _CART_TEST},
           planned={"test": "python3 -m unittest discover -s tests"}),
    Sample(name="python-pyproject", request="install, lint and test",
           files={"pyproject.toml": "[project]\nname = 'cart'\nversion = '1'\ndependencies = ['flask>=2']\n\n"
                                    "[project.optional-dependencies]\ntest = ['pytest']\n\n[tool.ruff]\nline-length = 99\n",
                  "cart.py": _CART_PY, "tests/test_cart.py": "def test_it():\n    assert True\n"},
           planned={"install": f"{VENV} -e '.[test]'", "lint": "ruff check .", "test": "python3 -m pytest"}),
    Sample(name="python-poetry", request="set up the development environment",
           files={"pyproject.toml": "[tool.poetry]\nname = 'cart'\nversion = '1'\n\n[tool.poetry.dependencies]\n"
                                    "python = '^3.11'\nflask = '^3'\n", "poetry.lock": "", "cart.py": _CART_PY},
           planned={"install": "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction"}),
    Sample(name="javascript-scripts", request="install, build and test", runs=("node", "npm"),
           files={"package.json": _package(scripts={"build": "node --check cart.js", "test": "node --test"}),
                  "cart.js": _CART_JS, "cart.test.js": _CART_JS_TEST},
           planned={"install": "npm install --no-audit --no-fund", "build": "npm run build", "test": "npm test"}),
    Sample(name="javascript-plain", request="run the tests", runs=("node",),
           files={"package.json": _package(), "cart.js": _CART_JS, "cart.test.js": _CART_JS_TEST},
           planned={"test": "node --test"}),
    Sample(name="javascript-server", request="start the server", runs=("node", "npm"),
           files={"package.json": _package(scripts={"start": "node server.js"}),
                  "server.js": "require('node:http').createServer((_, answer) => answer.end('ok')).listen(0);\n"},
           planned={"start": "npm run start"}),
    Sample(name="javascript-locked", request="install and audit",
           files={"package.json": _package(dependencies={"left-pad": "1.3.0"}), "cart.js": _CART_JS,
                  "package-lock.json": json.dumps({"name": "shop", "lockfileVersion": 3, "packages": {}})},
           planned={"install": "npm ci --no-audit --no-fund", "audit": "npm audit"}),
    Sample(name="typescript-own-build", request="build and test", runs=("node", "npm"),
           files={"package.json": _package(scripts={"build": "node build.js", "test": "node --test"}),
                  "tsconfig.json": "{}", "src/cart.ts": _CART_TS, "build.js": _STRIP,
                  "cart.test.js": _CART_JS_TEST.replace("./cart", "./dist/cart")},
           planned={"build": "npm run build", "test": "npm test"}),
    Sample(name="typescript-plain", request="compile it", files={
        "package.json": _package(devDependencies={"typescript": "5"}), "tsconfig.json": "{}", "src/cart.ts": _CART_TS},
        planned={"install": "npm install --no-audit --no-fund", "build": "tsc --noEmit"}),
    Sample(name="go-module", request="build and test", runs=("go",),
           files={"go.mod": "module shop\n\ngo 1.19\n", "cart.go": _CART_GO, "cart_test.go": _CART_GO_TEST},
           planned={"build": "go build ./...", "test": "go test ./..."}),
    Sample(name="go-program", request="vet it and start the program",
           files={"go.mod": "module shop\n\ngo 1.19\n", "cmd/shop/main.go": "package main\n\nfunc main() {}\n"},
           planned={"lint": "go vet ./...", "start": "go run ./cmd/shop"}),
    Sample(name="rust-crate", request="run the tests", runs=("cargo",),
           files={"Cargo.toml": "[package]\nname = 'cart'\nversion = '1.0.0'\nedition = '2021'\n", "src/lib.rs": _CART_RS},
           planned={"test": "cargo test"}),
    Sample(name="rust-program", request="format, lint and build",
           files={"Cargo.toml": "[package]\nname = 'cart'\nversion = '1.0.0'\nedition = '2021'\n",
                  "src/main.rs": "fn main() {}\n"},
           planned={"format": "cargo fmt", "build": "cargo build", "lint": "cargo clippy --all-targets"}),
    Sample(name="java-plain", request="build it, then run `java -cp out Cart`", runs=("javac",),
           files={"src/Cart.java": _JAVA},
           planned={"build": "find . -name '*.java' -not -path './out/*' | sort > .sources && javac -d out @.sources && "
                             "rm .sources", "run-java": "java -cp out Cart"}),
    Sample(name="java-maven", request="compile and test", files={"pom.xml": _POM, "src/main/java/Cart.java": _JAVA},
           planned={"build": "mvn -B -q -DskipTests package", "test": "mvn -B test"}),
    Sample(name="java-gradle", request="build and test",
           files={"build.gradle": "apply plugin: 'java'\n", "gradlew": "#!/bin/sh\n", "src/main/java/Cart.java": _JAVA},
           planned={"build": "./gradlew --no-daemon assemble", "test": "./gradlew --no-daemon test"}),
    Sample(name="ruby-rake", request="run the specs and tests", runs=("ruby", "rake"),
           files={"Rakefile": _RAKE, "lib/cart.rb": _CART_RB, "test/cart_test.rb": _CART_RB_TEST},
           planned={"test": "rake test"}),
    Sample(name="ruby-minitest", request="test", runs=("ruby",),
           files={"lib/cart.rb": _CART_RB, "test/cart_test.rb": _CART_RB_TEST},
           planned={"test": "ruby -Ilib -Itest -e \"Dir['test/**/{test_*,*_test}.rb'].each { |file| require './' + file }\""}),
    Sample(name="ruby-bundler", request="install and run the specs",
           files={"Gemfile": "gem 'rspec'\n", "Gemfile.lock": "GEM\n  specs:\n    rspec (3.13.0)\n\nDEPENDENCIES\n  rspec\n",
                  "lib/cart.rb": _CART_RB, "spec/cart_spec.rb": ""},
           planned={"install": "BUNDLE_PATH=.cache/bundle BUNDLE_FROZEN=true bundle install",
                    "test": "BUNDLE_PATH=.cache/bundle bundle exec rspec"}),
    Sample(name="php-plain", request="lint and test", runs=("php",),
           files={"src/cart.php": _CART_PHP, "tests/run.php": _CART_PHP_TEST},
           planned={"lint": "find . -name '*.php' -not -path './vendor/*' -print0 | xargs -0 -n1 php -l",
                    "test": "php -d zend.assertions=1 -d assert.exception=1 tests/run.php"}),
    Sample(name="php-composer", request="install and test",
           files={"composer.json": '{"require-dev": {"phpunit/phpunit": "^10"}}', "phpunit.xml": "<phpunit/>",
                  "src/cart.php": _CART_PHP},
           planned={"install": "composer install --no-interaction --no-progress", "test": "vendor/bin/phpunit"}),
    Sample(name="c-make", request="run all tests", runs=("make", "cc"),
           files={"Makefile": _MAKE, "cart.c": _CART_C, "check.c": _CART_C_TEST},
           planned={"build": "make build", "test": "make test"}),
    Sample(name="c-cmake", request="build and test", runs=("cmake", "cc"),
           files={"CMakeLists.txt": _CMAKE, "cart.c": _CART_C, "check.c": _CART_C_TEST},
           planned={"build": "cmake -S . -B build && cmake --build build",
                    "test": "ctest --test-dir build --output-on-failure"}),
    Sample(name="c++-cmake", request="test the project", runs=("cmake", "c++"),
           files={"CMakeLists.txt": _CMAKE_CPP, "check.cpp": _CHECK_CPP},
           planned={"build": "cmake -S . -B build && cmake --build build",
                    "test": "ctest --test-dir build --output-on-failure"}),
    Sample(name="mixed", request="run all tests except those of the frontend", runs=("python3", "make", "cc"),
           files={"backend/requirements.txt": "# nothing\n", "backend/cart.py": _CART_PY,
                  "backend/tests/__init__.py": "", "backend/tests/test_cart.py": _CART_TEST,
                  "frontend/package.json": _package(scripts={"test": "node --test"}), "frontend/cart.test.js": "",
                  "native/Makefile": _MAKE, "native/cart.c": _CART_C, "native/check.c": _CART_C_TEST},
           planned={"test-backend": "python3 -m unittest discover", "build-native": "make build",
                    "test-native": "make test"}),
)
