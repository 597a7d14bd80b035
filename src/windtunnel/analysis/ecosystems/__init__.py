"""Manifests and lock files, one file for each ecosystem and one literal table."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.analysis.ecosystems import c, dart, dotnet, elixir, go, java, node, php, python, ruby, rust, swift
from windtunnel.analysis.ecosystems.base import Ecosystem

ECOSYSTEMS: Mapping[str, Ecosystem] = {
    one.name: one for one in (
        python.ECOSYSTEM, node.ECOSYSTEM, go.ECOSYSTEM, rust.ECOSYSTEM, java.ECOSYSTEM, ruby.ECOSYSTEM, php.ECOSYSTEM,
        c.ECOSYSTEM, dotnet.ECOSYSTEM, elixir.ECOSYSTEM, dart.ECOSYSTEM, swift.ECOSYSTEM)}
