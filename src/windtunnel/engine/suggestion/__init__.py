"""Tests for mutants that survived: drafted, run, and proven before anybody sees them."""
