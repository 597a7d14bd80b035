"""Presets: sets of conditions, generated, adapted, and made real."""
