"""The sorts of edits, one file each, with their examples."""
