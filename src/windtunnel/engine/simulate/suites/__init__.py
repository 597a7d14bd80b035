"""Tests of a project as sections: run by its own test commands, under conditions."""
