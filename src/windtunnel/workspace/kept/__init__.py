"""Workspaces that are kept: folders of ours whose files only we write, and never in place.

A file is only ever replaced by another under its name, so that a snapshot, a fork and the workspace itself can share
one file on the disk: a copy of a whole tree is a tree of hard links.
"""
