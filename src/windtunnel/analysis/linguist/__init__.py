"""The language of a file, by the data and in the order of GitHub's Linguist (MIT licence, in this folder)."""
