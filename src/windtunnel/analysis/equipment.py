"""Test frameworks, and tools that a part is set up for; rows as those of ``frameworks``.

``script:TEXT`` tells by a script of the manifest that has the text in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.analysis.frameworks import Row

TESTS: Mapping[str, tuple[Row, ...]] = {
    "python": (
        ("pytest", "test", ("pytest", "key:tool.pytest", "file:pytest.ini", "file:conftest.py", "pytest-*")),
        ("nose", "test", ("nose", "nose2")),
        ("behave", "test", ("behave",)),
        ("hypothesis", "test", ("hypothesis",)),
        ("robot", "test", ("robotframework",)),
        ("tox", "test", ("tox", "key:tool.tox")),
        ("nox", "test", ("nox", "file:noxfile.py")),
    ),
    "node": (
        (
            "jest",
            "test",
            (
                "jest",
                "key:jest",
                "file:jest.config.js",
                "file:jest.config.ts",
                "ts-jest",
                "jest-expo",
                "react-scripts",
                "script:jest",
            ),
        ),
        ("vitest", "test", ("vitest", "file:vitest.config.ts", "file:vitest.config.js", "script:vitest")),
        ("mocha", "test", ("mocha", "file:.mocharc.json", "script:mocha")),
        ("ava", "test", ("ava",)),
        ("jasmine", "test", ("jasmine", "jasmine-core")),
        ("karma", "test", ("karma",)),
        ("cypress", "test", ("cypress",)),
        ("playwright", "test", ("@playwright/test",)),
        ("tape", "test", ("tape",)),
        ("node:test", "test", ("script:node --test",)),
    ),
    "go": (("testify", "test", ("github.com/stretchr/testify",)), ("ginkgo", "test", ("github.com/onsi/ginkgo*",))),
    "rust": (
        ("proptest", "test", ("proptest",)),
        ("criterion", "test", ("criterion",)),
        ("rstest", "test", ("rstest",)),
    ),
    "java": (
        (
            "junit",
            "test",
            (
                "junit:junit",
                "org.junit.jupiter:*",
                "org.junit:*",
                "key:junit-platform",
                "org.springframework.boot:spring-boot-starter-test",
                "io.quarkus:quarkus-junit5",
                "io.quarkus:quarkus-junit",
            ),
        ),
        ("testng", "test", ("org.testng:testng",)),
        ("spock", "test", ("org.spockframework:*",)),
        ("kotest", "test", ("io.kotest:*",)),
        ("mockito", "test", ("org.mockito:*",)),
    ),
    "ruby": (
        ("rspec", "test", ("rspec", "rspec-rails", "file:.rspec")),
        ("minitest", "test", ("minitest",)),
        ("test-unit", "test", ("test-unit",)),
        ("capybara", "test", ("capybara",)),
        ("cucumber", "test", ("cucumber",)),
    ),
    "php": (
        ("phpunit", "test", ("phpunit/phpunit", "symfony/phpunit-bridge", "file:phpunit.xml", "file:phpunit.xml.dist")),
        ("pest", "test", ("pestphp/pest",)),
        ("codeception", "test", ("codeception/codeception",)),
        ("behat", "test", ("behat/behat",)),
    ),
    "c": (
        ("googletest", "test", ("GTest", "gtest", "googletest")),
        ("catch2", "test", ("Catch2", "catch2")),
        ("doctest", "test", ("doctest",)),
        ("ctest", "test", ("key:cmake:enable_testing", "key:cmake:include(CTest)")),
        ("cmocka", "test", ("cmocka",)),
        ("check", "test", ("check",)),
    ),
    "dotnet": (
        ("xunit", "test", ("xunit", "xunit.v3")),
        ("nunit", "test", ("NUnit",)),
        ("mstest", "test", ("MSTest.TestFramework", "MSTest")),
    ),
    "elixir": (("exunit", "test", ("file:test/test_helper.exs",)),),
    "dart": (("test", "test", ("test",)), ("flutter_test", "test", ("flutter_test",))),
    "swift": (("swift-testing", "test", ("swift-testing",)),),
}

TOOLS: Mapping[str, tuple[Row, ...]] = {
    "python": tuple(
        (name, "tool", tells)
        for name, tells in (
            ("ruff", ("ruff", "key:tool.ruff", "file:ruff.toml", "file:.ruff.toml")),
            ("black", ("black", "key:tool.black")),
            ("isort", ("isort", "key:tool.isort")),
            ("mypy", ("mypy", "key:tool.mypy", "file:mypy.ini")),
            ("pyright", ("pyright", "key:tool.pyright", "file:pyrightconfig.json")),
            ("flake8", ("flake8", "file:.flake8", "key:tool.flake8")),
            ("pylint", ("pylint", "key:tool.pylint", "file:.pylintrc")),
            ("bandit", ("bandit", "key:tool.bandit")),
            ("pre-commit", ("file:.pre-commit-config.yaml", "pre-commit")),
            ("coverage", ("coverage", "key:tool.coverage", "file:.coveragerc", "pytest-cov")),
            ("hatchling", ("key:backend:hatchling",)),
            ("setuptools", ("key:backend:setuptools", "file:setup.py")),
            ("poetry-core", ("key:backend:poetry",)),
            ("flit", ("key:backend:flit_core",)),
            ("maturin", ("key:backend:maturin",)),
        )
    ),
    "node": tuple(
        (name, "tool", tells)
        for name, tells in (
            ("typescript", ("typescript", "file:tsconfig.json")),
            (
                "eslint",
                (
                    "eslint",
                    "key:eslintConfig",
                    "file:.eslintrc.json",
                    "file:.eslintrc.js",
                    "file:.eslintrc.cjs",
                    "file:eslint.config.js",
                    "file:eslint.config.mjs",
                    "file:.eslintrc",
                ),
            ),
            (
                "prettier",
                ("prettier", "key:prettier", "file:.prettierrc", "file:.prettierrc.json", "file:prettier.config.js"),
            ),
            ("biome", ("@biomejs/biome", "file:biome.json")),
            ("oxlint", ("oxlint",)),
            ("stylelint", ("stylelint",)),
            ("babel", ("@babel/core", "key:babel", "file:babel.config.js", "file:.babelrc")),
            ("rollup", ("rollup", "file:rollup.config.js")),
            ("esbuild", ("esbuild",)),
            ("parcel", ("parcel",)),
            ("swc", ("@swc/core",)),
            ("turbo", ("turbo", "file:turbo.json")),
            ("nx", ("nx", "file:nx.json")),
            ("lerna", ("lerna", "file:lerna.json")),
            ("vite", ("vite",)),
            ("webpack", ("webpack",)),
            ("husky", ("husky",)),
        )
    ),
    "go": (
        ("golangci-lint", "tool", ("file:.golangci.yml", "file:.golangci.yaml", "file:.golangci.toml")),
        ("goreleaser", "tool", ("file:.goreleaser.yml", "file:.goreleaser.yaml")),
    ),
    "rust": (
        ("rustfmt", "tool", ("file:rustfmt.toml", "file:.rustfmt.toml")),
        ("clippy", "tool", ("file:clippy.toml",)),
        ("cargo-deny", "tool", ("file:deny.toml",)),
    ),
    "java": tuple(
        (name, "tool", tells)
        for name, tells in (
            ("checkstyle", ("key:plugin:checkstyle", "key:plugin:maven-checkstyle-plugin")),
            ("spotless", ("key:plugin:com.diffplug.spotless", "key:plugin:spotless-maven-plugin")),
            ("spotbugs", ("key:plugin:com.github.spotbugs", "key:plugin:spotbugs-maven-plugin")),
            ("pmd", ("key:plugin:pmd", "key:plugin:maven-pmd-plugin")),
            ("jacoco", ("key:plugin:jacoco", "key:plugin:jacoco-maven-plugin")),
            ("ktlint", ("key:plugin:org.jlleitschuh.gradle.ktlint",)),
        )
    ),
    "ruby": (
        ("rubocop", "tool", ("rubocop", "rubocop-rails-omakase", "file:.rubocop.yml")),
        ("standard", "tool", ("standard",)),
        ("brakeman", "tool", ("brakeman",)),
        ("rake", "tool", ("rake", "file:Rakefile")),
    ),
    "php": (
        ("phpstan", "tool", ("phpstan/phpstan", "larastan/larastan", "file:phpstan.neon", "file:phpstan.neon.dist")),
        ("psalm", "tool", ("vimeo/psalm", "file:psalm.xml")),
        ("pint", "tool", ("laravel/pint",)),
        ("php-cs-fixer", "tool", ("friendsofphp/php-cs-fixer", "file:.php-cs-fixer.dist.php")),
        ("phpcs", "tool", ("squizlabs/php_codesniffer", "file:phpcs.xml")),
        ("rector", "tool", ("rector/rector",)),
    ),
    "c": (("clang-format", "tool", ("file:.clang-format",)), ("clang-tidy", "tool", ("file:.clang-tidy",))),
    "elixir": (
        ("credo", "tool", ("credo",)),
        ("dialyxir", "tool", ("dialyxir",)),
        ("formatter", "tool", ("file:.formatter.exs",)),
    ),
    "dart": (("lints", "tool", ("lints", "flutter_lints", "file:analysis_options.yaml")),),
    "swift": (("swiftlint", "tool", ("file:.swiftlint.yml",)), ("swiftformat", "tool", ("file:.swiftformat",))),
    "dotnet": (("editorconfig", "tool", ("file:.editorconfig",)),),
}
