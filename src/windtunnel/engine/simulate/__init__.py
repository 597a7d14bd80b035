"""Sections and workflows of a project under many conditions."""
